//! A mistake in a text, with its place and an excerpt.

use std::fmt;
use std::ops::Range;

/// Maximum number of characters shown of a line.
const SHOWN: usize = 80;

/// Number of characters shown before the mistake, if the line is longer than that.
const BEFORE: usize = 30;

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Line, from 1.
    line: usize,
    /// Column, from 1, in characters.
    column: usize,
    message: String,
    /// Excerpt of the line.
    excerpt: String,
    /// Number of blanks and marks below the excerpt.
    marked: (usize, usize),
}

impl Mistake {
    /// Creates a mistake for these bytes of the text.
    pub(super) fn at(text: &str, bytes: Range<usize>, message: &str) -> Self {
        let start = text.floor_char_boundary(bytes.start);
        let end = text.floor_char_boundary(bytes.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let before = text[line_start..start].chars().count();
        // The mistake may span several lines.
        let wrong = text[start..end].lines().next().unwrap_or_default().chars().count();
        let skipped = before.saturating_sub(BEFORE);
        let blanks = before - skipped;
        Self {
            line: text[..line_start].matches('\n').count() + 1,
            column: before + 1,
            message: message.to_owned(),
            excerpt: line.chars().skip(skipped).take(SHOWN).map(printable).collect(),
            marked: (blanks, wrong.clamp(1, SHOWN - blanks)),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, message, excerpt, marked: (blanks, marks) } = self;
        let gutter = " ".repeat(line.to_string().len());
        let (blanks, marks) = (" ".repeat(*blanks), "^".repeat(*marks));
        write!(f, "line {line}, column {column}: {message}")?;
        write!(f, "\n{gutter} |\n{line} | {excerpt}\n{gutter} | {blanks}{marks}")
    }
}

impl std::error::Error for Mistake {}

/// Returns the character, or one of the same width for characters that would control the terminal.
fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        control if control.is_control() => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &str, bytes: Range<usize>) -> String {
        Mistake::at(text, bytes, "wrong").to_string()
    }

    #[test]
    fn the_place_is_marked() {
        assert_eq!(mistake("a = 1\nbcd = 2\n", 6..9), "line 2, column 1: wrong\n  |\n2 | bcd = 2\n  | ^^^");
        let tenth = "\n".repeat(9) + "a = 1";
        assert_eq!(mistake(&tenth, 13..14), "line 10, column 5: wrong\n   |\n10 | a = 1\n   |     ^");
    }

    #[test]
    fn columns_are_characters() {
        assert_eq!(mistake("ü = \"ä\"\r\n", 5..9), "line 1, column 5: wrong\n  |\n1 | ü = \"ä\"\n  |     ^^^");
    }

    #[test]
    fn the_end_of_a_text_is_a_place() {
        assert_eq!(mistake("", 0..0), "line 1, column 1: wrong\n  |\n1 | \n  | ^");
        assert_eq!(mistake("a\n", 2..2), "line 2, column 1: wrong\n  |\n2 | \n  | ^");
        assert_eq!(mistake("a", 7..9), "line 1, column 2: wrong\n  |\n1 | a\n  |  ^");
    }

    #[test]
    fn long_lines_and_control_characters_are_shown_safely() {
        let long = "x".repeat(1000) + "\u{1b}[31m\ty";
        let shown = mistake(&long, 1000..1001);
        let line = shown.lines().nth(2).expect("there is an excerpt");
        assert_eq!(line, format!("1 | {}\u{fffd}[31m y", "x".repeat(BEFORE)));
        assert!(mistake(&long, 0..900).lines().all(|line| line.chars().count() <= SHOWN + 4));
    }

    #[test]
    fn only_the_first_line_of_an_error_is_marked() {
        assert_eq!(mistake("a = [\n1,\n]", 4..10), "line 1, column 5: wrong\n  |\n1 | a = [\n  |     ^");
    }
}
