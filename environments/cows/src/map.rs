//! Maps: random ones, and files with a line for each row from the north, and these characters: `.` grass, `#` an
//! obstacle, `r` and `b` the corrals of the teams, `R` and `B` their cowboys, `c` a cow, `s` a switch, and beside it a
//! row of `-` or a column of `|`, its fence.

use std::ops::RangeInclusive;

use situated::random::Random;
use situated_grid::{Grid, Place, bounds, read_rows};

use crate::pasture::{Corral, Direction, Fence, Ground, Pasture, Team, distance};

/// The possible numbers of rows and columns of a map.
const SIDES: RangeInclusive<usize> = 5..=200;

/// The greatest number of cowboys in a team, and of cows.
pub(crate) const MOST_COWBOYS: u8 = 20;
pub(crate) const MOST_COWS: usize = 500;

/// The number of random pastures that are tried. After these, they have fewer and fewer trees.
const ATTEMPTS: i32 = 20;

/// Reads a map. The generator decides in which steps cows move.
///
/// # Errors
/// Returns an error that says what is wrong if the text is not a map.
pub fn read(text: &str, random: &mut Random) -> Result<Pasture, String> {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let rows = read_rows(lines, &SIDES, ".#rbRBcs-|")?;
    let map = Grid::new(rows[0].len() as i32, rows.len() as i32, |(x, y)| rows[y as usize][x as usize] as u8);
    let fences = fences(&map)?;
    let fence_at = |place| fences.iter().position(|fence| fence.cells.contains(&place));
    if let Some((x, y)) = all(&map, b"-|").find(|place| fence_at(*place).is_none()) {
        return Err(format!("the fence at ({x}, {y}) has no switch; put an `s` at one of its ends"));
    }
    let ground = map.map(|place, kind| match kind {
        b'#' => Ground::Obstacle,
        b'r' => Ground::Corral(Team::Red),
        b'b' => Ground::Corral(Team::Blue),
        b's' => Ground::Switch,
        b'-' | b'|' => Ground::Fence(fence_at(place).unwrap_or_default() as u16),
        _ => Ground::Grass,
    });
    let corrals = [corral(&map, "r")?, corral(&map, "b")?];
    let [red, blue, cows, grass] = [&b"R"[..], b"B", b"c", b"."].map(|kind| all(&map, kind).count());
    for (team, number) in [("red", red), ("blue", blue)] {
        if !(1..=MOST_COWBOYS.into()).contains(&number) {
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
    map.cells().filter(|(_, kind)| kinds.contains(kind)).map(|(place, _)| place)
}

fn corral(map: &Grid<u8>, name: &'static str) -> Result<Corral, String> {
    let cells: Vec<Place> = all(map, name.as_bytes()).collect();
    let Some(((west, north), (east, south))) = bounds(cells.iter().copied()) else {
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
        let lines = Direction::STRAIGHT.into_iter().map(|side| (side, line(switch, side)));
        let mut lines = lines.filter(|(_, cells)| !cells.is_empty());
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

/// Writes a random map of a square pasture. It looks the same for both teams, and everything on it can be reached if
/// the fences are open.
pub fn random(size: u8, cowboys: u8, cows: u16, random: &mut Random) -> String {
    let mut maps = (0..).map(|attempt| draw(size.into(), cowboys.into(), cows.into(), attempt, random));
    let map = maps.find(|map| map.is_connected(|kind| !b"#s".contains(kind)));
    let map = map.expect("a pasture without trees is connected");
    let ends = |(x, _): Place| (x + 1 == i32::from(size)).then_some('\n');
    map.cells().flat_map(|(place, kind)| std::iter::once(char::from(*kind)).chain(ends(place))).collect()
}

/// Draws the half of the red team, and turns it by 180 degrees for the blue one.
fn draw(size: i32, cowboys: usize, cows: usize, attempt: i32, random: &mut Random) -> Grid<u8> {
    let mut map = Grid::new(size, size, |_| b'.');
    let mut put = |(x, y): Place, [red, blue]: [u8; 2]| {
        let free = |place: &Place| map.get(*place) == Some(&b'.');
        let places = [(x, y), (size - 1 - x, size - 1 - y)];
        let is_possible = places[0] != places[1] && places.iter().all(free);
        if is_possible {
            places.into_iter().zip([red, blue]).for_each(|(place, kind)| map.set(place, kind));
        }
        is_possible
    };
    let (depth, opening) = (size / 5, size / 4 + 1);
    let north = (size - opening) / 2;
    for y in north - 1..=north + opening {
        let (inside, gate) = match y {
            _ if y < north || y == north + opening => (b"##", b"##"),
            _ if y == north => (b"rb", b"ss"),
            _ => (b"rb", b"||"),
        };
        for x in 0..depth {
            put((x, y), *inside);
        }
        put((depth, y), *gate);
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
        if let Some(place) = all(&map, b".").min_by_key(|place| distance(*place, middle)) {
            map.set(place, b'c');
        }
    }
    map
}
