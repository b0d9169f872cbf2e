//! The tokens of the grammar: blanks, runs, texts in quotes, strings of bytes.

use std::borrow::Cow;

use super::error::{DecodeError, Reason, Wanted, excerpt};
use crate::word::continues_word;

/// U+00A0 in UTF-8.
pub(super) const NO_BREAK_SPACE: &[u8] = "\u{a0}".as_bytes();

/// A string of the grammar: in quotes, or with its length.
pub(super) enum Text<'a> {
    /// In UTF-8.
    Letters(Cow<'a, str>),
    /// Any bytes.
    Bytes(Cow<'a, [u8]>),
}

/// What has been read, and what is still to be read.
pub(super) struct Lexer<'a> {
    pub(super) input: &'a [u8],
    /// The whole input, where all of it has been found to be text.
    letters: Option<&'a str>,
    pub(super) at: usize,
    /// Whether no-break spaces are blanks.
    pub(super) lenient: bool,
    /// Where the first of them is.
    pub(super) no_break_space: Option<usize>,
}

impl<'a> Lexer<'a> {
    /// Reads the first message of what may be many.
    pub(super) fn of_prefix(input: &'a [u8]) -> Self {
        Self { input, letters: None, at: 0, lenient: false, no_break_space: None }
    }

    /// Reads all of the input, whose letters are checked at once.
    pub(super) fn of_all(input: &'a [u8]) -> Self {
        Self { letters: std::str::from_utf8(input).ok(), ..Self::of_prefix(input) }
    }

    /// The next byte that is not blank.
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            match *self.input.get(self.at)? {
                0..=b' ' => self.at += 1,
                0xC2 if self.lenient && self.input[self.at..].starts_with(NO_BREAK_SPACE) => {
                    self.no_break_space.get_or_insert(self.at);
                    self.at += NO_BREAK_SPACE.len();
                }
                byte => return Some(byte),
            }
        }
    }

    /// Goes past this byte, if it is the next that is not blank.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The run of bytes here that are neither blanks nor parentheses, without going past it.
    pub(super) fn run(&self) -> &'a [u8] {
        let rest = &self.input[self.at..];
        let run = &rest[..run_length(rest)];
        match self.lenient {
            true => &run[..memchr::memmem::find(run, NO_BREAK_SPACE).unwrap_or(run.len())],
            false => run,
        }
    }

    /// The letters of the next `length` bytes, going past them.
    pub(super) fn take_letters(&mut self, length: usize) -> Result<&'a str, DecodeError> {
        let letters = self.letters_between(self.at, self.at + length);
        let letters = letters.ok_or(DecodeError { at: self.at, reason: Reason::NotUtf8 })?;
        self.at += length;
        Ok(letters)
    }

    fn letters_between(&self, from: usize, to: usize) -> Option<&'a str> {
        match self.letters {
            Some(letters) => letters.get(from..to),
            None => std::str::from_utf8(&self.input[from..to]).ok(),
        }
    }

    /// Goes past `(` and this word, in capital or small letters; stays where it is if they do not stand here.
    pub(super) fn takes_opening(&mut self, word: &str) -> bool {
        let before = self.at;
        if self.takes(b'(') {
            self.next();
            let run = self.run();
            if run.eq_ignore_ascii_case(word.as_bytes()) {
                self.at += run.len();
                return true;
            }
        }
        self.at = before;
        false
    }

    /// Whether a string begins here: `"`, or `#`, digits and `"`.
    pub(super) fn is_at_string(&self) -> bool {
        match &self.input[self.at..] {
            [b'"', ..] => true,
            [b'#', rest @ ..] => {
                let digits = digits(rest);
                digits > 0 && rest.get(digits) == Some(&b'"')
            }
            _ => false,
        }
    }

    /// Goes past the string that begins here.
    pub(super) fn string(&mut self) -> Result<Text<'a>, DecodeError> {
        if self.input[self.at] == b'"' { self.quoted() } else { self.counted() }
    }

    /// A text in quotes, in which `\"` is a quotation mark and everything else stands for itself.
    fn quoted(&mut self) -> Result<Text<'a>, DecodeError> {
        let start = self.at + 1;
        let end = self.end_of_quoted()?;
        self.at = end.at + 1;
        Ok(match self.letters_between(start, end.at) {
            Some(letters) if end.escapes => Text::Letters(Cow::Owned(letters.replace("\\\"", "\""))),
            Some(letters) => Text::Letters(Cow::Borrowed(letters)),
            None => Text::Bytes(without_escapes(&self.input[start..end.at])),
        })
    }

    fn end_of_quoted(&self) -> Result<QuotedEnd, DecodeError> {
        let start = self.at + 1;
        let mut escapes = false;
        for quote in memchr::memchr_iter(b'"', &self.input[start..]) {
            let at = start + quote;
            match self.input[at - 1] {
                b'\\' => escapes = true,
                _ => return Ok(QuotedEnd { at, escapes }),
            }
        }
        Err(DecodeError { at: self.at, reason: Reason::UnclosedText })
    }

    /// Goes past the quoted text that begins here.
    pub(super) fn skip_quoted(&mut self) -> Result<(), DecodeError> {
        self.at = self.end_of_quoted()?.at + 1;
        Ok(())
    }

    /// `#`, how many bytes, `"`, and so many bytes. A length with a leading zero tells that they are a text.
    fn counted(&mut self) -> Result<Text<'a>, DecodeError> {
        let digits = &self.input[self.at + 1..][..digits(&self.input[self.at + 1..])];
        let start = self.at + 1 + digits.len() + 1;
        let length =
            digits.iter().fold(0_usize, |sum, digit| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        let rest = &self.input[start..];
        let Some(bytes) = rest.get(..length) else {
            let reason = Reason::LengthBeyondInput { length, left: rest.len() };
            return Err(DecodeError { at: self.at, reason });
        };
        self.at = start + length;
        let is_text = digits.len() > 1 && digits[0] == b'0';
        Ok(match self.letters_between(start, self.at) {
            Some(letters) if is_text => Text::Letters(Cow::Borrowed(letters)),
            _ => Text::Bytes(Cow::Borrowed(bytes)),
        })
    }

    /// The error that something else stands here.
    #[cold]
    pub(super) fn unexpected(&self, wanted: Wanted) -> DecodeError {
        self.error(Reason::Unexpected { wanted, found: self.found() })
    }

    #[cold]
    pub(super) fn error(&self, reason: Reason) -> DecodeError {
        DecodeError { at: self.at, reason }
    }

    /// What stands here, for errors: a run, a parenthesis, or nothing at the end.
    pub(super) fn found(&self) -> String {
        let length = self.run().len().max(1);
        excerpt(&self.input[self.at..(self.at + length).min(self.input.len())])
    }
}

