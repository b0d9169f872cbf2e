//! Data as they are read: single bytes, texts that end with a zero, bytes that are counted.

use memchr::memchr;

use super::codes::END;
use super::{DecodeError, Reason, Repair, RepairKind};
use crate::word::{run_is_word, run_length};

/// How many bytes are checked together for being UTF-8.
const STRETCH: usize = 512;

/// Data of which some have been read.
pub(crate) struct Input<'a> {
    data: &'a [u8],
    at: usize,
    /// A stretch of the data that is known to be UTF-8, and where it begins.
    letters: &'a str,
    letters_at: usize,
    /// What was mended so far, if anything may be.
    repairs: Option<Vec<Repair>>,
}

impl<'a> Input<'a> {
    /// Data that must keep to the standard.
    pub(crate) fn strict(data: &'a [u8]) -> Self {
        Self { data, at: 0, letters: "", letters_at: 0, repairs: None }
    }

    /// Data that may be mended.
    pub(crate) fn lenient(data: &'a [u8]) -> Self {
        Self { repairs: Some(Vec::new()), ..Self::strict(data) }
    }

    /// Offset of the byte that is read next.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What was mended.
    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.repairs.unwrap_or_default()
    }

    /// Mends what is wrong here, or says why it cannot be taken.
    pub(super) fn mend(&mut self, at: usize, kind: RepairKind, reason: Reason) -> Result<(), DecodeError> {
        match &mut self.repairs {
            Some(repairs) => {
                repairs.push(Repair { at, kind });
                Ok(())
            }
            None => Err(DecodeError { at, reason }),
        }
    }

    /// Says why the byte that was read last cannot be taken.
    #[cold]
    pub(crate) fn refuse<T>(&self, reason: Reason) -> Result<T, DecodeError> {
        Err(DecodeError { at: self.at.saturating_sub(1), reason })
    }

    /// The next byte, which is the beginning of something.
    pub(crate) fn byte(&mut self, expected: &'static str) -> Result<u8, DecodeError> {
        match self.data.get(self.at) {
            Some(byte) => {
                self.at += 1;
                Ok(*byte)
            }
            None => self.truncated(expected),
        }
    }

    /// Reads a byte that must be this one.
    pub(crate) fn expect(&mut self, code: u8, expected: &'static str) -> Result<(), DecodeError> {
        match self.byte(expected)? {
            found if found == code => Ok(()),
            found => self.refuse(Reason::Unexpected { found, expected }),
        }
    }

    /// Reads the next byte if it is this one.
    pub(crate) fn passes(&mut self, code: u8) -> bool {
        let is_next = self.data.get(self.at) == Some(&code);
        self.at += usize::from(is_next);
        is_next
    }

    /// Whether a collection goes on; reads its end if not.
    pub(crate) fn goes_on(&mut self) -> bool {
        !self.passes(END)
    }

    /// So many bytes. No more is ever taken than there is, whatever a length claims.
    pub(crate) fn bytes(&mut self, count: usize, expected: &'static str) -> Result<&'a [u8], DecodeError> {
        match self.data[self.at..].get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => self.truncated(expected),
        }
    }

    /// A number of so many bytes, the most significant first.
    pub(crate) fn length(&mut self, bytes: usize) -> Result<usize, DecodeError> {
        let bytes = self.bytes(bytes, "a length")?;
        Ok(bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    /// Bytes that end with a zero, without that.
    pub(crate) fn until_zero(&mut self) -> Result<&'a [u8], DecodeError> {
        let rest = &self.data[self.at..];
        match memchr(0, rest) {
            Some(length) => {
                self.at += length + 1;
                Ok(&rest[..length])
            }
            None => self.truncated("the zero that ends a text"),
        }
    }

    /// A text that ends with a zero, and whether it is a word. Most are, and need not be looked at twice.
    pub(super) fn word(&mut self) -> Result<(&'a str, bool), DecodeError> {
        let at = self.at;
        let length = run_length(&self.data[at..]);
        if self.data.get(at + length) != Some(&0) {
            return self.text().map(|text| (text, false));
        }
        self.at += length + 1;
        match self.letters(at, length) {
            Some(text) => Ok((text, run_is_word(text))),
            None => Err(DecodeError { at, reason: Reason::NotUtf8 }),
        }
    }

    /// A text that ends with a zero.
    pub(crate) fn text(&mut self) -> Result<&'a str, DecodeError> {
        let at = self.at;
        let length = self.until_zero()?.len();
        self.letters(at, length).ok_or(DecodeError { at, reason: Reason::NotUtf8 })
    }

    /// The text that has so many bytes, if it is UTF-8. Many short texts are checked together, as that is far faster.
    pub(super) fn letters(&mut self, at: usize, length: usize) -> Option<&'a str> {
        let known = |input: &Self| {
            let start = at.checked_sub(input.letters_at)?;
            input.letters.get(start..start + length)
        };
        if let Some(text) = known(self) {
            return Some(text);
        }
        if length > STRETCH {
            return std::str::from_utf8(&self.data[at..at + length]).ok();
        }
        let stretch = &self.data[at..self.data.len().min(at + STRETCH)];
        self.letters_at = at;
        self.letters = std::str::from_utf8(stretch)
            .or_else(|error| std::str::from_utf8(&stretch[..error.valid_up_to()]))
            .unwrap_or_default();
        known(self)
    }

    /// Makes sure that nothing follows.
    pub(crate) fn end(&self) -> Result<(), DecodeError> {
        if self.at == self.data.len() { Ok(()) } else { Err(DecodeError { at: self.at, reason: Reason::Trailing }) }
    }

    #[cold]
    fn truncated<T>(&self, expected: &'static str) -> Result<T, DecodeError> {
        Err(DecodeError { at: self.data.len(), reason: Reason::Truncated(expected) })
    }
}
