//! Where the replies of an owner go.

use situated::iil::EcoString;

use crate::reply::PendingReply;

/// Where a reply of the owner goes.
pub struct Destination(pub(super) To);

/// Where a reply goes.
pub(super) enum To {
    /// To a session.
    Session(PendingReply),
    /// To the step of many agents that it is part of.
    Turn { step: usize, place: usize },
    /// To a session that registers this agent.
    Registration(PendingReply, EcoString),
    /// To a session that unregisters this agent.
    Departure(PendingReply, EcoString),
    /// To the driver.
    Driver,
    /// To nobody; time is to run if the episode has begun.
    Beginning,
    /// To nobody.
    Nobody,
}

impl Destination {
    /// Nobody gets the reply.
    pub const NOBODY: Self = Self(To::Nobody);

    pub(super) fn is_session(&self, number: u64) -> bool {
        matches!(&self.0, To::Session(reply) if reply.session().number() == number)
    }
}
