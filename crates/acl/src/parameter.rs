//! The parameters of messages.

use crate::{Expression, Message};

named! {
    /// A parameter of the standard. Its number is its code in the bit-efficient encoding (SC00069).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub(crate) enum Parameter {
        Sender = 2 => "sender",
        Receiver => "receiver",
        Content => "content",
        ReplyWith => "reply-with",
        ReplyBy => "reply-by",
        InReplyTo => "in-reply-to",
        ReplyTo => "reply-to",
        Language => "language",
        Encoding => "encoding",
        Ontology => "ontology",
        Protocol => "protocol",
        ConversationId => "conversation-id",
    }
}

impl Parameter {
    /// Returns the parameter with this name, ignoring case.
    pub(crate) fn named(name: &[u8]) -> Option<Parameter> {
        Parameter::ALL.into_iter().find(|parameter| name.eq_ignore_ascii_case(parameter.name().as_bytes()))
    }

    /// Returns the parameter with this code.
    pub(crate) fn with_code(code: u8) -> Option<Parameter> {
        Parameter::ALL.into_iter().find(|parameter| *parameter as u8 == code)
    }
}

impl<'a> Message<'a> {
    /// The place of the value of this parameter, if it is an expression.
    pub(crate) fn value_mut(&mut self, parameter: Parameter) -> Option<&mut Option<Expression<'a>>> {
        match parameter {
            Parameter::Language => Some(&mut self.language),
            Parameter::Encoding => Some(&mut self.encoding),
            Parameter::Ontology => Some(&mut self.ontology),
            Parameter::ConversationId => Some(&mut self.conversation_id),
            Parameter::ReplyWith => Some(&mut self.reply_with),
            Parameter::InReplyTo => Some(&mut self.in_reply_to),
            _ => None,
        }
    }
}
