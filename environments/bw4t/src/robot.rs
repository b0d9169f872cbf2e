//! Robots: their properties, positions, loads and ways.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::environment::EntityId;
use situated::iil::EcoString;
use smallvec::SmallVec;

use crate::block::BlockIndex;
use crate::geometry::{Area, Point, Rectangle};
use crate::ground::ZoneIndex;

/// Distance of a tick at full speed, in units.
pub const STRIDE: f64 = 0.5;

/// Distance below which a point counts as reached.
pub const TOUCH: f64 = 0.001;

/// The zones that contain a point. Few points are in more than two, so nearly all lists need no allocation.
pub type Zones = SmallVec<[ZoneIndex; 2]>;

/// The properties of a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// Whether it has the type for people, and can carry an e-partner.
    pub human: bool,
    /// The edge of its square, in units: 1 to 5.
    pub size: f64,
    /// Its speed, as a part of the greatest: 0 to 1.
    pub speed: f64,
    /// Number of blocks that it can hold; 0 if its gripper is disabled.
    pub grippers: usize,
    /// Its battery; `None` if it never runs down.
    pub battery: Option<Battery>,
    /// Whether all blocks look dark gray to it.
    pub color_blind: bool,
}

/// The battery of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Battery {
    /// Its capacity, in units: more than 0.
    pub capacity: f64,
    /// Units that the robot uses in a tick in which it moves.
    pub use_per_tick: f64,
}

impl Default for Build {
    fn default() -> Self {
        Self { human: false, size: 2.0, speed: 0.5, grippers: 1, battery: None, color_blind: false }
    }
}

/// A robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Robot {
    /// Its entity.
    pub entity: EntityId,
    /// Its number among all objects.
    pub id: u32,
    /// Its name.
    pub name: EcoString,
    /// Its properties.
    pub build: Build,
    /// Whether an agent controls it.
    pub taken: bool,
    /// Whether an agent requested it; it is deleted when that agent leaves.
    pub requested: bool,
    /// The index of its starting point on the map.
    pub spawn: usize,
    /// Its centre.
    pub position: Point,
    /// The zones in which its centre lies, in the order of their creation.
    pub zones: Zones,
    /// Where it remains in these zones. It follows from the ground, and is found when the robot moves.
    #[serde(skip)]
    pub uniform: Uniform,
    /// The state of its movement.
    pub state: State,
    /// Its way, point by point.
    pub plan: VecDeque<Point>,
    /// The rest of its way when it stopped.
    pub left: VecDeque<Point>,
    /// Its last destination.
    pub goal: Option<Point>,
    /// Its state while robots make way for each other.
    pub caution: Caution,
    /// The blocks that it holds, the top one last.
    pub load: Vec<BlockIndex>,
    /// The e-partner that it carries.
    pub partner: Option<EntityId>,
    /// Units of the battery used.
    pub used: f64,
    /// The names of the obstacles at which it last stopped.
    pub bumped: Vec<EcoString>,
    /// Whether its last search for a way around obstacles failed.
    pub unreachable: bool,
    /// Its results so far.
    pub deeds: Deeds,
    /// Counts the changes in its percepts about itself.
    pub revision: u64,
    /// Counts its movements within its zones, which only change its position and its battery.
    pub moved: u64,
}

/// An area that follows from the rest of the state, so it is not compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform(pub Area);

impl PartialEq for Uniform {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The state of a robot (specification, "State").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
#[parameter(name = "State")]
pub enum State {
    /// It is at its destination, or was never sent anywhere.
    Arrived,
    /// It is on its way.
    Traveling,
    /// It stopped on its way, because it could not continue.
    Collided,
}

/// The state of a robot while robots make way for each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Caution {
    /// The tick in which it set out: the robot that has been on its way longest goes first.
    pub since: u64,
    /// Number of the next points of its way that lead around another robot, and must be reached exactly.
    pub detour: usize,
    /// Number of these that lead out of another robot's way.
    pub escape: usize,
    /// Grows with every tick in which a robot is in its way, and shrinks with every other.
    pub stuck: u32,
    /// The next room on its way, and the number of the door by which it goes in.
    pub ahead: Option<(ZoneIndex, usize)>,
    /// The room that it has left, and the number of the door, while it stands in front of it.
    pub behind: Option<(ZoneIndex, usize)>,
    /// The last request to it.
    pub asked: Option<Request>,
}

