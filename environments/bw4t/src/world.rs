//! The world and its rules: the positions of blocks and robots, and the effect of a tick.

mod around;
mod avoiding;
mod crossings;
mod doors;
mod halls;
mod lanes;
mod maze;
mod moving;
mod nearby;
mod partners;
mod routes;
mod working;
mod yielding;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use situated::environment::EntityId;
use situated::iil::EcoString;

use crate::Color;
use crate::block::{Block, BlockIndex, BlockPlace};
use crate::geometry::Point;
use crate::ground::{Ground, ZoneIndex};
use crate::map::ZoneKind;
use crate::map::filling::Filling;
use crate::robot::{Build, Caution, Deeds, Robot, State, Uniform, Zones};

pub use partners::{EPARTNER_REACH, EPartner, Functions, PartnerPlace};

/// Number of ticks per second at normal speed.
pub const TICKS_PER_SECOND: f64 = 50.0;

/// The world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct World {
    ground: Ground,
    rules: Rules,
    sequence: Vec<Color>,
    /// Number of delivered colours of the sequence.
    delivered: usize,
    /// The tick in which the last colour was delivered.
    completed: Option<u64>,
    blocks: Vec<Block>,
    /// In the order of their entities.
    robots: Vec<Robot>,
    /// In the order of their entities.
    partners: Vec<EPartner>,
    /// Which starting points are in use: all of the map's, and further ones up to the last one in use.
    spawns: Vec<bool>,
    /// The robots in each zone.
    inside: Vec<Vec<EntityId>>,
    /// The robots at the door of each room, in order of arrival, if robots make way for each other.
    queues: Vec<Vec<EntityId>>,
    /// The blocks that lie in each zone.
    lying: Vec<Vec<BlockIndex>>,
    /// For each zone, the number of changes of what is visible in it.
    sights: Vec<u64>,
    next_id: u32,
    tick: u64,
    revisions: Revisions,
}

/// The rules: those of the original, and those beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// The effect of robots on each other.
    pub collisions: Collisions,
    /// Whether a robot waits at a closed door, instead of giving up.
    pub wait_at_doors: bool,
    /// Whether ways are planned around blockades.
    pub around_blockades: bool,
    /// Whether players can send no messages.
    pub are_silent: bool,
}

/// The effect of robots on each other where they meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, situated::ParameterType)]
pub enum Collisions {
    /// None: they pass through each other.
    #[default]
    Off,
    /// They block each other: both stop, and have bumped.
    Stop,
    /// They block each other, but make way.
    Avoid,
}

/// Numbers of changes of percepts that many entities have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revisions {
    /// Of occupied rooms.
    pub occupied: u64,
    /// Of players.
    pub players: u64,
    /// Of e-partners, their positions and their holders.
    pub partners: u64,
}

impl World {
    /// Creates a world without robots on this ground, with these blocks.
    pub fn new(ground: Ground, filling: Filling, rules: Rules) -> Self {
        let mut next_id = ground.next_id();
        let zones = ground.zones().len();
        let mut world = Self {
            rules,
            sequence: filling.sequence,
            delivered: 0,
            completed: None,
            blocks: Vec::with_capacity(filling.blocks.len()),
            robots: Vec::new(),
            partners: Vec::new(),
            spawns: vec![false; ground.map().spawns.len()],
            inside: vec![Vec::new(); zones],
            queues: vec![Vec::new(); zones],
            lying: vec![Vec::new(); zones],
            sights: vec![0; zones],
            next_id: 0,
            tick: 0,
            revisions: Revisions::default(),
            ground,
        };
        for placed in filling.blocks {
            let zone = world.ground.find(&world.ground.map().zones[placed.zone].name).unwrap_or_default();
            world.lying[zone].push(world.blocks.len());
            let place = BlockPlace::Lying(placed.position, zone);
            world.blocks.push(Block { id: next_id, color: placed.color, place });
            next_id += 1;
        }
        world.next_id = next_id;
        world
    }

    /// The ground.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Shares the ground with another world, if the map is the same.
    pub(crate) fn share_ground(&mut self, other: &World) {
        if self.ground == other.ground {
            self.ground = other.ground.clone();
        }
    }

    /// Returns the rules: those of the original, and those beyond it.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the colours to deliver, in this order.
    pub fn sequence(&self) -> &[Color] {
        &self.sequence
    }

    /// Returns the number of delivered colours.
    pub fn delivered(&self) -> usize {
        self.delivered
    }

    /// Returns the tick in which the last colour was delivered.
    pub fn completed(&self) -> Option<u64> {
        self.completed
    }

    /// Returns the number of past ticks.
    pub fn tick_count(&self) -> u64 {
        self.tick
    }

    /// Returns all blocks, including those delivered or lost.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the blocks that lie in a zone.
    pub fn lying_in(&self, zone: ZoneIndex) -> &[BlockIndex] {
        &self.lying[zone]
    }

    /// Returns the number of changes of what is visible in a zone.
    pub fn sights(&self, zone: ZoneIndex) -> u64 {
        self.sights[zone]
    }

    /// Returns the robots, in the order of their creation.
    pub fn robots(&self) -> &[Robot] {
        &self.robots
    }

    /// Returns the robots in a zone.
    pub fn inside(&self, zone: ZoneIndex) -> impl Iterator<Item = &Robot> {
        self.inside[zone].iter().filter_map(|entity| self.robot(*entity))
    }

    /// Returns the robot of this entity.
    pub fn robot(&self, entity: EntityId) -> Option<&Robot> {
        self.index(entity).map(|index| &self.robots[index])
    }

    /// Returns the numbers of changes of percepts that many entities have.
    pub fn revisions(&self) -> Revisions {
        self.revisions
    }

