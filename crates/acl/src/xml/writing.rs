//! Messages as they are written.

use super::agents::{Form, write_agents, write_attribute, write_end, write_only_agent, write_user_defined};
use super::values::{write_content, write_value};
use crate::time::checked;
use crate::{Expression, Message, Unencodable};

/// Writes a message.
pub(super) fn write_message(out: &mut Vec<u8>, message: &Message<'_>) -> Result<(), Unencodable> {
    out.extend_from_slice(b"<?xml version=\"1.0\"?>\n<fipa-message act=\"");
    out.extend_from_slice(message.performative.name().as_bytes());
    out.extend_from_slice(b"\">");
    if let Some(sender) = &message.sender {
        write_only_agent(out, "sender", sender, Form::Attributes)?;
    }
    write_agents(out, "receiver", &message.receivers, Form::Attributes)?;
    write_agents(out, "reply-to", &message.reply_to, Form::Attributes)?;
    if let Some(content) = &message.content {
        out.extend_from_slice(b"<content");
        write_content(out, content);
        write_end(out, "content");
    }
    let protocol = message.protocol.clone().map(Expression::Word);
    for (name, value) in [
        ("language", &message.language),
        ("encoding", &message.encoding),
        ("ontology", &message.ontology),
        ("protocol", &protocol),
        ("conversation-id", &message.conversation_id),
        ("reply-with", &message.reply_with),
        ("in-reply-to", &message.in_reply_to),
    ] {
        if let Some(value) = value {
            out.push(b'<');
            out.extend_from_slice(name.as_bytes());
            write_value(out, value).map_err(|error| error.of(name))?;
            write_end(out, name);
        }
    }
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
