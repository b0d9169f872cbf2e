//! The languages, ontologies and protocols that an agent declares to understand.

use crate::{Expression, Message, Performative, Protocol};

/// The languages, ontologies and protocols that an agent understands, and what it does beyond answering.
///
/// Where nothing is declared, everything is understood; what a message does not name is no obstacle.
#[derive(Clone, Debug, Default)]
pub struct Understanding {
    languages: Vec<String>,
    ontologies: Vec<String>,
    protocols: Vec<Protocol>,
    acts: Vec<Performative>,
}

/// Why a message is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objection {
    /// Its content is in a language that is not known.
    Language,
    /// Its content has the words of an ontology that is not known.
    Ontology,
    /// It follows a protocol that is not known.
    Protocol,
    /// The act is not known, or not at the beginning of a conversation by this protocol.
    Act,
    /// The content is not what the act needs.
    Content,
}

impl Understanding {
    /// Of everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also of content in this language, in capital or small letters.
    pub fn language(mut self, name: impl Into<String>) -> Self {
        self.languages.push(name.into());
        self
    }

    /// Also of this ontology.
    pub fn ontology(mut self, name: impl Into<String>) -> Self {
        self.ontologies.push(name.into());
        self
    }

    /// Also of this protocol.
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocols.push(protocol);
        self
    }

    /// Also of this act, for which the owner has an answer: `cfp`.
    pub fn act(mut self, act: Performative) -> Self {
        self.acts.push(act);
        self
    }

    /// Why a message is not understood, if it is not.
    pub fn objection(&self, message: &Message<'_>) -> Option<Objection> {
        let protocol = message.protocol.as_ref().map(|token| Protocol::named(token.as_str()));
        let knows = |protocol: Protocol| self.protocols.is_empty() || self.protocols.contains(&protocol);
        if !names_known(message.language.as_ref(), &self.languages) {
            Some(Objection::Language)
        } else if !names_known(message.ontology.as_ref(), &self.ontologies) {
            Some(Objection::Ontology)
        } else if !protocol.is_none_or(|named| named.is_some_and(knows)) {
            Some(Objection::Protocol)
        } else {
            None
        }
    }

    pub(super) fn has_act(&self, act: Performative) -> bool {
        self.acts.contains(&act)
    }
}

impl Objection {
    /// How it is told: `ontology`.
    pub const fn name(self) -> &'static str {
        match self {
            Objection::Language => "language",
            Objection::Ontology => "ontology",
            Objection::Protocol => "protocol",
            Objection::Act => "act",
            Objection::Content => "content",
        }
    }
}

/// Whether a parameter, which may be a list, names nothing else than what is known.
fn names_known(parameter: Option<&Expression<'_>>, known: &[String]) -> bool {
    match parameter {
        None => true,
        _ if known.is_empty() => true,
        Some(Expression::List(names)) => names.iter().all(|name| is_known(name, known)),
        Some(name) => is_known(name, known),
    }
}

fn is_known(name: &Expression<'_>, known: &[String]) -> bool {
    name.as_text().is_some_and(|name| known.iter().any(|known| known.eq_ignore_ascii_case(name)))
}
