//! The languages, ontologies and protocols that an agent declares to understand.

use crate::{Expression, Message, Performative, Protocol};

/// The languages, ontologies and protocols that an agent understands, and the acts that it handles itself.
///
/// If none are declared, all are understood. A parameter that a message omits is never an obstacle.
#[derive(Clone, Debug, Default)]
pub struct Understanding {
    languages: Vec<String>,
    ontologies: Vec<String>,
    protocols: Vec<Protocol>,
    acts: Vec<Performative>,
}

named! {
    /// The reason why a message is not understood, which the response names.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Objection {
        /// The language of its content is unknown.
        Language => "language",
        /// The ontology of its content is unknown.
        Ontology => "ontology",
        /// Its protocol is unknown.
        Protocol => "protocol",
        /// The act is unknown, or does not begin a conversation with this protocol.
        Act => "act",
        /// The content does not fit the act.
        Content => "content",
    }
}

impl Understanding {
    /// Creates an understanding of everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a language of contents, ignoring case.
    pub fn language(mut self, name: impl Into<String>) -> Self {
        self.languages.push(name.into());
        self
    }

    /// Adds an ontology.
    pub fn ontology(mut self, name: impl Into<String>) -> Self {
        self.ontologies.push(name.into());
        self
    }

    /// Adds a protocol.
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocols.push(protocol);
        self
    }

    /// Adds an act to which the agent responds itself: `cfp`.
    pub fn act(mut self, act: Performative) -> Self {
        self.acts.push(act);
        self
    }

    /// Returns the reason why a message is not understood, if so.
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

/// Whether a parameter, which may be a list, contains only known names.
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
