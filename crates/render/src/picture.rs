//! A picture made of character cells with two pixels each, and how it is printed.

use std::fmt::Write;

use situated::scene::Color;

/// A picture of square pixels, two to a character cell.
#[derive(Debug, Default)]
pub struct Picture {
    columns: usize,
    /// Row by row, from above.
    cells: Vec<Cell>,
}

/// What a pixel shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub(super) color: Color,
    /// What stands for it where there are no colours.
    pub(super) mark: char,
    /// The higher one covers the others.
    pub(super) height: usize,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    upper: Paint,
    /// None below the last pixel.
    lower: Option<Paint>,
    letter: Option<char>,
}

/// How a character is printed: the colours of what it draws, and of what is behind.
type Colors = (Option<Color>, Option<Color>);

impl Picture {
    /// One of so many pixels, that all show the same.
    pub(super) fn new(width: usize, height: usize, paint: Paint) -> Self {
        let full = Cell { upper: paint, lower: Some(paint), letter: None };
        let mut cells = vec![full; width * height.div_ceil(2)];
        if !height.is_multiple_of(2) {
            cells.iter_mut().rev().take(width).for_each(|cell| cell.lower = None);
        }
        Self { columns: width, cells }
    }

    /// Paints a pixel, over what is written there.
    pub(super) fn set_pixel(&mut self, column: usize, line: usize, paint: Paint) {
        let cell = &mut self.cells[line / 2 * self.columns + column];
        cell.letter = None;
        if line.is_multiple_of(2) {
            cell.upper = paint;
        } else {
            cell.lower = Some(paint);
        }
    }

    /// Writes a letter on a cell that is painted for it.
    pub(super) fn set_letter(&mut self, column: usize, line: usize, letter: char, paint: Paint) {
        let cell = &mut self.cells[line / 2 * self.columns + column];
        *cell = Cell { upper: paint, lower: Some(paint), letter: Some(letter) };
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns.max(1)
    }

    /// The colours of all pixels, row by row from above; as wide as its columns.
    pub fn pixels(&self) -> impl Iterator<Item = Color> {
        let rows = self.cells.chunks(self.columns.max(1));
        rows.flat_map(|row| {
            let upper = row.iter().map(|cell| cell.upper.color);
            upper.chain(row.iter().filter_map(|cell| cell.lower.map(|paint| paint.color)))
        })
    }

    /// The rows, from above: in colours, or in plain characters.
    pub fn lines(&self, colored: bool) -> Vec<String> {
        let rows = self.cells.chunks(self.columns.max(1));
        if colored {
            rows.map(colored_line).collect()
        } else {
            rows.map(|row| row.iter().map(Cell::mark).collect()).collect()
        }
    }
}

impl Cell {
    fn mark(&self) -> char {
        let lower = self.lower.unwrap_or(self.upper);
        let top = if lower.height > self.upper.height { lower } else { self.upper };
        self.letter.unwrap_or(top.mark)
    }

    fn character(&self) -> (char, Colors) {
        let upper = Some(self.upper.color);
        let lower = self.lower.map(|paint| paint.color);
        match self.letter {
            Some(letter) => (letter, (Some(contrast(self.upper.color)), upper)),
            None if upper == lower => (' ', (None, lower)),
            None => ('▀', (upper, lower)),
        }
    }
}

fn colored_line(row: &[Cell]) -> String {
    let mut line = String::new();
    let mut present = (None, None);
    for cell in row {
        let (character, colors) = cell.character();
        if colors != present {
            set_colors(&mut line, colors);
            present = colors;
        }
        line.push(character);
    }
    set_colors(&mut line, (None, None));
    line
}

fn set_colors(line: &mut String, (drawn, behind): Colors) {
    line.push_str("\x1b[0m");
    for (code, color) in [(38, drawn), (48, behind)] {
        if let Some(Color(red, green, blue)) = color {
            // Writing to a string does not fail.
            let _ = write!(line, "\x1b[{code};2;{red};{green};{blue}m");
        }
    }
}

/// Black or white, whichever is more readable on this colour.
pub(super) fn contrast(behind: Color) -> Color {
    if brightness(behind) < 140 { Color::WHITE } else { Color::BLACK }
}

/// From 0 for black to 255 for white (luma, ITU-R BT.709).
pub(super) fn brightness(Color(red, green, blue): Color) -> usize {
    (2126 * usize::from(red) + 7152 * usize::from(green) + 722 * usize::from(blue)) / 10_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paint(color: Color) -> Paint {
        Paint { color, mark: '#', height: 1 }
    }

    #[test]
    fn a_cell_shows_two_pixels() {
        let mut picture = Picture::new(1, 3, paint(Color::BLACK));
        picture.set_pixel(0, 1, paint(Color::RED));
        let black = "\x1b[38;2;0;0;0m";
        let expected = [format!("\x1b[0m{black}\x1b[48;2;214;39;40m▀\x1b[0m"), format!("\x1b[0m{black}▀\x1b[0m")];
        assert_eq!(picture.lines(true), expected);
    }

    #[test]
    fn letters_can_be_read_and_are_painted_over() {
        let mut picture = Picture::new(2, 2, paint(Color::BLACK));
        picture.set_letter(0, 0, 'a', paint(Color::BLACK));
        picture.set_letter(1, 1, 'b', paint(Color::YELLOW));
        assert_eq!(picture.lines(false), ["ab"]);
        let (white, black) = ("\x1b[38;2;255;255;255m", "\x1b[38;2;0;0;0m");
        let on_black = format!("\x1b[0m{white}\x1b[48;2;0;0;0ma");
        let on_yellow = format!("\x1b[0m{black}\x1b[48;2;255;200;40mb");
        assert_eq!(picture.lines(true), [on_black + &on_yellow + "\x1b[0m"]);

        picture.set_pixel(0, 1, paint(Color::BLACK));
        assert_eq!(picture.lines(false), ["#b"]);
    }
}
