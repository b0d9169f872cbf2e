//! The observation of a robot, as numbers.

use serde::{Deserialize, Serialize};

use crate::Color;
use crate::block::{Block, BlockIndex};
use crate::encoding::layout::AHEAD;
use crate::encoding::layout::Layout;
use crate::geometry::Point;
use crate::ground::ZoneIndex;
use crate::map::ZoneKind;
use crate::robot::{Robot, State};
use crate::world::TICKS_PER_SECOND;
use crate::world::World;

/// A room that a robot has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RoomSeen {
    pub(super) room: ZoneIndex,
    /// The tick at which it was last seen.
    pub(super) tick: u64,
    /// The visible blocks.
    pub(super) counts: Counts,
}

/// Number of seconds after which the age of a memory is 0.5.
const HALF_FORGOTTEN: f64 = 60.0;

/// Number of blocks with each appearance, by the number of the [`Color`].
pub(super) type Counts = [u8; Color::ALL.len() + 1];

/// A robot, and what it sees at its position.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) world: &'a World,
    pub(super) robot: &'a Robot,
    /// The room in which it sees blocks, if that can contain any.
    pub(super) room: Option<ZoneIndex>,
    /// The blocks that it sees there.
    pub(super) counts: Counts,
}

impl<'a> View<'a> {
    pub(super) fn of(world: &'a World, robot: &'a Robot) -> Self {
        let mut view = Self { world, robot, room: Self::room_of(world, robot), counts: Counts::default() };
        for block in view.blocks() {
            let count = &mut view.counts[view.look(block) as usize];
            *count = count.saturating_add(1);
        }
        view
    }

    /// Returns the room in which a robot sees blocks, if that can contain any.
    pub(super) fn room_of(world: &World, robot: &Robot) -> Option<ZoneIndex> {
        // A robot perceives the first of the zones in which it is.
        let ground = world.ground();
        let holds_blocks = |zone: &ZoneIndex| ground.zone(*zone).kind == ZoneKind::Room && *zone != ground.drop_zone();
        robot.zones.first().copied().filter(holds_blocks)
    }

