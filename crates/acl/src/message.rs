//! Messages: an act with its parameters (FIPA SC00061).

use crate::{AgentIdentifier, Content, Expression, Performative, Time, UserParameter, Word};

/// A message. Where possible, it borrows from the text from which it was read; [`Message::into_owned`] copies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The communicative act.
    pub performative: Performative,
    /// The sender; anonymous senders omit it.
    pub sender: Option<AgentIdentifier<'a>>,
    /// The receivers. Their order does not matter.
    pub receivers: Vec<AgentIdentifier<'a>>,
    /// The agents that get the response, if that is not the sender.
    pub reply_to: Vec<AgentIdentifier<'a>>,
    /// The content.
    pub content: Option<Content<'a>>,
    /// The language of the content: `fipa-sl0`.
    pub language: Option<Expression<'a>>,
    /// The encoding of the content. (The encoding of the message is stated in its envelope.)
    pub encoding: Option<Expression<'a>>,
    /// The meaning of the symbols in the content.
    pub ontology: Option<Expression<'a>>,
    /// The protocol that the conversation follows: `fipa-request`.
    pub protocol: Option<Word<'a>>,
    /// The conversation to which it belongs. The standard requires it for messages with a protocol.
    pub conversation_id: Option<Expression<'a>>,
    /// The token that responses must repeat as `in_reply_to`.
    pub reply_with: Option<Expression<'a>>,
    /// The `reply_with` of the message that this one responds to.
    pub in_reply_to: Option<Expression<'a>>,
    /// The time until which a response is useful.
    pub reply_by: Option<Time>,
    /// Parameters that are not in the standard.
    pub user_parameters: Vec<UserParameter<'a>>,
}

impl<'a> Message<'a> {
    /// Creates a message with only an act.
    pub fn new(performative: Performative) -> Self {
        Self {
            performative,
            sender: None,
            receivers: Vec::new(),
            reply_to: Vec::new(),
            content: None,
            language: None,
            encoding: None,
            ontology: None,
            protocol: None,
            conversation_id: None,
            reply_with: None,
            in_reply_to: None,
            reply_by: None,
            user_parameters: Vec::new(),
        }
    }

    /// Creates a response to this message, for the agents that should get it, in the same conversation, protocol,
    /// language and ontology, and in reply to this message. If the message was sent to a single agent, that agent is
    /// the sender; otherwise set it with [`Message::from`].
    pub fn reply(&self, performative: Performative) -> Self {
        let receivers = match (&self.reply_to, &self.sender) {
            (reply_to, _) if !reply_to.is_empty() => reply_to.clone(),
            (_, sender) => sender.iter().cloned().collect(),
        };
        let sender = match self.receivers.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        Self {
            sender,
            receivers,
            language: self.language.clone(),
            ontology: self.ontology.clone(),
            protocol: self.protocol.clone(),
            conversation_id: self.conversation_id.clone(),
            in_reply_to: self.reply_with.clone(),
            ..Message::new(performative)
        }
    }

    /// The name of its sender, if it has one.
    pub fn sender_name(&self) -> Option<&str> {
        self.sender.as_ref().map(|agent| &*agent.name)
    }

    /// Whether the agent that manages a platform, `ams` or `ams@…`, reports with it that another message could not be
    /// delivered (FIPA SC00023).
    pub fn is_delivery_report(&self) -> bool {
        let own_name = self.sender_name().and_then(|name| name.split('@').next());
        self.performative == Performative::Failure && own_name.is_some_and(|name| name.eq_ignore_ascii_case("ams"))
    }

    /// Whether its content is in this language, ignoring case: people write `XML` and `xml`.
    pub fn is_in(&self, language: &str) -> bool {
        let named = self.language.as_ref().and_then(Expression::as_text);
        named.is_some_and(|named| named.eq_ignore_ascii_case(language))
    }

    /// Sets the sender.
    pub fn from(mut self, agent: impl Into<AgentIdentifier<'a>>) -> Self {
        self.sender = Some(agent.into());
        self
    }

    /// Adds a receiver.
    pub fn to(mut self, agent: impl Into<AgentIdentifier<'a>>) -> Self {
        self.receivers.push(agent.into());
        self
    }

    /// Adds an agent that gets the response instead of the sender.
    pub fn reply_to(mut self, agent: impl Into<AgentIdentifier<'a>>) -> Self {
        self.reply_to.push(agent.into());
        self
    }

    /// Sets the content.
    pub fn content(mut self, content: impl Into<Content<'a>>) -> Self {
        self.content = Some(content.into());
        self
    }

    /// Sets the language of the content.
    pub fn language(mut self, language: impl Into<Expression<'a>>) -> Self {
        self.language = Some(language.into());
        self
    }

    /// Sets the encoding of the content.
    pub fn encoding(mut self, encoding: impl Into<Expression<'a>>) -> Self {
        self.encoding = Some(encoding.into());
        self
    }

    /// Sets the ontology of the content.
    pub fn ontology(mut self, ontology: impl Into<Expression<'a>>) -> Self {
        self.ontology = Some(ontology.into());
        self
    }

