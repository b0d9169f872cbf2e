//! Messages and their parameters.

use super::agents::{AgentCodec, Coded, read_agent, read_agents, write_agent, write_agents};
use super::codes::{self, parameter, value};
use super::error::{Read, Reason};
use super::half_bytes::{read_time, write_time};
use super::input::Input;
use super::values::{
    Written, read_content, read_expression_to, read_user_parameter, read_word, write_content, write_expression,
    write_user_parameter, write_word,
};
use crate::time::checked;
use crate::{AgentIdentifier, Content, Expression, Message, Performative};

/// The forms in which the parts of messages are read.
pub(super) trait MessageCodec: AgentCodec {
    fn read_content<'a>(input: &mut Input<'a>) -> Read<Content<'a>>;
}

impl MessageCodec for Coded {
    #[inline(always)]
    fn read_content<'a>(input: &mut Input<'a>) -> Read<Content<'a>> {
        read_content(input)
    }
}

/// Reads the rest of a message into an empty one, up to its end.
pub(super) fn read_message<'a>(input: &mut Input<'a>, message: &mut Message<'a>) -> Read<()> {
    read_head(input, message)?;
    let mut seen = 0;
    loop {
        match input.byte(PARAMETER)? {
            codes::END => return Ok(()),
            codes::USER_DEFINED => read_user_parameter(input, &mut message.user_parameters)?,
            code => read_parameter::<Coded>(input, message, code, &mut seen)?,
        }
    }
}

/// The description of what may follow the act and each parameter, for errors.
pub(super) const PARAMETER: &str = "a parameter, or the end of the message";

/// Reads everything before the parameters.
#[inline(always)]
pub(super) fn read_head(input: &mut Input<'_>, message: &mut Message<'_>) -> Read<()> {
    match input.byte("a message")? {
        codes::MESSAGE => {}
        found if codes::CODE_TABLE_MESSAGES.contains(&found) => return input.refuse(Reason::CodeTable(found)),
        found => return input.refuse(Reason::Unexpected { found, expected: "a message (FA)" }),
    }
    match input.byte("the version")? {
        codes::VERSION => {}
        version => return input.refuse(Reason::Version(version)),
    }
    message.performative = read_act(input)?;
    Ok(())
}

fn read_act(input: &mut Input<'_>) -> Read<Performative> {
    match input.byte("an act")? {
        codes::USER_DEFINED => input.refuse(Reason::UserDefinedAct),
        code => match Performative::with_code(code) {
            Some(act) => Ok(act),
            None => input.refuse(Reason::UnknownAct(code)),
        },
    }
}

/// Reads the parameter with this code. `seen` has a bit for each parameter that was read.
pub(super) fn read_parameter<'a, F: MessageCodec>(
    input: &mut Input<'a>,
    message: &mut Message<'a>,
    code: u8,
    seen: &mut u16,
) -> Read<()> {
    if code > parameter::CONVERSATION_ID {
        return input.refuse(Reason::UnknownParameter(code));
    }
    let bit = 1 << code;
    if *seen & bit != 0 {
        return input.refuse(Reason::Duplicate(name(code)));
    }
    *seen |= bit;
    let value = match code {
        parameter::REPLY_WITH => &mut message.reply_with,
        parameter::IN_REPLY_TO => &mut message.in_reply_to,
        parameter::LANGUAGE => &mut message.language,
        parameter::ENCODING => &mut message.encoding,
        parameter::ONTOLOGY => &mut message.ontology,
        parameter::CONVERSATION_ID => &mut message.conversation_id,
        _ => return read_particular::<F>(input, message, code),
    };
    read_expression_to(input, |read| *value = Some(read))
}

/// Reads a parameter whose value has a special type.
fn read_particular<'a, F: MessageCodec>(input: &mut Input<'a>, message: &mut Message<'a>, code: u8) -> Read<()> {
    match code {
        parameter::SENDER => read_agent::<F>(input, message.sender.insert(AgentIdentifier::new("")), 0)?,
        parameter::RECEIVER => message.receivers = read_agents::<F>(input, 0)?,
        parameter::REPLY_TO => message.reply_to = read_agents::<F>(input, 0)?,
        parameter::CONTENT => message.content = Some(F::read_content(input)?),
        parameter::REPLY_BY => message.reply_by = Some(read_time(input)?),
        _ => message.protocol = Some(read_word(input)?),
    }
    Ok(())
}

fn name(code: u8) -> &'static str {
    match code {
        parameter::SENDER => "sender",
        parameter::RECEIVER => "receiver",
        parameter::CONTENT => "content",
        parameter::REPLY_WITH => "reply-with",
        parameter::REPLY_BY => "reply-by",
        parameter::IN_REPLY_TO => "in-reply-to",
        parameter::REPLY_TO => "reply-to",
        parameter::LANGUAGE => "language",
        parameter::ENCODING => "encoding",
        parameter::ONTOLOGY => "ontology",
        parameter::PROTOCOL => "protocol",
        _ => "conversation-id",
    }
}

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
