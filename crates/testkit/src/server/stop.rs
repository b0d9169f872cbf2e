//! How a check ends before its end.

use std::fmt::Display;
use std::io;

use serde_json::Value;

/// Why a check goes no further.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The server does not do what it must.
    Failed { expected: String, got: String },
    /// It cannot be seen here, for this reason.
    Skipped(String),
}

/// The result of a part of a check.
pub(crate) type Checked<T = ()> = Result<T, Stop>;

impl Stop {
    /// Something else was expected.
    pub(crate) fn failed(expected: impl Into<String>, got: impl Display) -> Self {
        Stop::Failed { expected: expected.into(), got: got.to_string() }
    }

    /// It cannot be seen here.
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Stop::Skipped(reason.into())
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::failed("a connection that holds", error)
    }
}

/// Something must hold; otherwise it is said what was expected, and what was got.
pub(crate) fn ensure(holds: bool, expected: impl Into<String>, got: impl Display) -> Checked {
    if holds { Ok(()) } else { Err(Stop::failed(expected, got)) }
}

/// Two values must be equal.
pub(crate) fn ensure_equal(what: &str, expected: &Value, got: &Value) -> Checked {
    ensure(expected == got, format!("{what}: {expected}"), got)
}
