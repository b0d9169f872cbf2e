//! Messages as JSON, for programs without a parser for the encodings of the standard.

mod conversion;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use conversion::InvalidMessage;

/// A FIPA ACL message. The server does not interpret its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AclMessage {
    /// The communicative act, one of the 22 of FIPA: `inform`, `request`, `cfp`.
    pub performative: String,
    /// The sender. The server sets it; a message with another sender is rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<AclAgent>,
    /// The receivers, at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receivers: Vec<AclAgent>,
    /// The agents that get the response, if that is not the sender.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<AclAgent>,
    /// The content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<AclContent>,
    /// The language of the content: `fipa-sl0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<AclValue>,
    /// The encoding of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<AclValue>,
    /// The meaning of the symbols in the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ontology: Option<AclValue>,
    /// The protocol of the conversation: `fipa-request`. It has no blanks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<AclValue>,
    /// The token that responses repeat as `inReplyTo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_with: Option<AclValue>,
    /// The `replyWith` of the message that this one responds to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<AclValue>,
    /// The time until which a response is useful: `20300101T120000000Z`, or `+00000000T000500000` for 5 minutes after
    /// it is received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_by: Option<String>,
    /// Parameters that are not in the standard. Their names begin with `X-`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<AclParameter>,
}

/// The identifier of an agent: its name on this server, or an object with further parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged, expecting = "expected the name of an agent, or an object with `name`")]
pub enum AclAgent {
    /// The name of an agent.
    Name(String),
    /// A name with addresses, resolvers or parameters.
    Identifier(Box<AclIdentifier>),
}

impl AclAgent {
    /// The name of the agent.
    pub fn name(&self) -> &str {
        match self {
            AclAgent::Name(name) => name,
            AclAgent::Identifier(identifier) => &identifier.name,
        }
    }
}

/// The identifier of an agent with all its parts. The server never connects to its addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AclIdentifier {
    /// The name.
    pub name: String,
    /// Transport addresses, in order of preference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// Agents that know the addresses of this agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolvers: Vec<AclAgent>,
    /// Parameters that are not in the standard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<AclParameter>,
}

/// A parameter that is not in the standard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AclParameter {
    /// The name, a word.
    pub name: String,
    /// The value.
    pub value: AclValue,
}

/// A content: a text, or bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged, expecting = "expected a text, or an object with `bytes` in base64")]
pub enum AclContent {
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(AclBytes),
}

/// Bytes that are not necessarily text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AclBytes {
    /// The bytes in base64.
    pub bytes: String,
}

/// The value of a parameter. A text is a word if it can be one, and otherwise a quoted string; other values are
/// objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged, expecting = "expected a text, or an object with the kind of the value as its key")]
pub enum AclValue {
    /// A text.
    Text(String),
    /// A value of another kind.
    Other(AclOther),
}

impl AclValue {
    /// The value as it is written; `None` for a list.
    pub fn text(&self) -> Option<&str> {
        match self {
            AclValue::Text(text) => Some(text),
            AclValue::Other(other) => match other {
                AclOther::String(text) | AclOther::Bytes(text) | AclOther::Number(text) | AclOther::Time(text) => {
                    Some(text)
                }
                AclOther::List(_) => None,
            },
        }
    }
}

/// A value that is not simply a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum AclOther {
    /// A quoted string that could be a word.
    String(String),
    /// Bytes in base64.
    Bytes(String),
    /// A number as it is written.
    Number(String),
    /// A point in time, or a duration.
    Time(String),
    /// A list.
    List(Vec<AclValue>),
}
