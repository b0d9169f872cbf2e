//! The tokens of the grammar: blanks, runs, quoted texts, strings of bytes.

use std::borrow::Cow;

use super::error::{DecodeError, Read, Reason, Wanted, excerpt};
use crate::word::run_length;

/// U+00A0 in UTF-8.
pub(super) const NO_BREAK_SPACE: &[u8] = "\u{a0}".as_bytes();

/// A string of the grammar: quoted, or with its length.
pub(super) enum Text<'a> {
    /// In UTF-8.
    Letters(Cow<'a, str>),
    /// Any bytes.
    Bytes(Cow<'a, [u8]>),
}

/// The rules by which a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    /// The rules of the standard alone.
    Standard,
    /// The standard's rules, but no-break spaces are blanks, as in texts by people.
    Lenient,
    /// JADE's rules: lengths count characters as Java does, and a backslash is the last character of a quoted text if
    /// no other quotation mark ends it.
    Jade,
    /// JADE's rules, but a backslash is also the last character if a parameter or the end of a message seems to
    /// follow.
    JadeByWhatFollows,
}

impl Grammar {
    pub(super) fn is_of_jade(self) -> bool {
        matches!(self, Grammar::Jade | Grammar::JadeByWhatFollows)
    }
}

/// The text, and the position in it.
pub(super) struct Lexer<'a> {
    pub(super) input: &'a [u8],
    /// The whole input as text, if it has been checked to be UTF-8.
    letters: Option<&'a str>,
    pub(super) at: usize,
    pub(super) grammar: Grammar,
    /// The place of the first no-break space that was read as a blank.
    pub(super) no_break_space: Option<usize>,
    /// The end of the first text that ends with a backslash.
    pub(super) last_backslash: Option<usize>,
}

impl<'a> Lexer<'a> {
    /// Reads the first message of an input that may contain many.
    pub(super) fn of_prefix(input: &'a [u8]) -> Self {
        Self { input, letters: None, at: 0, grammar: Grammar::Standard, no_break_space: None, last_backslash: None }
    }

    /// Reads all of the input, whose characters are checked at once.
    pub(super) fn of_all(input: &'a [u8]) -> Self {
        Self { letters: std::str::from_utf8(input).ok(), ..Self::of_prefix(input) }
    }

