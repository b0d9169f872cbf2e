//! Replies of an owner to requests.

use situated::iil::EcoString;
use situated::interface::{Effect, Results};

use crate::error::Error;

/// A reply of an owner.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is done, or over, and has no result.
    Done,
    /// The results of an action, for each entity.
    Results(Results),
    /// The agent was given this entity.
    Entity(EcoString),
}

/// A reply, or the error.
pub type Answered = Result<Reply, Error>;

impl Reply {
    /// The reply to a request with this effect.
    pub(crate) fn of(effect: Effect) -> Self {
        match effect {
            Effect::Results(results) => Self::Results(results),
            Effect::Entity(entity) => Self::Entity(entity),
            Effect::Done | Effect::Nothing => Self::Done,
            // The owner replies when the host has responded, with the effect that it reports.
            Effect::Requested(_) | Effect::Acting { .. } | Effect::Answered { .. } => Self::Done,
        }
    }
}
