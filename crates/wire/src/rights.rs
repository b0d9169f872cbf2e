//! The rights of sessions, and the rights that requests need.

use std::fmt;

use situated::data;

/// A permission of a session.
#[data(Copy, Eq)]
pub enum Right {
    /// Register agents; act and perceive as these agents and no others.
    Act,
    /// See every environment as a whole, with its seed and parameters, and what any entity perceives and does.
    Observe,
    /// Create and remove environments, control their time, free any entity. It includes the right to observe.
    Manage,
    /// Offer environments.
    Host,
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

    /// All rights.
    pub const ALL: Rights = Rights::NONE.with(Right::Act).with(Right::Host).with(Right::Manage);

    /// Returns this set with one more right and the rights that it includes.
    #[must_use]
    pub const fn with(self, right: Right) -> Self {
        let included = if matches!(right, Right::Manage) { 1 << Right::Observe as u8 } else { 0 };
        Self(self.0 | 1 << right as u8 | included)
    }

    /// Whether the set contains this right.
    pub const fn contains(self, right: Right) -> bool {
        self.0 & 1 << right as u8 != 0
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
    pub(crate) const ACT: Needs = Needs::Right(Right::Act);
    pub(crate) const MANAGE: Needs = Needs::Right(Right::Manage);
    pub(crate) const OBSERVE: Needs = Needs::Right(Right::Observe);
    pub(crate) const HOST: Needs = Needs::Right(Right::Host);
    pub(crate) const ACT_OR_MANAGE: Needs = Needs::Either(Right::Act, Right::Manage);
    pub(crate) const OBSERVE_OR_ACT: Needs = Needs::Either(Right::Observe, Right::Act);

    /// Whether these rights suffice.
    pub fn are_met_by(self, rights: Rights) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Right(right) => rights.contains(right),
            Needs::Either(right, other) => rights.contains(right) || rights.contains(other),
        }
    }

    /// Whether a session with these rights may make the request only for its own agents.
    pub fn are_met_by_agents_only(self, rights: Rights) -> bool {
        match self {
            Needs::Nothing => false,
            Needs::Right(right) => right == Right::Act,
            Needs::Either(right, other) => {
                ![right, other].iter().any(|one| *one != Right::Act && rights.contains(*one))
            }
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