/// A request of one robot to another to get out of its way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The tick of the request.
    pub tick: u64,
    /// The tick since which it has been requested without a pause.
    pub since: u64,
    /// The position of the robot that asks.
    pub from: Point,
    /// The direction of that robot, as a step of one unit.
    pub heading: Point,
    /// The minimum distance to it, in each direction.
    pub clearance: f64,
    /// Its rank; the lower goes first.
    pub rank: (u64, EntityId),
}

/// The results of a robot so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deeds {
    /// Blocks delivered when their colour was needed.
    pub good_drops: u64,
    /// Blocks brought to the drop zone when another colour was needed.
    pub wrong_drops: u64,
    /// Number of times that it entered a room, the drop zone included.
    pub rooms_entered: u64,
    /// Distance in units.
    pub distance: f64,
    /// Units of the battery used, charged again or not.
    pub battery_used: f64,
    /// Number of messages sent.
    pub messages: u64,
    /// Number of steps in which it did not move while an agent controlled it.
    pub idle_steps: u64,
}

impl Robot {
    /// Returns the area that it takes up.
    pub fn body(&self) -> Rectangle {
        Rectangle::around(self.position, self.build.size, self.build.size)
    }

    /// Returns its reach: the maximum distance to the centre of a thing that it picks up.
    pub fn reach(&self) -> f64 {
        self.build.size + 1.0
    }

    /// Returns the minimum distance of its centre to that of another robot, in each direction.
    pub fn clearance(&self, other: &Robot) -> f64 {
        (self.build.size + other.build.size + 1.0) / 2.0
    }

    /// Returns whether it stays where it is until it is sent somewhere.
    pub fn is_parked(&self) -> bool {
        self.plan.is_empty() || self.stride() == 0.0
    }

    /// Returns its rank among moving robots: the lower goes first.
    pub fn rank(&self) -> (u64, EntityId) {
        (self.caution.since, self.entity)
    }

    /// Returns the distance of a tick.
    pub fn stride(&self) -> f64 {
        STRIDE * self.build.speed
    }

    /// Returns the charge of its battery in percent.
    pub fn charge(&self) -> f64 {
        self.build.battery.map_or(100.0, |battery| (100.0 * (1.0 - self.used / battery.capacity)).max(0.0))
    }

    /// Returns whether it has no power left.
    pub fn is_exhausted(&self) -> bool {
        self.build.battery.is_some_and(|battery| self.used >= battery.capacity)
    }

    /// Returns whether it can hold one more block.
    pub fn has_free_gripper(&self) -> bool {
        self.load.len() < self.build.grippers
    }

    /// Sets out on this way in this tick; forgets earlier obstacles.
    pub fn set_out(&mut self, plan: impl IntoIterator<Item = Point>, tick: u64) {
        if self.state != State::Traveling {
            self.caution.since = tick;
        }
        (self.caution.detour, self.caution.escape, self.caution.stuck) = (0, 0, 0);
        self.plan = plan.into_iter().collect();
        self.goal = self.plan.back().copied();
        self.left.clear();
        self.state = State::Traveling;
        self.bumped.clear();
        self.unreachable = false;
        self.revision += 1;
    }

    /// Stops on its way, possibly because of an obstacle with a name.
    pub fn stop(&mut self, because_of: Option<EcoString>) {
        if !self.plan.is_empty() {
            self.left = std::mem::take(&mut self.plan);
        }
        self.state = State::Collided;
        self.bump_into(because_of);
    }

    /// Notes a collision, in which either was in the other's way.
    pub fn bump_into(&mut self, what: Option<EcoString>) {
        if let Some(what) = what
            && !self.bumped.contains(&what)
        {
            self.bumped.push(what);
        }
        self.revision += 1;
    }

    /// Rests for a tick.
    pub fn rest(&mut self) {
        self.deeds.idle_steps += u64::from(self.taken);
    }

    /// Removes the first point of its way, which it has reached.
    pub fn reach_waypoint(&mut self) {
        self.plan.pop_front();
        if self.plan.is_empty() {
            self.state = State::Arrived;
            self.revision += 1;
        }
    }

    /// Uses the battery for a tick of movement.
    pub fn use_battery(&mut self) {
        if let Some(Battery { capacity, use_per_tick }) = self.build.battery {
            let used = (self.used + use_per_tick).min(capacity);
            self.deeds.battery_used += used - self.used;
            self.used = used;
        }
    }
}
