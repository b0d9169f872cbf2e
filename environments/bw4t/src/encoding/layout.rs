//! The meanings of the numbers in an observation, and of the choices.

use crate::Color;
use crate::ground::{Ground, ZoneIndex};

/// How many of the colours that are needed next an observation tells.
pub(super) const AHEAD: usize = 6;

/// Elements about the robot itself, and about the sequence as a whole.
pub(super) const OWN: usize = 15;

/// Elements for each place.
pub(super) const PLACE: usize = 3;

/// Elements for each room beside those for each place and those for each colour.
pub(super) const MEMORY: usize = 2;

/// The meanings of the numbers in an observation on a map, and of the choices.
///
/// *Colours* are those that blocks of the map can have ([`Ground::colors`]); *looks* are these and, where some of the
/// team are colour-blind, dark gray behind them, which all blocks look like to those. *Rooms* are those that can hold
/// blocks; *places* are these, the drop zone, and the charging zones, in this order. All elements are from 0 to 1: a
/// flag is 0 or 1, and a number is a share of another one, or 1 if it is greater. An observation is:
///
/// | elements | what they tell |
/// |---|---|
/// | 2 | the robot's position, from the left and from above: of the size of the world |
/// | 3 | flags: it has arrived, is traveling, has collided |
/// | 1 | flag: something that has a name was in its way when it last stopped |
/// | 1 | the charge of its battery: of a full one |
/// | 1 | its free grippers: of all that it has |
/// | 3 | its speed: of the greatest; its size: of 5 units; its grippers: of 10 |
/// | 1 | which of the map's places to begin it has, counted from 1: of all these |
/// | 1 | the other robots that it sees in the zone where it is: of 10 |
/// | 2 | how much of the sequence has been delivered: of its length; that length: of 12 |
/// | looks | the blocks of each look that it holds: of its grippers |
/// | looks | flags: how the block looks that it would put down |
/// | 6 x colours | flags: which colour is needed now, and which after that; none behind the end of the sequence |
/// | rooms x (5 + looks) | for each room what is told of a place, and then what is told of a room |
/// | 3 x other places | for each what is told of a place |
///
/// What is told of a place are three flags: the robot is there; it is on its way there; it is a room and somebody is
/// there. What is told of a room is what lies there now if the robot is inside, and otherwise what lay there when it
/// last was: a flag that it ever was there; how many seconds that is ago, as a share of 60 more than that, or 1 for
/// never; and the blocks of each look: of 10.
///
/// Choices are to wait, to go to each place, to pick up a block of each look, and to put down a block: in this order.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    ground: &'a Ground,
    gray: bool,
}

/// A choice of a learner for a robot.
///
/// Nothing of a choice is kept in the world: it stands for one [`Action`](crate::action::Action) at the time it is made. One that is followed
/// already, since the robot is on its way, goes on: it would begin at the centre of a zone again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Goes on: on its way if it is on one, or else waits.
    Wait,
    /// Goes to a place.
    GoTo(ZoneIndex),
    /// Picks up the nearest block that looks so in the room where the robot is, if it is within reach, and goes to it
    /// otherwise: chosen again there, it picks it up.
    PickUp(Color),
    /// Puts down the block that was picked up last, wherever the robot is.
    PutDown,
}

impl Choice {
    /// As learners read it: `goTo RoomA1`, `pickUp Red`.
    pub fn describe(self, ground: &Ground) -> String {
        match self {
            Choice::Wait => "wait".to_owned(),
            Choice::GoTo(place) => format!("goTo {}", ground.zone(place).name),
            Choice::PickUp(color) => format!("pickUp {}", color.name()),
            Choice::PutDown => "putDown".to_owned(),
        }
    }
}

impl<'a> Layout<'a> {
    /// That of a map, for a team of which some are colour-blind or none.
    pub fn of(ground: &'a Ground, some_are_color_blind: bool) -> Self {
        Self { ground, gray: some_are_color_blind }
    }

    /// How many elements an observation has.
    pub fn size(&self) -> usize {
        let (colors, rooms) = (self.ground.colors().len(), self.ground.rooms().len());
        let looks = self.count_looks();
        OWN + 2 * looks + AHEAD * colors + PLACE * self.count_places() + (MEMORY + looks) * rooms
    }

    /// How many choices there are.
    pub fn actions(&self) -> usize {
        1 + self.count_places() + self.count_looks() + 1
    }

    /// All choices, in order.
    pub fn choices(self) -> impl Iterator<Item = Choice> + 'a {
        let travels = self.places().map(Choice::GoTo);
        let catches = self.looks().map(Choice::PickUp);
        [Choice::Wait].into_iter().chain(travels).chain(catches).chain([Choice::PutDown])
    }

    /// The choice with this number.
    pub fn choice(&self, number: usize) -> Option<Choice> {
        let Some(place) = number.checked_sub(1) else { return Some(Choice::Wait) };
        let Some(look) = place.checked_sub(self.count_places()) else { return self.place(place).map(Choice::GoTo) };
        match look.checked_sub(self.count_looks()) {
            None => Some(Choice::PickUp(self.ground.colors().get(look).copied().unwrap_or(Color::DarkGray))),
            Some(0) => Some(Choice::PutDown),
            Some(_) => None,
        }
    }

    /// What blocks can look like.
    pub(super) fn looks(&self) -> impl Iterator<Item = Color> + use<'a> {
        self.ground.colors().iter().copied().chain(self.gray.then_some(Color::DarkGray))
    }

    /// How many looks there are.
    pub(super) fn count_looks(&self) -> usize {
        self.ground.colors().len() + usize::from(self.gray)
    }

    /// Which of the looks this is.
    pub(super) fn column(&self, look: Color) -> Option<usize> {
        self.looks().position(|one| one == look)
    }

    /// The places that are not among [`Ground::rooms`].
    pub(super) fn other_places(&self) -> impl Iterator<Item = ZoneIndex> + use<'a> {
        [self.ground.drop_zone()].into_iter().chain(self.ground.charging_zones().iter().copied())
    }

    fn places(&self) -> impl Iterator<Item = ZoneIndex> + use<'a> {
        self.ground.rooms().iter().copied().chain(self.other_places())
    }

    fn place(&self, number: usize) -> Option<ZoneIndex> {
        let rooms = self.ground.rooms();
        match number.checked_sub(rooms.len()) {
            None => Some(rooms[number]),
            Some(0) => Some(self.ground.drop_zone()),
            Some(other) => self.ground.charging_zones().get(other - 1).copied(),
        }
    }

    fn count_places(&self) -> usize {
        self.ground.rooms().len() + 1 + self.ground.charging_zones().len()
    }
}
