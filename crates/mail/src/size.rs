//! The approximate size of a message in memory.

use std::mem::size_of;

use situated_acl::{AgentIdentifier, Expression, Message, UserParameter};

/// Returns the approximate size of a message in bytes.
pub(crate) fn size(message: &Message<'_>) -> usize {
    let Message { sender, receivers, reply_to, content, language, encoding, ontology, protocol, .. } = message;
    let agents = sender.iter().chain(receivers).chain(reply_to).map(of_agent);
    let tokens = [&message.conversation_id, &message.reply_with, &message.in_reply_to];
    let expressions = [language, encoding, ontology].into_iter().chain(tokens).flatten().map(of_expression);
    size_of::<Message<'_>>()
        + agents.sum::<usize>()
        + content.as_ref().map_or(0, |content| content.as_bytes().len())
        + expressions.sum::<usize>()
        + protocol.as_ref().map_or(0, |protocol| protocol.as_str().len())
        + message.user_parameters.iter().map(of_parameter).sum::<usize>()
}

fn of_agent(agent: &AgentIdentifier<'_>) -> usize {
    size_of::<AgentIdentifier<'_>>()
        + agent.name.len()
        + agent.addresses.iter().map(|url| size_of::<String>() + url.len()).sum::<usize>()
        + agent.resolvers.iter().map(of_agent).sum::<usize>()
        + agent.user_parameters.iter().map(of_parameter).sum::<usize>()
}

fn of_parameter(parameter: &UserParameter<'_>) -> usize {
    size_of::<UserParameter<'_>>() + parameter.name.as_str().len() + of_expression(&parameter.value)
}

fn of_expression(expression: &Expression<'_>) -> usize {
    match expression {
        Expression::Bytes(bytes) => bytes.len(),
        Expression::List(values) => values.iter().map(|value| size_of::<Expression<'_>>() + of_expression(value)).sum(),
        Expression::Word(_) | Expression::String(_) | Expression::Number(_) | Expression::Time(_) => {
            expression.as_text().map_or(0, str::len)
        }
    }
}
