//! Robots move as in the original: in every tick of its traces they are at the same place, to all of its digits.

use crate::played::{Played, go_to};
use situated_bw4t::action::Action;
use situated_bw4t::geometry::Point;
use situated_bw4t::robot::State;

/// A row of a trace.
struct Row {
    tick: u64,
    position: Point,
    state: State,
    /// The zone that contains the robot; `None` between zones.
    zone: Option<String>,
}

/// A trace of the original; `None` if it is missing.
fn trace(name: &str) -> Option<Vec<Row>> {
    let text = crate::played::recording(name)?;
    let rows = text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    Some(rows.map(read_row).collect())
}

fn read_row(line: &str) -> Row {
    let [tick, x, y, state, zone] = line.split(',').collect::<Vec<_>>()[..] else { panic!("not a row: {line}") };
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let state = match state {
        "TRAVELING" => State::Traveling,
        "ARRIVED" => State::Arrived,
        "COLLIDED" => State::Collided,
        other => panic!("no state: {other}"),
    };
    let zone = (zone != "-").then(|| zone.to_owned());
    Row { tick: number(tick) as u64, position: Point::new(number(x), number(y)), state, zone }
}

/// Moves the robot as in the trace, and compares them in every tick.
fn compare(played: &mut Played, robot: &str, trace: &[Row]) {
    let begin = played.tick();
    for row in trace {
        while played.tick() < begin + row.tick {
            played.step();
        }
        let robot = played.robot(robot);
        let apart = robot.position.distance(row.position);
        assert!(apart <= 1e-6, "tick {}: {:?}, not {:?}", row.tick, robot.position, row.position);
        assert_eq!(robot.state, row.state, "tick {}", row.tick);
        let zone = robot.zones.first().map(|zone| played.zone(*zone));
        assert_eq!(zone, row.zone.as_deref(), "tick {}", row.tick);
    }
}

#[test]
fn check_3_to_a_room_to_a_block_and_to_the_drop_zone() {
    let mut played = Played::rainbow(1);
    played.act("Bot_1", &go_to("RoomC1")).expect("a place");
    let Some(rows) = trace("rainbow_goto_RoomC1.csv") else { return };
    compare(&mut played, "Bot_1", &rows);
    played.act("Bot_1", &Action::GoToBlock { block: 47 }).expect("a block");
    compare(&mut played, "Bot_1", &trace("rainbow_gotoblock.csv").expect("as the other"));
    played.act("Bot_1", &go_to("DropZone")).expect("a place");
    compare(&mut played, "Bot_1", &trace("rainbow_C1_to_DropZone.csv").expect("as the other"));
}

#[test]
fn a_door_is_closed() {
    let mut played = Played::rainbow(2);
    played.act("Bot_1", &go_to("RoomC1")).expect("a place");
    played.run(300);
    played.act("Bot_2", &go_to("RoomC1")).expect("a place");
    let Some(rows) = trace("rainbow_closed_door.csv") else { return };
    compare(&mut played, "Bot_2", &rows);
}
