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
    /// Where a text begins.
    pub const START: Place = Place { line: 1, column: 1 };

    /// The place of the byte `at` of this input; of the end of the input if that is before.
    pub fn of(input: &[u8], at: usize) -> Self {
        Place::START.after(&input[..at.min(input.len())])
    }

    /// The place behind a passage that begins at this one. Many places in one input are found so without counting
    /// from its beginning each time.
    pub fn after(self, passage: &[u8]) -> Self {
        let begins_letter = |byte: &&u8| **byte & 0xC0 != 0x80;
        let letters = |line: &[u8]| line.iter().filter(begins_letter).count();
        match memchr::memrchr(b'\n', passage) {
            Some(newline) => Self {
                line: self.line + memchr::memchr_iter(b'\n', passage).count(),
                column: 1 + letters(&passage[newline + 1..]),
            },
            None => Self { column: self.column + letters(passage), ..self },
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

    #[test]
    fn a_place_is_the_same_by_however_many_steps_it_is_reached() {
        let text = "(inform\n\n :language é x)".as_bytes();
        for (from, to) in (0..=text.len()).flat_map(|to| (0..=to).map(move |from| (from, to))) {
            assert_eq!(Place::of(text, from).after(&text[from..to]), Place::of(text, to));
        }
    }
}