struct QuotedEnd {
    at: usize,
    escapes: bool,
}

fn without_escapes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut kept = Vec::new();
    let mut from = 0;
    for escape in memchr::memmem::find_iter(bytes, b"\\\"") {
        kept.extend_from_slice(&bytes[from..escape]);
        from = escape + 1;
    }
    if from == 0 {
        return Cow::Borrowed(bytes);
    }
    kept.extend_from_slice(&bytes[from..]);
    Cow::Owned(kept)
}

/// How many digits stand at the beginning.
fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// How many bytes at the beginning are neither blanks nor parentheses. Eight are looked at together.
fn run_length(bytes: &[u8]) -> usize {
    let (eights, _) = bytes.as_chunks::<8>();
    for (index, eight) in eights.iter().enumerate() {
        let ends = ends_of_runs(u64::from_le_bytes(*eight));
        if ends != 0 {
            return 8 * index + ends.trailing_zeros() as usize / 8;
        }
    }
    let seen = 8 * eights.len();
    seen + bytes[seen..].iter().take_while(|byte| continues_word(**byte)).count()
}

/// The lowest bit that is set is the highest of the first byte that is a blank or a parenthesis.
const fn ends_of_runs(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x80 * ONES;
    let blanks = eight.wrapping_sub((b' ' as u64 + 1) * ONES) & !eight;
    // `(` and `)` differ in their lowest bit alone.
    let others = (eight & !ONES) ^ (b'(' as u64 * ONES);
    let parentheses = others.wrapping_sub(ONES) & !others;
    (blanks | parentheses) & HIGHEST
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_end_at_blanks_and_parentheses(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let expected = bytes.iter().position(|byte| !continues_word(*byte)).unwrap_or(bytes.len());
            prop_assert_eq!(run_length(&bytes), expected);
        }

        #[test]
        fn long_runs_are_found_whole(length in 0..60_usize, end in prop::sample::select(b" ()\n\0\x1f".to_vec())) {
            let mut bytes = vec![0x21_u8, 0x2A, 0x7F, 0x80, 0xA8, 0xFF].repeat(10);
            bytes.insert(length, end);
            prop_assert_eq!(run_length(&bytes), length);
        }
    }
}