    /// Returns the visible blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &'a Block> + use<'a> {
        let world = self.world;
        let lying = self.room.map_or(&[][..], |room| world.lying_in(room));
        lying.iter().map(|block| &world.blocks()[*block])
    }

    /// Returns the colour of a block as the robot sees it.
    pub(super) fn look(&self, block: &Block) -> Color {
        if self.robot.build.color_blind { Color::DarkGray } else { block.color }
    }

    /// Returns the zone in or near which it is.
    pub(super) fn at(&self) -> ZoneIndex {
        let zone = self.robot.zones.first().copied();
        zone.unwrap_or_else(|| self.world.ground().nearest_zone(self.robot.position))
    }

    /// Writes its observation, given the rooms that it remembers, in order.
    pub(super) fn write(&self, layout: &Layout<'_>, remembered: &[RoomSeen], row: &mut [f32]) {
        let goal = self.robot.goal.filter(|_| self.robot.state == State::Traveling);
        let mut row = Row(row);
        self.write_own(&mut row);
        self.write_load(layout, &mut row);
        self.write_sequence(layout, &mut row);
        self.write_rooms(layout, goal, remembered, &mut row);
        for place in layout.other_places() {
            self.write_place(place, goal, &mut row);
        }
        debug_assert!(row.0.is_empty(), "{} elements are not written", row.0.len());
    }

    fn write_own(&self, row: &mut Row<'_>) {
        let Self { world, robot, .. } = self;
        let (size, build) = (world.ground().size(), &robot.build);
        let [arrived, traveling, collided] =
            [State::Arrived, State::Traveling, State::Collided].map(|state| flag(robot.state == state));
        row.put([
            within(robot.position.x / size.x),
            within(robot.position.y / size.y),
            arrived,
            traveling,
            collided,
            flag(!robot.bumped.is_empty()),
            within(robot.charge() / 100.0),
            share(build.grippers.saturating_sub(robot.load.len()), build.grippers),
            within(build.speed),
            within(build.size / 5.0),
            share(build.grippers, 10),
            share(robot.spawn + 1, world.ground().map().spawns.len().max(world.robots().len())),
            share(self.count_others(), 10),
            share(world.delivered(), world.sequence().len()),
            share(world.sequence().len(), 12),
        ]);
    }

    fn write_load(&self, layout: &Layout<'_>, row: &mut Row<'_>) {
        let column = |block: &BlockIndex| layout.column(self.look(&self.world.blocks()[*block]));
        let (robot, looks) = (self.robot, layout.count_looks());
        let shares = row.zeros(looks);
        for column in robot.load.iter().filter_map(column) {
            shares[column] = (shares[column] + share(1, robot.build.grippers)).min(1.0);
        }
        let top = row.zeros(looks);
        if let Some(column) = robot.load.last().and_then(column) {
            top[column] = 1.0;
        }
    }

    fn write_sequence(&self, layout: &Layout<'_>, row: &mut Row<'_>) {
        let needed = &self.world.sequence()[self.world.delivered()..];
        let colors = self.world.ground().colors().len();
        let flags = row.zeros(AHEAD * colors);
        for (flags, color) in flags.chunks_exact_mut(colors.max(1)).zip(needed) {
            if let Some(column) = layout.column(*color) {
                flags[column] = 1.0;
            }
        }
    }

    fn write_rooms(&self, layout: &Layout<'_>, goal: Option<Point>, mut remembered: &[RoomSeen], row: &mut Row<'_>) {
        for room in self.world.ground().rooms() {
            self.write_place(*room, goal, row);
            let seen = remembered.split_first().filter(|(seen, _)| seen.room == *room);
            if let Some((_, others)) = seen {
                remembered = others;
            }
            if self.room == Some(*room) {
                write_known(layout, 0, &self.counts, row);
            } else if let Some((seen, _)) = seen {
                write_known(layout, self.world.tick_count().saturating_sub(seen.tick), &seen.counts, row);
            } else {
                row.put([0.0, 1.0]);
                row.zeros(layout.count_looks());
            }
        }
    }

    fn write_place(&self, place: ZoneIndex, goal: Option<Point>, row: &mut Row<'_>) {
        let site = self.world.ground().zone(place);
        row.put([
            flag(self.robot.zones.contains(&place)),
            flag(goal.is_some_and(|goal| site.bounds.contains(goal))),
            flag(site.kind == ZoneKind::Room && self.world.inside(place).next().is_some()),
        ]);
    }

    /// Returns the number of other robots that it sees.
    fn count_others(&self) -> usize {
        let own = self.robot.entity;
        let zone = self.robot.zones.first();
        zone.map_or(0, |zone| self.world.inside(*zone).filter(|robot| robot.entity != own).count())
    }
}

/// Writes the remembered contents of a room that was seen this number of ticks ago.
fn write_known(layout: &Layout<'_>, age: u64, counts: &Counts, row: &mut Row<'_>) {
    let seconds = age as f64 / TICKS_PER_SECOND;
    row.put([1.0, within(seconds / (seconds + HALF_FORGOTTEN))]);
    let elements = row.zeros(layout.count_looks());
    for (element, look) in elements.iter_mut().zip(layout.looks()) {
        *element = share(counts[look as usize].into(), 10);
    }
}

/// The part of an observation that has not been written yet.
struct Row<'a>(&'a mut [f32]);

impl<'a> Row<'a> {
    /// Writes the next elements.
    fn put<const COUNT: usize>(&mut self, elements: [f32; COUNT]) {
        self.take(COUNT).copy_from_slice(&elements);
    }

    /// Skips the next elements, which are 0 unless they are written later.
    fn zeros(&mut self, count: usize) -> &'a mut [f32] {
        let elements = self.take(count);
        elements.fill(0.0);
        elements
    }

    fn take(&mut self, count: usize) -> &'a mut [f32] {
        let (taken, rest) = std::mem::take(&mut self.0).split_at_mut(count);
        self.0 = rest;
        taken
    }
}

/// Limits a number to 0 to 1.
fn within(number: f64) -> f32 {
    number.clamp(0.0, 1.0) as f32
}

fn flag(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

/// Returns the ratio of two counts, or 0 if the second is 0.
fn share(count: usize, of: usize) -> f32 {
    if of == 0 { 0.0 } else { within(count as f64 / of as f64) }
}
