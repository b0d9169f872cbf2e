//! The pictures of the building: as a whole, and as a car sees it. A floor is two units high. From the left there are
//! the number of the floor, its call buttons, the passengers who wait, and the shafts with the cars.

use situated::iil::EcoString;
use situated::scene::{Color, Scene, Shape};

use crate::building::Building;
use crate::car::{Car, Direction, DoorState};

/// The height of a floor.
const FLOOR: f64 = 2.0;
/// The left edge of the call buttons.
const BUTTONS: f64 = 1.6;
/// The left edge of the hall.
const HALL: f64 = 2.6;
/// The width of a shaft, and of the car in it.
const SHAFT: f64 = 3.0;
const CABIN: f64 = 2.4;
const CABIN_HEIGHT: f64 = 1.6;
/// The distance between persons.
const PERSON: f64 = 0.72;
/// The greatest number of persons that are drawn in a hall.
const MOST_SHOWN: usize = 10;

const SKY: Color = Color(236, 240, 245);
const WALL: Color = Color(250, 247, 240);
const SLAB: Color = Color(120, 110, 100);
const SHAFT_COLOR: Color = Color(70, 76, 88);
const DARK: Color = Color(190, 186, 178);
const INSIDE: Color = Color(255, 236, 170);
const UP: Color = Color::GREEN;
const DOWN: Color = Color(230, 120, 30);
const COLORS: [Color; 6] =
    [Color::BLUE, Color::RED, Color(148, 103, 189), Color(23, 150, 170), Color(140, 86, 75), Color(200, 90, 160)];

/// Returns the whole building with everybody in it.
pub(crate) fn whole(building: &Building, names: impl Fn(usize) -> EcoString) -> Scene {
    let hall = PERSON * (MOST_SHOWN as f64 + 0.2);
    let mut scene = house(building, building.cars.len(), hall);
    for floor in 0..building.floors {
        let waiting = Direction::BOTH.into_iter().flat_map(|one| building.waiting(floor, one).iter().map(move |_| one));
        for (place, direction) in waiting.take(MOST_SHOWN).enumerate() {
            let x = HALL + PERSON * (place as f64 + 0.6);
            person(&mut scene, x, level(f64::from(floor)), color(direction));
        }
    }
    for (index, car) in building.cars.iter().enumerate() {
        draw_car(&mut scene, building, car, shaft(index, hall), (names(index), index));
    }
    scene
}

/// Returns what a car sees: itself and the call buttons, but neither other cars nor the people who wait.
pub(crate) fn seen_by(building: &Building, index: usize, names: impl Fn(usize) -> EcoString) -> Scene {
    let mut scene = house(building, 1, 0.0);
    draw_car(&mut scene, building, &building.cars[index], shaft(0, 0.0), (names(index), index));
    scene
}

/// Returns the floor at this height of a scene.
pub(crate) fn floor_at(building: &Building, y: f64) -> Option<u8> {
    let floor = y / FLOOR;
    (0.0..f64::from(building.floors)).contains(&floor).then_some(floor as u8)
}

fn shaft(index: usize, hall: f64) -> f64 {
    HALL + hall + 0.4 + SHAFT * index as f64
}

fn level(height: f64) -> f64 {
    height * FLOOR + 0.2
}

/// Returns the floors with their numbers and call buttons, and the shafts.
fn house(building: &Building, shafts: usize, hall: f64) -> Scene {
    let floors = building.floors;
    let (width, height) = (shaft(shafts, hall) + 0.2, f64::from(floors) * FLOOR + 0.2);
    let mut shapes = vec![Shape::rectangle(0.0, 0.0, width, height, SKY)];
    for floor in 0..floors {
        let y = f64::from(floor) * FLOOR;
        shapes.push(Shape::rectangle(0.0, y + 0.2, width, FLOOR - 0.2, WALL).standing_for(i64::from(floor) + 1));
        shapes.push(Shape::rectangle(0.2, y + 0.6, 1.0, 1.0, WALL).labelled((floor + 1).to_string()));
        shapes.extend(Direction::BOTH.map(|direction| button(floor, direction, DARK)));
    }
    shapes.extend(building.calls().map(|(floor, one)| button(floor, one, color(one)).labelled(one.name())));
    for index in 0..shafts {
        shapes.push(Shape::rectangle(shaft(index, hall), 0.0, SHAFT - 0.2, height, SHAFT_COLOR));
    }
    shapes.extend((0..=floors).map(|floor| Shape::rectangle(0.0, f64::from(floor) * FLOOR, width, 0.2, SLAB)));
    Scene { width, height, shapes }
}

fn button(floor: u8, direction: Direction, color: Color) -> Shape {
    let y = if direction == Direction::Up { 1.4 } else { 0.7 };
    Shape::circle(BUTTONS + 0.35, f64::from(floor) * FLOOR + y, 0.26, color)
}

fn draw_car(scene: &mut Scene, building: &Building, car: &Car, shaft: f64, (name, index): (EcoString, usize)) {
    // The buttons that passengers have pressed are lit at their floors.
    for floor in building.buttons(car) {
        let y = level(f64::from(floor)) + 0.6;
        scene.shapes.push(Shape::rectangle(shaft + 0.1, y, 0.25, 0.5, INSIDE));
    }
    let (x, y) = (shaft + 0.4, level(car.height()));
    let own = COLORS[index % COLORS.len()];
    scene.shapes.push(
        Shape::rectangle(x, y, CABIN - 0.2, CABIN_HEIGHT, own).labelled(name.as_str()).standing_for(name.as_str()),
    );
    let open = match car.door {
        DoorState::Closed => 0.0,
        DoorState::Opening | DoorState::Closing => 0.5,
        DoorState::Opened => 1.0,
    };
    if open > 0.0 {
        let width = (CABIN - 0.6) * open;
        scene.shapes.push(Shape::rectangle(x + (CABIN - 0.2 - width) / 2.0, y + 0.1, width, 0.9, INSIDE));
    }
    if let Some(lamp) = car.lamp {
        scene.shapes.push(Shape::circle(x + CABIN - 0.45, y + 1.3, 0.2, color(lamp)));
    }
    for place in 0..car.riders.len().min(8) {
        let x = x + 0.25 + 0.24 * place as f64;
        scene.shapes.push(Shape::circle(x, y + 0.25, 0.13, Color::BLACK));
    }
}

fn person(scene: &mut Scene, x: f64, y: f64, color: Color) {
    scene.shapes.push(Shape::rectangle(x - 0.14, y, 0.28, 0.6, color));
    scene.shapes.push(Shape::circle(x, y + 0.76, 0.17, color));
}

fn color(direction: Direction) -> Color {
    match direction {
        Direction::Up => UP,
        Direction::Down => DOWN,
    }
}
