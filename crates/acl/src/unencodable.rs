//! Messages that an encoding has no form for.

use std::fmt::Display;

/// How many characters of a value are shown.
const SHOWN: usize = 60;

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
    /// A part of which the place is said for short; [`Unencodable::of`] says of what it is a part.
    pub(crate) fn new(place: impl Into<String>, value: impl Display, why: &'static str) -> Self {
        let mut value = value.to_string();
        if let Some((end, _)) = value.char_indices().nth(SHOWN) {
            value.truncate(end);
            value.push('…');
        }
        Self { place: place.into(), value, why }
    }

    /// The same, in a place that is a part of another.
    pub(crate) fn of(self, whole: impl Display) -> Self {
        Self { place: format!("{} of {whole}", self.place), ..self }
    }
}
