//! Platforms with their own variants of the encodings.

use crate::jade::decode_content;
use crate::{DecodeError, Encoding, Message, RepairKind, Repaired, Unencodable};
use crate::{bit_efficient, string, xml};

/// The platform for which a message is written, or that has written it.
///
/// ```
/// use situated_acl::{Dialect, Encoding, Message};
///
/// let message = Message::inform().to("b@q").content("say \"hi\"").conversation_id("2000-06-10");
/// let data = Dialect::Jade.encode(Encoding::BitEfficient, &message)?;
/// assert_eq!(data, b"\xFA\x10\x08\x03\x02\x10b@q\0\x01\x01\x0D\x102000-06-10\0\x04\x14say \"hi\"\0\x01");
/// assert_eq!(Dialect::Jade.decode(Encoding::BitEfficient, &data)?.message, message);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # JADE
/// JADE has only texts. It receives the value of a parameter as its characters, and a list as its text; such a text
/// is read as a word if it is one, and otherwise as a string. Contents that are bytes are written in Base64, marked
/// with the parameter `X-JADE-Encoding`, except in the bit-efficient encoding, which supports bytes. When JADE writes
/// contents, it drops blanks at both ends.
/// - As text: words that are not ASCII are quoted, and lengths count characters as Java does. The decoder also
///   accepts values that begin with a colon, and texts that end with a backslash before their quotation mark.
/// - Bit-efficient: contents and user parameters have texts without quotation marks. Parameters of agents lack the
///   prefix `X-`.
/// - As XML: JADE writes `<` and `&` unescaped, and a quotation mark in a content as `\"`; the decoder accepts all of
///   this. The encoder writes well-formed XML. It has no form for parameters of agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The forms of the standard.
    #[default]
    Standard,
    /// The variants that JADE and its add-ons write and read.
    Jade,
}

impl Dialect {
    /// Encodes a message for this platform.
    ///
    /// # Errors
    /// Returns an error if this encoding, or this platform, has no form for a part of it.
    pub fn encode(self, encoding: Encoding, message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
        match (self, encoding) {
            (Dialect::Standard, encoding) => encoding.encode(message),
            (Dialect::Jade, Encoding::String) => string::encode_for_jade(message),
            (Dialect::Jade, Encoding::BitEfficient) => bit_efficient::jade::encode(message),
            (Dialect::Jade, Encoding::Xml) => xml::jade::encode(message),
        }
    }

    /// Decodes a message of this platform, and repairs its known deviations from the standard. For the standard
    /// dialect, this is the same as [`Encoding::decode_leniently`].
    ///
    /// # Errors
    /// Returns an error if it cannot be repaired.
    pub fn decode(self, encoding: Encoding, data: &[u8]) -> Result<Repaired<Message<'_>, RepairKind>, DecodeError> {
        let mut read = match (self, encoding) {
            (Dialect::Standard, encoding) => return encoding.decode_leniently(data),
            (Dialect::Jade, Encoding::String) => string::decode_of_jade(data)?.map(RepairKind::String),
            (Dialect::Jade, Encoding::BitEfficient) => bit_efficient::jade::decode(data)?.map(RepairKind::BitEfficient),
            (Dialect::Jade, Encoding::Xml) => xml::jade::decode(data)?.map(RepairKind::Xml),
        };
        decode_content(&mut read.message);
        Ok(read)
    }

    /// Decodes the message at the beginning of the data as [`Dialect::decode`] does, and returns its number of bytes.
    /// An XML document always takes all of the data.
    ///
    /// # Errors
    /// Returns an error if it cannot be repaired.
    pub fn decode_prefix(
        self,
        encoding: Encoding,
        data: &[u8],
    ) -> Result<(Repaired<Message<'_>, RepairKind>, usize), DecodeError> {
        let (mut read, length) = match (self, encoding) {
            (Dialect::Standard, encoding) => return encoding.decode_prefix_leniently(data),
            (Dialect::Jade, Encoding::String) => {
                let (read, length) = string::decode_prefix_of_jade(data)?;
                (read.map(RepairKind::String), length)
            }
            (Dialect::Jade, Encoding::BitEfficient) => {
                let (read, length) = bit_efficient::jade::decode_prefix(data)?;
                (read.map(RepairKind::BitEfficient), length)
            }
            (Dialect::Jade, Encoding::Xml) => (xml::jade::decode(data)?.map(RepairKind::Xml), data.len()),
        };
        decode_content(&mut read.message);
        Ok((read, length))
    }
}
