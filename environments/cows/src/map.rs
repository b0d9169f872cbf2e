//! Maps: random ones, and files with a line for each row from the north, and these characters: `.` grass, `#` an obstacle,
//! `r` and `b` the corrals of the teams, `R` and `B` their cowboys, `c` a cow, `s` a switch, and beside it a row of `-` or
//! a column of `|`, its fence.

use situated::random::Random;
use situated_grid::{Grid, Place};

use crate::pasture::{Corral, Direction, Fence, Ground, Pasture, Team, distance};

/// The smallest and the greatest number of rows and columns of a map.
const SIZES: std::ops::RangeInclusive<usize> = 5..=200;

/// The greatest number of cowboys in a team, and of cows.
pub(crate) const MOST_COWBOYS: usize = 20;
pub(crate) const MOST_COWS: usize = 500;

/// The number of random pastures that are tried. After these, they have fewer and fewer trees.
const ATTEMPTS: i32 = 20;

/// Reads a map. The generator decides in which steps cows move.
///
/// # Errors
/// Returns an error that says what is wrong if the text is not a map.
pub fn read(text: &str, random: &mut Random) -> Result<Pasture, String> {
    let rows: Vec<&[u8]> = text.lines().map(|line| line.trim_end().as_bytes()).filter(|row| !row.is_empty()).collect();
    let (height, width) = (rows.len(), rows.first().map_or(0, |row| row.len()));
    if !SIZES.contains(&height) || !SIZES.contains(&width) {
        let (least, most) = (SIZES.start(), SIZES.end());
        return Err(format!("it has {width} x {height} cells; a map has from {least} x {least} to {most} x {most}"));
    }
    for (row, number) in rows.iter().zip(1..) {
        if row.len() != width {
            return Err(format!("row {number} has {} cells, and the first {width}", row.len()));
        }
        if let Some(other) = row.iter().find(|one| !b".#rbRBcs-|".contains(one)) {
            let other = char::from(*other).escape_default();
            return Err(format!("row {number} contains `{other}`; a cell is one of . # r b R B c s - |"));
        }
    }
    let map = Grid::new(width as u16, height as u16, |(x, y)| rows[y as usize][x as usize]);
    let fences = fences(&map)?;
    let fence_at = |place| fences.iter().position(|fence| fence.cells.contains(&place));
    if let Some((x, y)) = all(&map, b"-|").find(|place| fence_at(*place).is_none()) {
        return Err(format!("the fence at ({x}, {y}) has no switch; put an `s` at one of its ends"));
    }
    let ground = Grid::new(width as u16, height as u16, |place| match *map.get(place).unwrap_or(&b'#') {
        b'#' => Ground::Obstacle,
        b'r' => Ground::Corral(Team::Red),
        b'b' => Ground::Corral(Team::Blue),
        b's' => Ground::Switch,
        b'-' | b'|' => Ground::Fence(fence_at(place).unwrap_or_default() as u16),
        _ => Ground::Grass,
    });
    let corrals = [corral(&map, b'r')?, corral(&map, b'b')?];
    let [red, blue, cows, grass] = [&b"R"[..], b"B", b"c", b"."].map(|kind| all(&map, kind).count());
    for (team, number) in [("red", red), ("blue", blue)] {
        if !(1..=MOST_COWBOYS).contains(&number) {
            return Err(format!("the {team} team has {number} cowboys; it must have from 1 to {MOST_COWBOYS}"));
        }
    }
    if cows > MOST_COWS || grass == 0 {
        return Err(format!("it has {cows} cows, at most {MOST_COWS}, and {grass} free cells, at least 1"));
    }
    let team = |team: Team, kind| all(&map, kind).map(move |place| (team, place));
    let cowboys = team(Team::Red, b"R").chain(team(Team::Blue, b"B"));
    Ok(Pasture::new(&ground, corrals, fences, cowboys, all(&map, b"c"), random))
}

/// Returns the places of these kinds of cells, row by row.
fn all<'a>(map: &'a Grid<u8>, kinds: &'static [u8]) -> impl Iterator<Item = Place> + 'a {
    map.places().filter(|place| map.get(*place).is_some_and(|kind| kinds.contains(kind)))
}

fn corral(map: &Grid<u8>, kind: u8) -> Result<Corral, String> {
    let cells: Vec<Place> = map.places().filter(|place| map.get(*place) == Some(&kind)).collect();
    let bounds = |of: fn(&Place) -> i32| (cells.iter().map(of).min(), cells.iter().map(of).max());
    let name = char::from(kind);
    let ((Some(west), Some(east)), (Some(north), Some(south))) = (bounds(|place| place.0), bounds(|place| place.1))
    else {
        return Err(format!("it has no corral of `{name}`; each team has one"));
    };
    if cells.len() as i32 != (east - west + 1) * (south - north + 1) {
        return Err(format!("the cells of the corral `{name}` are no rectangle; fill it, and let nobody start in it"));
    }
    Ok(((west, north), (east, south)))
}

