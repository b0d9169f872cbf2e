//! A picture of a terminal as an SVG document.

use std::fmt::Write;

use vt100::{Cell, Color, Screen};

/// The size of a character, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;

/// The edge around the terminal.
const EDGE: f64 = 14.0;

/// The colours of the terminal.
const PAPER: &str = "#101216";
const INK: &str = "#d8dce6";

/// The look of consecutive characters: their colour, background, and whether they are bold or dim.
type Look = (String, String, bool, bool);

pub(crate) fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (width, height) = (f64::from(columns.get()) * WIDTH, f64::from(rows.get()) * HEIGHT);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', \
         Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{PAPER}\"/>\n",
        width + 2.0 * EDGE,
        height + 2.0 * EDGE
    );
    for row in 0..rows.get() {
        let cells = (0..columns.get()).filter_map(|column| screen.cell(row, column));
        let cells: Vec<(char, Look)> = cells.map(|cell| (letter(cell), look(cell))).collect();
        let mut column = 0;
        for run in cells.chunk_by(|one, other| one.1 == other.1 && continues(one.0, other.0)) {
            let (x, y) = (EDGE + column as f64 * WIDTH, EDGE + f64::from(row) * HEIGHT);
            write_run(&mut text, run, x, y);
            column += run.len();
        }
    }
    text + "</svg>\n"
}

fn write_run(text: &mut String, run: &[(char, Look)], x: f64, y: f64) {
    let [(first, (ink, ground, bold, dim)), ..] = run else { return };
    let width = run.len() as f64 * WIDTH;
    let opacity = if *dim { r#" opacity="0.55""# } else { "" };
    let mut rectangle = |x: f64, y: f64, width: f64, height: f64, color: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{color}"{opacity}/>"#
        );
    };
    if ground != PAPER {
        // Slightly larger than the characters, so that no gaps are visible.
        rectangle(x, y, width + 0.3, HEIGHT + 0.3, ground);
    }
    let middle = (x + WIDTH / 2.0, y + HEIGHT / 2.0);
    match first {
        '▀' => rectangle(x, y, width + 0.3, HEIGHT / 2.0, ink),
        '■' => rectangle(x + 1.2, y + 5.5, WIDTH - 2.4, WIDTH - 2.4, ink),
        '▏' => rectangle(x, y, 1.0, HEIGHT, ink),
        '▕' => rectangle(x + WIDTH - 1.0, y, 1.0, HEIGHT, ink),
        '─' | '━' => rectangle(x, middle.1 - 0.5, width + 0.1, if *first == '─' { 1.0 } else { 2.5 }, ink),
        '│' | '┃' => rectangle(middle.0 - 0.5, y, if *first == '│' { 1.0 } else { 2.5 }, HEIGHT + 0.1, ink),
        '╭' | '╮' | '╰' | '╯' => {
            let side = if matches!(first, '╭' | '╰') { x + WIDTH } else { x };
            let end = if matches!(first, '╭' | '╮') { y + HEIGHT } else { y };
            let (middle_x, middle_y) = middle;
            let _ = write!(
                text,
                r#"<path d="M{side:.1} {middle_y:.1}Q{middle_x:.1} {middle_y:.1} {middle_x:.1} {end:.1}" "#
            );
            let _ = writeln!(text, r#"fill="none" stroke="{ink}"/>"#);
        }
        _ => {
            let letters: String = run.iter().map(|(letter, _)| *letter).collect();
            let letters = letters.replace('&', "&amp;").replace('<', "&lt;");
            if letters.trim().is_empty() {
                return;
            }
            let weight = if *bold { r#" font-weight="bold""# } else { "" };
            let base = y + 0.74 * HEIGHT;
            let _ = writeln!(
                text,
                r#"<text x="{x:.1}" y="{base:.1}" textLength="{width:.1}" fill="{ink}"{weight}{opacity} xml:space="preserve">{letters}</text>"#
            );
        }
    }
}

/// Returns whether the next character continues the same piece of text.
fn continues(one: char, next: char) -> bool {
    if is_drawn(one) { one == next && "▀─━".contains(one) } else { !is_drawn(next) }
}

/// Returns whether a character is drawn, and not written.
fn is_drawn(letter: char) -> bool {
    "▀■▏▕─━│┃╭╮╰╯".contains(letter)
}

fn letter(cell: &Cell) -> char {
    cell.contents().chars().next().unwrap_or(' ')
}

fn look(cell: &Cell) -> Look {
    let color = |color, usual: &str| match color {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        _ => usual.to_owned(),
    };
    (color(cell.fgcolor(), INK), color(cell.bgcolor(), PAPER), cell.bold(), cell.dim())
}
