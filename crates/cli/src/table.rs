//! Tables and wrapped text, for people.

use std::io::{self, IsTerminal};

/// How wide text may be that is printed now: as the terminal, or as it likes where nobody looks.
pub(crate) fn columns() -> usize {
    if io::stdout().is_terminal() { window().0 } else { usize::MAX }
}

/// The columns and rows of the terminal's window.
pub(crate) fn window() -> (usize, usize) {
    // A pseudo-terminal that nobody has given a size says 0.
    match crossterm::terminal::size() {
        Ok((columns @ 1.., rows @ 1..)) => (columns.into(), rows.into()),
        _ => (80, 24),
    }
}

/// Rows in aligned columns. Columns with numbers below their heading stand to the right; the last column is wrapped so
/// that the table is at most `width` wide.
pub(crate) fn render<R: AsRef<[String]>>(rows: &[R], indent: usize, width: usize) -> String {
    let rows: Vec<&[String]> = rows.iter().map(AsRef::as_ref).collect();
    let count = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let columns: Vec<Column> = (0..count).map(|index| Column::of(&rows, index)).collect();
    rows.iter().map(|row| render_row(row, &columns, indent, width)).collect()
}

struct Column {
    width: usize,
    numbers: bool,
}

impl Column {
    fn of(rows: &[&[String]], index: usize) -> Self {
        let cells = || rows.iter().filter_map(|row| row.get(index)).map(String::as_str);
        let is_number = |cell: &str| cell.parse::<f64>().is_ok();
        let mut below = cells().skip(1).filter(|cell| !cell.is_empty()).peekable();
        let numbers = below.peek().is_some() && below.all(is_number);
        Column { width: cells().map(length).max().unwrap_or(0), numbers }
    }
}

fn render_row(row: &[String], columns: &[Column], indent: usize, width: usize) -> String {
    let mut line = " ".repeat(indent);
    let last = row.len().saturating_sub(1);
    for (cell, column) in row.iter().zip(columns).take(last) {
        line += &aligned(cell, column);
        line += "  ";
    }
    let begin = length(&line);
    let (Some(cell), Some(column)) = (row.last(), columns.get(last)) else { return line };
    if column.numbers {
        line += &aligned(cell, column);
    } else {
        let separator = format!("\n{}", " ".repeat(begin));
        line += &wrap(cell, width.saturating_sub(begin)).join(&separator);
    }
    format!("{}\n", line.trim_end())
}

fn aligned(cell: &str, column: &Column) -> String {
    let width = column.width;
    if column.numbers { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
}

/// The words of a text, on lines of at most `width` characters.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    flow(text.split_whitespace(), " ", width)
}

/// Items one after another, on lines of at most `width` characters; longer items have a line of their own.
pub(crate) fn flow<T: AsRef<str>>(items: impl IntoIterator<Item = T>, separator: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for item in items {
        let item = item.as_ref();
        let needed = length(separator) + length(item);
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(item),
            Some(line) if length(line) + needed <= width => *line += &format!("{separator}{item}"),
            _ => lines.push(item.to_owned()),
        }
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows<const N: usize>(rows: &[[&str; N]]) -> Vec<[String; N]> {
        rows.iter().map(|row| row.map(str::to_owned)).collect()
    }

    #[test]
    fn columns_are_aligned_and_numbers_stand_to_the_right() {
        let rows = rows(&[["", "goals", "reward"], ["red", "7", ""], ["the team", "", "-12.5"]]);
        let expected = "          goals  reward\nred           7\nthe team          -12.5\n";
        assert_eq!(render(&rows, 0, 80), expected);
    }

    #[test]
    fn the_last_column_is_wrapped_under_itself() {
        let rows = rows(&[["a", "one two three"], ["bcd", "four"]]);
        assert_eq!(render(&rows, 2, 14), "  a    one two\n       three\n  bcd  four\n");
    }

    #[test]
    fn items_stay_together() {
        assert_eq!(flow(["red 1", "blue 2", "3"], ", ", 11), ["red 1", "blue 2, 3"]);
    }

    #[test]
    fn words_that_are_too_long_have_a_line_of_their_own() {
        assert_eq!(wrap("a windowsill b", 4), ["a", "windowsill", "b"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
