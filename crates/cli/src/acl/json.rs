//! Messages as JSON, for programs. Details that matter to encodings only, such as whether a value was quoted, are
//! left out.

use serde_json::{Map, Value, json};
use situated_acl::{AgentIdentifier, Content, Expression, UserParameter};

use super::form::write_hex;
use super::source::Letter;

/// Floating-point numbers represent all integers below this one exactly.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

/// Returns a message with the repairs made in it.
pub(super) fn letter(letter: &Letter) -> Value {
    let message = &letter.message;
    let agents = |agents: &[AgentIdentifier<'_>]| (!agents.is_empty()).then(|| agents.iter().map(agent).collect());
    let value = |value: &Option<Expression<'_>>| value.as_ref().map(expression);
    let mut fields = Map::from_iter([("performative".to_owned(), message.performative.name().into())]);
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    add("sender", message.sender.as_ref().map(agent));
    add("receiver", agents(&message.receivers));
    add("reply-to", agents(&message.reply_to));
    add("content", message.content.as_ref().map(content));
    add("language", value(&message.language));
    add("encoding", value(&message.encoding));
    add("ontology", value(&message.ontology));
    add("protocol", message.protocol.as_ref().map(|protocol| protocol.as_str().into()));
    add("conversation-id", value(&message.conversation_id));
    add("reply-with", value(&message.reply_with));
    add("in-reply-to", value(&message.in_reply_to));
    add("reply-by", message.reply_by.map(|time| time.to_string().into()));
    message.user_parameters.iter().for_each(|parameter| add(&key(parameter), Some(expression(&parameter.value))));
    add("repairs", (!letter.repairs.is_empty()).then(|| letter.repairs.clone().into()));
    Value::Object(fields)
}

fn agent(of: &AgentIdentifier<'_>) -> Value {
    let mut fields = Map::from_iter([("name".to_owned(), of.name.as_ref().into())]);
    if !of.addresses.is_empty() {
        fields.insert("addresses".to_owned(), of.addresses.iter().map(AsRef::as_ref).collect());
    }
    if !of.resolvers.is_empty() {
        fields.insert("resolvers".to_owned(), of.resolvers.iter().map(agent).collect());
    }
    fields.extend(of.user_parameters.iter().map(|parameter| (key(parameter), expression(&parameter.value))));
    Value::Object(fields)
}

/// Returns the name of a user-defined parameter with its prefix, since a sender may have called it `performative`.
fn key(parameter: &UserParameter<'_>) -> String {
    format!("{}{}", if parameter.is_prefixed() { "" } else { "X-" }, parameter.name)
}

fn content(content: &Content<'_>) -> Value {
    content.as_text().map_or_else(|| bytes(content.as_bytes()), Value::from)
}

/// Texts and words become strings, bytes become hexadecimal digits.
fn expression(value: &Expression<'_>) -> Value {
    match value {
        Expression::Word(word) => word.as_str().into(),
        Expression::String(text) => text.as_ref().into(),
        Expression::Bytes(data) => bytes(data),
        Expression::Number(digits) => number(digits.as_str()),
        Expression::Time(time) => time.to_string().into(),
        Expression::List(values) => values.iter().map(expression).collect(),
    }
}

/// Returns a number if every reader of JSON gets the same digits back, and otherwise a string, such as for a token of
/// 30 digits.
fn number(digits: &str) -> Value {
    let is_exact = |value: &Value| {
        let written = value.to_string();
        written == digits && value.as_f64().is_some_and(|value| value.abs() < FIRST_INEXACT)
    };
    serde_json::from_str(digits).ok().filter(is_exact).unwrap_or_else(|| digits.into())
}

fn bytes(data: &[u8]) -> Value {
    json!({ "hex": write_hex(data) })
}
