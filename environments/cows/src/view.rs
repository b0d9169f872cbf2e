//! The pictures of the pasture, as a whole and as far as a cowboy sees it, and the choices of a person.

use situated::ontology::typed::ParameterType;
use situated::prelude::*;
use situated_grid::{Board, Place};

use crate::pasture::{Being, Direction, Ground, Team};
use crate::{Action, Cows};

const GRASS: Color = Color(196, 219, 162);
const UNSEEN: Color = Color(132, 150, 112);
const TREE: Color = Color(58, 98, 60);
const LEAVES: Color = Color(84, 132, 78);
const WOOD: Color = Color(133, 88, 48);
const POST: Color = Color(214, 188, 150);
const SWITCH: Color = Color(92, 84, 78);
const COW: Color = Color(110, 66, 36);
const SPOT: Color = Color(250, 246, 238);
const TEAMS: [Color; 2] = [Color(204, 52, 48), Color(40, 98, 190)];

/// Returns the pasture, or the part of it that a cowboy sees and its corral, which it knows.
pub(crate) fn scene<'a>(cows: &Cows, viewer: Option<usize>, name: impl Fn(usize) -> Option<&'a str>) -> Scene {
    let pasture = &cows.pasture;
    let mut board = Board::new((0, 0), pasture.size(), if viewer.is_some() { UNSEEN } else { GRASS });
    let places: Vec<Place> = match viewer {
        Some(index) => cows.view_of(index).collect(),
        None => board.places().collect(),
    };
    let height = pasture.size().1;
    // y grows to the south in the pasture, and to the north in scenes.
    let flip = |(x, y): Place| (x, height - 1 - y);
    if let (Some(_), Some(first), Some(last)) = (viewer, places.first(), places.last()) {
        let (width, height) = (f64::from(last.0 - first.0 + 1), f64::from(last.1 - first.1 + 1));
        board.bar(flip((first.0, last.1)), (0.0, 0.0), (width, height), GRASS);
    }
    for team in Team::BOTH {
        let ((west, north), (east, south)) = pasture.corral(team);
        let color = TEAMS[team as usize].lighter(0.62);
        if viewer.is_none_or(|index| pasture.cowboys[index].team == team) {
            let size = (f64::from(east - west + 1), f64::from(south - north + 1));
            board.bar(flip((west, south)), (0.0, 0.0), size, color).label = team.name().into();
        } else {
            for place in places.iter().filter(|place| pasture.ground(**place) == Some(Ground::Corral(team))) {
                board.bar(flip(*place), (0.0, 0.0), (1.0, 1.0), color);
            }
        }
    }
    for &place in &places {
        let at = flip(place);
        match pasture.ground(place) {
            None | Some(Ground::Grass | Ground::Corral(_)) => {}
            Some(Ground::Obstacle) => {
                board.tile(at, TREE);
                board.dot(at, (0.45, 0.55), 0.3, LEAVES);
            }
            Some(Ground::Switch) => {
                board.tile(at, SWITCH);
                board.dot(at, (0.5, 0.5), 0.28, Color::YELLOW);
            }
            Some(Ground::Fence(fence)) => {
                let fence = &pasture.fences[usize::from(fence)];
                if fence.is_open {
                    board.dot(at, (0.5, 0.5), 0.16, POST);
                } else if matches!(fence.direction, Direction::East | Direction::West) {
                    board.bar(at, (0.0, 0.3), (1.0, 0.4), WOOD);
                } else {
                    board.bar(at, (0.3, 0.0), (0.4, 1.0), WOOD);
                }
            }
        }
    }
    for &place in &places {
        let at = flip(place);
        match pasture.being(place) {
            None => {}
            Some(Being::Cow(_)) => {
                board.dot(at, (0.5, 0.5), 0.4, COW);
                board.dot(at, (0.4, 0.58), 0.14, SPOT);
            }
            Some(Being::Cowboy(index)) => {
                let index = usize::from(index);
                if viewer == Some(index) {
                    board.dot(at, (0.5, 0.5), 0.85, Color::YELLOW);
                }
                let color = TEAMS[pasture.cowboys[index].team as usize];
                let body = board.dot(at, (0.5, 0.5), 0.46, color);
                if let Some(name) = name(index).filter(|_| viewer.is_none_or(|viewer| viewer == index)) {
                    let number = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
                    *body = body.clone().standing_for(name).labelled(number);
                }
            }
        }
    }
    board.into_scene()
}

/// Offers to move to the cell at which a person points, or towards it, and otherwise all moves that are possible.
pub(crate) fn menu(cows: &Cows, index: usize, request: &MenuRequest) -> Menu<Action> {
    let cowboy = &cows.pasture.cowboys[index];
    if cowboy.choice.is_some() || cows.pasture.steps >= cows.steps {
        return Menu::default();
    }
    let go =
        |direction: Direction| MenuItem::direct(format!("Go {}", direction.to_parameter()), Action::Move { direction });
    let stay = || MenuItem::direct("Stay here", Action::Skip);
    let pasture = &cows.pasture;
    match request.at {
        Some((x, y)) => {
            let pointed = (x.floor() as i32, pasture.size().1 - 1 - y.floor() as i32);
            let item = Direction::towards(cowboy.place, pointed).map_or_else(stay, go);
            Menu { subject: "a cell".into(), items: vec![item] }
        }
        None => {
            let possible = |direction: &Direction| pasture.can_go(cowboy.place, *direction);
            let items = Direction::ALL.into_iter().filter(possible).map(go).chain([stay()]).collect();
            let (inside, step, last) = (pasture.count(cowboy.team), pasture.steps, cows.steps);
            Menu { subject: format!("Cows in your corral: {inside}. Step {step} of {last}.").into(), items }
        }
    }
}
