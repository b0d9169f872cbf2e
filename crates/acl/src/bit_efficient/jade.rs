//! Messages in the form of JADE's add-on: contents and user parameters have texts without quotation marks, values
//! that are not words have the code of words, and parameters of agents lack the prefix `X-`.

use std::borrow::Cow;

use super::agents::{AgentCodec, Coded, write_agent, write_agents};
use super::codes::{self, agent, parameter, value};
use super::error::{DecodeError, Read, Reason, RepairKind, Repaired};
use super::half_bytes::write_time;
use super::input::Input;
use super::message::{MessageCodec, PARAMETER, read_head, read_parameter};
use super::values::{Written, read_string, read_word, write_bytes, write_string, write_word};
use crate::dialect::letters;
use crate::time::checked;
use crate::{Content, Expression, Message, Performative, Unencodable, UserParameter, Word};

/// The prefix of user parameters, which JADE omits in agents.
const PREFIX: &str = "X-";

/// Encodes a message for JADE.
///
/// # Errors
/// Returns an error if a part of it has no form in this encoding.
pub(crate) fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut out = Vec::with_capacity(super::USUAL_LENGTH);
    write_message(&mut out, message).map_err(|error| *error)?;
    Ok(out)
}

/// Decodes data that are exactly one message of JADE.
///
/// # Errors
/// Returns an error if it cannot be repaired.
pub(crate) fn decode(data: &[u8]) -> Result<Repaired<Message<'_>>, DecodeError> {
    let (read, length) = decode_prefix(data)?;
    if length < data.len() { Err(*DecodeError::new(length, Reason::Trailing)) } else { Ok(read) }
}

/// Decodes the message of JADE at the beginning of the data, and returns its number of bytes.
///
/// # Errors
/// Returns an error if it cannot be repaired.
pub(crate) fn decode_prefix(data: &[u8]) -> Result<(Repaired<Message<'_>>, usize), DecodeError> {
    let mut input = Input::lenient(data);
    let mut message = Message::new(Performative::Inform);
    read_message(&mut input, &mut message).map_err(|error| *error)?;
    let length = input.at();
    Ok((Repaired { message, repairs: input.into_repairs() }, length))
}

fn read_message<'a>(input: &mut Input<'a>, message: &mut Message<'a>) -> Read<()> {
    read_head(input, message)?;
    let mut seen = 0;
    loop {
        match input.byte(PARAMETER)? {
            codes::END => return Ok(()),
            codes::USER_DEFINED => {
                let (name, value) = (read_word(input)?, read_value(input)?);
                message.user_parameters.push(UserParameter { name, value });
            }
            code => read_parameter::<Jade>(input, message, code, &mut seen)?,
        }
    }
}

/// The forms that JADE uses for the parts of messages.
struct Jade;

impl MessageCodec for Jade {
    fn read_content<'a>(input: &mut Input<'a>) -> Read<Content<'a>> {
        let at = input.at();
        match input.byte("a content")? {
            value::STRING | value::WORD => {
                let bytes = input.until_zero()?;
                match input.letters(at + 1, bytes.len()) {
                    Some(text) => Ok(Content::Text(text.into())),
                    None => {
                        input.mend(at, RepairKind::NotUtf8, Reason::NotUtf8)?;
                        Ok(Content::Bytes(bytes.into()))
                    }
                }
            }
            code => read_string(input, code),
        }
    }
}

/// Reads the value of a user parameter: a text whose quotation marks may belong to it.
fn read_value<'a>(input: &mut Input<'a>) -> Read<Expression<'a>> {
    Ok(match Jade::read_content(input)? {
        Content::Text(text) => text.into(),
        Content::Bytes(bytes) => Expression::Bytes(bytes),
    })
}

impl AgentCodec for Jade {
    const USER_PARAMETER: u8 = agent::USER_PARAMETER;

