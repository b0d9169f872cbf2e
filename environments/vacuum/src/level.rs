//! Floors: random ones, and level files of the original (`.vwl`), which have a line for each row from the north: blank for
//! a clean square, `.` for dust, `X` for an obstacle, `n`, `e`, `s` or `w` for a robot that looks there, and capital letters
//! for one on dust. Empty lines and those that begin with `#` are skipped.

use situated::random::Random;
use situated_grid::{Grid, Heading, Place, beside};

use crate::floor::{Floor, Square};

/// The greatest number of robots.
pub(crate) const MOST_ROBOTS: usize = 8;

/// The greatest number of rows and columns in a level file.
const LARGEST: usize = 100;

/// The number of random floors that are tried. After these, they have fewer and fewer obstacles.
const ATTEMPTS: usize = 100;

/// Reads a level file.
///
/// # Errors
/// Returns an error that names the line if the text is not a level.
pub fn read(text: &str) -> Result<Floor, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let rows: Vec<(usize, Vec<char>)> = lines.map(|(number, line)| (number + 1, line.chars().collect())).collect();
    let (height, width) = (rows.len(), rows.first().map_or(0, |(_, row)| row.len()));
    if !(2..=LARGEST).contains(&height) || !(2..=LARGEST).contains(&width) {
        return Err(format!("it has {width} x {height} squares; a level has from 2 x 2 to {LARGEST} x {LARGEST}"));
    }
    for (number, row) in &rows {
        if row.len() != width {
            return Err(format!("line {number} has {} squares, and the first {width}; fill it with blanks", row.len()));
        }
        if let Some(wrong) = row.iter().find(|square| !" .XnNeEsSwW".contains(**square)) {
            return Err(format!(
                "line {number} contains `{}`; squares are blank, `.`, `X` and n, e, s, w",
                wrong.escape_debug()
            ));
        }
    }
    let at = |(x, y): Place| rows[height - 1 - y as usize].1[x as usize];
    let squares = Grid::new(width as u16, height as u16, |place| match at(place) {
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

/// Creates a random floor for so many robots, with the numbers of the original: for each robot, 32 squares, of which 2 are
/// obstacles and 8 dusty. Every square can be reached from every other one.
pub(crate) fn random(robots: usize, random: &mut Random) -> Floor {
    let area = 32.0 * robots as f64;
    let (width, height) = ((2.0 * area).sqrt().round() as u16, (0.5 * area).sqrt().round() as u16);
    for attempt in 0.. {
        let obstacles = 2 * robots - (2 * robots).min(attempt / ATTEMPTS);
        let mut squares = Grid::new(width, height, |_| Square::Clean);
        let mut places: Vec<Place> = squares.places().collect();
        random.shuffle(&mut places);
        let contents = [(Square::Obstacle, obstacles), (Square::Dust, 8 * robots)];
        let contents = contents.into_iter().flat_map(|(square, count)| std::iter::repeat_n(square, count));
        for (place, square) in places.iter().zip(contents) {
            squares.get_mut(*place).into_iter().for_each(|one| *one = square);
        }
        if !is_connected(&squares) {
            continue;
        }
        let mut free: Vec<Place> = places.split_off(obstacles);
        random.shuffle(&mut free);
        let robots = free.into_iter().take(robots).map(|place| (place, Heading::ALL[random.index(4)])).collect();
        return Floor::new(squares, robots);
    }
    unreachable!("a floor without obstacles is connected")
}

fn is_connected(squares: &Grid<Square>) -> bool {
    let is_free = |place: Place| squares.get(place).is_some_and(|square| *square != Square::Obstacle);
    let mut reached = Grid::new(squares.size().0 as u16, squares.size().1 as u16, |_| false);
    let mut open: Vec<Place> = squares.places().find(|place| is_free(*place)).into_iter().collect();
    while let Some(place) = open.pop() {
        if reached.get_mut(place).is_some_and(|reached| !std::mem::replace(reached, true)) {
            open.extend(beside(place).into_iter().filter(|next| is_free(*next)));
        }
    }
    squares.places().all(|place| !is_free(place) || reached.get(place) == Some(&true))
}
