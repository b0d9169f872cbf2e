//! Conversion between messages and their form in JSON. It loses nothing.

use crate::{
    AgentIdentifier, Content, Expression, Message, NotANumber, NotATime, NotAWord, Number, Time, UnknownAct,
    UserParameter, Word,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{AclAgent, AclBytes, AclContent, AclIdentifier, AclMessage, AclOther, AclParameter, AclValue};

/// The reason why JSON is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMessage {
    /// There is no such act.
    #[error(transparent)]
    Act(#[from] UnknownAct),
    /// The protocol or the name of a parameter is not a word.
    #[error(transparent)]
    Word(#[from] NotAWord),
    /// A value is not a number.
    #[error(transparent)]
    Number(#[from] NotANumber),
    /// A value is not a time.
    #[error(transparent)]
    Time(#[from] NotATime),
    /// Bytes are not written in base64.
    #[error("bytes are not written in base64: {0}")]
    Bytes(#[from] base64::DecodeError),
}

impl TryFrom<AclMessage> for Message<'static> {
    type Error = InvalidMessage;

    fn try_from(written: AclMessage) -> Result<Self, InvalidMessage> {
        let optional = |value: Option<AclValue>| value.map(Expression::try_from).transpose();
        let content = match written.content {
            None => None,
            Some(AclContent::Text(text)) => Some(text.into()),
            Some(AclContent::Bytes(AclBytes { bytes })) => Some(Content::from(STANDARD.decode(bytes)?)),
        };
        Ok(Self {
            sender: written.sender.map(AgentIdentifier::try_from).transpose()?,
            receivers: each(written.receivers)?,
            reply_to: each(written.reply_to)?,
            content,
            language: optional(written.language)?,
            encoding: optional(written.encoding)?,
            ontology: optional(written.ontology)?,
            protocol: written.protocol.map(Word::new).transpose()?,
            conversation_id: optional(written.conversation_id)?,
            reply_with: optional(written.reply_with)?,
            in_reply_to: optional(written.in_reply_to)?,
            reply_by: written.reply_by.map(|time| time.parse()).transpose()?,
            user_parameters: each(written.parameters)?,
            ..Message::new(written.performative.parse()?)
        })
    }
}

impl From<&Message<'_>> for AclMessage {
    fn from(message: &Message<'_>) -> Self {
        let optional = |value: &Option<Expression<'_>>| value.as_ref().map(AclValue::from);
        Self {
            performative: message.performative.name().into(),
            sender: message.sender.as_ref().map(AclAgent::from),
            receivers: message.receivers.iter().map(AclAgent::from).collect(),
            reply_to: message.reply_to.iter().map(AclAgent::from).collect(),
            content: message.content.as_ref().map(|content| match content {
                Content::Text(text) => AclContent::Text(text.to_string()),
                Content::Bytes(bytes) => AclContent::Bytes(AclBytes { bytes: STANDARD.encode(bytes) }),
            }),
            language: optional(&message.language),
            encoding: optional(&message.encoding),
            ontology: optional(&message.ontology),
            protocol: message.protocol.as_ref().map(|protocol| protocol.as_str().into()),
            conversation_id: optional(&message.conversation_id),
            reply_with: optional(&message.reply_with),
            in_reply_to: optional(&message.in_reply_to),
            reply_by: message.reply_by.map(|time| time.to_string()),
            parameters: message.user_parameters.iter().map(AclParameter::from).collect(),
        }
    }
}

impl TryFrom<AclAgent> for AgentIdentifier<'static> {
    type Error = InvalidMessage;

    fn try_from(written: AclAgent) -> Result<Self, InvalidMessage> {
        let AclIdentifier { name, addresses, resolvers, parameters } = match written {
            AclAgent::Name(name) => return Ok(AgentIdentifier::new(name)),
            AclAgent::Identifier(identifier) => *identifier,
        };
        Ok(Self {
            name: name.into(),
            addresses: addresses.into_iter().map(Into::into).collect(),
            resolvers: each(resolvers)?,
            user_parameters: each(parameters)?,
        })
    }
}

impl From<&AgentIdentifier<'_>> for AclAgent {
    fn from(agent: &AgentIdentifier<'_>) -> Self {
        let AgentIdentifier { name, addresses, resolvers, user_parameters } = agent;
        if addresses.is_empty() && resolvers.is_empty() && user_parameters.is_empty() {
            return AclAgent::Name(name.to_string());
        }
        AclAgent::Identifier(Box::new(AclIdentifier {
            name: name.to_string(),
            addresses: addresses.iter().map(ToString::to_string).collect(),
            resolvers: resolvers.iter().map(AclAgent::from).collect(),
            parameters: user_parameters.iter().map(AclParameter::from).collect(),
        }))
    }
}

impl TryFrom<AclParameter> for UserParameter<'static> {
    type Error = InvalidMessage;

    fn try_from(AclParameter { name, value }: AclParameter) -> Result<Self, InvalidMessage> {
        Ok(Self { name: Word::new(name)?, value: value.try_into()? })
    }
}

