//! The approximate memory of messages and values, by which those who keep them can limit it.

use std::mem::size_of;

use crate::{AgentIdentifier, Expression, Message, UserParameter};

impl Message<'_> {
    /// The approximate number of bytes that the message takes in memory.
    pub fn size(&self) -> usize {
        let Self { sender, receivers, reply_to, content, language, encoding, ontology, protocol, .. } = self;
        let agents = sender.iter().chain(receivers).chain(reply_to).map(of_agent);
        let tokens = [&self.conversation_id, &self.reply_with, &self.in_reply_to];
        let expressions = [language, encoding, ontology].into_iter().chain(tokens).flatten().map(beside_itself);
        size_of::<Self>()
            + agents.sum::<usize>()
            + content.as_ref().map_or(0, |content| content.as_bytes().len())
            + expressions.sum::<usize>()
            + protocol.as_ref().map_or(0, |protocol| protocol.as_str().len())
            + self.user_parameters.iter().map(of_parameter).sum::<usize>()
    }
}

impl Expression<'_> {
    /// The approximate number of bytes that the value takes in memory.
    pub fn size(&self) -> usize {
        size_of::<Self>() + beside_itself(self)
    }
}

fn of_agent(agent: &AgentIdentifier<'_>) -> usize {
    size_of::<AgentIdentifier<'_>>()
        + agent.name.len()
        + agent.addresses.iter().map(|url| size_of::<String>() + url.len()).sum::<usize>()
        + agent.resolvers.iter().map(of_agent).sum::<usize>()
        + agent.user_parameters.iter().map(of_parameter).sum::<usize>()
}

fn of_parameter(parameter: &UserParameter<'_>) -> usize {
    size_of::<UserParameter<'_>>() + parameter.name.as_str().len() + beside_itself(&parameter.value)
}

/// The bytes of a value without those of the enum.
fn beside_itself(expression: &Expression<'_>) -> usize {
    match expression {
        Expression::Bytes(bytes) => bytes.len(),
        Expression::List(values) => values.iter().map(Expression::size).sum(),
        Expression::Word(_) | Expression::String(_) | Expression::Number(_) | Expression::Time(_) => {
            expression.as_text().map_or(0, str::len)
        }
    }
}
