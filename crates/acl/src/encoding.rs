//! The three encodings of messages, by name, and the errors that they share.

use std::fmt;
use std::str::FromStr;

use crate::{Message, bit_efficient, string, xml};

named! {
    /// The encoding of a message. Envelopes contain its name as `acl-representation`.
    ///
    /// ```
    /// use situated_acl::{Encoding, Message};
    ///
    /// let message = Message::cfp().from("A").to("B").content("(plums)");
    /// for encoding in Encoding::ALL {
    ///     let data = encoding.encode(&message)?;
    ///     assert_eq!(Encoding::detect(&data), Some(encoding));
    ///     assert_eq!(encoding.decode(&data)?, message);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Encoding {
        /// [Text](string) (SC00070).
        #[default]
        String => "fipa.acl.rep.string.std",
        /// [Bytes](bit_efficient) (SC00069).
        BitEfficient => "fipa.acl.rep.bitefficient.std",
        /// [XML](xml) (SC00071).
        Xml => "fipa.acl.rep.xml.std",
    }
}

/// A name that belongs to no encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no encoding `{0}`, only fipa.acl.rep.string.std, fipa.acl.rep.bitefficient.std and fipa.acl.rep.xml.std"
)]
pub struct UnknownEncoding(pub String);

/// The reason why data could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// As text.
    #[error(transparent)]
    String(#[from] string::DecodeError),
    /// As bytes.
    #[error(transparent)]
    BitEfficient(#[from] bit_efficient::DecodeError),
    /// As XML.
    #[error(transparent)]
    Xml(#[from] xml::DecodeError),
}

/// The repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RepairKind {
    /// In text.
    #[error(transparent)]
    String(string::RepairKind),
    /// In bytes.
    #[error(transparent)]
    BitEfficient(bit_efficient::RepairKind),
    /// In XML.
    #[error(transparent)]
    Xml(xml::RepairKind),
}

impl DecodeError {
    /// Offset of the faulty byte, from 0. [`TextPosition::of`](crate::TextPosition::of) converts it to line and column.
    pub fn at(&self) -> usize {
        match self {
            DecodeError::String(error) => error.at,
            DecodeError::BitEfficient(error) => error.at,
            DecodeError::Xml(error) => error.at,
        }
    }

    /// Returns the problem.
    pub fn reason(&self) -> &dyn fmt::Display {
        match self {
            DecodeError::String(error) => &error.reason,
            DecodeError::BitEfficient(error) => &error.reason,
            DecodeError::Xml(error) => &error.reason,
        }
    }
}

impl Encoding {
    /// Returns the encoding with this standard name, ignoring case.
    pub fn named(name: &str) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|encoding| encoding.name().eq_ignore_ascii_case(name))
    }

    /// Detects the encoding of data by the first byte that is not blank: `(`, FA to FC, `<` or a UTF-8 byte order
    /// mark. It does not check whether the data can be decoded.
    pub fn detect(data: &[u8]) -> Option<Encoding> {
        match data.trim_ascii_start().first()? {
            b'(' => Some(Encoding::String),
            b'<' | 0xEF => Some(Encoding::Xml),
            0xFA..=0xFC => Some(Encoding::BitEfficient),
            _ => None,
        }
    }

    /// Encodes a message.
    ///
    /// # Errors
    /// Returns an error if a part of it has no form in this encoding.
    pub fn encode(self, message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
        match self {
            Encoding::String => string::encode(message),
            Encoding::BitEfficient => bit_efficient::encode(message),
            Encoding::Xml => xml::encode(message),
        }
    }

    /// Decodes a message.
    ///
    /// # Errors
    /// Returns an error if the data do not conform to the standard.
    pub fn decode(self, data: &[u8]) -> Result<Message<'_>, DecodeError> {
        Ok(match self {
            Encoding::String => string::decode(data)?,
            Encoding::BitEfficient => bit_efficient::decode(data)?,
            Encoding::Xml => xml::decode(data)?,
        })
    }

    /// Decodes a message, and repairs known errors of other platforms.
    ///
    /// # Errors
    /// Returns an error if it cannot be repaired.
    pub fn decode_leniently(self, data: &[u8]) -> Result<Repaired<Message<'_>, RepairKind>, DecodeError> {
        Ok(match self {
            Encoding::String => string::decode_leniently(data)?.map(RepairKind::String),
            Encoding::BitEfficient => bit_efficient::decode_leniently(data)?.map(RepairKind::BitEfficient),
            Encoding::Xml => xml::decode_leniently(data)?.map(RepairKind::Xml),
        })
    }

    /// Decodes the message at the beginning of the data, and returns its number of bytes. An XML document takes all
    /// of the data, as nothing may follow it.
    ///
    /// # Errors
    /// Returns an error if the data do not begin with a message that conforms to the standard.
    ///
    /// ```
    /// use situated_acl::{Encoding, Performative};
    ///
    /// let data = b"(agree) (inform)";
    /// let (first, length) = Encoding::String.decode_prefix(data)?;
    /// assert_eq!(first.performative, Performative::Agree);
    /// assert_eq!(Encoding::String.decode(&data[length..])?.performative, Performative::Inform);
    /// # Ok::<(), situated_acl::DecodeError>(())
    /// ```
    pub fn decode_prefix(self, data: &[u8]) -> Result<(Message<'_>, usize), DecodeError> {
        Ok(match self {
            Encoding::String => string::decode_prefix(data)?,
            Encoding::BitEfficient => bit_efficient::decode_prefix(data)?,
            Encoding::Xml => (xml::decode(data)?, data.len()),
        })
    }

    /// Decodes the message at the beginning of the data as [`Encoding::decode_leniently`] does, and returns its
    /// number of bytes.
    ///
    /// # Errors
    /// Returns an error if it cannot be repaired.
    pub fn decode_prefix_leniently(
        self,
        data: &[u8],
    ) -> Result<(Repaired<Message<'_>, RepairKind>, usize), DecodeError> {
        Ok(match self {
            Encoding::String => {
                let (read, length) = string::decode_prefix_leniently(data)?;
                (read.map(RepairKind::String), length)
            }
            Encoding::BitEfficient => {
                let (read, length) = bit_efficient::decode_prefix_leniently(data)?;
                (read.map(RepairKind::BitEfficient), length)
            }
            Encoding::Xml => (self.decode_leniently(data)?, data.len()),
        })
    }
}

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        Encoding::named(name).ok_or_else(|| UnknownEncoding(name.into()))
    }
}

