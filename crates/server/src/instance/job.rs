//! What is to be done in an environment.

use situated::iil::EcoString;
use situated::interface::Command;
use situated_wire::methods::{AnswerOfHost, Topic};
use situated_wire::{Call, Error};

use crate::caller::Caller;

/// Something to be done in an environment.
pub(crate) enum Job {
    /// A call that concerns it.
    Call(Caller, Call),
    /// Somebody wants to be told, under this number.
    Subscribe(Caller, u64, Topic),
    /// Somebody does not want to be told any more.
    Unsubscribe { session: u64, subscription: u64 },
    /// There is room for what somebody is to be told.
    Room { session: u64 },
    /// Somebody has come back, and has perhaps not got what was last sent.
    Resumed { session: u64 },
    /// Somebody has gone for good, and with them these agents of theirs.
    Gone { session: u64, agents: Vec<EcoString> },
    /// The first episode of a hosted environment is to begin, and time to run then.
    Begin { init: Command, start: bool },
    /// Its host has answered a call.
    HostAnswered { session: u64, number: u64, answered: Result<AnswerOfHost, Error> },
    /// Its host has gone for good.
    HostGone { session: u64 },
    /// It is the end of the environment, for this reason.
    End { reason: Error },
}
