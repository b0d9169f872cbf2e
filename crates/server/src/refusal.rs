//! How the errors of owners are told.

use situated_runtime::Error as Refused;
use situated_wire::{Code, Error};

/// How an error of an owner is told on the wire.
pub(crate) fn refusal(error: &Refused) -> Error {
    let code = match error {
        Refused::Interface(error) => return Error::from(error),
        Refused::Crashed { .. } => Code::Crashed,
        Refused::Panicked { .. } => Code::Internal,
        Refused::AlreadyChosen { .. } => Code::AlreadyChosen,
        Refused::Superseded { .. } => Code::Superseded,
        Refused::Busy { .. } => Code::Busy,
        Refused::NumberUsed { .. } => Code::NumberUsed,
        Refused::Paced => Code::Paced,
        Refused::Ended => Code::EnvironmentEnded,
        Refused::HostTimeout { .. } => Code::HostTimeout,
        Refused::HostOnly { .. } | Refused::Unsound(_) => Code::InvalidHost,
    };
    Error::new(code, error.to_string()).with_details(error)
}
