//! The choices of a person who plays a car: to go to the floor at which they point, or to a lit button.

use situated::iil::EcoString;
use situated::menu::{Menu, MenuItem, MenuRequest};

use crate::building::Building;
use crate::car::Direction;
use crate::{Action, scene};

pub(crate) fn menu(building: &Building, car: usize, request: &MenuRequest) -> Menu<Action> {
    let mut items = Vec::new();
    match request.at {
        Some((_, y)) => {
            let Some(floor) = scene::floor_at(building, y) else { return Menu::default() };
            for direction in Direction::BOTH {
                items.push(go(&[], format!("Go there, then {}", direction.name()), floor, direction));
            }
            Menu { subject: EcoString::from(format!("floor {}", floor + 1)), items }
        }
        None => {
            for (floor, direction) in building.calls() {
                let label = format!("Floor {}, then {}", floor + 1, direction.name());
                items.push(go(&["Somebody waits"], label, floor, direction));
            }
            let car = &building.cars[car];
            for floor in building.buttons(car) {
                let direction = Direction::between(car.height() as u8, floor);
                let label = format!("Floor {}, then {}", floor + 1, direction.name());
                items.push(go(&["A passenger wants to"], label, floor, direction));
            }
            Menu { subject: EcoString::new(), items }
        }
    }
}

fn go(sections: &[&str], label: String, floor: u8, direction: Direction) -> MenuItem<Action> {
    let sections = sections.iter().map(|title| EcoString::from(*title)).collect();
    MenuItem { sections, label: label.into(), direct: true, action: Action::Goto { floor: floor + 1, direction } }
}
