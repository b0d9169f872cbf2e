//! The receivers of the replies of an owner.

use situated::iil::EcoString;

use crate::reply::PendingReply;

/// The receiver of a reply of the owner.
pub struct Destination(pub(super) To);

/// The kinds of receivers.
pub(super) enum To {
    /// A session.
    Session(PendingReply),
    /// A step of many agents, of which the reply is a part.
    Turn { step: usize, place: usize },
    /// A session that registers this agent, with its address.
    Registration(PendingReply, EcoString, EcoString),
    /// A session that unregisters this agent.
    Departure(PendingReply, EcoString),
    /// The driver.
    Driver,
    /// Nobody. If the episode has begun, its time starts.
    Beginning,
    /// Nobody.
    Nobody,
}

impl Destination {
    /// The reply is dropped.
    pub const NOBODY: Self = Self(To::Nobody);

    pub(super) fn is_session(&self, number: u64) -> bool {
        matches!(&self.0, To::Session(reply) if reply.session().number() == number)
    }
}
