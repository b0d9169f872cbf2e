//! A grid of coloured characters for a terminal.

use std::fmt::Write;

use situated::scene::Color;

use crate::printable;

/// A window of characters, each with its style.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    columns: usize,
    /// The characters, row by row from the top.
    cells: Vec<(char, Style)>,
    colored: bool,
}

/// The style of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The colour of the character.
    pub ink: Ink,
    /// The colour behind the character; `None` is the terminal's default.
    pub ground: Option<Color>,
    /// Whether the character is bold.
    pub bold: bool,
}

/// The colour of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// The terminal's own.
    #[default]
    Usual,
    /// The terminal's default colour, but less bright.
    Dim,
    /// This colour.
    Of(Color),
}

impl Style {
    /// The terminal's default colours.
    pub const USUAL: Style = Style { ink: Ink::Usual, ground: None, bold: false };
    /// The terminal's default colours, but less bright.
    pub const DIM: Style = Style { ink: Ink::Dim, ground: None, bold: false };
    /// The terminal's default colours, in bold.
    pub const BOLD: Style = Style { ink: Ink::Usual, ground: None, bold: true };

    /// Returns a style with this colour for characters.
    pub fn of(color: Color) -> Self {
        Style { ink: Ink::Of(color), ..Style::USUAL }
    }
}

impl Grid {
    /// Creates an empty grid. Without colours, it ignores styles.
    pub fn new(columns: usize, rows: usize, colored: bool) -> Self {
        Self { columns, cells: vec![(' ', Style::USUAL); columns * rows], colored }
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Returns whether the grid has colours.
    pub fn is_colored(&self) -> bool {
        self.colored
    }

    /// Sets a character. Does nothing outside of the grid.
    pub fn set(&mut self, column: usize, row: usize, letter: char, style: Style) {
        if column < self.columns
            && let Some(cell) = self.cells.get_mut(row * self.columns + column)
        {
            *cell = (letter, if self.colored { style } else { Style::USUAL });
        }
    }

    /// Writes text on a row, in at most `width` columns, and returns the number of columns used. Longer text ends in
    /// `…`.
    pub fn write(&mut self, column: usize, row: usize, width: usize, text: &str, style: Style) -> usize {
        let width = width.min(self.columns.saturating_sub(column));
        let letters: Vec<char> = printable(text).take(width + 1).collect();
        let is_cut = letters.len() > width;
        for (place, letter) in letters.iter().take(width).enumerate() {
            let letter = if is_cut && place + 1 == width { '…' } else { *letter };
            self.set(column + place, row, letter, style);
        }
        letters.len().min(width)
    }

    /// Copies another grid into this one, with its upper left corner at this position.
    pub fn paste(&mut self, column: usize, row: usize, grid: &Grid) {
        for (place, (letter, style)) in grid.cells.iter().enumerate() {
            self.set(column + place % grid.columns, row + place / grid.columns, *letter, *style);
        }
    }

    /// Returns the rows from the top, with the control sequences for their styles.
    pub fn lines(&self) -> Vec<String> {
        self.cells.chunks(self.columns.max(1)).map(line).collect()
    }
}

fn line(row: &[(char, Style)]) -> String {
    let mut line = String::new();
    let mut present = Style::USUAL;
    for (letter, style) in row {
        if *style != present {
            set_style(&mut line, *style);
            present = *style;
        }
        line.push(*letter);
    }
    if present != Style::USUAL {
        set_style(&mut line, Style::USUAL);
    }
    line
}

fn set_style(line: &mut String, Style { ink, ground, bold }: Style) {
    line.push_str(if bold { "\x1b[0;1m" } else { "\x1b[0m" });
    let ink = match ink {
        Ink::Usual => None,
        Ink::Dim => {
            line.push_str("\x1b[2m");
            None
        }
        Ink::Of(color) => Some(color),
    };
    for (code, color) in [(38, ink), (48, ground)] {
        if let Some(Color(red, green, blue)) = color {
            // Writing to a string does not fail.
            let _ = write!(line, "\x1b[{code};2;{red};{green};{blue}m");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_appear_only_where_styles_differ_and_at_the_end() {
        let mut grid = Grid::new(5, 1, true);
        grid.write(1, 0, 9, "ab", Style { ground: Some(Color::BLACK), ..Style::of(Color::WHITE) });
        grid.write(3, 0, 9, "c", Style::BOLD);
        let (colors, bold) = ("\x1b[0m\x1b[38;2;255;255;255m\x1b[48;2;0;0;0m", "\x1b[0;1m");
        assert_eq!(grid.lines(), [format!(" {colors}ab{bold}c\x1b[0m ")]);
    }

    #[test]
    fn long_text_ends_in_an_ellipsis_and_stays_in_the_window() {
        let mut grid = Grid::new(6, 1, false);
        assert_eq!(grid.write(1, 0, 4, "ab\x1bcdefg", Style::BOLD), 4);
        assert_eq!(grid.lines(), [" abc… "]);
        assert_eq!(grid.write(4, 0, 9, "xyz", Style::USUAL), 2);
        assert_eq!(grid.lines(), [" abcx…"]);
        assert_eq!(grid.write(9, 3, 9, "xyz", Style::USUAL), 0);
    }
}
