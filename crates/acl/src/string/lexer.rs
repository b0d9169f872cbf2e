//! The tokens of the grammar: blanks, runs, texts in quotes, strings of bytes.

use std::borrow::Cow;

use super::error::{DecodeError, Read, Reason, Wanted, excerpt};
use crate::word::run_length;

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
    #[inline]
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
    #[inline]
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The run of bytes here that are neither blanks nor parentheses, without going past it.
    #[inline]
    pub(super) fn run(&self) -> &'a [u8] {
        let rest = &self.input[self.at..];
        &rest[..if self.lenient { lenient_run_length(rest) } else { run_length(rest) }]
    }

    /// The letters of the next `length` bytes, going past them.
    #[inline]
    pub(super) fn take_letters(&mut self, length: usize) -> Read<&'a str> {
        let letters = self.letters(self.at, length)?;
        self.at += length;
        Ok(letters)
    }

    /// The letters of `length` bytes.
    pub(super) fn letters(&self, from: usize, length: usize) -> Read<&'a str> {
        self.letters_between(from, from + length).ok_or_else(|| DecodeError::new(from, Reason::NotUtf8))
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
            if is_same(run, word) {
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
    pub(super) fn string(&mut self) -> Read<Text<'a>> {
        if self.input[self.at] == b'"' { self.quoted() } else { self.counted() }
    }

    /// A text in quotes, in which `\"` is a quotation mark and everything else stands for itself.
    fn quoted(&mut self) -> Read<Text<'a>> {
        let start = self.at + 1;
        let end = self.end_of_quoted()?;
        self.at = end.at + 1;
        let inside = &self.input[start..end.at];
        if !end.escapes {
            let letters = self.letters_between(start, end.at);
            return Ok(letters.map_or(Text::Bytes(inside.into()), |letters| Text::Letters(letters.into())));
        }
        Ok(match String::from_utf8(without_escapes(inside)) {
            Ok(letters) => Text::Letters(letters.into()),
            Err(other) => Text::Bytes(other.into_bytes().into()),
        })
    }

    fn end_of_quoted(&self) -> Read<QuotedEnd> {
        let start = self.at + 1;
        let mut escapes = false;
        for quote in memchr::memchr_iter(b'"', &self.input[start..]) {
            let at = start + quote;
            match self.input[at - 1] {
                b'\\' => escapes = true,
                _ => return Ok(QuotedEnd { at, escapes }),
            }
        }
        Err(DecodeError::new(self.at, Reason::UnclosedText))
    }

    /// Goes past the quoted text that begins here.
    pub(super) fn skip_quoted(&mut self) -> Read<()> {
        self.at = self.end_of_quoted()?.at + 1;
        Ok(())
    }

    /// `#`, how many bytes, `"`, and so many bytes. A length with a leading zero tells that they are a text.
    fn counted(&mut self) -> Read<Text<'a>> {
        let digits = &self.input[self.at + 1..][..digits(&self.input[self.at + 1..])];
        let start = self.at + 1 + digits.len() + 1;
        let length =
            digits.iter().fold(0_usize, |sum, digit| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        let rest = &self.input[start..];
        let Some(bytes) = rest.get(..length) else {
            let reason = Reason::LengthBeyondInput { length, left: rest.len() };
            return Err(DecodeError::new(self.at, reason));
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
    pub(super) fn unexpected(&self, wanted: Wanted) -> Box<DecodeError> {
        self.error(Reason::Unexpected { wanted, found: self.found() })
    }

    #[cold]
    pub(super) fn error(&self, reason: Reason) -> Box<DecodeError> {
        DecodeError::new(self.at, reason)
    }

    /// What stands here, for errors: a run, a parenthesis, or nothing at the end.
    pub(super) fn found(&self) -> String {
        let length = self.run().len().max(1);
        excerpt(&self.input[self.at..(self.at + length).min(self.input.len())])
    }
}

/// How many bytes are a run where no-break spaces are blanks. Nothing behind its end is looked at: it may be one of
/// thousands.
#[cold]
fn lenient_run_length(rest: &[u8]) -> usize {
    let ends_at = |at: &usize| run_length(&rest[*at..=*at]) == 0 || rest[*at..].starts_with(NO_BREAK_SPACE);
    (0..rest.len()).find(ends_at).unwrap_or(rest.len())
}

struct QuotedEnd {
    at: usize,
    escapes: bool,
}

fn without_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for escape in memchr::memmem::find_iter(bytes, b"\\\"") {
        kept.extend_from_slice(&bytes[from..escape]);
        from = escape + 1;
    }
    kept.extend_from_slice(&bytes[from..]);
    kept
}

/// Whether both are the same, in capital or small letters. Most are written as they are here, which is seen sooner.
pub(super) fn is_same(name: &[u8], known: &str) -> bool {
    name == known.as_bytes() || name.eq_ignore_ascii_case(known.as_bytes())
}

/// How many digits stand at the beginning.
fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
