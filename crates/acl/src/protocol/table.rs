//! The parts of a protocol's table.

use super::{Phase, Profile, Role};
use crate::Performative;

/// A protocol as data.
///
/// What holds for all protocols is in no table: either side may answer `not-understood`, which ends a session; the
/// initiator may `cancel`; and a deadline that passes ends it, unless the table says otherwise.
#[derive(Debug)]
pub struct Table {
    /// Who may send which act in which phase. The first row begins the conversation.
    pub rows: &'static [Row],
    /// Where silence leads, if not to [`Phase::TimedOut`].
    pub silences: &'static [Silence],
    /// What one participant's success means for the others.
    pub rivalry: Option<Rivalry>,
}

/// That somebody may say something.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// In this phase,
    pub from: Phase,
    /// this role
    pub by: Role,
    /// may do this,
    pub act: Performative,
    /// which has this effect
    pub effect: Effect,
    /// and means this.
    pub meaning: &'static str,
    /// If only this profile knows it.
    pub only: Option<Profile>,
}

/// The effect of a message that is not a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The session continues in this phase.
    To(Phase),
    /// The message comes too late to change anything; this is the response.
    Late(Option<Performative>),
}

/// Where it leads when the deadline passes.
#[derive(Clone, Copy, Debug)]
pub struct Silence {
    /// In this phase,
    pub in_phase: Phase,
    /// it leads here
    pub to: Phase,
    /// and means this.
    pub meaning: &'static str,
}

/// A phase in which there is one participant at most.
#[derive(Clone, Copy, Debug)]
pub struct Rivalry {
    /// The phase. Whoever would be the second breaks a rule.
    pub only_one_in: Phase,
    /// When somebody enters it, all others in this phase
    pub displaced: Phase,
    /// are here.
    pub to: Phase,
}

impl Row {
    pub(super) const fn to(from: Phase, by: Role, act: Performative, to: Phase, meaning: &'static str) -> Row {
        Row { from, by, act, effect: Effect::To(to), meaning, only: None }
    }

    /// A message that is too late in this phase; it is a matter of clocks and of messages that cross.
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
