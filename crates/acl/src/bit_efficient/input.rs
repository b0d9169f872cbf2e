//! Input data: single bytes, texts that end with a zero, and bytes with a length.

use super::codes::END;
use super::error::{DecodeError, Read, Reason, Repair, RepairKind};

/// Data of which a part has been read.
pub(crate) struct Input<'a> {
    data: &'a [u8],
    at: usize,
    /// The repairs so far, if repairs are allowed.
    repairs: Option<Vec<Repair>>,
}

impl<'a> Input<'a> {
    /// Data that must conform to the standard.
    pub(crate) fn strict(data: &'a [u8]) -> Self {
        Self { data, at: 0, repairs: None }
    }

    /// Data that may be repaired.
    pub(crate) fn lenient(data: &'a [u8]) -> Self {
        Self { repairs: Some(Vec::new()), ..Self::strict(data) }
    }

    /// Offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the repairs.
    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.repairs.unwrap_or_default()
    }

    /// Notes a repair at this place, or returns the error if repairs are not allowed.
    pub(super) fn mend(&mut self, at: usize, kind: RepairKind, reason: Reason) -> Read<()> {
        match &mut self.repairs {
            Some(repairs) => {
                repairs.push(Repair { at, kind });
                Ok(())
            }
            None => Err(DecodeError::new(at, reason)),
        }
    }

    /// Returns an error about the last byte that was read.
    pub(crate) fn refuse<T>(&self, reason: Reason) -> Read<T> {
        Err(DecodeError::new(self.at.saturating_sub(1), reason))
    }

    /// Reads the next byte, which begins something.
    pub(crate) fn byte(&mut self, expected: &'static str) -> Read<u8> {
        match self.data.get(self.at) {
            Some(byte) => {
                self.at += 1;
                Ok(*byte)
            }
            None => self.truncated(expected),
        }
    }

    /// Reads a byte that must have this value.
    pub(crate) fn expect(&mut self, code: u8, expected: &'static str) -> Read<()> {
        match self.byte(expected)? {
            found if found == code => Ok(()),
            found => self.refuse(Reason::Unexpected { found, expected }),
        }
    }

    /// Reads the next byte if it is this one.
    pub(crate) fn passes(&mut self, code: u8) -> bool {
        if self.data.get(self.at) == Some(&code) {
            self.at += 1;
            return true;
        }
        false
    }

    /// Returns whether a collection continues. At its end, reads the end byte.
    pub(crate) fn goes_on(&mut self) -> bool {
        !self.passes(END)
    }

    /// Reads this many bytes. It never reads more bytes than exist, whatever a length field claims.
    pub(crate) fn bytes(&mut self, count: usize, expected: &'static str) -> Read<&'a [u8]> {
        match self.data[self.at..].get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => self.truncated(expected),
        }
    }

    /// Reads a number of this many bytes, the most significant first.
    pub(crate) fn length(&mut self, bytes: usize) -> Read<usize> {
        let bytes = self.bytes(bytes, "a length")?;
        Ok(bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    /// Reads the bytes up to a zero, and the zero.
    pub(crate) fn until_zero(&mut self) -> Read<&'a [u8]> {
        let rest = &self.data[self.at..];
        match rest.iter().position(|byte| *byte == 0) {
            Some(length) => {
                self.at += length + 1;
                Ok(&rest[..length])
            }
            None => self.truncated("the zero that ends a text"),
        }
    }

    /// Reads a text that ends with a zero.
    pub(crate) fn text(&mut self) -> Read<&'a str> {
        let at = self.at;
        std::str::from_utf8(self.until_zero()?).map_err(|_| DecodeError::new(at, Reason::NotUtf8))
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&self) -> Read<()> {
        if self.at == self.data.len() { Ok(()) } else { Err(DecodeError::new(self.at, Reason::Trailing)) }
    }

    fn truncated<T>(&self, expected: &'static str) -> Read<T> {
        Err(DecodeError::new(self.data.len(), Reason::Truncated(expected)))
    }
}
