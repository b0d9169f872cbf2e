//! The meanings of the numbers in an observation, and of the choices.

use crate::Color;
use crate::ground::{Ground, ZoneIndex};

/// Number of next colours of the sequence that an observation contains.
pub(super) const AHEAD: usize = 6;

/// Number of elements about the robot itself, and about the sequence.
pub(super) const OWN: usize = 15;

/// Number of elements for each place.
pub(super) const PLACE: usize = 3;

/// Number of additional elements for each room, without those for each colour.
pub(super) const MEMORY: usize = 2;

/// The meanings of the elements about the robot itself, and about the sequence.
const OWN_MEANINGS: [&str; OWN] = [
    "position from the left",
    "position from the top",
    "has arrived",
    "is traveling",
    "has collided",
    "an obstacle was in its way when it last stopped",
    "charge of the battery",
    "free grippers",
    "speed",
    "size",
    "grippers",
    "number of its starting point",
    "other visible robots in its zone",
    "delivered part of the sequence",
    "length of the sequence",
];

/// The meanings of the elements of a place.
const PLACE_MEANINGS: [&str; PLACE] = ["is here", "is on its way here", "is occupied"];

/// The meanings of the additional elements of a room, without those for each colour.
const MEMORY_MEANINGS: [&str; MEMORY] = ["was visited", "age of the last visit"];

/// The meanings of the numbers in an observation on a map, and of the choices.
///
/// *Colours* are the possible colours of blocks on the map ([`Ground::colors`]). *Looks* are these and, if some
/// robots of the team are colour-blind, dark gray at the end, which is the look of all blocks to such robots. *Rooms*
/// are those that can contain blocks. *Places* are these rooms, the drop zone, and the charging zones, in this order.
/// All elements are from 0 to 1: a flag is 0 or 1, and a relative number is at most 1. An observation is:
///
/// | elements | meaning |
/// |---|---|
/// | 2 | the robot's position from the left and from the top, relative to the size of the world |
/// | 3 | flags: it has arrived, is traveling, has collided |
/// | 1 | flag: a named obstacle was in its way when it last stopped |
/// | 1 | the charge of its battery, relative to a full one |
/// | 1 | its free grippers, relative to all its grippers |
/// | 3 | its speed, relative to the greatest; its size, relative to 5 units; its grippers, relative to 10 |
/// | 1 | the number of its starting point on the map, from 1, relative to the number of these points |
/// | 1 | the number of other visible robots in its zone, relative to 10 |
/// | 2 | the number of delivered colours, relative to the length of the sequence; that length, relative to 12 |
/// | looks | the number of blocks with each look that it holds, relative to its grippers |
/// | looks | flags: the look of the block that it would put down |
/// | 6 x colours | flags: the colour that is needed now, and the next five; all 0 after the end of the sequence |
/// | rooms x (5 + looks) | for each room, the elements of a place and then those of a room |
/// | 3 x other places | for each place, the elements of a place |
///
/// The elements of a place are three flags: the robot is there; it is on its way there; it is a room and occupied.
/// The elements of a room describe its present contents if the robot is inside, and otherwise its contents at the
/// last visit: a flag that it was ever visited; the age `t` of the visit in seconds, as `t / (t + 60)`, or 1 without
/// a visit; and the number of blocks with each look, relative to 10.
///
/// The choices are, in this order: wait, go to each place, pick up a block of each look, and put down a block.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    ground: &'a Ground,
    gray: bool,
}

/// A choice of a learner for a robot.
///
/// A choice has no state: it stands for one [`Action`](crate::action::Action) at the time when it is made. If the
/// robot already follows the same choice, it continues on its way, since it would otherwise return to the centre of a
/// zone first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Continues: on its way if it is on one, or else waits.
    Wait,
    /// Goes to a place.
    GoTo(ZoneIndex),
    /// Picks up the nearest block with this appearance in the robot's room if it is within reach, and otherwise goes
    /// to it. Chosen again there, it picks the block up.
    PickUp(Color),
    /// Puts down the block that was picked up last, wherever the robot is.
    PutDown,
}

