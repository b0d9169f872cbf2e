//! Parameters that are not of the standard.

use crate::{Expression, Word};

/// A parameter of a message or of an agent identifier that the standard does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserParameter<'a> {
    /// Its name without the colon, with the prefix `X-` that the standard asks for (SC00061), whose case does not matter.
    pub name: Word<'a>,
    /// Its value.
    pub value: Expression<'a>,
}

impl UserParameter<'_> {
    /// Whether its name has the prefix.
    pub fn is_prefixed(&self) -> bool {
        self.name.as_str().get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("X-"))
    }

    /// The same parameter with its own memory.
    pub fn into_owned(self) -> UserParameter<'static> {
        UserParameter { name: self.name.into_owned(), value: self.value.into_owned() }
    }
}
