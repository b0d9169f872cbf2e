//! Words: names and tokens without quotation marks.

use std::borrow::{Borrow, Cow};
use std::fmt;

use crate::number::is_number;
use crate::time::is_time;

/// A text that needs no quotation marks in a message (SC00070, `Word`): it contains no blanks, control characters and
/// parentheses, does not begin with one of `"#-@` or a digit, and is neither a number nor a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word<'a>(Cow<'a, str>);

/// A text that is not a word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a word: a word has no blanks and no parentheses, and begins neither with a digit nor with one of \"#-@"
)]
pub struct NotAWord(pub String);

impl<'a> Word<'a> {
    /// A word.
    ///
    /// # Errors
    /// Returns an error if the text is not valid.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, NotAWord> {
        let text = text.into();
        if is_word(&text) { Ok(Self(text)) } else { Err(NotAWord(text.into_owned())) }
    }

    /// Wraps a text that is known to be a word.
    pub(crate) fn known(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        debug_assert!(is_word(&text), "{text:?}");
        Self(text)
    }

    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the same word with its own copy of all borrowed data.
    pub fn into_owned(self) -> Word<'static> {
        Word(Cow::Owned(self.0.into_owned()))
    }
}

/// Whether a text is a word.
pub(crate) fn is_word(text: &str) -> bool {
    let begins_word = |byte: u8| !matches!(byte, b'0'..=b'9' | b'"' | b'#' | b'-' | b'@');
    // Other numbers and times begin with a digit or a minus.
    let may_be_number = text.starts_with(['+', '.']);
    text.bytes().next().is_some_and(begins_word)
        && text.bytes().all(continues_word)
        && !(may_be_number && (is_number(text) || is_time(text)))
}

/// Whether words can contain this byte after the first one: it is neither a blank nor a parenthesis.
pub(crate) fn continues_word(byte: u8) -> bool {
    byte > b' ' && byte != b'(' && byte != b')'
}

/// Whether a text is a valid address: a URL without blanks, control characters and parentheses.
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
    fn accepts_texts_that_need_no_quotation_marks() {
        for word in ["fipa-request", "a", "ä", "x1-2@b:c#", "::", "+", ".", "+1a", "\u{a0}"] {
            assert!(is_word(word), "{word}");
        }
        for other in ["", "1", "-a", "@a", "#a", "\"a", "a b", "a(", ")", "a\u{7}", "+1", ".5", "+00000000T000500000"] {
            assert!(!is_word(other), "{other}");
        }
    }
}
