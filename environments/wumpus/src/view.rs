//! The pictures of the cave, as a whole and as far as the explorer knows it, and the choices of a person. A cell is a
//! square of one unit.

use situated::iil::EcoString;
use situated::prelude::*;
use situated_grid::Board;

use crate::cave::{Cave, Cell, End, Heading, Place, Side};
use crate::notes::{Note, Notes};
use crate::{Action, NAME};

const ROCK: Color = Color(44, 42, 50);
const GROUND: Color = Color(232, 224, 208);
const DARK: Color = Color(92, 88, 100);
const SAFE: Color = Color(196, 222, 188);
const BREEZE: Color = Color(120, 180, 220);
const STENCH: Color = Color(150, 170, 60);
const WUMPUS: Color = Color(140, 40, 110);
const DEAD: Color = Color(170, 150, 165);

fn senses(board: &mut Board, place: Place, breeze: bool, stench: bool) {
    if breeze {
        board.dot(place, (0.2, 0.8), 0.12, BREEZE);
    }
    if stench {
        board.dot(place, (0.8, 0.8), 0.12, STENCH);
    }
}

/// Draws the entrance and the explorer.
fn finish(mut board: Board, cave: &Cave) -> Scene {
    board.bar((0, 0), (0.08, 0.06), (0.36, 0.1), Color::GREEN);
    if cave.end != Some(End::ClimbedOut) {
        let body = if cave.end.is_some() { DEAD } else { Color::BLUE };
        board.piece(cave.place, cave.heading, body, NAME);
    }
    board.into_scene()
}

/// Returns the whole cave.
pub(crate) fn whole(cave: &Cave) -> Scene {
    let (corner, (width, height)) = (cave.corner, cave.size());
    let mut board = Board::new((corner.0 - 1, corner.1 - 1), (width + 2, height + 2), ROCK);
    for place in board.places().filter(|place| cave.cell(*place) != Cell::Wall) {
        board.tile(place, GROUND);
        if cave.cell(place) == Cell::Pit {
            board.dot(place, (0.5, 0.5), 0.38, Color::BLACK).label = "pit".into();
        }
        senses(&mut board, place, cave.is_beside_pit(place), cave.is_beside_wumpus(place));
    }
    if let Some(place) = cave.wumpus {
        board.dot(place, (0.5, 0.5), 0.36, if cave.is_wumpus_alive { WUMPUS } else { DEAD }).label = "wumpus".into();
    }
    if let Some(place) = cave.gold {
        board.dot(place, (0.5, 0.22), 0.16, Color::YELLOW).label = "gold".into();
    }
    finish(board, cave)
}

/// Returns the board for what the explorer knows.
fn known(notes: &Notes) -> Board {
    Board::around(notes.cells().map(|(place, _)| place).chain([(0, 0)]), ROCK)
}

/// Returns what the explorer knows: the cells that it has visited, walls, and the cells beside these, green if safe.
pub(crate) fn seen(cave: &Cave, notes: &Notes) -> Scene {
    let mut board = known(notes);
    board.pave(DARK);
    for place in notes.frontier() {
        board.tile(place, SAFE);
    }
    for (place, note) in notes.cells() {
        match note {
            Note::Wall => {
                board.tile(place, ROCK);
            }
            Note::Visited { breeze, stench } => {
                board.tile(place, GROUND);
                senses(&mut board, place, breeze, stench);
            }
        }
    }
    if cave.glitter() && cave.end.is_none() {
        board.dot(cave.place, (0.5, 0.15), 0.12, Color::YELLOW).label = "gold".into();
    }
    finish(board, cave)
}

/// Returns what the explorer notices, in words.
fn state(cave: &Cave) -> EcoString {
    let notices = [
        (cave.bump, "You ran into a wall."),
        (cave.scream, "A scream: the Wumpus is dead."),
        (cave.glitter(), "Gold glitters here."),
        (cave.has_gold, "You have the gold."),
        (cave.breeze(), "A breeze: a pit is beside you."),
        (cave.stench(), "A stench: the Wumpus is beside you."),
    ];
    let sentences: Vec<&str> = notices.into_iter().filter(|(holds, _)| *holds).map(|(_, sentence)| sentence).collect();
    if sentences.is_empty() { "You notice nothing.".into() } else { sentences.join(" ").into() }
}

/// Offers all actions that make sense. At a point, it offers a turn towards it, or a step if it lies ahead; at the
/// explorer, what can be done in its cell.
pub(crate) fn menu(cave: &Cave, notes: &Notes, request: &MenuRequest) -> Menu<Action> {
    if cave.end.is_some() {
        return Menu::default();
    }
    let towards = request.at.map(|at| Heading::towards(cave.place, known(notes).place_at(at)));
    let turn = |side| Action::Turn { side };
    let ahead = cave.heading;
    // Label, action, whether it makes sense, and the directions in which a click means it (`None`: the own cell).
    let all = [
        ("Go forward", Action::Forward, true, vec![Some(ahead)]),
        ("Turn left", turn(Side::Left), true, vec![Some(ahead.left())]),
        ("Turn right", turn(Side::Right), true, vec![Some(ahead.right()), Some(ahead.back())]),
        ("Grab the gold", Action::Grab, cave.glitter(), vec![None]),
        ("Shoot the arrow", Action::Shoot, cave.has_arrow, vec![]),
        ("Climb out", Action::Climb, cave.place == (0, 0), vec![None]),
    ];
    let offered = all.into_iter().filter(|(_, _, makes_sense, directions)| {
        *makes_sense && towards.is_none_or(|direction| directions.contains(&direction))
    });
    let items = offered.map(|(label, action, ..)| MenuItem::direct(label, action)).collect();
    let subject = if towards.is_some() { "a cell".into() } else { state(cave) };
    Menu { subject, items }
}
