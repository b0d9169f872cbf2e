//! Robots: how they are built, where they are, what they carry, and where they are going.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::environment::EntityId;
use situated::iil::EcoString;

use crate::block::BlockIndex;
use crate::geometry::{Point, Rectangle};
use crate::ground::ZoneIndex;

/// How far a robot goes in a tick at full speed, in units.
pub const STRIDE: f64 = 0.5;

/// What is nearer than this is reached.
pub const TOUCH: f64 = 0.001;

/// How a robot is built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// Whether it is of the type that humans control, and can carry an e-partner.
    pub human: bool,
    /// The edge of the square that it takes up, in units: 1 to 5.
    pub size: f64,
    /// Its speed, as a share of the greatest: 0 to 1.
    pub speed: f64,
    /// How many blocks it can hold; none where its gripper is disabled.
    pub grippers: usize,
    /// Its battery; none where nothing is used up.
    pub battery: Option<Battery>,
    /// Whether all blocks look dark gray to it.
    pub color_blind: bool,
}

/// The battery of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Battery {
    /// What it holds, in units: more than 0.
    pub capacity: f64,
    /// What a tick costs in which the robot moves, in the same units.
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
    /// The entity that it is.
    pub entity: EntityId,
    /// Its number among all objects.
    pub id: u32,
    /// Its name.
    pub name: EcoString,
    /// How it is built.
    pub build: Build,
    /// Whether somebody controls it.
    pub taken: bool,
    /// Whether it is there because somebody has asked for it, and goes when that one leaves.
    pub requested: bool,
    /// Where it began, as a number among the map's places for that.
    pub spawn: usize,
    /// Its centre.
    pub position: Point,
    /// The zones in which its centre lies, in the order of their creation.
    pub zones: Vec<ZoneIndex>,
    /// Whether it is going somewhere.
    pub state: State,
    /// Where it is going, point by point.
    pub plan: VecDeque<Point>,
    /// What was left of its plan when it stopped.
    pub left: VecDeque<Point>,
    /// Where it was last sent.
    pub goal: Option<Point>,
    /// What it bears in mind where robots make way for each other.
    pub caution: Caution,
    /// The blocks that it holds, the top one last.
    pub load: Vec<BlockIndex>,
    /// The e-partner that it carries.
    pub partner: Option<EntityId>,
    /// How much of the battery has been used, in units of its capacity.
    pub used: f64,
    /// The names of what was in its way when it last stopped.
    pub bumped: Vec<EcoString>,
    /// Whether no way was found when it last looked for one around what was in its way.
    pub unreachable: bool,
    /// What it has done so far.
    pub deeds: Deeds,
    /// Counts the changes of what it perceives of itself.
    pub revision: u64,
}

/// The state of a robot (specification, "State").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
#[parameter(name = "State")]
pub enum State {
    /// It is where it was to go, or was never sent anywhere.
    Arrived,
    /// It is on its way.
    Traveling,
    /// It stopped on its way, since it could not go on.
    Collided,
}

/// What a robot bears in mind where robots make way for each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Caution {
    /// In which tick it set out: who is longer on its way goes first.
    pub since: u64,
    /// How many of the next points of its plan lead around somebody, and are to be met exactly.
    pub detour: usize,
    /// How many of these lead out of somebody's way.
    pub escape: usize,
    /// Grows with every tick in which somebody is in its way, and shrinks with every other.
    pub stuck: u32,
    /// The next room on its way, and the number of the door by which it goes in.
    pub ahead: Option<(ZoneIndex, usize)>,
    /// The room that it has come out of, and the number of the door, as long as it stands before that.
    pub behind: Option<(ZoneIndex, usize)>,
    /// What it was last asked.
    pub asked: Option<Request>,
}

/// That somebody asks a robot to get out of its way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// In which tick.
    pub tick: u64,
    /// Since which tick it has been asked without a pause.
    pub since: u64,
    /// Where the one who asks is.
    pub from: Point,
    /// Where it is going, as a step of one unit.
    pub heading: Point,
    /// How near it may come, in each direction.
    pub clearance: f64,
    /// Its rank; the lower goes first.
    pub rank: (u64, EntityId),
}

/// What a robot has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deeds {
    /// Blocks that it has delivered when their colour was needed.
    pub good_drops: u64,
    /// Blocks that it has brought to the drop zone when another colour was needed.
    pub wrong_drops: u64,
    /// How often it has entered a room, the drop zone included.
    pub rooms_entered: u64,
    /// How far it has gone, in units.
    pub distance: f64,
    /// How much of its battery it has used, in units of capacity, charged again or not.
    pub battery_used: f64,
    /// How many messages it has sent.
    pub messages: u64,
    /// For how many steps it did not move while somebody controlled it.
    pub idle_steps: u64,
}

impl Robot {
    /// What it takes up.
    pub fn body(&self) -> Rectangle {
        Rectangle::around(self.position, self.build.size, self.build.size)
    }

    /// How far it reaches to pick something up: its centre may be so far away.
    pub fn reach(&self) -> f64 {
        self.build.size + 1.0
    }

    /// How near its centre may come to that of another robot, in each direction.
    pub fn clearance(&self, other: &Robot) -> f64 {
        (self.build.size + other.build.size + 1.0) / 2.0
    }

    /// Whether it stands where it is until it is sent somewhere.
    pub fn is_parked(&self) -> bool {
        self.plan.is_empty() || self.stride() == 0.0
    }

    /// Its rank among those that are on their way: the lower goes first.
    pub fn rank(&self) -> (u64, EntityId) {
        (self.caution.since, self.entity)
    }

    /// How far it goes in a tick.
    pub fn stride(&self) -> f64 {
        STRIDE * self.build.speed
    }

    /// How full its battery is, in percent.
    pub fn charge(&self) -> f64 {
        self.build.battery.map_or(100.0, |battery| (100.0 * (1.0 - self.used / battery.capacity)).max(0.0))
    }

    /// Whether it has no power left.
    pub fn is_exhausted(&self) -> bool {
        self.build.battery.is_some_and(|battery| self.used >= battery.capacity)
    }

    /// Whether it can hold one more block.
    pub fn has_free_gripper(&self) -> bool {
        self.load.len() < self.build.grippers
    }

    /// Goes through these points from this tick on; what was in its way is forgotten.
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

    /// Stops on its way, perhaps because of something that has a name.
    pub fn stop(&mut self, because_of: Option<EcoString>) {
        if !self.plan.is_empty() {
            self.left = std::mem::take(&mut self.plan);
        }
        self.state = State::Collided;
        self.bump_into(because_of);
    }

    /// Something was in its way, or it in the way of somebody.
    pub fn bump_into(&mut self, what: Option<EcoString>) {
        if let Some(what) = what
            && !self.bumped.contains(&what)
        {
            self.bumped.push(what);
        }
        self.revision += 1;
    }

    /// It does not move in a tick.
    pub fn rest(&mut self) {
        self.deeds.idle_steps += u64::from(self.taken);
    }

    /// The next point of its plan is reached.
    pub fn reach_waypoint(&mut self) {
        self.plan.pop_front();
        if self.plan.is_empty() {
            self.state = State::Arrived;
            self.revision += 1;
        }
    }

    /// Uses up what a tick of movement costs.
    pub fn use_battery(&mut self) {
        if let Some(Battery { capacity, use_per_tick }) = self.build.battery {
            let used = (self.used + use_per_tick).min(capacity);
            self.deeds.battery_used += used - self.used;
            self.used = used;
        }
    }
}
