//! Where messages come from: files and pipes, in any encoding, several in a row.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use situated_acl::{DecodeError, Encoding, Message, Place, Repair, RepairKind, Repaired};

use super::form::{Form, unframed};

/// How much of the line with the error is shown, in characters before and after it.
const SHOWN: usize = 60;

#[derive(clap::Args)]
pub(super) struct Source {
    /// The files, in order; none or `-` is the standard input. A file has one message after another, or one in XML.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// In which form the messages are [default: found out].
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<Form>,
    /// Read also what breaks the grammar but can be understood, and tell what was mended.
    #[arg(long)]
    lenient: bool,
}

/// A message that was read, with what had to be mended in it.
pub(super) struct Letter {
    pub(super) message: Message<'static>,
    pub(super) place: String,
    pub(super) repairs: Vec<String>,
}

type Decoded<'a> = Repaired<Message<'a>, RepairKind>;

impl Source {
    /// Reads all messages, one after another.
    ///
    /// # Errors
    /// When a file cannot be read, or something in it is no message; what came before has been handed out then.
    pub(super) fn for_each(&self, mut take: impl FnMut(Letter) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        for file in files {
            let (name, data) = contents(file)?;
            self.read(&name, &data, &mut take)?;
        }
        Ok(())
    }

    fn read(&self, name: &str, data: &[u8], take: &mut impl FnMut(Letter) -> anyhow::Result<()>) -> anyhow::Result<()> {
        if data.trim_ascii().is_empty() {
            return Ok(());
        }
        let Some(form) = self.from.or_else(|| Form::detect(data)) else {
            bail!("{name} has no messages in a form that is known here; say with --from which it is");
        };
        let data = unframed(form, data).with_context(|| name.to_owned())?;
        let encoding = form.encoding();
        let mut at = 0;
        while !is_at_end(encoding, &data[at..]) {
            let file = Spot { name, encoding, data: &data };
            let (read, length) = self.decode(encoding, &data[at..]).map_err(|error| file.complaint(at, &error))?;
            let mended = |repair: &Repair<RepairKind>| format!("{}: {}", file.place(at + repair.at), repair.kind);
            take(Letter {
                place: file.place(at + blanks(encoding, &data[at..])),
                repairs: read.repairs.iter().map(mended).collect(),
                message: read.message.into_owned(),
            })?;
            at += length;
        }
        Ok(())
    }

    /// The first message of the data, and how many bytes it has.
    fn decode<'a>(&self, encoding: Encoding, data: &'a [u8]) -> Result<(Decoded<'a>, usize), DecodeError> {
        if self.lenient {
            return encoding.decode_prefix_leniently(data);
        }
        let (message, length) = encoding.decode_prefix(data)?;
        Ok((Repaired { message, repairs: Vec::new() }, length))
    }
}

/// What people call a file, and what is in it.
fn contents(file: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    if file.as_os_str() == "-" {
        let mut data = Vec::new();
        io::stdin().lock().read_to_end(&mut data).context("cannot read the standard input")?;
        return Ok(("standard input".to_owned(), data));
    }
    let data = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok((file.display().to_string(), data))
}

fn is_at_end(encoding: Encoding, rest: &[u8]) -> bool {
    rest.len() == blanks(encoding, rest)
}

/// How many blanks stand before the next message.
fn blanks(encoding: Encoding, rest: &[u8]) -> usize {
    if encoding == Encoding::BitEfficient { 0 } else { rest.len() - rest.trim_ascii_start().len() }
}

/// A file, for whoever wants to know where in it something is.
struct Spot<'a> {
    name: &'a str,
    encoding: Encoding,
    data: &'a [u8],
}

impl Spot<'_> {
    fn place(&self, at: usize) -> String {
        match self.encoding {
            Encoding::BitEfficient => format!("{}, byte {at}", self.name),
            Encoding::String | Encoding::Xml => format!("{}, {}", self.name, Place::of(self.data, at)),
        }
    }

    /// What is wrong with the message that begins here, with the line in which it is.
    fn complaint(&self, begin: usize, error: &DecodeError) -> anyhow::Error {
        let at = begin + error.at();
        let excerpt = match self.encoding {
            Encoding::BitEfficient => String::new(),
            Encoding::String | Encoding::Xml => Excerpt { data: self.data, at }.to_string(),
        };
        let can_be_mended = self.encoding.decode_prefix_leniently(&self.data[begin..]).is_ok();
        let advice = if can_be_mended { "; --lenient reads it as it seems to be meant" } else { "" };
        anyhow::anyhow!("{}: {}{advice}{excerpt}", self.place(at), error.reason())
    }
}

/// The line in which a byte is, with a mark under it.
struct Excerpt<'a> {
    data: &'a [u8],
    at: usize,
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.min(self.data.len());
        let begin = self.data[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let end =
            self.data[at..].iter().position(|byte| *byte == b'\n').map_or(self.data.len(), |newline| at + newline);
        let printable = |text: &[u8]| -> Vec<char> {
            let letters = String::from_utf8_lossy(text);
            letters.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
        };
        let (before, after) = (printable(&self.data[begin..at]), printable(&self.data[at..end]));
        let before = &before[before.len().saturating_sub(SHOWN)..];
        let shown: String = before.iter().chain(after.iter().take(SHOWN)).collect();
        write!(f, "\n  {}\n  {}^", shown.trim_end(), " ".repeat(before.len()))
    }
}