    /// Returns the next byte that is not blank.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            match *self.input.get(self.at)? {
                0..=b' ' => self.at += 1,
                0xC2 if self.grammar == Grammar::Lenient && self.input[self.at..].starts_with(NO_BREAK_SPACE) => {
                    self.no_break_space.get_or_insert(self.at);
                    self.at += NO_BREAK_SPACE.len();
                }
                byte => return Some(byte),
            }
        }
    }

    /// Skips this byte, if it is the next one that is not blank.
    #[inline]
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Returns the run of bytes at this position that are neither blanks nor parentheses, without skipping it.
    #[inline]
    pub(super) fn run(&self) -> &'a [u8] {
        let rest = &self.input[self.at..];
        &rest[..if self.grammar == Grammar::Lenient { lenient_run_length(rest) } else { run_length(rest) }]
    }

    /// Returns the next `length` bytes as text, and skips them.
    #[inline]
    pub(super) fn take_letters(&mut self, length: usize) -> Read<&'a str> {
        let letters = self.letters(self.at, length)?;
        self.at += length;
        Ok(letters)
    }

    /// Returns `length` bytes as text.
    pub(super) fn letters(&self, from: usize, length: usize) -> Read<&'a str> {
        self.letters_between(from, from + length).ok_or_else(|| DecodeError::new(from, Reason::NotUtf8))
    }

    fn letters_between(&self, from: usize, to: usize) -> Option<&'a str> {
        match self.letters {
            Some(letters) => letters.get(from..to),
            None => std::str::from_utf8(&self.input[from..to]).ok(),
        }
    }

    /// Skips `(` and this word, ignoring case. If they do not follow, the position stays.
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

    /// Skips the string that begins here, and returns it.
    pub(super) fn string(&mut self) -> Read<Text<'a>> {
        if self.input[self.at] == b'"' { self.quoted() } else { self.counted() }
    }

    /// Reads a quoted text, in which `\"` is a quotation mark and everything else stands for itself.
    fn quoted(&mut self) -> Read<Text<'a>> {
        let start = self.at + 1;
        let end = self.end_of_quoted()?;
        self.at = end.at + 1;
        let inside = &self.input[start..end.at];
        if inside.ends_with(b"\\") {
            self.last_backslash.get_or_insert(end.at - 1);
        }
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
        if self.grammar.is_of_jade() {
            return self.end_of_quoted_in_jade();
        }
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

    #[cold]
    #[inline(never)]
    fn end_of_quoted_in_jade(&self) -> Read<QuotedEnd> {
        let start = self.at + 1;
        let (mut escapes, mut last) = (false, None);
        for quote in memchr::memchr_iter(b'"', &self.input[start..]) {
            let at = start + quote;
            if self.input[at - 1] != b'\\' || self.ends_with_backslash(at) {
                return Ok(QuotedEnd { at, escapes });
            }
            last = Some(QuotedEnd { at, escapes });
            escapes = true;
        }
        last.ok_or_else(|| DecodeError::new(self.at, Reason::UnclosedText))
    }

    /// Whether the quotation mark here, after a backslash, ends a text.
    fn ends_with_backslash(&self, quote: usize) -> bool {
        if self.grammar != Grammar::JadeByWhatFollows {
            return false;
        }
        let behind = &self.input[quote + 1..];
        let blanks = behind.iter().take_while(|byte| **byte <= b' ').count();
        // JADE writes one of these after a text.
        match (&behind[..blanks], &behind[blanks..]) {
            (b" " | b" \n", [b')'] | [b')', 0..=b' ' | b')', ..]) => true,
            (blanks, [b':', first, ..]) => !blanks.is_empty() && first.is_ascii_alphabetic(),
            _ => false,
        }
    }

    /// Skips the quoted text that begins here.
    pub(super) fn skip_quoted(&mut self) -> Read<()> {
        self.at = self.end_of_quoted()?.at + 1;
        Ok(())
    }

    /// Reads `#`, a length, `"`, and that many bytes. A length with a leading zero marks them as text.
    fn counted(&mut self) -> Read<Text<'a>> {
        let digits = &self.input[self.at + 1..][..digits(&self.input[self.at + 1..])];
        let start = self.at + 1 + digits.len() + 1;
        let length =
            digits.iter().fold(0_usize, |sum, digit| sum.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        let rest = &self.input[start..];
        let counted = if self.grammar.is_of_jade() { length_in_java(rest, length) } else { length };
        let Some(bytes) = rest.get(..counted) else {
            let reason = Reason::LengthBeyondInput { length, left: rest.len() };
            return Err(DecodeError::new(self.at, reason));
        };
        self.at = start + counted;
        let is_text = digits.len() > 1 && digits[0] == b'0';
        Ok(match self.letters_between(start, self.at) {
            Some(letters) if is_text => Text::Letters(Cow::Borrowed(letters)),
            _ => Text::Bytes(Cow::Borrowed(bytes)),
        })
    }

    /// Returns the error that something else was expected here.
    #[cold]
    pub(super) fn unexpected(&self, wanted: Wanted) -> Box<DecodeError> {
        self.error(Reason::Unexpected { wanted, found: self.found() })
    }

    #[cold]
    pub(super) fn error(&self, reason: Reason) -> Box<DecodeError> {
        DecodeError::new(self.at, reason)
    }

    /// The input at this position, for errors: a run, a parenthesis, or nothing at the end.
    pub(super) fn found(&self) -> String {
        let length = self.run().len().max(1);
        excerpt(&self.input[self.at..(self.at + length).min(self.input.len())])
    }
}

/// Returns the length of a run if no-break spaces count as blanks. It does not look beyond the end of the run, since
/// there may be thousands of runs.
#[cold]
fn lenient_run_length(rest: &[u8]) -> usize {
    let ends_at = |at: &usize| run_length(&rest[*at..=*at]) == 0 || rest[*at..].starts_with(NO_BREAK_SPACE);
    (0..rest.len()).find(ends_at).unwrap_or(rest.len())
}

/// Returns the number of bytes for this number of characters, as Java counts them. Bytes that are not text count one
/// each.
fn length_in_java(rest: &[u8], mut count: usize) -> usize {
    let most = &rest[..rest.len().min(count.saturating_mul(3))];
    let text = std::str::from_utf8(most)
        .unwrap_or_else(|error| std::str::from_utf8(&most[..error.valid_up_to()]).unwrap_or_default());
    let mut letters = text.chars();
    while count > 0
        && let Some(letter) = letters.next()
    {
        count = count.saturating_sub(letter.len_utf16());
    }
    text.len() - letters.as_str().len() + count
}

struct QuotedEnd {
    at: usize,
    escapes: bool,
}

/// Removes the backslash before each quotation mark of a text.
fn without_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for quote in memchr::memchr_iter(b'"', bytes) {
        let part = &bytes[from..quote];
        kept.extend_from_slice(part.strip_suffix(b"\\").unwrap_or(part));
        from = quote;
    }
    kept.extend_from_slice(&bytes[from..]);
    kept
}

/// Whether both names are the same, ignoring case. Tries an exact comparison first, which is faster and usually
/// suffices.
pub(super) fn is_same(name: &[u8], known: &str) -> bool {
    name == known.as_bytes() || name.eq_ignore_ascii_case(known.as_bytes())
}

/// Returns the number of digits at the beginning.
fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
