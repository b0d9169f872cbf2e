//! Messages that an encoding has no form for.

/// A part of a message that the encoding cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} is {value:?}, {why}")]
pub struct Unencodable {
    /// Which part: `an address of receiver 2`.
    pub place: String,
    /// What it is; only its beginning if it is long.
    pub value: String,
    /// What the encoding wants, and how to mend it: `which has blanks; write them as %20`.
    pub why: &'static str,
}
