//! The pictures of the floor, as a whole and as a robot has seen it so far, and the choices of a person.

use situated::iil::EcoString;
use situated::prelude::*;
use situated_grid::{Board, Heading, Place};

use crate::floor::{Floor, Robot, Sight, Square, Task};
use crate::{Action, Light, NAMES, Way};

const GROUT: Color = Color(150, 158, 170);
const TILE: Color = Color(238, 241, 246);
const FURNITURE: Color = Color(110, 82, 58);
const UNKNOWN: Color = Color(92, 98, 110);
const DUST: [Color; 3] = [Color(168, 140, 100), Color(142, 116, 82), Color(190, 164, 122)];
const OTHER: Color = Color(120, 126, 138);
const COLORS: [Color; NAMES.len()] = [
    Color(217, 70, 70),
    Color(226, 170, 20),
    Color(30, 160, 205),
    Color(214, 110, 150),
    Color(62, 155, 80),
    Color(232, 125, 45),
    Color(104, 112, 128),
    Color(150, 85, 175),
];

/// Returns the whole floor.
pub(crate) fn whole(floor: &Floor) -> Scene {
    let mut board = Board::new((0, 0), floor.size(), GROUT);
    for place in board.places() {
        let sight = match floor.square(place) {
            Square::Obstacle => Sight::Obstacle,
            Square::Dust => Sight::Dust,
            Square::Clean => Sight::Empty,
        };
        draw_square(&mut board, place, sight);
    }
    for (index, robot) in floor.robots.iter().enumerate() {
        draw_robot(&mut board, robot, index);
    }
    board.into_scene()
}

/// Returns the squares that a robot has seen, as it last saw them.
pub(crate) fn seen(floor: &Floor, index: usize) -> Board {
    let robot = &floor.robots[index];
    let known = || robot.known.cells().filter_map(|(place, sight)| Some((place, (*sight)?)));
    let mut board = Board::around(known().map(|(place, _)| place), GROUT);
    board.pave(UNKNOWN);
    known().for_each(|(place, sight)| draw_square(&mut board, place, sight));
    draw_robot(&mut board, robot, index);
    board
}

fn draw_square(board: &mut Board, place: Place, sight: Sight) {
    if sight == Sight::Obstacle {
        board.tile(place, FURNITURE);
        return;
    }
    board.tile(place, TILE);
    match sight {
        Sight::Dust => {
            for ((at, radius), color) in
                [((0.3, 0.34), 0.15), ((0.66, 0.3), 0.11), ((0.54, 0.68), 0.17)].into_iter().zip(DUST)
            {
                board.dot(place, at, radius, color);
            }
        }
        Sight::Vac => {
            board.dot(place, (0.5, 0.5), 0.3, OTHER);
        }
        _ => {}
    }
}

/// Draws a robot, on its way between two squares if it moves, with a ring if its light is on.
fn draw_robot(board: &mut Board, robot: &Robot, index: usize) {
    let (x, y) = robot.place;
    let done = if robot.task == Task::Move { 1.0 - f64::from(robot.left) / f64::from(robot.steps) } else { 0.0 };
    let (right, up) = robot.heading.from((0, 0));
    let at = (f64::from(x) + done * f64::from(right), f64::from(y) + done * f64::from(up));
    if robot.has_light {
        board.glow(at, Color::YELLOW);
    }
    let body = board.piece(at, robot.heading, COLORS[index], NAMES[index]);
    body.label = NAMES[index].into();
}

/// Offers to go to the square at which a person points, along its row or column, and what the robot can do where it is.
pub(crate) fn menu(floor: &Floor, index: usize, request: &MenuRequest) -> Menu<Action> {
    let robot = &floor.robots[index];
    if robot.task != Task::None {
        return Menu::default();
    }
    let moving = |direction, distance| Action::Move { direction, distance: Some(distance) };
    let is_dusty = floor.square(robot.place) == Square::Dust;
    let clean = is_dusty.then(|| MenuItem::direct("Clean this square", Action::Clean));
    let Some(at) = request.at else {
        let light = if robot.has_light { ("off", Light::Off) } else { ("on", Light::On) };
        let items = clean.into_iter().chain([
            MenuItem::direct("Go forward", moving(Way::Forward, 1)),
            MenuItem::direct("Turn left", moving(Way::Left, 0)),
            MenuItem::direct("Turn right", moving(Way::Right, 0)),
            MenuItem::direct("Turn around", moving(Way::Back, 0)),
            MenuItem::direct(format!("Switch the light {}", light.0), Action::Light { state: light.1 }),
        ]);
        return Menu { subject: EcoString::new(), items: items.collect() };
    };
    let place = seen(floor, index).place_at(at);
    let (east, north) = (place.0 - robot.place.0, place.1 - robot.place.1);
    if (east, north) == (0, 0) {
        return Menu { subject: EcoString::from(NAMES[index]), items: clean.into_iter().collect() };
    }
    let legs = [
        (east, if east > 0 { Heading::East } else { Heading::West }),
        (north, if north > 0 { Heading::North } else { Heading::South }),
    ];
    let mut legs: Vec<(i32, Heading)> = legs.into_iter().filter(|(squares, _)| *squares != 0).collect();
    legs.sort_by_key(|(squares, _)| -squares.abs());
    let go = |(squares, heading): (i32, Heading)| {
        let label = format!("Go {} to the {}", squares.abs(), format!("{heading:?}").to_lowercase());
        MenuItem::direct(label, moving(Way::to(heading), squares.unsigned_abs() as u16))
    };
    Menu { subject: EcoString::from("a square"), items: legs.into_iter().map(go).collect() }
}