impl From<&UserParameter<'_>> for AclParameter {
    fn from(parameter: &UserParameter<'_>) -> Self {
        Self { name: parameter.name.as_str().into(), value: (&parameter.value).into() }
    }
}

impl TryFrom<AclValue> for Expression<'static> {
    type Error = InvalidMessage;

    fn try_from(written: AclValue) -> Result<Self, InvalidMessage> {
        Ok(match written {
            AclValue::Text(text) => text.into(),
            AclValue::Other(AclOther::String(text)) => Expression::String(text.into()),
            AclValue::Other(AclOther::Bytes(bytes)) => Expression::Bytes(STANDARD.decode(bytes)?.into()),
            AclValue::Other(AclOther::Number(number)) => Number::new(number)?.into(),
            AclValue::Other(AclOther::Time(time)) => time.parse::<Time>()?.into(),
            AclValue::Other(AclOther::List(values)) => Expression::List(each(values)?),
        })
    }
}

impl From<&Expression<'_>> for AclValue {
    fn from(expression: &Expression<'_>) -> Self {
        let other = match expression {
            Expression::Word(word) => return AclValue::Text(word.as_str().into()),
            Expression::String(text) => match Expression::from(&**text) {
                Expression::String(text) => return AclValue::Text(text.into_owned()),
                _ => AclOther::String(text.to_string()),
            },
            Expression::Bytes(bytes) => AclOther::Bytes(STANDARD.encode(bytes)),
            Expression::Number(number) => AclOther::Number(number.as_str().into()),
            Expression::Time(time) => AclOther::Time(time.to_string()),
            Expression::List(values) => AclOther::List(values.iter().map(AclValue::from).collect()),
        };
        AclValue::Other(other)
    }
}

fn each<A, B: TryFrom<A>>(written: Vec<A>) -> Result<Vec<B>, B::Error> {
    written.into_iter().map(B::try_from).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_equal_after_both_conversions() {
        let agent = AgentIdentifier::new("bob").address("http://b/acc").resolver("df");
        let message = Message::cfp()
            .from("ada")
            .to(agent)
            .to("cleo")
            .reply_to("dan")
            .content(vec![0, 255])
            .language("fipa-sl")
            .encoding(Expression::String("word".into()))
            .ontology(vec![Expression::from(12), "two words".into(), Expression::Bytes(vec![7].into())])
            .protocol(Word::new("fipa-contract-net").unwrap())
            .conversation_id("c1")
            .reply_with(Number::new("1.50").unwrap())
            .in_reply_to(Time::at(0))
            .reply_by(Time::after(300_000))
            .user_parameter(Word::new("X-level").unwrap(), "high");
        let written = AclMessage::from(&message);
        let text = serde_json::to_string(&written).unwrap();
        assert_eq!(Message::try_from(serde_json::from_str::<AclMessage>(&text).unwrap()), Ok(message));
    }

    #[test]
    fn an_ordinary_message_is_written_simply() {
        let message = Message::inform().from("ada").to("bob").content("it is done").conversation_id("c1");
        let wanted = json!({
            "performative": "inform", "sender": "ada", "receivers": ["bob"], "content": "it is done",
            "conversationId": "c1",
        });
        assert_eq!(serde_json::to_value(AclMessage::from(&message)).unwrap(), wanted);
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |changes: serde_json::Value| {
            let mut written = json!({ "performative": "inform", "receivers": ["bob"] });
            written.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            Message::try_from(serde_json::from_value::<AclMessage>(written).unwrap()).unwrap_err().to_string()
        };
        assert_eq!(error(json!({ "performative": "greet" })), "there is no communicative act `greet`");
        assert!(error(json!({ "protocol": "two words" })).starts_with("\"two words\" is not a word"));
        assert!(error(json!({ "replyBy": "soon" })).starts_with("\"soon\" is no time"));
        assert!(error(json!({ "content": { "bytes": "?" } })).starts_with("bytes are not written in base64"));
        assert!(error(json!({ "language": { "number": "x" } })).starts_with("\"x\" is no number"));
    }
}
