//! Places in texts, as people count them.

use std::fmt;

/// A place in a text as people count: both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The letter in the line.
    pub column: usize,
}

impl Place {
    /// The place of the byte `at` of this input; of the end of the input if that is before.
    pub fn of(input: &[u8], at: usize) -> Self {
        let before = &input[..at.min(input.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let begins_letter = |byte: &&u8| **byte & 0xC0 != 0x80;
        Self {
            line: memchr::memchr_iter(b'\n', before).count() + 1,
            column: before[line_start..].iter().filter(begins_letter).count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_letters() {
        let text = "(inform\n :language é x)".as_bytes();
        let place = |at| Place::of(text, at);
        assert_eq!(place(0), Place { line: 1, column: 1 });
        assert_eq!(place(8), Place { line: 2, column: 1 });
        assert_eq!(place(22), Place { line: 2, column: 14 });
        assert_eq!(place(1000), Place::of(text, text.len()));
        assert_eq!(place(22).to_string(), "line 2, column 14");
    }
}
