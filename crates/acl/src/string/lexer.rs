//! The tokens of the grammar: blanks, runs, quoted texts, strings of bytes.

use std::borrow::Cow;

use super::error::{DecodeError, Read, Reason, Wanted, excerpt};
use crate::word::continues_word;

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
    pub(super) at: usize,
    pub(super) grammar: Grammar,
    /// The place of the first no-break space that was read as a blank.
    pub(super) no_break_space: Option<usize>,
    /// The end of the first text that ends with a backslash.
    pub(super) last_backslash: Option<usize>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a [u8], grammar: Grammar) -> Self {
        Self { input, at: 0, grammar, no_break_space: None, last_backslash: None }
    }

    /// Returns the next byte that is not blank.
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            match *self.input.get(self.at)? {
                0..=b' ' => self.at += 1,
                _ if self.is_at_no_break_space(self.at) => {
                    self.no_break_space.get_or_insert(self.at);
                    self.at += NO_BREAK_SPACE.len();
                }
                byte => return Some(byte),
            }
        }
    }

    /// Whether a no-break space that counts as a blank is there.
    fn is_at_no_break_space(&self, at: usize) -> bool {
        self.grammar == Grammar::Lenient && self.input[at..].starts_with(NO_BREAK_SPACE)
    }

    /// Skips this byte, if it is the next one that is not blank.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Returns the run of bytes at this position that are neither blanks nor parentheses, without skipping it.
    pub(super) fn run(&self) -> &'a [u8] {
        let ends_at = |at: &usize| !continues_word(self.input[*at]) || self.is_at_no_break_space(*at);
        &self.input[self.at..(self.at..self.input.len()).find(ends_at).unwrap_or(self.input.len())]
    }

    /// Returns the next `length` bytes as text, and skips them.
    pub(super) fn take_letters(&mut self, length: usize) -> Read<&'a str> {
        let letters = self.letters(self.at, length)?;
        self.at += length;
        Ok(letters)
    }

    /// Returns `length` bytes as text.
    pub(super) fn letters(&self, from: usize, length: usize) -> Read<&'a str> {
        std::str::from_utf8(&self.input[from..from + length]).map_err(|_| DecodeError::new(from, Reason::NotUtf8))
    }

    /// Skips `(` and this word, ignoring case. If they do not follow, the position stays.
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

    /// Skips the string that begins here, and returns it.
    pub(super) fn string(&mut self) -> Read<Text<'a>> {
        if self.input[self.at] == b'"' { self.quoted() } else { self.counted() }
    }

    /// Reads a quoted text, in which `\"` is a quotation mark and everything else stands for itself.
    fn quoted(&mut self) -> Read<Text<'a>> {
        let start = self.at + 1;
        let end = self.end_of_quoted()?;
        self.at = end + 1;
        let inside = &self.input[start..end];
        if inside.ends_with(b"\\") {
            self.last_backslash.get_or_insert(end - 1);
        }
        Ok(match std::str::from_utf8(inside) {
            Ok(letters) if letters.contains('"') => Text::Letters(letters.replace("\\\"", "\"").into()),
            Ok(letters) => Text::Letters(letters.into()),
            Err(_) => Text::Bytes(without_escapes(inside).into()),
        })
    }

    /// Returns the place of the quotation mark that ends the text here.
    fn end_of_quoted(&self) -> Read<usize> {
        let mut last = None;
        for quote in (self.at + 1..self.input.len()).filter(|at| self.input[*at] == b'"') {
            if self.input[quote - 1] != b'\\' || self.ends_with_backslash(quote) {
                return Ok(quote);
            }
            last = Some(quote);
        }
        last.filter(|_| self.grammar.is_of_jade()).ok_or_else(|| self.error(Reason::UnclosedText))
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
        self.at = self.end_of_quoted()? + 1;
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
        Ok(match std::str::from_utf8(bytes) {
            Ok(letters) if is_text => Text::Letters(letters.into()),
            _ => Text::Bytes(bytes.into()),
        })
    }

    /// Returns the error that something else was expected here.
    pub(super) fn unexpected(&self, wanted: Wanted) -> DecodeError {
        self.error(Reason::Unexpected { wanted, found: self.found() })
    }

    pub(super) fn error(&self, reason: Reason) -> DecodeError {
        DecodeError::new(self.at, reason)
    }

    /// The input at this position, for errors: a run, a parenthesis, or nothing at the end.
    pub(super) fn found(&self) -> String {
        let length = self.run().len().max(1);
        excerpt(&self.input[self.at..(self.at + length).min(self.input.len())])
    }
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

/// Removes the backslash before each quotation mark.
fn without_escapes(bytes: &[u8]) -> Vec<u8> {
    let is_escape = |at: usize| bytes[at..].starts_with(b"\\\"");
    (0..bytes.len()).filter(|at| !is_escape(*at)).map(|at| bytes[at]).collect()
}

/// Returns the number of digits at the beginning.
fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
