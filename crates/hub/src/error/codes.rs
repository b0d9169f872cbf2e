//! Errors of the hub with the codes that clients know.

use serde::Serialize;
use situated_platform::mail::MailRefused as Mail;
use situated_runtime::Error as OwnerError;
use situated_wire::{Code, Error, Needs, Right};

use super::Error as Refused;

impl From<&Refused> for Error {
    fn from(error: &Refused) -> Self {
        with_code(error)
    }
}

fn with_code(error: &Refused) -> Error {
    let code = match error {
        Refused::Parameters(_) => Code::InvalidParameters,
        Refused::AlreadyGreeted => Code::InvalidRequest,
        Refused::Owner(error) => return of_owner(error),
        Refused::Host(error) => match &**error {
            OwnerError::Interface(error) => return new(Code::InvalidHost, error),
            error => return of_owner(error),
        },
        Refused::Forbidden { needs } => return forbidden(error, *needs),
        Refused::TokenWithout { granted, .. } => {
            return new(Code::Forbidden, error).with_details(granted.iter().collect::<Vec<Right>>());
        }
        Refused::OthersAgent { .. } | Refused::OthersEntity { .. } | Refused::NotHost { .. } => Code::Forbidden,
        Refused::TokenMissing | Refused::TokenUnknown => Code::Unauthorized,
        Refused::SessionEnded => Code::SessionEnded,
        Refused::ShuttingDown => Code::ShuttingDown,
        Refused::NoSuchEnvironment { .. } | Refused::EnvironmentEnded { .. } => Code::NoSuchEnvironment,
        Refused::EnvironmentName | Refused::UnclearEnvironment(_) | Refused::EnvironmentTaken { .. } => {
            Code::EnvironmentName
        }
        Refused::NoSuchKind { .. } => Code::NoSuchKind,
        Refused::NoSuchAgentOfKind { .. } | Refused::TooSlow(_) => Code::InvalidParameters,
        Refused::AgentTaken { resumable: true, .. } => {
            return Error::new(Code::AgentTaken, format!("{error}: say `hello` with its `resume` token"));
        }
        Refused::AgentTaken { .. } => Code::AgentTaken,
        Refused::TooManyAgents { limit: 1 } => {
            let hint = "say `hello` in the role of a platform to have several";
            return Error::new(Code::Limit, format!("{error}, or {hint}"));
        }
        Refused::TooManyAgents { .. } => Code::Limit,
        Refused::Mail(error) => match error {
            Mail::NoReceiver | Mail::NoSuchMessage { .. } => Code::InvalidParameters,
            Mail::Forged { .. } => Code::Forbidden,
            _ => Code::Limit,
        },
        Refused::NotADirectory | Refused::NoAnswer { .. } => Code::InvalidParameters,
        Refused::ReservedName { .. } | Refused::ForeignName { .. } | Refused::AgentName | Refused::UnclearAgent(_) => {
            Code::NotRegistrable
        }
        Refused::NoSuchSubscription { .. } | Refused::SubscriptionReplaced { .. } => Code::NoSuchSubscription,
        Refused::Limit { .. } | Refused::NoRoom { .. } | Refused::TooLarge { .. } => Code::Limit,
        Refused::NotKept { .. } => Code::NotKept,
        Refused::NotRestored { .. } | Refused::Recording { .. } | Refused::Unanswered => Code::Internal,
    };
    new(code, error)
}

fn of_owner(error: &OwnerError) -> Error {
    let code = match error {
        OwnerError::Interface(error) => return Error::from(error),
        OwnerError::Crashed { .. } => Code::Crashed,
        OwnerError::Panicked { .. } => Code::Internal,
        OwnerError::AlreadyChosen { .. } => Code::AlreadyChosen,
        OwnerError::Superseded { .. } => Code::Superseded,
        OwnerError::Busy { .. } => Code::Busy,
        OwnerError::NumberUsed { .. } => Code::NumberUsed,
        OwnerError::Paced => Code::Paced,
        OwnerError::Ended => Code::EnvironmentEnded,
        OwnerError::NotKept { .. } => Code::NotKept,
        OwnerError::NotResumed { .. } => Code::Internal,
        OwnerError::HostTimeout { .. } => Code::HostTimeout,
        OwnerError::HostOnly { .. } | OwnerError::Unsound(_) => Code::InvalidHost,
    };
    with_data(code, error)
}

/// The error for a session that lacks a right, with the right as data.
fn forbidden(error: &Refused, needs: Needs) -> Error {
    match needs {
        Needs::Nothing => new(Code::Forbidden, error),
        Needs::Right(right) | Needs::Either(right, _) => new(Code::Forbidden, error).with_details(right),
    }
}

fn new(code: Code, error: &impl ToString) -> Error {
    Error::new(code, error.to_string())
}

fn with_data(code: Code, error: &(impl ToString + Serialize)) -> Error {
    new(code, error).with_details(error)
}
