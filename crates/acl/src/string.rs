//! Messages as text (FIPA SC00070, `fipa.acl.rep.string.std`), the default form in which platforms exchange them.
//!
//! ```
//! use situated_acl::{Message, string};
//!
//! let text = string::encode(&Message::inform().from("A").to("B").content(r#"say "hi""#).language("fipa-sl"))?;
//! let expected = concat!(
//!     r#"(inform :sender (agent-identifier :name A) :receiver (set (agent-identifier :name B))"#,
//!     r#" :content "say \"hi\"" :language fipa-sl)"#,
//! );
//! assert_eq!(String::from_utf8_lossy(&text), expected);
//! assert_eq!(string::decode(&text)?.content, Some(r#"say "hi""#.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`decode`] reads what [`encode`] writes as an equal message. Two decoders share one grammar: [`decode`] rejects
//! text that deviates from it, and [`decode_leniently`] guesses the meaning of such text and reports the places.
//!
//! Where the standard leaves a choice:
//!
//! - The value of a parameter does not begin with a colon, so that a missing value is detected. A
//!   [`Word`](crate::Word) that begins with a colon is quoted there, and read back as a string; in lists it remains a
//!   word.
//! - In a quoted text, `\"` is a quotation mark, and any other backslash stands for itself. A text that ends with a
//!   backslash is therefore written with its length, `#02"a\`. The leading zero of the length distinguishes such a
//!   text from bytes, `#2"a\`; decoders that do not know this read the same characters. A quoted text that is not
//!   UTF-8 is read as bytes.
//! - Lengths count bytes of the message.
//! - The name of an agent is a word, or else a quoted text. Its parameters can be in any order.
//! - An empty set is read like a missing set, and is not written.
//! - No parameter occurs twice. User parameters begin with `X-`; the encoder adds it to names without it.
//! - Lists are nested up to 256 levels deep, and resolvers up to 16. A message or an agent has up to 256 user
//!   parameters.

mod agents;
mod error;
mod lexer;
mod parser;
mod writer;

pub use error::{DecodeError, Reason, Repair, RepairKind, Repaired, Wanted};
pub(crate) use writer::letters;

use crate::{Expression, Message, Unencodable};
use error::Read;
use lexer::Grammar;
use parser::Parser;
use writer::Writer;

/// Writes a message as text.
///
/// # Errors
/// Returns an error if text has no form for a part of the message: an address with blanks or parentheses, a protocol
/// that begins with a colon, a duplicate parameter, lists or resolvers nested too deeply, an invalid time.
pub fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut out = Vec::new();
    Writer { out: &mut out, for_jade: false }.message(message)?;
    Ok(out)
}

/// Reads a text that is exactly one message.
///
/// # Errors
/// Returns an error if it does not follow the grammar, or if something follows it.
///
/// ```
/// use situated_acl::{TextPosition, string};
///
/// let text = b"(inform\n :conversation-id 2000-06-10)";
/// let error = string::decode(text).unwrap_err();
/// assert_eq!(TextPosition::of(text, error.at), TextPosition { line: 2, column: 19 });
/// ```
pub fn decode(text: &[u8]) -> Result<Message<'_>, DecodeError> {
    Parser::new(text, Grammar::Standard).only_message()
}

/// Reads the message at the beginning of a text as [`decode`] does, and returns its number of bytes.
///
/// # Errors
/// Returns an error if the text does not begin with a message.
///
/// ```
/// use situated_acl::{Performative, string};
///
/// let mut text = &b"(agree) (inform)"[..];
/// while !text.is_empty() {
///     let (message, length) = string::decode_prefix(text)?;
///     assert!(matches!(message.performative, Performative::Agree | Performative::Inform));
///     text = &text[length..];
/// }
/// # Ok::<(), string::DecodeError>(())
/// ```
pub fn decode_prefix(text: &[u8]) -> Result<(Message<'_>, usize), DecodeError> {
    read(text, Grammar::Standard, Parser::message).map(|(read, length)| (read.message, length))
}

