//! Messages in the form of JADE's add-on: contents and user parameters have texts without quotation marks, values
//! that are not words have the code of words, and parameters of agents lack the prefix `X-`.

use super::agents::{AgentCodec, write_agent, write_agents};
use super::codes::{self, value};
use super::error::{DecodeError, Read, Reason, RepairKind, Repaired};
use super::input::Input;
use super::message::{MessageCodec, read_message, write_reply_by};
use super::values::{Written, read_string, read_word, write_bytes, write_string, write_text};
use crate::parameter::Parameter;
use crate::string::letters;
use crate::{Content, Expression, Message, Unencodable, UserParameter, Word};

/// The prefix of user parameters, which JADE omits in agents.
const PREFIX: &str = "X-";

/// Encodes a message for JADE.
///
/// # Errors
/// Returns an error if a part of it has no form in this encoding.
pub(crate) fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut out = Vec::new();
    write_message(&mut out, message)?;
    Ok(out)
}

/// Decodes data that are exactly one message of JADE.
///
/// # Errors
/// Returns an error if it cannot be repaired.
pub(crate) fn decode(data: &[u8]) -> Result<Repaired<Message<'_>>, DecodeError> {
    let (read, length) = decode_prefix(data)?;
    if length < data.len() { Err(DecodeError::new(length, Reason::Trailing)) } else { Ok(read) }
}

/// Decodes the message of JADE at the beginning of the data, and returns its number of bytes.
///
/// # Errors
/// Returns an error if it cannot be repaired.
pub(crate) fn decode_prefix(data: &[u8]) -> Result<(Repaired<Message<'_>>, usize), DecodeError> {
    let mut input = Input::lenient(data);
    let message = read_message::<Jade>(&mut input)?;
    let length = input.at();
    Ok((Repaired { message, repairs: input.into_repairs() }, length))
}

/// The forms that JADE uses for the parts of messages.
struct Jade;

impl MessageCodec for Jade {
    fn read_content<'a>(input: &mut Input<'a>) -> Read<Content<'a>> {
        let at = input.at();
        match input.byte("a content")? {
            value::STRING | value::WORD => {
                let bytes = input.until_zero()?;
                match std::str::from_utf8(bytes) {
                    Ok(text) => Ok(Content::Text(text.into())),
                    Err(_) => {
                        input.mend(at, RepairKind::NotUtf8, Reason::NotUtf8)?;
                        Ok(Content::Bytes(bytes.into()))
                    }
                }
            }
            code => read_string(input, code),
        }
    }

    /// Reads a user parameter. Its value is a text whose quotation marks may belong to it.
    fn read_user_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
        let name = read_word(input)?;
        let value = match Self::read_content(input)? {
            Content::Text(text) => text.into(),
            Content::Bytes(bytes) => Expression::Bytes(bytes),
        };
        Ok(UserParameter { name, value })
    }
}

impl AgentCodec for Jade {
    fn read_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
        let UserParameter { name, value } = Self::read_user_parameter(input)?;
        Ok(UserParameter { name: Word::known(format!("{PREFIX}{name}")), value })
    }

    fn write_name(out: &mut Vec<u8>, name: &str) -> Written {
        write_raw(out, &[value::WORD], name)
    }

    fn write_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
        let name = parameter.name.as_str();
        let own = if parameter.is_prefixed() { &name[PREFIX.len()..] } else { name };
        write_user_parameter(out, own, &parameter.value).map_err(|error| error.of(name))
    }
}

/// Writes a message, with its parameters in the order that JADE uses.
fn write_message(out: &mut Vec<u8>, message: &Message<'_>) -> Written {
    out.extend([codes::MESSAGE, codes::VERSION, message.performative.code()]);
    write_parameter(out, Parameter::Ontology, &message.ontology)?;
    if let Some(sender) = &message.sender {
        out.push(Parameter::Sender as u8);
        write_agent::<Jade>(out, sender, 0).map_err(|error| error.of("the sender"))?;
    }
    write_agents::<Jade>(out, Parameter::Receiver as u8, &message.receivers, "receiver")?;
    write_parameter(out, Parameter::Encoding, &message.encoding)?;
    write_parameter(out, Parameter::ConversationId, &message.conversation_id)?;
    write_agents::<Jade>(out, Parameter::ReplyTo as u8, &message.reply_to, "reply-to")?;
    write_reply_by(out, message.reply_by.as_ref())?;
    write_parameter(out, Parameter::InReplyTo, &message.in_reply_to)?;
    write_parameter(out, Parameter::ReplyWith, &message.reply_with)?;
    write_parameter(out, Parameter::Language, &message.language)?;
    if let Some(protocol) = &message.protocol {
        write_text(out, &[Parameter::Protocol as u8, value::WORD], protocol.as_str());
    }
    for UserParameter { name, value } in &message.user_parameters {
        out.push(codes::USER_DEFINED);
        write_user_parameter(out, name.as_str(), value).map_err(|error| error.of(name))?;
    }
    match &message.content {
        None => {}
        Some(Content::Text(text)) if !text.contains('\0') => {
            write_text(out, &[Parameter::Content as u8, value::STRING], text);
        }
        Some(content) => {
            out.push(Parameter::Content as u8);
            write_bytes(out, content.as_bytes()).map_err(|error| error.of("content"))?;
        }
    }
    out.push(codes::END);
    Ok(())
}

fn write_user_parameter(out: &mut Vec<u8>, name: &str, value: &Expression<'_>) -> Written {
    write_text(out, &[value::WORD], name);
    write_raw(out, &[value::STRING], &letters(value)?)
}

/// Writes a value with the code of words or, if it contains blanks, in quotation marks.
fn write_parameter(out: &mut Vec<u8>, parameter: Parameter, value: &Option<Expression<'_>>) -> Written {
    let Some(value) = value else { return Ok(()) };
    let text = letters(value).map_err(|error| error.of(parameter))?;
    let needs_quotes = text.is_empty() || text.starts_with('"') || text.bytes().any(|byte| byte <= b' ');
    if needs_quotes && !text.contains('\0') {
        out.push(parameter as u8);
        return write_string(out, &text);
    }
    write_raw(out, &[parameter as u8, value::WORD], &text).map_err(|error| error.of(parameter))
}

/// Writes a text unchanged, after these codes.
fn write_raw(out: &mut Vec<u8>, codes: &[u8], text: &str) -> Written {
    if text.contains('\0') {
        let why = "which contains a zero character, at which JADE would end the text";
        return Err(Unencodable::new("the text", text, why));
    }
    write_text(out, codes, text);
    Ok(())
}
