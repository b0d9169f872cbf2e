//! Early ends of checks.

use std::fmt::Display;
use std::io;

use serde_json::Value;

/// The reason why a check ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The server breaks the rule.
    Failed { expected: String, got: String },
    /// The rule cannot be tested here, for this reason.
    Skipped(String),
}

/// The result of a part of a check.
pub(crate) type Checked<T = ()> = Result<T, Stop>;

impl Stop {
    /// The server did something else than expected.
    pub(crate) fn failed(expected: impl Into<String>, got: impl Display) -> Self {
        Stop::Failed { expected: expected.into(), got: got.to_string() }
    }

    /// The rule cannot be tested here.
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Stop::Skipped(reason.into())
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::failed("a working connection", error)
    }
}

/// Checks a condition. If it is false, returns an error with the expectation and the actual value.
pub(crate) fn ensure(holds: bool, expected: impl Into<String>, got: impl Display) -> Checked {
    if holds { Ok(()) } else { Err(Stop::failed(expected, got)) }
}

/// Checks that two values are equal.
pub(crate) fn ensure_equal(what: &str, expected: &Value, got: &Value) -> Checked {
    ensure(expected == got, format!("{what}: {expected}"), got)
}
