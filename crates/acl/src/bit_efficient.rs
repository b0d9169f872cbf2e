//! The bit-efficient encoding (SC00069): fewer bytes than text has, which are read many times faster.
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
//! Code tables are not supported: they only make sense on a connection of which both ends keep the same one. Acts that
//! are not of the standard are refused.
//!
//! # Kinds
//! Whatever is encoded is decoded to an equal message. Texts stand in quotes, as the standard wants them; bytes are
//! counted. The add-on of JADE reads the quotes of contents as a part of them: messages for agents there are written by
//! [`Dialect::Jade`](crate::Dialect::Jade). Where the standard leaves no form for what the types of this library can
//! hold, it has these:
//! - A text with a zero character is counted, with a length one step wider than it need be (17 where 16 would do).
//! - A time as a value, other than in `reply-by`, is written like a word. So is a number with a small `e`: half bytes have
//!   one letter for exponents, which is read as `E`.
//! - The name of an agent that is no word is written like a string.

pub(crate) mod agents;
pub(crate) mod codes;
pub(crate) mod error;
pub(crate) mod half_bytes;
pub(crate) mod input;
pub(crate) mod jade;
mod message;
pub(crate) mod values;

pub use error::{DecodeError, Reason, Repair, RepairKind, Repaired};

use input::Input;
use message::{read_message, write_message};

use crate::{Message, Performative, Unencodable};

/// Memory for most messages.
const USUAL_LENGTH: usize = 512;

/// Encodes a message.
///
/// # Errors
/// When a part of it has no form: an address with blanks, a time out of range, lists nested too deeply.
pub fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut data = Vec::with_capacity(USUAL_LENGTH);
    encode_into(message, &mut data)?;
    Ok(data)
}

/// Encodes a message after what is already there.
///
/// # Errors
/// As with [`encode`]; nothing is added then.
pub fn encode_into(message: &Message<'_>, data: &mut Vec<u8>) -> Result<(), Unencodable> {
    let length = data.len();
    write_message(data, message).map_err(|error| {
        data.truncate(length);
        *error
    })
}

/// Decodes a message, which must be all that there is.
///
/// # Errors
/// When the data do not keep to the standard, or more follow. No more than 256 lists and no more than 16 resolvers may
/// be in each other.
pub fn decode(data: &[u8]) -> Result<Message<'_>, DecodeError> {
    let mut input = Input::strict(data);
    let mut message = Message::new(Performative::Inform);
    read_message(&mut input, &mut message).map_err(|error| *error)?;
    input.end().map_err(|error| *error)?;
    Ok(message)
}

/// Decodes the message at the beginning of the data, and tells how many bytes it has.
///
/// # Errors
/// When the data do not keep to the standard; when they end too early, the reason is [`Reason::Truncated`].
///
/// ```
/// use situated_acl::{Message, bit_efficient};
///
/// let mut data = bit_efficient::encode(&Message::cfp())?;
/// bit_efficient::encode_into(&Message::propose(), &mut data)?;
/// let (first, length) = bit_efficient::decode_prefix(&data)?;
/// assert_eq!(first, Message::cfp());
/// assert_eq!(bit_efficient::decode(&data[length..])?, Message::propose());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_prefix(data: &[u8]) -> Result<(Message<'_>, usize), DecodeError> {
    let mut input = Input::strict(data);
    let mut message = Message::new(Performative::Inform);
    read_message(&mut input, &mut message).map_err(|error| *error)?;
    Ok((message, input.at()))
}

/// Decodes a message as [`decode`] does, and mends what other platforms are known to get wrong ([`RepairKind`]).
///
/// # Errors
/// When it cannot be mended.
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
    let mut message = Message::new(Performative::Inform);
    read_message(&mut input, &mut message).map_err(|error| *error)?;
    input.end().map_err(|error| *error)?;
    Ok(Repaired { message, repairs: input.into_repairs() })
}

/// Decodes the message at the beginning of the data as [`decode_leniently`] does, and tells how many bytes it has.
///
/// # Errors
/// When it cannot be mended.
pub fn decode_prefix_leniently(data: &[u8]) -> Result<(Repaired<Message<'_>>, usize), DecodeError> {
    let mut input = Input::lenient(data);
    let mut message = Message::new(Performative::Inform);
    read_message(&mut input, &mut message).map_err(|error| *error)?;
    let length = input.at();
    Ok((Repaired { message, repairs: input.into_repairs() }, length))
}
