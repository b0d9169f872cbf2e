//! The encoding as XML (SC00071, `fipa.acl.rep.xml.std`).
//!
//! ```
//! use situated_acl::{Message, xml};
//!
//! let message = Message::inform().from("a@p").content("1 < 2 & so on");
//! let document = xml::encode(&message)?;
//! assert_eq!(
//!     String::from_utf8_lossy(&document),
//!     "<?xml version=\"1.0\"?>\n<fipa-message act=\"inform\"><sender><agent-identifier><name id=\"a@p\"/>\
//!      </agent-identifier></sender><content>1 &lt; 2 &amp; so on</content></fipa-message>"
//! );
//! assert_eq!(xml::decode(&document)?, message);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Documents in UTF-8 are read, with the variants that other platforms write: names and addresses as attributes or as
//! texts, one `receiver` with many agents or many with one, parameters of users as `user-defined` or under their own
//! names. Document types are refused, only the five entities of XML itself are known, and nothing is opened that a
//! document refers to: a parameter that has an `href` and no text has the reference as its text.
//!
//! # Kinds
//! Whatever is encoded is decoded to an equal message. XML has texts only:
//! - A text is read as the value that the string encoding reads in it, `12` as a number and `"12"` as a string; what
//!   the string encoding would not read as one value, such as `two words`, is a string.
//! - A content is a text, with all its blanks. Bytes are in Base64: `<content encoding="base64">`.
//! - A content with characters that XML has not is in Base64, too: `<content type="text" encoding="base64">`. So are
//!   the texts of other values with such characters.

pub(crate) mod agents;
pub(crate) mod characters;
pub(crate) mod document;
mod error;
pub(crate) mod reading;
pub(crate) mod values;
mod writing;

pub use error::{DecodeError, Reason, Repair, RepairKind, Repaired};

use document::Document;
use reading::read_message;
use writing::write_message;

use crate::{Message, Unencodable};

/// Memory for most messages without their contents.
const USUAL_LENGTH: usize = 1024;

/// Encodes a message as a document.
///
/// # Errors
/// When a part of it has no form: an address with blanks, a name with control characters, a time out of range, lists
/// nested too deeply.
pub fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let content = message.content.as_ref().map_or(0, |content| content.as_bytes().len());
    let mut document = Vec::with_capacity(USUAL_LENGTH + content);
    encode_into(message, &mut document)?;
    Ok(document)
}

/// Encodes a message as a document, after what is already there.
///
/// # Errors
/// As with [`encode`]; nothing is added then.
pub fn encode_into(message: &Message<'_>, document: &mut Vec<u8>) -> Result<(), Unencodable> {
    let length = document.len();
    write_message(document, message).inspect_err(|_| document.truncate(length))
}

/// Decodes the message that a document is.
///
/// # Errors
/// When it is not well-formed, or has something that messages do not have.
pub fn decode(document: &[u8]) -> Result<Message<'_>, DecodeError> {
    read_message(&mut Document::strict(document)?)
}

/// Decodes a message as [`decode`] does, and mends what other platforms are known to get wrong ([`RepairKind`]).
///
/// # Errors
/// When it cannot be mended.
pub fn decode_leniently(document: &[u8]) -> Result<Repaired<Message<'_>>, DecodeError> {
    let mut document = Document::lenient(document)?;
    let message = read_message(&mut document)?;
    Ok(Repaired { message, repairs: document.into_repairs() })
}
