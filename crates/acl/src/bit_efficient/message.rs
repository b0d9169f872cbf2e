//! Messages and their parameters.

use super::agents::{AgentCodec, Coded, read_agent, read_agents, write_agent, write_agents};
use super::codes::{self, value};
use super::error::{Read, Reason};
use super::half_bytes::{read_time, write_time};
use super::input::Input;
use super::values::{
    Written, read_content, read_expression, read_user_parameter, read_word, write_content, write_expression,
    write_text, write_user_parameter,
};
use crate::parameter::Parameter;
use crate::time::checked;
use crate::{Content, Expression, Message, Performative, Time, UserParameter};

/// The forms in which the parts of messages are read. By default, they are those of the standard.
pub(super) trait MessageCodec: AgentCodec {
    fn read_content<'a>(input: &mut Input<'a>) -> Read<Content<'a>> {
        read_content(input)
    }

    fn read_user_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
        read_user_parameter(input)
    }
}

impl MessageCodec for Coded {}

/// Reads a message.
pub(super) fn read_message<'a, F: MessageCodec>(input: &mut Input<'a>) -> Read<Message<'a>> {
    let mut message = Message::new(read_head(input)?);
    let mut seen = Vec::new();
    loop {
        match input.byte("a parameter, or the end of the message")? {
            codes::END => return Ok(message),
            codes::USER_DEFINED => message.user_parameters.push(F::read_user_parameter(input)?),
            code => match Parameter::with_code(code) {
                None => return input.refuse(Reason::UnknownParameter(code)),
                Some(parameter) if seen.contains(&parameter) => {
                    return input.refuse(Reason::Duplicate(parameter.name()));
                }
                Some(parameter) => {
                    seen.push(parameter);
                    read_parameter::<F>(input, &mut message, parameter)?;
                }
            },
        }
    }
}

/// Reads everything before the parameters, and returns the act.
fn read_head(input: &mut Input<'_>) -> Read<Performative> {
    match input.byte("a message")? {
        codes::MESSAGE => {}
        found if codes::CODE_TABLE_MESSAGES.contains(&found) => return input.refuse(Reason::CodeTable(found)),
        found => return input.refuse(Reason::Unexpected { found, expected: "a message (FA)" }),
    }
    match input.byte("the version")? {
        codes::VERSION => {}
        version => return input.refuse(Reason::Version(version)),
    }
    match input.byte("an act")? {
        codes::USER_DEFINED => input.refuse(Reason::UserDefinedAct),
        code => match Performative::with_code(code) {
            Some(act) => Ok(act),
            None => input.refuse(Reason::UnknownAct(code)),
        },
    }
}

fn read_parameter<'a, F: MessageCodec>(
    input: &mut Input<'a>,
    message: &mut Message<'a>,
    parameter: Parameter,
) -> Read<()> {
    if let Some(value) = message.value_mut(parameter) {
        *value = Some(read_expression(input)?);
        return Ok(());
    }
    match parameter {
        Parameter::Sender => message.sender = Some(read_agent::<F>(input, 0)?),
        Parameter::Receiver => message.receivers = read_agents::<F>(input, 0)?,
        Parameter::ReplyTo => message.reply_to = read_agents::<F>(input, 0)?,
        Parameter::Content => message.content = Some(F::read_content(input)?),
        Parameter::ReplyBy => message.reply_by = Some(read_time(input)?),
        _ => message.protocol = Some(read_word(input)?),
    }
    Ok(())
}

/// Writes a message, with its parameters in the order of their codes.
pub(super) fn write_message(out: &mut Vec<u8>, message: &Message<'_>) -> Written {
    out.extend([codes::MESSAGE, codes::VERSION, message.performative.code()]);
    if let Some(sender) = &message.sender {
        out.push(Parameter::Sender as u8);
        write_agent::<Coded>(out, sender, 0).map_err(|error| error.of("the sender"))?;
    }
    write_agents::<Coded>(out, Parameter::Receiver as u8, &message.receivers, "receiver")?;
    if let Some(content) = &message.content {
        out.push(Parameter::Content as u8);
        write_content(out, content).map_err(|error| error.of("content"))?;
    }
    write_parameter(out, Parameter::ReplyWith, &message.reply_with)?;
    write_reply_by(out, message.reply_by.as_ref())?;
    write_parameter(out, Parameter::InReplyTo, &message.in_reply_to)?;
    write_agents::<Coded>(out, Parameter::ReplyTo as u8, &message.reply_to, "reply-to")?;
    write_parameter(out, Parameter::Language, &message.language)?;
    write_parameter(out, Parameter::Encoding, &message.encoding)?;
    write_parameter(out, Parameter::Ontology, &message.ontology)?;
    if let Some(protocol) = &message.protocol {
        write_text(out, &[Parameter::Protocol as u8, value::WORD], protocol.as_str());
    }
    write_parameter(out, Parameter::ConversationId, &message.conversation_id)?;
    for parameter in &message.user_parameters {
        out.push(codes::USER_DEFINED);
        write_user_parameter(out, parameter)?;
    }
    out.push(codes::END);
    Ok(())
}

/// Writes the parameter `reply-by`, if there is one.
pub(super) fn write_reply_by(out: &mut Vec<u8>, time: Option<&Time>) -> Written {
    if let Some(time) = time {
        out.push(Parameter::ReplyBy as u8);
        write_time(out, checked(time).map_err(|error| error.of("reply-by"))?);
    }
    Ok(())
}

fn write_parameter(out: &mut Vec<u8>, parameter: Parameter, value: &Option<Expression<'_>>) -> Written {
    let Some(value) = value else { return Ok(()) };
    out.push(parameter as u8);
    write_expression(out, value, 0).map_err(|error| error.of(parameter))
}
