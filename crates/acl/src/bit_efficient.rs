//! The bit-efficient encoding (SC00069). It is shorter than text, and much faster to read.
//!
//! ```
//! use situated_acl::{Message, bit_efficient};
//!
//! let message = Message::inform().from("a@p").to("b@q").content("it rains");
//! let data = bit_efficient::encode(&message)?;
//! assert_eq!(data.len(), 34);
//! assert_eq!(bit_efficient::decode(&data)?, message);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Code tables are not supported, since they only make sense on a connection where both ends keep the same table.
//! User-defined acts are rejected.
//!
//! # Kinds
//! Every encoded message is decoded to an equal message. Texts are quoted, as the standard requires; bytes have a
//! length. JADE's add-on treats the quotation marks of contents as part of them: use
//! [`Dialect::Jade`](crate::Dialect::Jade) to write messages for agents there. The standard has no form for some
//! values of this library, which are written as follows:
//! - A text with a zero character is written with its length, in a wider form than necessary (17 where 16 would
//!   suffice).
//! - A time as a value, other than in `reply-by`, is written like a word. So is a number with a lower-case `e`: half
//!   bytes have only one code for exponents, which is read as `E`.
//! - The name of an agent that is not a word is written like a string.

pub(crate) mod agents;
pub(crate) mod codes;
pub(crate) mod error;
pub(crate) mod half_bytes;
pub(crate) mod input;
pub(crate) mod jade;
mod message;
pub(crate) mod values;

pub use error::{DecodeError, Reason, Repair, RepairKind, Repaired};

use agents::Coded;
use input::Input;
use message::{read_message, write_message};

use crate::{Message, Unencodable};

/// Encodes a message.
///
/// # Errors
/// Returns an error if a part of it has no form: an address with blanks, a time out of range, lists nested too
/// deeply.
pub fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut data = Vec::new();
    write_message(&mut data, message)?;
    Ok(data)
}

/// Decodes data that are exactly one message.
///
/// # Errors
/// Returns an error if the data do not conform to the standard, or if more data follow. Lists may be nested up to 256
/// levels deep, and resolvers up to 16.
pub fn decode(data: &[u8]) -> Result<Message<'_>, DecodeError> {
    let mut input = Input::strict(data);
    let message = read_message::<Coded>(&mut input)?;
    input.end()?;
    Ok(message)
}

/// Decodes the message at the beginning of the data, and returns its number of bytes.
///
/// # Errors
/// Returns an error if the data do not conform to the standard. If they end too early, the reason is
/// [`Reason::Truncated`].
///
/// ```
/// use situated_acl::{Message, bit_efficient};
///
/// let data = [bit_efficient::encode(&Message::cfp())?, bit_efficient::encode(&Message::propose())?].concat();
/// let (first, length) = bit_efficient::decode_prefix(&data)?;
/// assert_eq!(first, Message::cfp());
/// assert_eq!(bit_efficient::decode(&data[length..])?, Message::propose());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_prefix(data: &[u8]) -> Result<(Message<'_>, usize), DecodeError> {
    let mut input = Input::strict(data);
    let message = read_message::<Coded>(&mut input)?;
    Ok((message, input.at()))
}

/// Decodes a message as [`decode`] does, and repairs known errors of other platforms ([`RepairKind`]).
///
/// # Errors
/// Returns an error if it cannot be repaired.
///
/// ```
/// use situated_acl::bit_efficient::{self, RepairKind};
///
/// let repaired = bit_efficient::decode_leniently(b"\xFA\x10\x08\x04\x14hello\x00\x01")?;
/// assert_eq!(repaired.message.content, Some("hello".into()));
/// assert_eq!((repaired.repairs[0].at, repaired.repairs[0].kind), (4, RepairKind::MissingQuotes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_leniently(data: &[u8]) -> Result<Repaired<Message<'_>>, DecodeError> {
    let mut input = Input::lenient(data);
    let message = read_message::<Coded>(&mut input)?;
    input.end()?;
    Ok(Repaired { message, repairs: input.into_repairs() })
}

/// Decodes the message at the beginning of the data as [`decode_leniently`] does, and returns its number of bytes.
///
/// # Errors
/// Returns an error if it cannot be repaired.
pub fn decode_prefix_leniently(data: &[u8]) -> Result<(Repaired<Message<'_>>, usize), DecodeError> {
    let mut input = Input::lenient(data);
    let message = read_message::<Coded>(&mut input)?;
    let length = input.at();
    Ok((Repaired { message, repairs: input.into_repairs() }, length))
}
