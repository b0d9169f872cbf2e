//! Places and directions. x grows to the east, and y to the north, as in scenes.

use serde::{Deserialize, Serialize};
use situated::ParameterType;

/// A place: x and y.
pub type Place = (i32, i32);

/// A direction along a row or a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ParameterType)]
#[parameter(all)]
pub enum Heading {
    // Counterclockwise.
    /// To greater x.
    #[default]
    East,
    /// To greater y.
    North,
    /// To smaller x.
    West,
    /// To smaller y.
    South,
}

impl Heading {
    /// Returns the direction from a place to another one, along the longer side of the way; `None` if they are the
    /// same.
    pub fn towards(from: Place, to: Place) -> Option<Heading> {
        let (east, north) = (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1));
        let is_wide = east.unsigned_abs() >= north.unsigned_abs();
        let step = if is_wide { (east.signum(), 0) } else { (0, north.signum()) };
        Self::ALL.into_iter().find(|heading| heading.from((0, 0)) == step)
    }

    /// Returns the heading after a quarter turn to the left.
    pub fn left(self) -> Heading {
        Self::ALL[(self as usize + 1) % 4]
    }

    /// Returns the heading after a quarter turn to the right.
    pub fn right(self) -> Heading {
        Self::ALL[(self as usize + 3) % 4]
    }

    /// Returns the opposite heading.
    pub fn back(self) -> Heading {
        Self::ALL[(self as usize + 2) % 4]
    }

    /// Returns the number of quarter turns to another heading: 0, 1 or 2.
    pub fn quarters_to(self, other: Heading) -> u8 {
        match (other as u8 + 4 - self as u8) % 4 {
            3 => 1,
            quarters => quarters,
        }
    }

    /// Returns the place beside another one.
    pub fn from(self, (x, y): Place) -> Place {
        let (right, up) = [(1, 0), (0, 1), (-1, 0), (0, -1)][self as usize];
        (x + right, y + up)
    }
}

/// Returns the corners of the smallest rectangle with all these places: the smallest x and y, and the greatest ones.
/// Returns `None` if there are no places.
pub fn bounds(places: impl IntoIterator<Item = Place>) -> Option<(Place, Place)> {
    places
        .into_iter()
        .map(|place| (place, place))
        .reduce(|(low, high), ((x, y), _)| ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y))))
}

/// Returns the four places beside a place.
pub fn beside(place: Place) -> [Place; 4] {
    Heading::ALL.map(|heading| heading.from(place))
}