/// Reads a text that is a message, even if it deviates from the grammar, as messages of people and of older platforms
/// do. Text that [`decode`] accepts is read in the same way, without repairs.
///
/// # Errors
/// Returns an error if the meaning is unclear.
///
/// ```
/// use situated_acl::string::{self, RepairKind};
///
/// let text = b"(query-if :sender A:receiver B :content <p>x</p> :language XML)";
/// let read = string::decode_leniently(text)?;
/// assert_eq!(read.message.receivers[0].name, "B");
/// assert_eq!(read.message.content, Some("<p>x</p>".into()));
/// assert_eq!(read.repairs[0].kind, RepairKind::BareName);
/// # Ok::<(), string::DecodeError>(())
/// ```
pub fn decode_leniently(text: &[u8]) -> Result<Repaired<'_>, DecodeError> {
    let read = |grammar| read(text, grammar, Parser::only_message).map(|(read, _)| read);
    read(Grammar::Standard).or_else(|_| read(Grammar::Lenient))
}

/// Reads the message at the beginning of a text as [`decode_leniently`] does, and returns its number of bytes.
///
/// # Errors
/// Returns an error if the meaning is unclear.
///
/// ```
/// use situated_acl::string;
///
/// let text = b"(agree :sender ann) (inform)";
/// let (read, length) = string::decode_prefix_leniently(text)?;
/// assert_eq!((read.message.sender, read.repairs.len()), (Some("ann".into()), 1));
/// assert_eq!(&text[length..], b" (inform)");
/// # Ok::<(), string::DecodeError>(())
/// ```
pub fn decode_prefix_leniently(text: &[u8]) -> Result<(Repaired<'_>, usize), DecodeError> {
    let read = |grammar| read(text, grammar, Parser::message);
    read(Grammar::Standard).or_else(|_| read(Grammar::Lenient))
}

/// Writes a message in the form that JADE reads.
///
/// # Errors
/// Returns an error as [`encode`] does, and if JADE cannot read a part of it.
pub(crate) fn encode_for_jade(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut out = Vec::new();
    Writer { out: &mut out, for_jade: true }.message(message)?;
    Ok(out)
}

/// Reads a message as JADE does, or guesses its meaning.
///
/// # Errors
/// Returns an error if the meaning is unclear.
pub(crate) fn decode_of_jade(text: &[u8]) -> Result<Repaired<'_>, DecodeError> {
    read_of_jade(text, Parser::only_message).map(|(read, _)| read)
}

/// Reads the message at the beginning of a text as [`decode_of_jade`] does, and returns its number of bytes.
///
/// # Errors
/// Returns an error if the meaning is unclear.
pub(crate) fn decode_prefix_of_jade(text: &[u8]) -> Result<(Repaired<'_>, usize), DecodeError> {
    read_of_jade(text, Parser::message)
}

/// Reads a message as JADE does, and if that fails, guesses its meaning: JADE itself cannot read all that it writes.
fn read_of_jade<'a>(text: &'a [u8], message: fn(&mut Parser<'a>) -> Read<Message<'a>>) -> Read<(Repaired<'a>, usize)> {
    read(text, Grammar::Jade, message)
        .or_else(|error| read(text, Grammar::JadeByWhatFollows, message).map_err(|_: DecodeError| error))
}

/// Reads a message by these rules. Returns it with its number of bytes.
fn read<'a>(
    text: &'a [u8],
    grammar: Grammar,
    message: fn(&mut Parser<'a>) -> Read<Message<'a>>,
) -> Read<(Repaired<'a>, usize)> {
    let mut parser = Parser::new(text, grammar);
    let message = message(&mut parser)?;
    let length = parser.lexer.at;
    Ok((Repaired { message, repairs: parser.into_repairs() }, length))
}

/// Reads a text that is exactly one value.
pub fn read_expression(text: &[u8]) -> Option<Expression<'_>> {
    Parser::new(text, Grammar::Standard).only_expression()
}

/// Writes a value, and appends it to `out`.
///
/// # Errors
/// Returns an error if it contains an invalid time, or lists nested too deeply.
pub fn write_expression(value: &Expression<'_>, out: &mut Vec<u8>) -> Result<(), Unencodable> {
    Writer { out, for_jade: false }.expression(value, 0)
}
