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
//! Every encoded message is decoded to an equal message. XML has only texts:
//! - A text is read as the value that the string encoding reads in it, `12` as a number and `"12"` as a string; what
//!   the string encoding would not read as one value, such as `two words`, is a string.
//! - A content is a text with all its blanks. Bytes are in Base64: `<content encoding="base64">`.
//! - A content with characters that XML does not allow is also in Base64: `<content type="text" encoding="base64">`.
//!   So are the texts of other values with such characters.

pub(crate) mod agents;
mod attributes;
pub(crate) mod characters;
pub(crate) mod document;
mod error;
pub(crate) mod jade;
pub(crate) mod values;

pub use error::{DecodeError, Reason, Repair, RepairKind, Repaired};

use agents::{
    AgentStyle, read_agents, read_either, read_only_agent, read_user_defined, write_agents, write_attribute, write_end,
    write_only_agent, write_user_defined,
};
use document::{Document, Tag};
use values::{each_value, read_content, read_parameter, read_value, value_of, write_content, write_value};

use crate::parameter::Parameter;
use crate::time::checked;
use crate::{Expression, Message, NotAWord, Performative, Unencodable, UnknownAct, UserParameter, Word};

/// Encodes a message as a document.
///
/// # Errors
/// Returns an error if a part of it has no form: an address with blanks, a name with control characters, a time out
/// of range, lists nested too deeply.
pub fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut document = String::new();
    write_message(&mut document, message)?;
    Ok(document.into_bytes())
}

/// Decodes a document as a message.
///
/// # Errors
/// Returns an error if it is not well-formed, or contains something that messages do not have.
pub fn decode(document: &[u8]) -> Result<Message<'_>, DecodeError> {
    read_message(&mut Document::strict(document)?)
}

/// Decodes a message as [`decode`] does, and repairs known errors of other platforms ([`RepairKind`]).
///
/// # Errors
/// Returns an error if it cannot be repaired.
pub fn decode_leniently(document: &[u8]) -> Result<Repaired<Message<'_>>, DecodeError> {
    let mut document = Document::lenient(document)?;
    let message = read_message(&mut document)?;
    Ok(Repaired { message, repairs: document.into_repairs() })
}

/// Reads a message, and checks that nothing follows.
fn read_message<'a>(document: &mut Document<'a>) -> Result<Message<'a>, DecodeError> {
    let root = document.root("fipa-message")?;
    let act = root.attribute("act").ok_or_else(|| root.lacks("attribute `act`"))?;
    let act = Performative::named(act.as_bytes()).ok_or_else(|| root.error(UnknownAct(act.into_owned())))?;
    let mut message = Message::new(act);
    message.conversation_id = root.attribute("conversation-id").map(value_of);
    while let Some(tag) = document.child(&root)? {
        read_parameter_into(&mut message, document, &tag)?;
    }
    document.end()?;
    Ok(message)
}

fn read_parameter_into<'a>(
    message: &mut Message<'a>,
    document: &mut Document<'a>,
    tag: &Tag<'a>,
) -> Result<(), DecodeError> {
    let parameter = Parameter::ALL.into_iter().find(|parameter| parameter.name() == tag.name());
    if let Some(value) = parameter.and_then(|parameter| message.value_mut(parameter)) {
        return once(value, tag, || read_parameter(document, tag));
    }
    match tag.name() {
        "receiver" => read_agents(document, tag, &mut message.receivers),
        "reply-to" => read_agents(document, tag, &mut message.reply_to),
        "sender" => once(&mut message.sender, tag, || read_only_agent(document, tag)),
        "content" => once(&mut message.content, tag, || read_content(document, tag)),
        "reply-by" => once(&mut message.reply_by, tag, || {
            let text = read_either(document, tag, &["time"])?;
            document.time(tag, &text)
        }),
        "protocol" => once(&mut message.protocol, tag, || read_protocol(document, tag)),
        "user-defined" => {
            message.user_parameters.push(read_user_defined(document, tag)?);
            Ok(())
        }
        name if name.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("X-")) => {
            let name = Word::new(String::from(name)).map_err(|error| tag.error(error))?;
            message.user_parameters.push(UserParameter { name, value: read_value(document, tag)? });
            Ok(())
        }
        _ => Err(tag.unexpected("a parameter of a message")),
    }
}

/// Reads a parameter that may occur only once.
pub(crate) fn once<T>(
    place: &mut Option<T>,
    tag: &Tag<'_>,
    read: impl FnOnce() -> Result<T, DecodeError>,
) -> Result<(), DecodeError> {
    if place.is_some() {
        return Err(tag.error(Reason::Duplicate(format!("`<{}>`", tag.name()))));
    }
    *place = Some(read()?);
    Ok(())
}

fn read_protocol<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Word<'a>, DecodeError> {
    match read_parameter(document, tag)? {
        Expression::Word(word) => Ok(word),
        other => Err(tag.error(NotAWord(other.as_text().unwrap_or_default().into()))),
    }
}

/// Writes a message.
fn write_message(out: &mut String, message: &Message<'_>) -> Result<(), Unencodable> {
    out.push_str("<?xml version=\"1.0\"?>\n<fipa-message act=\"");
    out.push_str(message.performative.name());
    out.push_str("\">");
    if let Some(sender) = &message.sender {
        write_only_agent(out, "sender", sender, AgentStyle::Attributes)?;
    }
    write_agents(out, "receiver", &message.receivers, AgentStyle::Attributes)?;
    write_agents(out, "reply-to", &message.reply_to, AgentStyle::Attributes)?;
    if let Some(content) = &message.content {
        out.push_str("<content");
        write_content(out, content);
        write_end(out, "content");
    }
    each_value(message, |name, value| {
        out.push('<');
        out.push_str(name);
        write_value(out, value).map_err(|error| error.of(name))?;
        write_end(out, name);
        Ok(())
    })?;
    if let Some(time) = &message.reply_by {
        let time = checked(time).map_err(|error| error.of("reply-by"))?;
        write_attribute(out, "reply-by", "time", &time.to_string());
    }
    for parameter in &message.user_parameters {
        write_user_defined(out, parameter)?;
    }
    write_end(out, "fipa-message");
    Ok(())
}
