//! Maps as text.

use std::ops::RangeInclusive;

/// Reads a map that has a line for each row and a character for each cell. All rows have the same length.
///
/// # Errors
/// Returns an error that says what is wrong if the number of rows or columns is not in `sides`, if a row is longer or
/// shorter than the first one, or if a cell is not one of `kinds`.
pub fn read_rows<'a>(
    lines: impl Iterator<Item = &'a str>,
    sides: &RangeInclusive<usize>,
    kinds: &str,
) -> Result<Vec<Vec<char>>, String> {
    let rows: Vec<Vec<char>> = lines.map(|line| line.chars().collect()).collect();
    let (height, width) = (rows.len(), rows.first().map_or(0, Vec::len));
    if !sides.contains(&height) || !sides.contains(&width) {
        let (least, most) = (sides.start(), sides.end());
        return Err(format!("it has {width} x {height} cells; a map has from {least} x {least} to {most} x {most}"));
    }
    for (row, number) in rows.iter().zip(1..) {
        if row.len() != width {
            return Err(format!("row {number} has {} cells, and the first {width}", row.len()));
        }
        if let Some(other) = row.iter().find(|cell| !kinds.contains(**cell)) {
            return Err(format!("row {number} contains `{}`; a cell is one of `{kinds}`", other.escape_debug()));
        }
    }
    Ok(rows)
}
