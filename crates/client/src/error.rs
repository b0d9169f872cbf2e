//! Errors.

use std::time::Duration;

use situated_platform::directory::Declined;
use situated_wire::{self as wire, Code};

/// An error of a client.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The server refused a call, which changed nothing.
    #[error(transparent)]
    Refused(#[from] wire::Error),
    /// The text is not an address of a server.
    #[error("`{address}` is not an address of a server: {why}; write it as {scheme}://HOST:PORT")]
    Address {
        /// The given text.
        address: String,
        /// The fault.
        why: String,
        /// The scheme that may have been meant.
        scheme: &'static str,
    },
    /// The client cannot connect.
    #[error(
        "cannot connect to {address}: {reason}; use an address that `situated serve` prints, and check that the server is running"
    )]
    Connect {
        /// The address of the server.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The directory has not done what it was asked for.
    #[error(transparent)]
    Declined(#[from] Declined),
    /// The connection was lost before the answer, so the server may have executed the call or not.
    #[error(
        "the connection was lost before `{method}` was answered ({reason}), so it may have been done or not; the session \
         continues: check the state before you repeat the call"
    )]
    Uncertain {
        /// The method.
        method: &'static str,
        /// The reason for the lost connection.
        reason: String,
    },
    /// Too many calls are waiting.
    #[error("`{method}` was not called: {limit} calls are already waiting; wait for some answers first")]
    Busy {
        /// The method.
        method: &'static str,
        /// Maximum number of waiting calls.
        limit: usize,
    },
    /// The message is longer than the server accepts.
    #[error("`{method}` was not called: it has {length} bytes, and this server accepts {limit}; send less at once")]
    TooLong {
        /// The method.
        method: &'static str,
        /// Its length in bytes.
        length: usize,
        /// Maximum length in bytes.
        limit: usize,
    },
    /// The session has ended. The message contains advice.
    #[error("the session has ended: {0}; {advice}", advice = .0.advice())]
    Ended(End),
    /// A hosted environment has panicked, and has ended.
    #[error("the environment has panicked and ended: {reason}")]
    Panicked {
        /// The message of the panic.
        reason: String,
    },
    /// The server has sent a message that this version of the protocol does not allow.
    #[error(
        "the server has sent an invalid answer to `{about}`: {reason}; check that client and server have the same version"
    )]
    Misunderstood {
        /// The method.
        about: &'static str,
        /// The fault.
        reason: String,
    },
}

/// The reason for the end of a session.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum End {
    /// This client has closed it.
    #[error("you have closed it")]
    Closed,
    /// The server has ended it.
    #[error("{0}")]
    Refused(wire::Error),
    /// The client could not reconnect in time.
    #[error("the connection was lost and could not be restored within {} s: {reason}", patience.as_secs_f64())]
    Lost {
        /// The time for reconnecting.
        patience: Duration,
        /// The reason of the last attempt.
        reason: String,
    },
}

impl End {
    /// Returns advice for the user.
    fn advice(&self) -> &'static str {
        let code = match self {
            End::Closed => return "connect again to open another",
            End::Lost { .. } => {
                return "check that the server is running and that this machine can reach it, then connect again and register \
                        the agents again; a client with more patience tries for longer";
            }
            End::Refused(refusal) => refusal.code(),
        };
        match code {
            Some(Code::TakenOver) => {
                "its agents continue there; let only one program at a time use a resume token, and connect again for another session"
            }
            Some(Code::ShuttingDown) => "when the server is running again, connect again and register the agents again",
            Some(Code::SessionEnded) => {
                "its agents are no longer registered: connect again and register them again; the server keeps sessions \
                 without a connection for longer with a larger --grace"
            }
            Some(Code::Unauthorized | Code::Forbidden) => {
                "the server no longer accepts the token; ask the person who runs it for another, and connect again with it"
            }
            Some(Code::Version) => "use a client of the same version as the server, and connect again",
            _ => "connect again and register the agents again",
        }
    }
}

impl Error {
    /// The error code of the server, if the error came from the server.
    pub fn code(&self) -> Option<Code> {
        match self {
            Error::Refused(error) | Error::Ended(End::Refused(error)) => error.code(),
            _ => None,
        }
    }
}