    /// Returns the occupied rooms.
    pub fn occupied(&self) -> impl Iterator<Item = ZoneIndex> + '_ {
        let zones = self.ground.zones().iter().enumerate();
        zones
            .filter(|(index, zone)| zone.kind == ZoneKind::Room && !self.inside[*index].is_empty())
            .map(|(index, _)| index)
    }

    /// Returns whether the rest of the sequence can still be delivered.
    pub fn is_solvable(&self) -> bool {
        self.missing().is_none()
    }

    /// Returns the first colour of the sequence with fewer blocks left than needed.
    pub fn missing(&self) -> Option<Color> {
        let mut left =
            self.blocks.iter().filter(|block| !matches!(block.place, BlockPlace::Delivered | BlockPlace::Lost));
        let mut counts = [0_usize; Color::ALL.len() + 1];
        left.by_ref().for_each(|block| counts[block.color as usize] += 1);
        self.sequence[self.delivered..].iter().copied().find(|color| {
            let count = &mut counts[*color as usize];
            *count = count.wrapping_sub(1);
            *count == usize::MAX
        })
    }

    /// Adds a robot at this starting point.
    pub fn add_robot(&mut self, entity: EntityId, name: EcoString, build: Build, spawn: usize, requested: bool) {
        self.use_spawn(spawn, true);
        let position = self.place_to_begin(spawn);
        self.robots.push(Robot {
            entity,
            id: self.next_id,
            name,
            build,
            taken: false,
            requested,
            spawn,
            position,
            zones: Zones::new(),
            uniform: Uniform::default(),
            state: State::Arrived,
            plan: VecDeque::new(),
            left: VecDeque::new(),
            goal: None,
            caution: Caution::default(),
            load: Vec::new(),
            partner: None,
            used: 0.0,
            bumped: Vec::new(),
            unreachable: false,
            deeds: Deeds::default(),
            revision: 0,
            moved: 0,
        });
        self.next_id += 1;
        self.place(self.robots.len() - 1, position);
    }

    /// Handles the end of the agent that had requested an entity. Returns whether the entity is deleted with it:
    /// those from the beginning stay.
    pub fn remove(&mut self, entity: EntityId) -> bool {
        if self.robot(entity).is_some_and(|robot| robot.requested) {
            self.remove_robot(entity);
            return true;
        }
        if self.partner(entity).is_some_and(|partner| partner.requested) {
            self.remove_partner(entity);
            return true;
        }
        false
    }

    /// Puts down the robot's blocks where it is.
    fn remove_robot(&mut self, entity: EntityId) {
        let Some(index) = self.index(entity) else { return };
        self.unload(index);
        self.leave_zones(index);
        let robot = self.robots.remove(index);
        self.use_spawn(robot.spawn, false);
        self.revisions.players += 1;
    }

    /// Moves a robot back to its starting point, without its load.
    pub fn bring_home(&mut self, entity: EntityId) {
        let Some(index) = self.index(entity) else { return };
        self.unload(index);
        self.leave_zones(index);
        let home = self.place_to_begin(self.robots[index].spawn);
        let robot = &mut self.robots[index];
        (robot.state, robot.goal, robot.unreachable) = (State::Arrived, None, false);
        robot.plan.clear();
        robot.left.clear();
        robot.caution = Caution::default();
        robot.bumped.clear();
        self.place(index, home);
    }

    /// Sets whether an agent controls a robot or an e-partner.
    pub fn set_taken(&mut self, entity: EntityId, taken: bool) {
        if let Some(index) = self.index(entity) {
            self.robots[index].taken = taken;
        } else if let Some(partner) = self.partner_mut(entity) {
            partner.taken = taken;
        }
        self.revisions.players += 1;
    }

    /// Whether an agent controls a robot or an e-partner.
    pub fn is_taken(&self, entity: EntityId) -> bool {
        let partner = || self.partner(entity).is_some_and(|partner| partner.taken);
        self.robot(entity).map_or_else(partner, |robot| robot.taken)
    }

    /// Counts a message that a robot has sent.
    pub fn count_message(&mut self, entity: EntityId) {
        if let Some(index) = self.index(entity) {
            self.robots[index].deeds.messages += 1;
        }
    }

    fn index(&self, entity: EntityId) -> Option<usize> {
        self.robots.binary_search_by_key(&entity, |robot| robot.entity).ok()
    }

    /// Returns the first starting point that is not in use, and not in an occupied room. Those of the map come first.
    pub fn free_spawn(&self) -> Option<usize> {
        let of_map = self.ground.map().spawns.len();
        let is_free = |spawn: &usize| self.spawns.get(*spawn) != Some(&true) && self.can_begin_at(*spawn);
        (0..of_map).find(is_free).or_else(|| (of_map..self.ground.places().len()).find(is_free))
    }

    fn can_begin_at(&self, spawn: usize) -> bool {
        let holds_one = self.ground.map().one_bot_per_corridor_zone && spawn >= self.ground.map().spawns.len();
        self.ground.zones_at(self.place_to_begin(spawn)).all(|zone| match self.ground.zone(zone).kind {
            ZoneKind::Room => self.inside[zone].is_empty(),
            ZoneKind::Blockade => false,
            ZoneKind::Corridor => !holds_one || self.inside[zone].is_empty(),
            ZoneKind::ChargingZone => true,
        })
    }

    fn place_to_begin(&self, spawn: usize) -> Point {
        let of_map = self.ground.map().spawns.get(spawn);
        of_map.map_or_else(|| self.ground.places()[spawn], |spawn| spawn.position)
    }

    fn use_spawn(&mut self, spawn: usize, is_used: bool) {
        if spawn >= self.spawns.len() {
            self.spawns.resize(spawn + 1, false);
        }
        self.spawns[spawn] = is_used;
    }
}