/// Maximum number of characters of a value that an error shows.
const REPEATED: usize = 40;

/// A part of a message that the encoding cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} is {value:?}, {why}")]
pub struct Unencodable {
    /// The part: `an address of receiver 2`.
    pub place: String,
    /// The value, or its beginning if it is long.
    pub value: String,
    /// The reason, and what to do: `which has blanks; write them as %20`.
    pub why: &'static str,
}

impl Unencodable {
    /// Creates an error about this value of this part.
    #[cold]
    pub(crate) fn new(place: impl Into<String>, value: &str, why: &'static str) -> Self {
        Self { place: place.into(), value: value.chars().take(REPEATED).collect(), why }
    }

    /// Adds the whole to which the part belongs.
    #[cold]
    pub(crate) fn of(self, whole: impl fmt::Display) -> Self {
        Self { place: format!("{} of {whole}", self.place), ..self }
    }
}

/// A value, and the repairs that were needed to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired<T, Kind> {
    /// The message.
    pub message: T,
    /// The repairs, in the order of the data; empty if the data conform to the standard.
    pub repairs: Vec<Repair<Kind>>,
}

/// A repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repair<Kind> {
    /// Offset of the byte, from 0.
    pub at: usize,
    /// The problem.
    pub kind: Kind,
}

impl<T, Kind> Repaired<T, Kind> {
    /// Renames the kinds.
    pub(crate) fn map<Other>(self, name: fn(Kind) -> Other) -> Repaired<T, Other> {
        let repairs = self.repairs.into_iter().map(|Repair { at, kind }| Repair { at, kind: name(kind) });
        Repaired { message: self.message, repairs: repairs.collect() }
    }
}

/// A place in a text, as line and column, which both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl TextPosition {
    /// Where a text begins.
    pub const START: TextPosition = TextPosition { line: 1, column: 1 };

    /// Returns the place of the byte `at` of this input, or of its end if `at` is beyond it.
    pub fn of(input: &[u8], at: usize) -> Self {
        TextPosition::START.after(&input[..at.min(input.len())])
    }

    /// Returns the place after a passage that begins at this place. With it, many places in one input can be found
    /// without counting from the beginning each time.
    pub fn after(self, passage: &[u8]) -> Self {
        let begins_letter = |byte: &&u8| **byte & 0xC0 != 0x80;
        let letters = |line: &[u8]| line.iter().filter(begins_letter).count();
        match memchr::memrchr(b'\n', passage) {
            Some(newline) => Self {
                line: self.line + memchr::memchr_iter(b'\n', passage).count(),
                column: 1 + letters(&passage[newline + 1..]),
            },
            None => Self { column: self.column + letters(passage), ..self },
        }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_places_in_lines_and_characters() {
        let text = "(inform\n :language é x)".as_bytes();
        let place = |at| TextPosition::of(text, at);
        assert_eq!(place(0), TextPosition { line: 1, column: 1 });
        assert_eq!(place(8), TextPosition { line: 2, column: 1 });
        assert_eq!(place(22), TextPosition { line: 2, column: 14 });
        assert_eq!(place(1000), TextPosition::of(text, text.len()));
        assert_eq!(place(22).to_string(), "line 2, column 14");
    }

    #[test]
    fn counting_in_several_steps_gives_the_same_place() {
        let text = "(inform\n\n :language é x)".as_bytes();
        for (from, to) in (0..=text.len()).flat_map(|to| (0..=to).map(move |from| (from, to))) {
            assert_eq!(TextPosition::of(text, from).after(&text[from..to]), TextPosition::of(text, to));
        }
    }
}
