//! Messages that an encoding has no form for.

use std::fmt;

/// How many letters of a value an error repeats.
const REPEATED: usize = 40;

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

impl Unencodable {
    /// That this part of a message is this value.
    #[cold]
    pub(crate) fn new(place: impl Into<String>, value: &str, why: &'static str) -> Self {
        Self { place: place.into(), value: value.chars().take(REPEATED).collect(), why }
    }

    /// The same of a part of this whole.
    #[cold]
    pub(crate) fn of(self, whole: impl fmt::Display) -> Self {
        Self { place: format!("{} of {whole}", self.place), ..self }
    }
}