fn fences(map: &Grid<u8>) -> Result<Vec<Fence>, String> {
    let line = |switch: Place, direction: Direction| -> Vec<Place> {
        let kind = if matches!(direction, Direction::East | Direction::West) { b'-' } else { b'|' };
        let cells = std::iter::successors(Some(direction.from(switch)), |place| Some(direction.from(*place)));
        cells.take_while(|place| map.get(*place) == Some(&kind)).collect()
    };
    let mut fences: Vec<Fence> = Vec::new();
    for switch in all(map, b"s") {
        let sides = [Direction::North, Direction::East, Direction::South, Direction::West];
        let mut lines = sides.into_iter().map(|side| (side, line(switch, side))).filter(|(_, cells)| !cells.is_empty());
        let (Some((direction, cells)), None) = (lines.next(), lines.next()) else {
            return Err(format!("the switch at {switch:?} must have one fence beside it, a row of - or a column of |"));
        };
        if let Some(other) = fences.iter().find(|other| other.cells.contains(&cells[0])) {
            return Err(format!("the switches at {:?} and {switch:?} have the same fence", other.switch));
        }
        fences.push(Fence { switch, direction, cells, is_open: false });
    }
    Ok(fences)
}

/// Writes a random map of a square pasture. It looks the same for both teams, and everything on it can be reached if the
/// fences are open.
pub fn random(size: u8, cowboys: u8, cows: u16, random: &mut Random) -> String {
    (0..).map(|attempt| draw(size.into(), cowboys.into(), cows.into(), attempt, random)).find(is_connected).map_or_else(
        String::new,
        |map| {
            let row =
                |y| (0..i32::from(size)).map(|x| char::from(*map.get((x, y)).unwrap_or(&b'.'))).collect::<String>();
            (0..i32::from(size)).map(|y| row(y) + "\n").collect()
        },
    )
}

/// Draws the half of the red team, and turns it by 180 degrees for the blue one.
fn draw(size: i32, cowboys: usize, cows: usize, attempt: i32, random: &mut Random) -> Grid<u8> {
    let mut map = Grid::new(size as u16, size as u16, |_| b'.');
    let mut put = |(x, y): Place, [red, blue]: [u8; 2]| {
        let free = |place: &Place| map.get(*place) == Some(&b'.');
        let places = [(x, y), (size - 1 - x, size - 1 - y)];
        let is_possible = places[0] != places[1] && places.iter().all(free);
        if is_possible {
            for (place, kind) in places.into_iter().zip([red, blue]) {
                *map.get_mut(place).expect("it is in the grid") = kind;
            }
        }
        is_possible
    };
    let (depth, opening) = (size / 5, size / 4 + 1);
    let north = (size - opening) / 2;
    for y in north - 1..=north + opening {
        let is_wall = y < north || y == north + opening;
        for x in 0..depth {
            put((x, y), if is_wall { *b"##" } else { *b"rb" });
        }
        put(
            (depth, y),
            if is_wall {
                *b"##"
            } else if y == north {
                *b"ss"
            } else {
                *b"||"
            },
        );
    }
    let gate = (depth + 3, size / 2);
    let mut starts: Vec<Place> =
        (depth + 2..size).flat_map(|x| (1..size - 1).step_by(2).map(move |y| (x, y))).collect();
    starts.sort_by_key(|place| (distance(*place, gate), *place));
    let mut missing = cowboys;
    for place in starts {
        missing -= usize::from(missing > 0 && put(place, *b"RB"));
    }
    let mut between = |from: i32, to: i32| from + random.index((to - from).max(1) as usize) as i32;
    for _ in 0..size * size / 300 * (ATTEMPTS - attempt / ATTEMPTS).max(0) / ATTEMPTS {
        let (x, y) = (between(depth + 4, size / 2 + 3), between(1, size - 1));
        for place in [(x, y), (x + 1, y), (x, y + 1), (x + between(-1, 2), y + between(-1, 2))] {
            put(place, *b"##");
        }
    }
    let mut herd = (0, 0);
    for cow in 0..cows / 2 {
        if cow % 8 == 0 {
            herd = (between(depth + 7, size / 2 + 1), between(3, size - 3));
        }
        let near = |between: &mut dyn FnMut(i32, i32) -> i32, reach: i32| {
            (herd.0 + between(-reach, reach + 1), herd.1 + between(-reach, reach + 1))
        };
        (0..).map(|tries| near(&mut between, 2 + tries / 8)).find(|place| put(*place, *b"cc"));
    }
    if cows % 2 == 1 {
        let middle = (size / 2, size / 2);
        let free = map.places().filter(|place| map.get(*place) == Some(&b'.'));
        if let Some(place) = free.min_by_key(|place| distance(*place, middle)) {
            *map.get_mut(place).expect("it is in the grid") = b'c';
        }
    }
    map
}

fn is_connected(map: &Grid<u8>) -> bool {
    let is_open = |place: &Place| map.get(*place).is_some_and(|kind| !b"#s".contains(kind));
    let mut reached = Grid::new(map.size().0 as u16, map.size().1 as u16, |_| false);
    let mut open: Vec<Place> = map.places().find(is_open).into_iter().collect();
    while let Some(place) = open.pop() {
        if !std::mem::replace(reached.get_mut(place).expect("it is in the grid"), true) {
            let beside = [Direction::North, Direction::East, Direction::South, Direction::West];
            open.extend(beside.into_iter().map(|side| side.from(place)).filter(is_open));
        }
    }
    map.places().all(|place| !is_open(&place) || reached.get(place) == Some(&true))
}
