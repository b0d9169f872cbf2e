//! What can go wrong, why, and what to do about it.

use std::time::Duration;

use situated_wire::{self as wire, Code};

/// Why something was not done, or why nobody knows whether it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The server refuses it, and everything is as it was.
    #[error(transparent)]
    Refused(#[from] wire::Error),
    /// This is no address.
    #[error("`{address}` is no address of a server: {why}; write it as {scheme}://HOST:PORT")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        why: String,
        /// A way that could have been meant.
        scheme: &'static str,
    },
    /// There is no connection.
    #[error("cannot connect to {address}: {reason}; is this where `situated serve` says that agents connect?")]
    Connect {
        /// Where to.
        address: String,
        /// What has happened.
        reason: String,
    },
    /// Nobody knows whether it was done.
    #[error(
        "the connection was lost before `{method}` was answered ({reason}): it may have been done or not; the session \
         goes on, so look how things stand before you ask again"
    )]
    Uncertain {
        /// What was asked.
        method: &'static str,
        /// Why the connection was lost.
        reason: String,
    },
    /// It was not asked.
    #[error("`{method}` was not asked: {limit} calls wait already; await some answers first")]
    Busy {
        /// What was to be asked.
        method: &'static str,
        /// How many calls can wait.
        limit: usize,
    },
    /// It was not asked.
    #[error("`{method}` was not asked: it has {length} bytes, and this server takes {limit} at the most; ask for less")]
    TooLong {
        /// What was to be asked.
        method: &'static str,
        /// How many bytes it has.
        length: usize,
        /// How many it may have.
        limit: usize,
    },
    /// There is no session any more.
    #[error("the session has ended: {0}; its agents are registered no more, connect anew and register them again")]
    Ended(End),
    /// A world that was hosted has broken down, and is over.
    #[error("the world has panicked, and is over: {reason}")]
    Panicked {
        /// What the panic said.
        reason: String,
    },
    /// The server says something else than this version of the protocol allows.
    #[error(
        "what the server says about `{about}` cannot be understood: {reason}; are client and server of one version?"
    )]
    Misunderstood {
        /// What it speaks about.
        about: &'static str,
        /// What cannot be understood.
        reason: String,
    },
}

/// Why a session has ended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum End {
    /// This side has closed it.
    #[error("you have closed it")]
    Closed,
    /// The server says so.
    #[error("{0}")]
    Refused(wire::Error),
    /// The server cannot be reached any more.
    #[error("the connection was lost, and could not be made again within {} s: {reason}", patience.as_secs_f64())]
    Lost {
        /// For how long it was tried.
        patience: Duration,
        /// What has happened the last time.
        reason: String,
    },
}

impl Error {
    /// The kind of error that the server has answered with, if it has.
    pub fn code(&self) -> Option<Code> {
        match self {
            Error::Refused(error) | Error::Ended(End::Refused(error)) => error.code(),
            _ => None,
        }
    }
}
