//! Rights of sessions, and what requests need of them.

use std::fmt;

/// A permission of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Register agents; act and perceive as the agents that the session has registered, and as no others.
    Act,
    /// See every environment as a whole, and what any entity perceives and does.
    Observe,
    /// Offer environments.
    Host,
    /// Create and remove environments, control their time, free any entity. It includes the right to observe.
    Manage,
}

impl Right {
    /// All rights.
    pub const ALL: [Right; 4] = [Right::Act, Right::Observe, Right::Host, Right::Manage];
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Right::Act => "act",
            Right::Observe => "observe",
            Right::Host => "host",
            Right::Manage => "manage",
        })
    }
}

/// A set of rights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights(u8);

impl Rights {
    /// No rights.
    pub const NONE: Rights = Rights(0);

    /// This set with one more right.
    #[must_use]
    pub const fn with(self, right: Right) -> Self {
        Self(self.0 | 1 << right as u8)
    }

    /// Whether the set contains this right by name.
    pub const fn contains(self, right: Right) -> bool {
        self.0 & 1 << right as u8 != 0
    }

    /// Whether a session with these rights may do what this right is for.
    pub const fn allow(self, right: Right) -> bool {
        self.contains(right) || matches!(right, Right::Observe) && self.contains(Right::Manage)
    }

    /// The rights in the set.
    pub fn iter(self) -> impl Iterator<Item = Right> {
        Right::ALL.into_iter().filter(move |right| self.contains(*right))
    }
}

impl FromIterator<Right> for Rights {
    fn from_iter<I: IntoIterator<Item = Right>>(rights: I) -> Self {
        rights.into_iter().fold(Self::NONE, Self::with)
    }
}

/// The rights that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Any session may make the request.
    Nothing,
    /// The session needs this right.
    Right(Right),
    /// The session needs one of these rights.
    Either(Right, Right),
}

impl Needs {
    /// Whether these rights suffice.
    pub(crate) fn are_met_by(self, rights: Rights) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Right(right) => rights.allow(right),
            Needs::Either(right, other) => rights.allow(right) || rights.allow(other),
        }
    }

    /// Whether a session with these rights gets through only because of its own agents, so that the subject must be
    /// one of them.
    pub(crate) fn are_met_by_agents_only(self, rights: Rights) -> bool {
        match self {
            Needs::Nothing => false,
            Needs::Right(right) => right == Right::Act,
            Needs::Either(right, other) => ![right, other].iter().any(|one| *one != Right::Act && rights.allow(*one)),
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Needs::Nothing => f.write_str("do nothing in particular"),
            Needs::Right(right) => right.fmt(f),
            Needs::Either(right, other) => write!(f, "{right} or to {other}"),
        }
    }
}