impl Choice {
    /// The description for learners: `goTo RoomA1`, `pickUp Red`.
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
    /// Returns the layout for a map, and for a team with or without colour-blind robots.
    pub fn of(ground: &'a Ground, some_are_color_blind: bool) -> Self {
        Self { ground, gray: some_are_color_blind }
    }

    /// Returns the number of elements of an observation.
    pub fn size(&self) -> usize {
        let (colors, rooms) = (self.ground.colors().len(), self.ground.rooms().len());
        let looks = self.count_looks();
        OWN + 2 * looks + AHEAD * colors + PLACE * self.count_places() + (MEMORY + looks) * rooms
    }

    /// Returns the meaning of each element of an observation, in order.
    pub fn meanings(&self) -> Vec<String> {
        let mut all: Vec<String> = OWN_MEANINGS.map(str::to_owned).into();
        let looks: Vec<String> = self.looks().map(|look| look.name().to_lowercase()).collect();
        let of_looks = |what: &str| looks.iter().map(|look| format!("{what} {look}")).collect::<Vec<_>>();
        all.extend(of_looks("held blocks that look"));
        all.extend(of_looks("the block that it would put down looks"));
        for number in 1..=AHEAD {
            let colors = self.ground.colors().iter().map(|color| color.name().to_lowercase());
            all.extend(colors.map(|color| format!("needed next, number {number}: {color}")));
        }
        let of_place = |zone: ZoneIndex| {
            let name = self.ground.zone(zone).name.clone();
            PLACE_MEANINGS.map(|what| format!("{name}: {what}"))
        };
        for &room in self.ground.rooms() {
            let name = &self.ground.zone(room).name;
            all.extend(of_place(room));
            all.extend(MEMORY_MEANINGS.map(|what| format!("{name}: {what}")));
            all.extend(looks.iter().map(|look| format!("{name}: known blocks that look {look}")));
        }
        all.extend(self.other_places().flat_map(of_place));
        all
    }

    /// Returns the number of choices.
    pub fn actions(&self) -> usize {
        1 + self.count_places() + self.count_looks() + 1
    }

    /// Returns all choices, in order.
    pub fn choices(self) -> impl Iterator<Item = Choice> + 'a {
        let travels = self.places().map(Choice::GoTo);
        let catches = self.looks().map(Choice::PickUp);
        [Choice::Wait].into_iter().chain(travels).chain(catches).chain([Choice::PutDown])
    }

    /// Returns the choice with this number.
    pub fn choice(&self, number: usize) -> Option<Choice> {
        self.choices().nth(number)
    }

    /// Returns the possible appearances of blocks.
    pub(super) fn looks(&self) -> impl Iterator<Item = Color> + use<'a> {
        self.ground.colors().iter().copied().chain(self.gray.then_some(Color::DarkGray))
    }

    /// Returns the number of appearances.
    pub(super) fn count_looks(&self) -> usize {
        self.ground.colors().len() + usize::from(self.gray)
    }

    /// Returns the index of this appearance.
    pub(super) fn column(&self, look: Color) -> Option<usize> {
        self.looks().position(|one| one == look)
    }

    /// Returns the places that are not among [`Ground::rooms`].
    pub(super) fn other_places(&self) -> impl Iterator<Item = ZoneIndex> + use<'a> {
        [self.ground.drop_zone()].into_iter().chain(self.ground.charging_zones().iter().copied())
    }

    fn places(&self) -> impl Iterator<Item = ZoneIndex> + use<'a> {
        self.ground.rooms().iter().copied().chain(self.other_places())
    }

    fn count_places(&self) -> usize {
        self.ground.rooms().len() + 1 + self.ground.charging_zones().len()
    }
}