    /// Sets the protocol of the conversation.
    pub fn protocol(mut self, protocol: impl Into<Word<'a>>) -> Self {
        self.protocol = Some(protocol.into());
        self
    }

    /// Sets the conversation.
    pub fn conversation_id(mut self, id: impl Into<Expression<'a>>) -> Self {
        self.conversation_id = Some(id.into());
        self
    }

    /// Asks for responses with this token in `in_reply_to`.
    pub fn reply_with(mut self, token: impl Into<Expression<'a>>) -> Self {
        self.reply_with = Some(token.into());
        self
    }

    /// Marks it as a response to the message with this `reply_with`.
    pub fn in_reply_to(mut self, token: impl Into<Expression<'a>>) -> Self {
        self.in_reply_to = Some(token.into());
        self
    }

    /// Asks for responses until this time.
    pub fn reply_by(mut self, time: Time) -> Self {
        self.reply_by = Some(time);
        self
    }

    /// Adds a parameter that is not in the standard. Its name needs the prefix `X-`.
    pub fn user_parameter(mut self, name: Word<'a>, value: impl Into<Expression<'a>>) -> Self {
        self.user_parameters.push(UserParameter { name, value: value.into() });
        self
    }

    /// Returns the same message with its own copy of all borrowed data.
    pub fn into_owned(self) -> Message<'static> {
        let agents = |agents: Vec<AgentIdentifier<'a>>| agents.into_iter().map(AgentIdentifier::into_owned).collect();
        Message {
            performative: self.performative,
            sender: self.sender.map(AgentIdentifier::into_owned),
            receivers: agents(self.receivers),
            reply_to: agents(self.reply_to),
            content: self.content.map(Content::into_owned),
            language: self.language.map(Expression::into_owned),
            encoding: self.encoding.map(Expression::into_owned),
            ontology: self.ontology.map(Expression::into_owned),
            protocol: self.protocol.map(Word::into_owned),
            conversation_id: self.conversation_id.map(Expression::into_owned),
            reply_with: self.reply_with.map(Expression::into_owned),
            in_reply_to: self.in_reply_to.map(Expression::into_owned),
            reply_by: self.reply_by,
            user_parameters: self.user_parameters.into_iter().map(UserParameter::into_owned).collect(),
        }
    }
}

/// Defines a constructor for each act, under its name.
macro_rules! constructors {
    ($($name:ident => $act:ident,)*) => {
        impl Message<'_> {
            $(
                #[doc = concat!(
                    "A message of the act [`", stringify!($act), "`](Performative::", stringify!($act), ").",
                )]
                pub fn $name() -> Self {
                    Self::new(Performative::$act)
                }
            )*
        }
    };
}

constructors! {
    accept_proposal => AcceptProposal,
    agree => Agree,
    cancel => Cancel,
    cfp => Cfp,
    confirm => Confirm,
    disconfirm => Disconfirm,
    failure => Failure,
    inform => Inform,
    inform_if => InformIf,
    inform_ref => InformRef,
    not_understood => NotUnderstood,
    propagate => Propagate,
    propose => Propose,
    proxy => Proxy,
    query_if => QueryIf,
    query_ref => QueryRef,
    refuse => Refuse,
    reject_proposal => RejectProposal,
    request => Request,
    request_when => RequestWhen,
    request_whenever => RequestWhenever,
    subscribe => Subscribe,
}

/// Creates unique values for `reply-with` and `conversation-id`: `buyer-1`, `buyer-2`.
///
/// The tokens are not random, so that runs can be repeated. They are unique among all agents if the prefix is unique,
/// and if an agent that restarts continues the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    prefix: String,
    used: u64,
}

impl Tokens {
    /// Creates tokens with this prefix; the first `used` have already been used.
    pub fn new(prefix: impl Into<String>, used: u64) -> Self {
        Self { prefix: prefix.into(), used }
    }

    /// The number of tokens that have been used.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// A new one.
    pub fn fresh(&mut self) -> Expression<'static> {
        self.used += 1;
        format!("{}-{}", self.prefix, self.used).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_responses_as_requested() {
        let question = Message::request().from("A").to("B").reply_to("C").conversation_id("c1").reply_with("r1");
        let question = question.protocol(Word::new("fipa-request").unwrap()).language("fipa-sl").content("x");
        let answer = question.reply(Performative::Agree);
        assert_eq!(answer.receivers, ["C".into()]);
        assert_eq!(answer.sender, Some("B".into()));
        assert_eq!(answer.in_reply_to, question.reply_with);
        assert_eq!((&answer.protocol, &answer.conversation_id), (&question.protocol, &question.conversation_id));
        assert_eq!((answer.content, answer.reply_with, answer.reply_by), (None, None, None));
    }

    #[test]
    fn responses_to_a_message_for_several_receivers_have_no_sender() {
        let answer = Message::cfp().from("A").to("B").to("C").reply(Performative::Propose);
        assert_eq!((answer.sender, answer.receivers), (None, vec!["A".into()]));
    }
}
