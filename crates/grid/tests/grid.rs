//! Tests headings, cells, ways and boards.

use situated::scene::Color;
use situated_grid::{Board, Grid, Heading, beside, first_step};

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
