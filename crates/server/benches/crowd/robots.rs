//! Thousands of robots of Blocks World for Teams on one map.

use situated_bw4t::Bw4t;
use situated_bw4t::map::Map;
use situated_server::Kinds;
use situated_wire::methods::CreateEnvironment;

/// Number of robots.
pub(crate) const ROBOTS: usize = 5_000;

/// Rows and columns of rooms.
const ROOMS: (usize, usize) = (30, 30);

/// The name of the environment.
pub(crate) const NAME: &str = "bw4t";

fn map() -> Map {
    let (rows, columns) = ROOMS;
    Map::generated(rows, columns, ROBOTS, 2)
}

pub(crate) fn kinds() -> Kinds {
    Kinds::new().with_environment::<Bw4t>()
}

/// The environment. Its robots can pass through each other.
pub(crate) fn environment() -> CreateEnvironment {
    let parameters = [
        ("map".to_owned(), map().to_xml().as_str().into()),
        ("robots".to_owned(), (ROBOTS as i64).into()),
        ("collisions".to_owned(), "off".into()),
    ];
    CreateEnvironment { parameters: parameters.into(), start: true, ..CreateEnvironment::new(NAME) }
}

/// Returns an action that sometimes sends the robot to another hall.
pub(crate) fn action(robot: usize, time: usize) -> String {
    let (row, column) = ((robot + time / 5) % ROOMS.0 + 1, char::from(b'A' + ((robot / 7) % 26) as u8));
    format!(r#"{{"name":"goTo","args":["Room{column}{row}"]}}"#)
}
