//! Platforms with their own variants of the encodings, and the rules for all messages of JADE.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::string::write_expression;
use crate::time::checked;
use crate::{Content, DecodeError, Encoding, Expression, Message, RepairKind, Repaired, Unencodable};
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

/// The parameter with which JADE marks a content as bytes in Base64.
pub(crate) const CONTENT_ENCODING: &str = "X-JADE-Encoding";
/// Its value.
pub(crate) const BASE64: &str = "Base64";

/// Whether a parameter declares the encoding of a content.
pub(crate) fn is_content_encoding(name: &str) -> bool {
    name.eq_ignore_ascii_case(CONTENT_ENCODING)
}

/// Returns bytes as text in Base64.
pub(crate) fn in_base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Decodes a content that is marked as Base64, if it is valid.
fn decode_content(message: &mut Message<'_>) {
    let says_so = |value: &Expression<'_>| value.as_text().is_some_and(|text| text.eq_ignore_ascii_case(BASE64));
    let mut parameters = message.user_parameters.iter();
    let place = parameters.position(|user| is_content_encoding(user.name.as_str()) && says_so(&user.value));
    let (Some(place), Some(Content::Text(text))) = (place, &message.content) else { return };
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if let Ok(bytes) = BASE64_STANDARD.decode(digits) {
        message.content = Some(Content::from(bytes));
        message.user_parameters.remove(place);
    }
}

/// Returns the characters of a value for a platform that has only texts.
///
/// # Errors
/// Returns an error if the value has none.
pub(crate) fn letters<'v>(value: &'v Expression<'_>) -> Result<Cow<'v, str>, Unencodable> {
    let why = "which are not text, the only form that JADE reads here; write them in Base64";
    match value {
        Expression::Time(time) => Ok(checked(time)?.to_string().into()),
        Expression::List(_) => {
            let mut text = Vec::new();
            write_expression(value, &mut text)?;
            String::from_utf8(text).map(Cow::Owned).map_err(|_| Unencodable::new("the value", "a list with bytes", why))
        }
        value => value.as_text().map(Cow::Borrowed).ok_or_else(|| Unencodable::new("the value", "bytes", why)),
    }
}
