//! Words: names and tokens that are written without quotes.

use std::borrow::{Borrow, Cow};
use std::fmt;

use crate::number::is_number;
use crate::time::is_time;

/// A text that can stand in a message without quotes (SC00070, `Word`): it has neither blanks, control characters nor
/// parentheses, does not begin with one of `"#-@` or a digit, and is no number and no time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word<'a>(Cow<'a, str>);

/// A text that is no word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no word: a word has no blanks and no parentheses, and begins neither with a digit nor with one of \"#-@"
)]
pub struct NotAWord(pub String);

impl<'a> Word<'a> {
    /// A word.
    ///
    /// # Errors
    /// When the text is none.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, NotAWord> {
        let text = text.into();
        if is_word(&text) { Ok(Self(text)) } else { Err(NotAWord(text.into_owned())) }
    }

    /// A text that is known to be a word.
    pub(crate) fn known(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        debug_assert!(is_word(&text), "{text:?}");
        Self(text)
    }

    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same word with its own memory.
    pub fn into_owned(self) -> Word<'static> {
        Word(Cow::Owned(self.0.into_owned()))
    }
}

/// Whether a text is a word.
pub(crate) fn is_word(text: &str) -> bool {
    let Some((&first, rest)) = text.as_bytes().split_first() else { return false };
    begins_word(first)
        && rest.iter().all(|byte| continues_word(*byte))
        && !(matches!(first, b'+' | b'.') && (is_number(text) || is_time(text)))
}

/// Whether words can begin with this byte.
pub(crate) const fn begins_word(byte: u8) -> bool {
    continues_word(byte) && !matches!(byte, b'0'..=b'9' | b'"' | b'#' | b'-' | b'@')
}

/// Whether words can have this byte after the first.
pub(crate) const fn continues_word(byte: u8) -> bool {
    byte > b' ' && byte != b'(' && byte != b')'
}

/// Whether a text can stand as an address: a URL, which has neither blanks, control characters nor parentheses.
pub(crate) fn is_address(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(continues_word)
}

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Borrow<str> for Word<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Word<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Word<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_stand_without_quotes_is_a_word() {
        for word in ["fipa-request", "a", "ä", "x1-2@b:c#", "::", "+", ".", "+1a", "\u{a0}"] {
            assert!(is_word(word), "{word}");
        }
        for other in ["", "1", "-a", "@a", "#a", "\"a", "a b", "a(", ")", "a\u{7}", "+1", ".5", "+00000000T000500000"] {
            assert!(!is_word(other), "{other}");
        }
    }
}
