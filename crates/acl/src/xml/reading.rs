//! Messages as they are read.

use super::agents::{read_agents, read_either, read_only_agent, read_user_defined};
use super::document::{Document, Tag};
use super::values::{read_content, read_parameter, read_value, value_of};
use super::{DecodeError, Reason};
use crate::{Expression, Message, NotAWord, Performative, UnknownAct, UserParameter, Word};

/// Reads a message, and nothing after it.
pub(super) fn read_message<'a>(document: &mut Document<'a>) -> Result<Message<'a>, DecodeError> {
    let root = document.root("fipa-message")?;
    let act = document.attribute(&root, "act")?.ok_or_else(|| root.lacks("attribute `act`"))?;
    let act = Performative::named(act.as_bytes()).ok_or_else(|| root.error(UnknownAct(act.into_owned())))?;
    let mut message = Message::new(act);
    message.conversation_id = document.attribute(&root, "conversation-id")?.map(value_of);
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
        "language" => once(&mut message.language, tag, || read_parameter(document, tag)),
        "encoding" => once(&mut message.encoding, tag, || read_parameter(document, tag)),
        "ontology" => once(&mut message.ontology, tag, || read_parameter(document, tag)),
        "reply-with" => once(&mut message.reply_with, tag, || read_parameter(document, tag)),
        "in-reply-to" => once(&mut message.in_reply_to, tag, || read_parameter(document, tag)),
        "conversation-id" => once(&mut message.conversation_id, tag, || read_parameter(document, tag)),
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

/// Reads a parameter that stands there once.
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
