//! The three encodings of messages, by name.

use std::fmt;
use std::str::FromStr;

use crate::{Message, Repaired, Unencodable, bit_efficient, string, xml};

/// How a message is encoded.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// [Text](string) (SC00070).
    String,
    /// [Bytes](bit_efficient) (SC00069).
    BitEfficient,
    /// [XML](xml) (SC00071).
    Xml,
}

/// A name that no encoding has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no encoding `{0}`, only fipa.acl.rep.string.std, fipa.acl.rep.bitefficient.std and fipa.acl.rep.xml.std"
)]
pub struct UnknownEncoding(pub String);

/// Why data could not be decoded.
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

/// What was mended.
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
    /// Offset of the byte where something is wrong, from 0. [`Place::of`](crate::Place::of) tells line and column.
    pub fn at(&self) -> usize {
        match self {
            DecodeError::String(error) => error.at,
            DecodeError::BitEfficient(error) => error.at,
            DecodeError::Xml(error) => error.at,
        }
    }

    /// What is wrong there.
    pub fn reason(&self) -> &dyn fmt::Display {
        match self {
            DecodeError::String(error) => &error.reason,
            DecodeError::BitEfficient(error) => &error.reason,
            DecodeError::Xml(error) => &error.reason,
        }
    }
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 3] = [Encoding::String, Encoding::BitEfficient, Encoding::Xml];

    /// Its standard name, which stands as `acl-representation` in envelopes.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::String => "fipa.acl.rep.string.std",
            Encoding::BitEfficient => "fipa.acl.rep.bitefficient.std",
            Encoding::Xml => "fipa.acl.rep.xml.std",
        }
    }

    /// The encoding with this standard name, in capital or small letters.
    pub fn named(name: &str) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|encoding| encoding.name().eq_ignore_ascii_case(name))
    }

    /// The encoding that data have, by the first byte that is no blank: `(`, FA to FC, `<` or the mark of UTF-8. Nothing
    /// is said about whether they can be decoded.
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
    /// When a part of it has no form in this encoding.
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
    /// When the data do not keep to the standard.
    pub fn decode(self, data: &[u8]) -> Result<Message<'_>, DecodeError> {
        Ok(match self {
            Encoding::String => string::decode(data)?,
            Encoding::BitEfficient => bit_efficient::decode(data)?,
            Encoding::Xml => xml::decode(data)?,
        })
    }

    /// Decodes a message, and mends what other platforms are known to get wrong.
    ///
    /// # Errors
    /// When it cannot be mended.
    pub fn decode_leniently(self, data: &[u8]) -> Result<Repaired<Message<'_>, RepairKind>, DecodeError> {
        Ok(match self {
            Encoding::String => string::decode_leniently(data)?.map(RepairKind::String),
            Encoding::BitEfficient => bit_efficient::decode_leniently(data)?.map(RepairKind::BitEfficient),
            Encoding::Xml => xml::decode_leniently(data)?.map(RepairKind::Xml),
        })
    }

    /// Decodes the message at the beginning of the data, and tells how many bytes it has. A document in XML has all of
    /// them, as nothing may follow it.
    ///
    /// # Errors
    /// When the data do not begin with a message that keeps to the standard.
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

    /// Decodes the message at the beginning of the data as [`Encoding::decode_leniently`] does, and tells how many
    /// bytes it has.
    ///
    /// # Errors
    /// When it cannot be mended.
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

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        Encoding::named(name).ok_or_else(|| UnknownEncoding(name.into()))
    }
}
