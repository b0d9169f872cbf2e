//! The error of all encodings: a part of a message that has no form.

use std::fmt;

/// Maximum number of characters of a value that an error shows.
const REPEATED: usize = 40;

/// A part of a message that the encoding cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} is {value:?}, {why}")]
pub struct Unencodable {
    /// The part: `an address of receiver 2`.
    pub place: String,
    /// The value, or its beginning if it is long.
    pub value: String,
    /// The reason, and what to do: `which has blanks; write them as %20`.
    pub why: &'static str,
}

impl Unencodable {
    /// Creates an error about this value of this part.
    pub(crate) fn new(place: impl Into<String>, value: &str, why: &'static str) -> Self {
        Self { place: place.into(), value: value.chars().take(REPEATED).collect(), why }
    }

    /// Adds the whole to which the part belongs.
    pub(crate) fn of(self, whole: impl fmt::Display) -> Self {
        Self { place: format!("{} of {whole}", self.place), ..self }
    }
}