    fn read_name<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
        Coded::read_name(input)
    }

    fn read_address<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
        Coded::read_address(input)
    }

    fn read_parameter<'a>(input: &mut Input<'a>, parameters: &mut Vec<UserParameter<'a>>) -> Read<()> {
        let (name, value) = (read_word(input)?, read_value(input)?);
        parameters.push(UserParameter { name: Word::known(format!("{PREFIX}{name}")), value });
        Ok(())
    }

    fn write_name(out: &mut Vec<u8>, name: &str) -> Written {
        out.push(agent::IDENTIFIER);
        write_raw(out, [value::WORD], name).map_err(|error| error.of("the name").into())
    }

    fn write_address(out: &mut Vec<u8>, address: &str) -> Written {
        Coded::write_address(out, address)
    }

    fn write_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
        let name = parameter.name.as_str();
        let own = if parameter.is_prefixed() { &name[PREFIX.len()..] } else { name };
        write_user_parameter(out, own, &parameter.value).map_err(|error| error.of(name).into())
    }
}

/// Writes a message, with its parameters in the order that JADE uses.
fn write_message(out: &mut Vec<u8>, message: &Message<'_>) -> Written {
    out.extend([codes::MESSAGE, codes::VERSION, message.performative.code()]);
    write_parameter(out, parameter::ONTOLOGY, "ontology", &message.ontology)?;
    if let Some(sender) = &message.sender {
        out.push(parameter::SENDER);
        write_agent::<Jade>(out, sender, 0).map_err(|error| error.of("the sender"))?;
    }
    write_agents::<Jade>(out, parameter::RECEIVER, &message.receivers, "receiver")?;
    write_parameter(out, parameter::ENCODING, "encoding", &message.encoding)?;
    write_parameter(out, parameter::CONVERSATION_ID, "conversation-id", &message.conversation_id)?;
    write_agents::<Jade>(out, parameter::REPLY_TO, &message.reply_to, "reply-to")?;
    if let Some(time) = &message.reply_by {
        out.push(parameter::REPLY_BY);
        write_time(out, checked(time).map_err(|error| error.of("reply-by"))?);
    }
    write_parameter(out, parameter::IN_REPLY_TO, "in-reply-to", &message.in_reply_to)?;
    write_parameter(out, parameter::REPLY_WITH, "reply-with", &message.reply_with)?;
    write_parameter(out, parameter::LANGUAGE, "language", &message.language)?;
    if let Some(protocol) = &message.protocol {
        write_word(out, [parameter::PROTOCOL, value::WORD], protocol.as_str());
    }
    for UserParameter { name, value } in &message.user_parameters {
        out.push(codes::USER_DEFINED);
        write_user_parameter(out, name.as_str(), value).map_err(|error| error.of(name))?;
    }
    match &message.content {
        None => {}
        Some(Content::Text(text)) if !text.contains('\0') => {
            write_word(out, [parameter::CONTENT, value::STRING], text);
        }
        Some(content) => {
            out.push(parameter::CONTENT);
            write_bytes(out, content.as_bytes()).map_err(|error| error.of("content"))?;
        }
    }
    out.push(codes::END);
    Ok(())
}

fn write_user_parameter(out: &mut Vec<u8>, name: &str, value: &Expression<'_>) -> Result<(), Unencodable> {
    write_word(out, [value::WORD], name);
    write_raw(out, [value::STRING], &letters(value)?)
}

/// Writes a value with the code of words or, if it contains blanks, in quotation marks.
fn write_parameter(out: &mut Vec<u8>, code: u8, name: &'static str, value: &Option<Expression<'_>>) -> Written {
    let Some(value) = value else { return Ok(()) };
    let text = letters(value).map_err(|error| error.of(name))?;
    let needs_quotes = text.is_empty() || text.starts_with('"') || text.bytes().any(|byte| byte <= b' ');
    if needs_quotes && !text.contains('\0') {
        out.push(code);
        return write_string(out, &text);
    }
    write_raw(out, [code, value::WORD], &text).map_err(|error| error.of(name).into())
}

/// Writes a text unchanged, after these codes.
fn write_raw<const CODES: usize>(out: &mut Vec<u8>, codes: [u8; CODES], text: &str) -> Result<(), Unencodable> {
    if text.contains('\0') {
        return Err(Unencodable::new(
            "the text",
            text,
            "which contains a zero character, at which JADE would end the text",
        ));
    }
    write_word(out, codes, text);
    Ok(())
}
