//! Floors: random ones, and level files of the original (`.vwl`), which have a line for each row from the north: blank
//! for a clean square, `.` for dust, `X` for an obstacle, `n`, `e`, `s` or `w` for a robot that looks there, and
//! capital letters for one on dust. Empty lines and those that begin with `#` are skipped.

use std::ops::RangeInclusive;

use situated::random::Random;
use situated_grid::{Grid, Heading, Place, read_rows};

use crate::floor::{Floor, Square};

/// The greatest number of robots.
pub(crate) const MOST_ROBOTS: usize = 8;

/// The possible numbers of rows and columns in a level file.
const SIDES: RangeInclusive<usize> = 1..=100;

/// The number of random floors that are tried. After these, they have fewer and fewer obstacles.
const ATTEMPTS: usize = 100;

/// Reads a level file.
///
/// # Errors
/// Returns an error that says what is wrong if the text is not a level.
pub fn read(text: &str) -> Result<Floor, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = read_rows(lines, &SIDES, " .XnNeEsSwW")?;
    let (height, width) = (rows.len(), rows[0].len());
    let at = |(x, y): Place| rows[height - 1 - y as usize][x as usize];
    let squares = Grid::new(width as i32, height as i32, |place| match at(place) {
        'X' => Square::Obstacle,
        '.' | 'N' | 'E' | 'S' | 'W' => Square::Dust,
        _ => Square::Clean,
    });
    // Robots have their names in the order of the original: column by column, each from the north.
    let places = (0..width as i32).flat_map(|x| (0..height as i32).rev().map(move |y| (x, y)));
    let heading = |place: Place| match at(place).to_ascii_lowercase() {
        'n' => Some(Heading::North),
        'e' => Some(Heading::East),
        's' => Some(Heading::South),
        'w' => Some(Heading::West),
        _ => None,
    };
    let robots: Vec<(Place, Heading)> = places.filter_map(|place| Some((place, heading(place)?))).collect();
    if !(1..=MOST_ROBOTS).contains(&robots.len()) {
        return Err(format!("it has {} robots; a level has from 1 to {MOST_ROBOTS}", robots.len()));
    }
    Ok(Floor::new(squares, robots))
}

/// Creates a random floor for so many robots, with the numbers of the original: for each robot, 32 squares, of which 2
/// are obstacles and 8 dusty. Every square can be reached from every other one.
pub(crate) fn random(robots: usize, random: &mut Random) -> Floor {
    let area = 32.0 * robots as f64;
    let (width, height) = ((2.0 * area).sqrt().round() as i32, (0.5 * area).sqrt().round() as i32);
    for attempt in 0.. {
        let obstacles = 2 * robots - (2 * robots).min(attempt / ATTEMPTS);
        let mut squares = Grid::new(width, height, |_| Square::Clean);
        let mut places: Vec<Place> = squares.places().collect();
        random.shuffle(&mut places);
        let contents = [(Square::Obstacle, obstacles), (Square::Dust, 8 * robots)];
        let contents = contents.into_iter().flat_map(|(square, count)| std::iter::repeat_n(square, count));
        for (place, square) in places.iter().zip(contents) {
            squares.set(*place, square);
        }
        if !squares.is_connected(|square| *square != Square::Obstacle) {
            continue;
        }
        let mut free: Vec<Place> = places.split_off(obstacles);
        random.shuffle(&mut free);
        let robots = free.into_iter().take(robots).map(|place| (place, Heading::ALL[random.index(4)])).collect();
        return Floor::new(squares, robots);
    }
    unreachable!("a floor without obstacles is connected")
}
