//! The three encodings of messages, by name.

use std::fmt;
use std::str::FromStr;

use crate::{Message, Repaired, Unencodable, bit_efficient, string, xml};

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
