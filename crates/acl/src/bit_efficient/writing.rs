//! Messages as they are written: parameters, agents, values.

use memchr::memchr2_iter;

use super::agents::{Coded, write_agent, write_agents};
use super::codes::{self, list, parameter, value};
use super::half_bytes::{write_number, write_time};
use crate::expression::MAX_LIST_DEPTH;
use crate::time::checked;
use crate::{Content, Expression, Message, Unencodable, UserParameter};

/// That something is written, or why not. Errors are kept apart, as they are large and rare.
pub(crate) type Written = Result<(), Box<Unencodable>>;

/// Writes a message, with its parameters in the order of their codes.
pub(super) fn write_message(out: &mut Vec<u8>, message: &Message<'_>) -> Written {
    out.extend([codes::MESSAGE, codes::VERSION, message.performative.code()]);
    if let Some(sender) = &message.sender {
        out.push(parameter::SENDER);
        write_agent::<Coded>(out, sender, 0).map_err(|error| error.of("the sender"))?;
    }
    write_agents::<Coded>(out, parameter::RECEIVER, &message.receivers, "receiver")?;
    if let Some(content) = &message.content {
        out.push(parameter::CONTENT);
        write_content(out, content).map_err(|error| error.of("content"))?;
    }
    write_parameter(out, parameter::REPLY_WITH, "reply-with", &message.reply_with)?;
    if let Some(time) = &message.reply_by {
        out.push(parameter::REPLY_BY);
        write_time(out, checked(time).map_err(|error| error.of("reply-by"))?);
    }
    write_parameter(out, parameter::IN_REPLY_TO, "in-reply-to", &message.in_reply_to)?;
    write_agents::<Coded>(out, parameter::REPLY_TO, &message.reply_to, "reply-to")?;
    write_parameter(out, parameter::LANGUAGE, "language", &message.language)?;
    write_parameter(out, parameter::ENCODING, "encoding", &message.encoding)?;
    write_parameter(out, parameter::ONTOLOGY, "ontology", &message.ontology)?;
    if let Some(protocol) = &message.protocol {
        write_word(out, [parameter::PROTOCOL, value::WORD], protocol.as_str());
    }
    write_parameter(out, parameter::CONVERSATION_ID, "conversation-id", &message.conversation_id)?;
    for parameter in &message.user_parameters {
        out.push(codes::USER_DEFINED);
        write_user_parameter(out, parameter)?;
    }
    out.push(codes::END);
    Ok(())
}

fn write_parameter(out: &mut Vec<u8>, code: u8, name: &'static str, value: &Option<Expression<'_>>) -> Written {
    match value {
        None => {}
        Some(Expression::Word(word)) => write_word(out, [code, value::WORD], word.as_str()),
        Some(other) => {
            out.push(code);
            write_expression(out, other, 0).map_err(|error| error.of(name))?;
        }
    }
    Ok(())
}

/// Writes a parameter of users after its code.
pub(super) fn write_user_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
    write_word(out, [value::WORD], parameter.name.as_str());
    Ok(write_expression(out, &parameter.value, 0).map_err(|error| error.of(&parameter.name))?)
}

fn write_content(out: &mut Vec<u8>, content: &Content<'_>) -> Written {
    match content {
        Content::Text(text) => write_string(out, text),
        Content::Bytes(bytes) => write_bytes(out, bytes),
    }
}

/// Writes a value inside as many lists as `depth` says.
fn write_expression(out: &mut Vec<u8>, value: &Expression<'_>, depth: usize) -> Written {
    match value {
        Expression::Word(word) => write_word(out, [value::WORD], word.as_str()),
        Expression::String(text) => write_string(out, text)?,
        Expression::Bytes(bytes) => write_bytes(out, bytes)?,
        Expression::Number(number) => write_number(out, number.as_str()),
        // Times are known here in `reply-by` alone; a value that is one stands as it is written, like a word.
        Expression::Time(time) => {
            write_word(out, [value::WORD], &checked(time)?.to_string());
        }
        Expression::List(_) if depth == MAX_LIST_DEPTH => {
            let why = "which is nested too deeply: no more than 256 lists are written in each other";
            return Err(Unencodable::new("the value", "a list", why).into());
        }
        Expression::List(values) => {
            out.push(list::OPEN);
            for value in values {
                write_expression(out, value, depth + 1)?;
            }
            out.push(list::CLOSE);
        }
    }
    Ok(())
}

/// Writes a text without blanks, after codes of which the last is that of words.
#[inline]
pub(super) fn write_word<const CODES: usize>(out: &mut Vec<u8>, codes: [u8; CODES], word: &str) {
    out.reserve(CODES + word.len() + 1);
    out.extend_from_slice(&codes);
    out.extend_from_slice(word.as_bytes());
    out.push(0);
}

/// Writes a text in quotes or, if it holds a zero, as bytes with a length that is wider than it need be.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) -> Written {
    let bytes = text.as_bytes();
    let start = out.len();
    out.reserve(bytes.len() + 4);
    out.extend_from_slice(&[value::STRING, b'"']);
    let mut from = 0;
    for at in memchr2_iter(0, b'"', bytes) {
        if bytes[at] == 0 {
            out.truncate(start);
            return write_with_zero(out, bytes);
        }
        out.extend_from_slice(&bytes[from..at]);
        out.push(b'\\');
        from = at;
    }
    out.extend_from_slice(&bytes[from..]);
    out.extend_from_slice(b"\"\0");
    Ok(())
}

/// Writes the bytes of a text as those of none are written: with a length that is wider than it need be.
fn write_with_zero(out: &mut Vec<u8>, bytes: &[u8]) -> Written {
    let why = "which is too long for a text with a zero character in it; write it as bytes";
    Ok(write_counted(out, bytes, 1).map_err(|error| Unencodable { why, ..*error })?)
}

/// Writes bytes with their length.
pub(crate) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Written {
    write_counted(out, bytes, 0)
}

/// Writes bytes with a length so many steps wider than need be.
fn write_counted(out: &mut Vec<u8>, bytes: &[u8], wider: usize) -> Written {
    let shortest = match bytes.len() {
        0..=0xFF => 0,
        0x100..=0xFFFF => 1,
        0x1_0000..=0xFFFF_FFFF => 2,
        _ => 3,
    };
    let Some((code, width)) = [(value::BYTES_8, 1), (value::BYTES_16, 2), (value::BYTES_32, 4)].get(shortest + wider)
    else {
        let why = "which is too long: no length has more than 32 bits";
        return Err(Unencodable::new("the value", &format!("{} bytes", bytes.len()), why).into());
    };
    let length = (bytes.len() as u64).to_be_bytes();
    out.reserve(bytes.len() + 5);
    out.push(*code);
    out.extend_from_slice(&length[8 - width..]);
    out.extend_from_slice(bytes);
    Ok(())
}
