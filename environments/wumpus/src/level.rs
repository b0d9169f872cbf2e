//! Level files of the original (`.wld`): Java's data format with the header, the number of cells, and three integers
//! for each cell: x, y, and its contents as a set of bits.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use situated_grid::{Grid, Place, bounds};

use crate::cave::{Cave, Cell};

/// The header, as Java's `writeUTF` writes it.
const HEADER: &[u8] = b"\0\x18WumpusWorldModelFile0.9\n";

/// The bits of a cell that matter. The others follow from these, or change during a game.
const GROUND: i32 = 1;
const PIT: i32 = 2;
const GOLD: i32 = 4;
const WALL: i32 = 8;
const AGENT: i32 = 16;
const WUMPUS: i32 = 32;

/// The greatest number of cells from one side of a cave to the other.
const LARGEST: i32 = 100;

/// Reads a level file in base64, in which white space is skipped. In a file that marks several cells as the entrance,
/// the gold or the Wumpus, the last one counts, as in the original. Cells without ground are walls.
///
/// # Errors
/// Returns an error if it is not such a file, or if the explorer could not live at the entrance.
pub fn read(text: &str) -> Result<Cave, String> {
    let text: String = text.split_ascii_whitespace().collect();
    let bytes = BASE64_STANDARD.decode(text).map_err(|error| format!("the level is not in base64: {error}"))?;
    let cells = read_cells(&bytes)?;
    let find = |bit| cells.iter().rev().find(|(_, contents)| contents & bit != 0).map(|(place, _)| *place);
    let start = find(AGENT).ok_or("the level has no explorer; mark one cell with the bit 16")?;
    let (corner, far) = bounds(cells.iter().map(|(place, _)| *place)).ok_or("the level has no cells")?;
    let (width, height) = (far.0 - corner.0 + 1, far.1 - corner.1 + 1);
    if width > LARGEST || height > LARGEST {
        return Err(format!("the level has {width} x {height} cells; a cave has at most {LARGEST} x {LARGEST}"));
    }
    let mut grid = Grid::new(width, height, |_| Cell::Wall);
    for ((x, y), contents) in &cells {
        let cell = match contents {
            free if free & GROUND == 0 || free & WALL != 0 => Cell::Wall,
            pit if pit & PIT != 0 => Cell::Pit,
            _ => Cell::Ground,
        };
        grid.set((x - corner.0, y - corner.1), cell);
    }
    let from_start = |(x, y): Place| (x - start.0, y - start.1);
    let (gold, wumpus) = (find(GOLD).map(from_start), find(WUMPUS).map(from_start));
    let cave = Cave::new(grid, from_start(corner), gold, wumpus);
    if cave.cell((0, 0)) != Cell::Ground || wumpus == Some((0, 0)) {
        return Err("the explorer of the level would die or be in a wall at once; put it on free ground".to_owned());
    }
    Ok(cave)
}

fn read_cells(bytes: &[u8]) -> Result<Vec<(Place, i32)>, String> {
    let wrong = || "it is not a level: a level begins with the header `WumpusWorldModelFile0.9`".to_owned();
    let rest = bytes.strip_prefix(HEADER).ok_or_else(wrong)?;
    let (integers, []) = rest.as_chunks::<4>() else {
        return Err("the level ends in the middle of a number".to_owned());
    };
    let [count, cells @ ..] = integers else { return Err("the level has no number of cells".to_owned()) };
    let count = i32::from_be_bytes(*count);
    let (cells, []) = cells.as_chunks::<3>() else { return Err("the level ends in the middle of a cell".to_owned()) };
    if i64::from(count) != cells.len() as i64 || cells.is_empty() {
        return Err(format!("the level should have {count} cells and has {}", cells.len()));
    }
    // Java stores coordinates in 32 bits; those of a cave are near 0.
    let cell = |cell: &[[u8; 4]; 3]| {
        let [x, y, contents] = cell.map(i32::from_be_bytes);
        let is_near = x.unsigned_abs() < 1_000_000 && y.unsigned_abs() < 1_000_000;
        if is_near { Ok(((x, y), contents)) } else { Err(format!("the level has a cell at ({x}, {y}), too far away")) }
    };
    cells.iter().map(cell).collect()
}
