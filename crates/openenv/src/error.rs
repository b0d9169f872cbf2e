//! Reasons for which the gateway refuses messages.

use serde::Serialize;
use situated_hub::Error;

/// The kind of a refusal, as the clients of OpenEnv know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The message is not JSON.
    InvalidJson,
    /// There is no such type of messages, or this server does not offer it.
    UnknownType,
    /// The message, an option or an action is not as `/schema` says.
    ValidationError,
    /// The world refused the request, or the request came at the wrong time.
    ExecutionError,
    /// The server has as many environments as it may have.
    CapacityReached,
    /// The world could not be created.
    FactoryError,
}

/// A refused message. It changed nothing, unless the text says otherwise.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct OpenEnvError {
    /// The kind.
    pub code: Code,
    /// The reason, and what to do.
    pub message: String,
}

impl OpenEnvError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// An option or an action that is not as it should be.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::ValidationError, message)
    }

    /// A world that could not be created.
    pub(crate) fn no_world(error: &Error) -> Self {
        let code = if matches!(error, Error::Limit { .. }) { Code::CapacityReached } else { Code::FactoryError };
        Self::new(code, error.to_string())
    }
}

impl From<Error> for OpenEnvError {
    fn from(error: Error) -> Self {
        Self::new(Code::ExecutionError, error.to_string())
    }
}
