//! Where the replies of an owner go.

use situated::iil::EcoString;

use crate::caller::Caller;

/// Where the reply of an owner goes that runs in a server.
pub struct Ticket(pub(super) To);

/// Where the owner's replies go.
pub(super) enum To {
    /// To somebody who has called, in this form.
    Call(Caller, Form),
    /// It is part of a step of many.
    Turn { step: u64, place: usize },
    /// Somebody registers an agent.
    Registration(Caller, EcoString),
    /// An agent is unregistered.
    Departure(Caller, EcoString),
    /// To the driver.
    Driver,
    /// A first episode begins; time is to run then.
    Beginning,
    /// Nobody wants to know.
    Nobody,
}

/// In which form somebody is answered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Done,
    Acted,
    Body,
}

impl Ticket {
    /// Nobody wants to know.
    pub const NOBODY: Self = Self(To::Nobody);

    /// Whether somebody of this session has called.
    pub(super) fn is_of(&self, session: u64) -> bool {
        matches!(&self.0, To::Call(caller, _) if caller.session().number == session)
    }
}
