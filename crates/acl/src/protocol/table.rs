//! The parts of a protocol's table.

use super::phase::Phase;
use crate::Performative;

named! {
    /// The role of an agent in a conversation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Role {
        /// The agent that begins the conversation.
        Initiator => "initiator",
        /// The agent that is addressed.
        Participant => "participant",
    }
}

/// The set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Profile {
    /// The rules of FIPA.
    #[default]
    Standard,
    /// The rules of the tutorial *ACL & Protocols* (A. Mehlenbacher, 2001) where they differ: `confirm` and
    /// `disconfirm` answer a query, `cancel` needs no response, conditional requests need no `agree`, and neither
    /// protocol nor `in-reply-to` is required.
    Tutorial,
}

impl Role {
    /// The other one.
    pub const fn other(self) -> Role {
        match self {
            Role::Initiator => Role::Participant,
            Role::Participant => Role::Initiator,
        }
    }
}

/// A protocol as data.
///
/// The tables do not contain the rules for all protocols: either side may send `not-understood`, which ends a
/// session; the initiator may `cancel`; and a passed deadline ends the session, unless the table says otherwise.
#[derive(Debug)]
pub struct Table {
    /// The legal acts of each role in each phase. The first row begins the conversation.
    pub rows: &'static [Row],
    /// The phases that follow a passed deadline, if not [`Phase::TimedOut`].
    pub silences: &'static [Silence],
    /// The effect of one participant's success on the others.
    pub rivalry: Option<Rivalry>,
}

/// A legal act.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The phase before.
    pub from: Phase,
    /// The role of the sender.
    pub by: Role,
    /// The act.
    pub act: Performative,
    /// The effect.
    pub effect: Effect,
    /// The meaning.
    pub meaning: &'static str,
    /// The only profile that has the row, if not all have it.
    pub only: Option<Profile>,
}

/// The effect of a message that is not a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The session continues in this phase.
    To(Phase),
    /// The message comes too late to change anything. The field is the response to it.
    Late(Option<Performative>),
}

/// The effect of a passed deadline.
#[derive(Clone, Copy, Debug)]
pub struct Silence {
    /// The phase before.
    pub in_phase: Phase,
    /// The phase after.
    pub to: Phase,
    /// The meaning.
    pub meaning: &'static str,
}

/// A phase in which at most one participant can be.
#[derive(Clone, Copy, Debug)]
pub struct Rivalry {
    /// The phase. A second participant in it would break a rule.
    pub only_one_in: Phase,
    /// When a participant enters it, all others in this phase
    pub displaced: Phase,
    /// move to this one.
    pub to: Phase,
}

impl Row {
    pub(super) const fn to(from: Phase, by: Role, act: Performative, to: Phase, meaning: &'static str) -> Row {
        Row { from, by, act, effect: Effect::To(to), meaning, only: None }
    }

    /// A message that is too late in this phase, because of clocks or crossing messages.
    pub(super) const fn late(from: Phase, by: Role, act: Performative, meaning: &'static str) -> Row {
        Row { from, by, act, effect: Effect::Late(None), meaning, only: None }
    }

    pub(super) const fn answered_by(self, act: Performative) -> Row {
        Row { effect: Effect::Late(Some(act)), ..self }
    }

    pub(super) const fn in_tutorial(self) -> Row {
        Row { only: Some(Profile::Tutorial), ..self }
    }
}
