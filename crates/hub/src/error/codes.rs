//! Errors of the hub with the codes that clients know.

use serde::Serialize;
use situated_platform::mail::MailRefused;
use situated_runtime::Error as OwnerError;
use situated_wire::{Code, Error, Needs, Right};

use super::Error as HubError;

impl From<&HubError> for Error {
    fn from(error: &HubError) -> Self {
        with_code(error)
    }
}

fn with_code(error: &HubError) -> Error {
    let code = match error {
        HubError::Parameters(_) => Code::InvalidParameters,
        HubError::AlreadyGreeted => Code::InvalidRequest,
        HubError::Owner(error) => return of_owner(error),
        HubError::Host(error) => match &**error {
            OwnerError::Interface(error) => return new(Code::InvalidHost, error),
            error => return of_owner(error),
        },
        HubError::Forbidden { needs } => return forbidden(error, *needs),
        HubError::TokenWithout { granted, .. } => {
            return new(Code::Forbidden, error).with_details(granted.iter().collect::<Vec<Right>>());
        }
        HubError::OthersAgent { .. } | HubError::OthersEntity { .. } | HubError::NotHost { .. } => Code::Forbidden,
        HubError::TokenMissing | HubError::TokenUnknown => Code::Unauthorized,
        HubError::SessionEnded => Code::SessionEnded,
        HubError::ShuttingDown => Code::ShuttingDown,
        HubError::NoSuchEnvironment { .. } | HubError::EnvironmentEnded { .. } => Code::NoSuchEnvironment,
        HubError::EnvironmentName | HubError::UnclearEnvironment(_) | HubError::EnvironmentTaken { .. } => {
            Code::EnvironmentName
        }
        HubError::NoSuchKind { .. } => Code::NoSuchKind,
        HubError::NoSuchAgentOfKind { .. } | HubError::TooSlow(_) => Code::InvalidParameters,
        HubError::AgentTaken { resumable: true, .. } => {
            return Error::new(Code::AgentTaken, format!("{error}: say `hello` with its `resume` token"));
        }
        HubError::AgentTaken { .. } => Code::AgentTaken,
        HubError::TooManyAgents { limit: 1 } => {
            let hint = "say `hello` in the role of a platform to have several";
            return Error::new(Code::Limit, format!("{error}, or {hint}"));
        }
        HubError::TooManyAgents { .. } => Code::Limit,
        HubError::Mail(error) => match error {
            MailRefused::NoReceiver | MailRefused::NoSuchMessage { .. } => Code::InvalidParameters,
            MailRefused::Forged { .. } => Code::Forbidden,
            _ => Code::Limit,
        },
        HubError::NotADirectory | HubError::NoAnswer { .. } => Code::InvalidParameters,
        HubError::ReservedName { .. }
        | HubError::ForeignName { .. }
        | HubError::AgentName
        | HubError::UnclearAgent(_)
        | HubError::NameLikeAddress { .. } => Code::NotRegistrable,
        HubError::NoSuchSubscription { .. } | HubError::SubscriptionReplaced { .. } => Code::NoSuchSubscription,
        HubError::Limit { .. } | HubError::NoRoom { .. } | HubError::TooLarge { .. } => Code::Limit,
        HubError::NotKept { .. } => Code::NotKept,
        HubError::NotRestored { .. } | HubError::Recording { .. } | HubError::Unanswered => Code::Internal,
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
fn forbidden(error: &HubError, needs: Needs) -> Error {
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
