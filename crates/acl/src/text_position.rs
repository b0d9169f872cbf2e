//! Places in texts.

use std::fmt;

/// A place in a text, as line and column, which both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl TextPosition {
    /// Where a text begins.
    pub const START: TextPosition = TextPosition { line: 1, column: 1 };

    /// Returns the place of the byte `at` of this input, or of its end if `at` is beyond it.
    pub fn of(input: &[u8], at: usize) -> Self {
        TextPosition::START.after(&input[..at.min(input.len())])
    }

    /// Returns the place after a passage that begins at this place. With it, many places in one input can be found
    /// without counting from the beginning each time.
    pub fn after(self, passage: &[u8]) -> Self {
        let begins_letter = |byte: &&u8| **byte & 0xC0 != 0x80;
        let letters = |line: &[u8]| line.iter().filter(begins_letter).count();
        match passage.iter().rposition(|byte| *byte == b'\n') {
            Some(newline) => Self {
                line: self.line + passage.iter().filter(|byte| **byte == b'\n').count(),
                column: 1 + letters(&passage[newline + 1..]),
            },
            None => Self { column: self.column + letters(passage), ..self },
        }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_places_in_lines_and_characters() {
        let text = "(inform\n :language é x)".as_bytes();
        let place = |at| TextPosition::of(text, at);
        assert_eq!(place(0), TextPosition { line: 1, column: 1 });
        assert_eq!(place(8), TextPosition { line: 2, column: 1 });
        assert_eq!(place(22), TextPosition { line: 2, column: 14 });
        assert_eq!(place(1000), TextPosition::of(text, text.len()));
        assert_eq!(place(22).to_string(), "line 2, column 14");
    }

    #[test]
    fn counting_in_several_steps_gives_the_same_place() {
        let text = "(inform\n\n :language é x)".as_bytes();
        for (from, to) in (0..=text.len()).flat_map(|to| (0..=to).map(move |from| (from, to))) {
            assert_eq!(TextPosition::of(text, from).after(&text[from..to]), TextPosition::of(text, to));
        }
    }
}
