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
    is_run(text.as_bytes()) && run_is_word(text)
}

/// Whether a text without blanks and parentheses is a word.
pub(crate) fn run_is_word(text: &str) -> bool {
    match text.bytes().next() {
        Some(b'+' | b'.') => !is_number_or_time(text),
        Some(first) => begins_word(first),
        None => false,
    }
}

#[cold]
#[inline(never)]
fn is_number_or_time(text: &str) -> bool {
    is_number(text) || is_time(text)
}

/// Whether words can begin with this byte.
#[inline]
pub(crate) fn begins_word(byte: u8) -> bool {
    BEGINS_WORD[usize::from(byte)]
}

/// For each byte, whether words can begin with it.
static BEGINS_WORD: [bool; 256] = {
    let mut begins = [false; 256];
    let mut byte = 0xFF;
    while byte > b' ' {
        begins[byte as usize] = continues_word(byte) && !matches!(byte, b'0'..=b'9' | b'"' | b'#' | b'-' | b'@');
        byte -= 1;
    }
    begins
};

/// Whether words can contain this byte after the first one.
pub(crate) const fn continues_word(byte: u8) -> bool {
    byte > b' ' && byte != b'(' && byte != b')'
}

/// Whether a text is a valid address: a URL without blanks, control characters and parentheses.
pub(crate) fn is_address(text: &str) -> bool {
    !text.is_empty() && is_run(text.as_bytes())
}

/// Whether none of the bytes is a blank or a parenthesis.
fn is_run(bytes: &[u8]) -> bool {
    let has_no_end = |eight: &[u8; 8]| ends_of_runs(u64::from_le_bytes(*eight)) == 0;
    match bytes.last_chunk() {
        // The last eight overlap those before them.
        Some(last) => has_no_end(last) && bytes.as_chunks().0.iter().all(has_no_end),
        None => bytes.iter().all(|byte| continues_word(*byte)),
    }
}

/// Returns the number of bytes at the beginning that can continue a word, which are neither blanks nor parentheses.
/// It compares eight bytes at a time.
#[inline]
pub(crate) fn run_length(bytes: &[u8]) -> usize {
    let (eights, rest) = bytes.as_chunks::<8>();
    let mut length = 0;
    for eight in eights {
        let ends = ends_of_runs(u64::from_le_bytes(*eight));
        if ends != 0 {
            return length + ends.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + run_at_end(rest)
}

/// The same for the last few bytes.
#[cold]
#[inline(never)]
fn run_at_end(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| continues_word(**byte)).count()
}

/// Returns a mask whose lowest set bit is the highest bit of the first byte that is a blank or a parenthesis.
const fn ends_of_runs(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x80 * ONES;
    let blanks = eight.wrapping_sub((b' ' as u64 + 1) * ONES);
    // `(` and `)` differ only in their lowest bit.
    let parentheses = ((eight & !ONES) ^ (b'(' as u64 * ONES)).wrapping_sub(ONES);
    (blanks | parentheses) & !eight & HIGHEST
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
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn runs_end_at_blanks_and_parentheses(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let expected = bytes.iter().position(|byte| !continues_word(*byte)).unwrap_or(bytes.len());
            prop_assert_eq!(run_length(&bytes), expected);
        }

        #[test]
        fn finds_the_end_of_long_runs(length in 0..60_usize, end in prop::sample::select(b" ()\n\0\x1f".to_vec())) {
            let mut bytes = [0x21_u8, 0x2A, 0x7F, 0x80, 0xA8, 0xFF].repeat(10);
            bytes.insert(length, end);
            prop_assert_eq!(run_length(&bytes), length);
        }
    }
}
