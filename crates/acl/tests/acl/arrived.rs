//! The form in which JADE receives a message.

use situated_acl::{AgentIdentifier, Expression, Message, UserParameter, string};

/// Returns a message as JADE receives it: values as characters, and only parameters with the prefix.
pub(crate) fn arrived(message: &Message<'_>) -> Message<'static> {
    let value = |value: &Option<Expression<'_>>| value.as_ref().map(as_text);
    let message = message.clone().into_owned();
    Message {
        sender: message.sender.as_ref().map(agent),
        receivers: message.receivers.iter().map(agent).collect(),
        reply_to: message.reply_to.iter().map(agent).collect(),
        language: value(&message.language),
        encoding: value(&message.encoding),
        ontology: value(&message.ontology),
        conversation_id: value(&message.conversation_id),
        reply_with: value(&message.reply_with),
        in_reply_to: value(&message.in_reply_to),
        user_parameters: parameters(&message.user_parameters),
        ..message
    }
}

fn agent(of: &AgentIdentifier<'_>) -> AgentIdentifier<'static> {
    let of = of.clone().into_owned();
    AgentIdentifier {
        resolvers: of.resolvers.iter().map(agent).collect(),
        user_parameters: parameters(&of.user_parameters),
        ..of
    }
}

fn parameters(of: &[UserParameter<'_>]) -> Vec<UserParameter<'static>> {
    let parameter =
        |of: &UserParameter<'_>| UserParameter { name: of.name.clone().into_owned(), value: as_text(&of.value) };
    let mut all: Vec<_> = of.iter().map(parameter).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Converts a value to its characters, without a kind.
fn as_text(value: &Expression<'_>) -> Expression<'static> {
    let text = match value {
        Expression::Time(time) => time.to_string(),
        Expression::List(_) => {
            let message = Message::inform().language(value.clone());
            let text = String::from_utf8(string::encode(&message).unwrap()).unwrap();
            text.strip_prefix("(inform :language ").unwrap().strip_suffix(')').unwrap().to_owned()
        }
        value => value.as_text().expect("it is a text").to_owned(),
    };
    Expression::String(text.into())
}
