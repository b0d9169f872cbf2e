//! The names of the parameters of a message.

use super::lexer::is_same;

/// A parameter of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Parameter {
    Sender,
    Receiver,
    ReplyTo,
    Content,
    Language,
    Encoding,
    Ontology,
    Protocol,
    ConversationId,
    ReplyWith,
    InReplyTo,
    ReplyBy,
}

impl Parameter {
    pub(super) const ALL: [Parameter; 12] = [
        Parameter::Sender,
        Parameter::Receiver,
        Parameter::ReplyTo,
        Parameter::Content,
        Parameter::Language,
        Parameter::Encoding,
        Parameter::Ontology,
        Parameter::Protocol,
        Parameter::ConversationId,
        Parameter::ReplyWith,
        Parameter::InReplyTo,
        Parameter::ReplyBy,
    ];

    /// All names.
    pub(super) const NAMES: [&'static str; 12] = {
        let mut names = [""; 12];
        let mut index = 0;
        while index < names.len() {
            names[index] = Parameter::ALL[index].name();
            index += 1;
        }
        names
    };

    pub(super) const fn name(self) -> &'static str {
        let (_, name) = self.written().split_at(" :".len());
        name.split_at(name.len() - " ".len()).0
    }

    /// The name with its colon and the blanks around it, as written in a message.
    pub(super) const fn written(self) -> &'static str {
        match self {
            Parameter::Sender => " :sender ",
            Parameter::Receiver => " :receiver ",
            Parameter::ReplyTo => " :reply-to ",
            Parameter::Content => " :content ",
            Parameter::Language => " :language ",
            Parameter::Encoding => " :encoding ",
            Parameter::Ontology => " :ontology ",
            Parameter::Protocol => " :protocol ",
            Parameter::ConversationId => " :conversation-id ",
            Parameter::ReplyWith => " :reply-with ",
            Parameter::InReplyTo => " :in-reply-to ",
            Parameter::ReplyBy => " :reply-by ",
        }
    }

    /// Returns the parameter with this name, ignoring case. The length and two letters leave one candidate.
    pub(super) fn named(name: &[u8]) -> Option<Parameter> {
        let (first, last) = (name.first()?.to_ascii_lowercase(), name.last()?.to_ascii_lowercase());
        let candidate = match (name.len(), first, last) {
            (6, ..) => Parameter::Sender,
            (7, ..) => Parameter::Content,
            (8, b'r', b'r') => Parameter::Receiver,
            (8, b'r', b'o') => Parameter::ReplyTo,
            (8, b'r', b'y') => Parameter::ReplyBy,
            (8, b'l', _) => Parameter::Language,
            (8, b'e', _) => Parameter::Encoding,
            (8, b'o', _) => Parameter::Ontology,
            (8, b'p', _) => Parameter::Protocol,
            (10, ..) => Parameter::ReplyWith,
            (11, ..) => Parameter::InReplyTo,
            (15, ..) => Parameter::ConversationId,
            _ => return None,
        };
        is_same(name, candidate.name()).then_some(candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_parameters_by_name() {
        for parameter in Parameter::ALL {
            assert_eq!(Parameter::named(parameter.name().to_uppercase().as_bytes()), Some(parameter));
        }
        for other in ["", "x", "senders", "receive", "envelope", "conversation_id"] {
            assert_eq!(Parameter::named(other.as_bytes()), None);
        }
    }
}
