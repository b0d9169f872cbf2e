//! Sources of messages: files and pipes, in any encoding, with several messages in a row.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use situated_acl::{DecodeError, Encoding, Message, Repair, RepairKind, Repaired, TextPosition};

use super::form::{Form, Platform, unframed};
use super::printable;

/// Maximum number of MiB read from a file, so that an endless one does not use up the memory.
const MOST_MEBIBYTES: u64 = 256;

/// The byte order mark that some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Number of characters shown before and after an error.
const SHOWN: usize = 60;

#[derive(clap::Args)]
pub(super) struct Source {
    /// Files, in order; none or `-` means standard input. A file contains one message after another, or one in XML.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Encoding of the messages [default: detected].
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<Form>,
    /// Also read messages that break the grammar but can be understood, and list the repairs.
    #[arg(long)]
    lenient: bool,
    /// Platform that wrote the messages. Messages of JADE are read as JADE means them.
    #[arg(long, value_enum, value_name = "PLATFORM", default_value_t = Platform::Standard)]
    by: Platform,
}

/// A message with the repairs made in it.
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
    /// Returns an error if a file cannot be read or contains something that is not a message; earlier messages have
    /// been handed out by then.
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
        let data = data.strip_prefix(BYTE_ORDER_MARK).unwrap_or(data);
        if data.trim_ascii().is_empty() {
            return Ok(());
        }
        let Some(form) = self.from.or_else(|| Form::detect(data)) else {
            bail!("cannot detect the encoding of the messages in {name}; name it with --from");
        };
        let data = unframed(form, data).with_context(|| name.to_owned())?;
        let encoding = form.encoding();
        let advises = self.by == Platform::Standard;
        let mut spot = Spot { name, encoding, data: &data, at: 0, place: TextPosition::START, advises };
        let mut at = blanks(encoding, &data);
        while at < data.len() {
            let (read, length) = self.decode(encoding, &data[at..]).map_err(|error| spot.complaint(at, &error))?;
            let place = spot.move_to(at);
            let repair_text =
                |repair: &Repair<RepairKind>| format!("{}: {}", spot.move_to(at + repair.at), repair.kind);
            take(Letter {
                place,
                repairs: read.repairs.iter().map(repair_text).collect(),
                message: read.message.into_owned(),
            })?;
            at += length;
            at += blanks(encoding, &data[at..]);
        }
        Ok(())
    }

    /// Reads the first message of the data, and returns it with its length in bytes.
    fn decode<'a>(&self, encoding: Encoding, data: &'a [u8]) -> Result<(Decoded<'a>, usize), DecodeError> {
        if self.by != Platform::Standard {
            return self.by.dialect().decode_prefix(encoding, data);
        }
        if self.lenient {
            return encoding.decode_prefix_leniently(data);
        }
        let (message, length) = encoding.decode_prefix(data)?;
        Ok((Repaired { message, repairs: Vec::new() }, length))
    }
}

/// Returns the display name of a file and its contents.
fn contents(file: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let (name, data) = match file.as_os_str() == "-" {
        true => ("standard input".to_owned(), read_bounded(io::stdin().lock())),
        false => (file.display().to_string(), File::open(file).and_then(read_bounded)),
    };
    let data = data.with_context(|| format!("cannot read {name}"))?;
    if data.len() as u64 > MOST_MEBIBYTES << 20 {
        bail!("{name} has more than {MOST_MEBIBYTES} MiB; split it between two messages");
    }
    Ok((name, data))
}

/// Reads everything, or one byte more than the limit.
fn read_bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    from.take((MOST_MEBIBYTES << 20) + 1).read_to_end(&mut data)?;
    Ok(data)
}

/// Counts the blanks before the next message.
fn blanks(encoding: Encoding, rest: &[u8]) -> usize {
    match encoding {
        Encoding::BitEfficient => 0,
        Encoding::String | Encoding::Xml => rest.iter().take_while(|byte| **byte <= b' ').count(),
    }
}

/// A position in a file. It moves forward only, so that the lines of a file are counted once for all its messages.
struct Spot<'a> {
    name: &'a str,
    encoding: Encoding,
    data: &'a [u8],
    at: usize,
    place: TextPosition,
    /// Whether errors suggest to read leniently.
    advises: bool,
}

impl Spot<'_> {
    /// Moves to a byte at or after the current one, and describes its place.
    fn move_to(&mut self, at: usize) -> String {
        let at = at.clamp(self.at, self.data.len());
        self.place = self.place.after(&self.data[self.at..at]);
        self.at = at;
        match self.encoding {
            Encoding::BitEfficient => format!("{}, byte {at}", self.name),
            Encoding::String | Encoding::Xml => format!("{}, {}", self.name, self.place),
        }
    }

    /// Describes the error in the message that begins here, with its line.
    fn complaint(&mut self, begin: usize, error: &DecodeError) -> anyhow::Error {
        let at = begin + error.at();
        let excerpt = match self.encoding {
            Encoding::BitEfficient => String::new(),
            Encoding::String | Encoding::Xml => Excerpt { data: self.data, at }.to_string(),
        };
        let can_be_mended = self.advises && self.encoding.decode_prefix_leniently(&self.data[begin..]).is_ok();
        let advice = if can_be_mended { "; --lenient reads it as it was probably meant" } else { "" };
        anyhow::anyhow!("{}: {}{advice}{excerpt}", self.move_to(at), error.reason())
    }
}

/// The line that contains a byte, with a mark under it.
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
        let letters = |text| printable(&String::from_utf8_lossy(text)).chars().collect::<Vec<char>>();
        let (before, after) = (letters(&self.data[begin..at]), letters(&self.data[at..end]));
        let before = &before[before.len().saturating_sub(SHOWN)..];
        let shown: String = before.iter().chain(after.iter().take(SHOWN)).collect();
        write!(f, "\n  {}\n  {}^", shown.trim_end(), " ".repeat(before.len()))
    }
}
