//! How the errors of owners are told.

use situated_runtime::Error as Refused;
use situated_wire::{Code, Error};

/// How an error of an owner is told on the wire.
pub(crate) fn refusal(error: &Refused) -> Error {
    let code = match error {
        Refused::Interface(error) => return Error::from(error),
        Refused::Crashed { .. } => Code::Crashed,
        Refused::Panicked { .. } => Code::Internal,
        Refused::Chosen { .. } => Code::Chosen,
        Refused::Overtaken { .. } => Code::Overtaken,
        Refused::Busy { .. } => Code::Busy,
        Refused::NumberSpent { .. } => Code::NumberSpent,
        Refused::Paced => Code::Paced,
        Refused::Ended => Code::Ended,
        Refused::HostLate { .. } => Code::HostLate,
        Refused::HostOnly { .. } | Refused::Unsound(_) => Code::Host,
    };
    Error::new(code, error.to_string()).with_details(error)
}
