//! Tests headings, cells, ways and boards.

use situated::scene::Color;
use situated_grid::{Board, Grid, Heading, beside, bounds, first_step, read_rows};

#[test]
fn turns_are_counted_the_shorter_way() {
    for heading in Heading::ALL {
        let quarters = [heading, heading.left(), heading.right(), heading.back()].map(|to| heading.quarters_to(to));
        assert_eq!(quarters, [0, 1, 1, 2], "{heading:?}");
        assert_eq!((heading.left().right(), heading.back().back()), (heading, heading));
        assert_eq!(heading.back().from(heading.from((3, 4))), (3, 4));
    }
    assert_eq!(beside((0, 0)), [(1, 0), (0, 1), (-1, 0), (0, -1)]);
}

#[test]
fn there_are_no_cells_outside_of_a_grid() {
    let mut grid = Grid::new(3, 2, |place| place);
    assert_eq!(grid.size(), (3, 2));
    assert_eq!(Grid::new(-3, 2, |place| place).size(), (0, 0));
    assert_eq!(Grid::new(3, -2, |place| place).size(), (3, 0));
    assert!(grid.places().all(|place| grid.get(place) == Some(&place)));
    for place in [(-1, 0), (3, 0), (0, -1), (0, 2), (i32::MIN, i32::MAX), (2, i32::MAX)] {
        assert_eq!(grid.get(place), None, "{place:?}");
        assert_eq!(grid.get_mut(place), None, "{place:?}");
    }
}

#[test]
fn ways_are_shortest_and_may_end_at_a_place_that_cannot_be_entered() {
    let rows = ["#####", "#...#", "#.#.#", "#...#", "#####"];
    let is_free = |(x, y): (i32, i32)| rows[(4 - y) as usize].as_bytes()[x as usize] == b'.';
    assert_eq!(first_step((1, 1), |place| place == (3, 2), is_free), Some(Heading::East));
    assert_eq!(first_step((1, 1), |place| place == (1, 3), is_free), Some(Heading::North));
    assert_eq!(first_step((1, 1), |place| place == (2, 2), is_free), Some(Heading::East));
    assert_eq!(first_step((1, 1), |place| place == (1, 1), is_free), None);
    assert_eq!(first_step((1, 1), |_| false, is_free), None);
}

#[test]
fn the_heading_towards_a_place_is_that_of_the_longer_side() {
    assert_eq!(Heading::towards((1, 1), (4, 3)), Some(Heading::East));
    assert_eq!(Heading::towards((1, 1), (-1, 3)), Some(Heading::West));
    assert_eq!(Heading::towards((1, 1), (2, 3)), Some(Heading::North));
    assert_eq!(Heading::towards((1, 1), (1, i32::MIN)), Some(Heading::South));
    assert_eq!(Heading::towards((1, 1), (1, 1)), None);
}

#[test]
fn a_board_shows_the_places_around_those_given() {
    let board = Board::around([(2, 3), (4, 3)].into_iter(), Color::BLACK);
    let scene = board.clone().into_scene();
    assert_eq!((scene.width, scene.height), (5.0, 3.0));
    assert_eq!(board.place_at((1.5, 1.5)), (2, 3));
    assert_eq!(board.place_at((-0.5, 0.0)), (0, 2));
    assert_eq!(board.place_at((1e300, -1e300)), (i32::MAX, i32::MIN + 2));
    assert_eq!(board.places().count(), 15);
}

#[test]
fn a_grid_is_connected_if_one_way_reaches_all_open_cells() {
    let is_connected = |rows: [&str; 3]| {
        Grid::new(4, 3, |(x, y)| rows[y as usize].as_bytes()[x as usize]).is_connected(|cell| *cell == b'.')
    };
    assert!(is_connected(["..#.", ".##.", "...."]));
    assert!(!is_connected(["..#.", "..#.", "..#."]));
    assert!(!is_connected(["#...", ".###", "...."]), "a diagonal is no way");
    assert!(is_connected(["####", "####", "####"]));
}

#[test]
fn cells_are_listed_around_a_place_and_copied_to_grids_of_the_same_size() {
    let mut grid = Grid::new(4, 3, |(x, y)| 10 * x + y);
    let around = |place, distance| grid.around(place, distance).collect::<Vec<_>>();
    assert_eq!(around((0, 2), 1), [(0, 1), (1, 1), (0, 2), (1, 2)]);
    assert_eq!(around((1, 1), 9).len(), 12);
    assert_eq!(around((9, 9), 2), []);
    assert_eq!(grid.map(|place, cell| (place, *cell)).get((3, 2)), Some(&((3, 2), 32)));
    grid.set((3, 2), 0);
    grid.set((4, 2), 0);
    assert_eq!(
        grid.cells().filter(|(_, cell)| **cell == 0).map(|(place, _)| place).collect::<Vec<_>>(),
        [(0, 0), (3, 2)]
    );
}

#[test]
fn bounds_are_the_corners_of_all_places() {
    assert_eq!(bounds([(2, -3), (-1, 5), (0, 0)]), Some(((-1, -3), (2, 5))));
    assert_eq!(bounds([(4, 7)]), Some(((4, 7), (4, 7))));
    assert_eq!(bounds([]), None);
}

#[test]
fn maps_that_are_wrong_are_explained() {
    let read = |text: &str| read_rows(text.lines(), &(2..=3), ".#");
    assert_eq!(read(".#\n.."), Ok(vec![vec!['.', '#'], vec!['.', '.']]));
    for (text, problem) in [
        ("", "it has 0 x 0 cells; a map has from 2 x 2 to 3 x 3"),
        ("....\n....", "it has 4 x 2 cells; a map has from 2 x 2 to 3 x 3"),
        ("..\n...", "row 2 has 3 cells, and the first 2"),
        ("..\n.\t", "row 2 contains `\\t`; a cell is one of `.#`"),
    ] {
        assert_eq!(read(text), Err(problem.to_owned()));
    }
}
