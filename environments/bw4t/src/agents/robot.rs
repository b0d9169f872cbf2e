//! A robot at work. It processes percepts, and executes a task, action by action.

use situated::iil::EcoString;
use situated::interface::Perception;

use super::atlas::Atlas;
use super::body::{Body, Letter};
use super::memory::RobotMemory;
use super::walker::{Goal, Walker};
use crate::Color;
use crate::action::Action;
use crate::geometry::Point;
use crate::map::DROP_ZONE;
use crate::percept::Percept;
use crate::robot::State;

/// Number of steps after which a robot decides again even if nothing has happened.
const HABIT: u64 = 20;

/// Number of steps without progress after which a robot near others retreats, and the duration of the retreat.
const JAM: u64 = 100;

/// Number of steps that a robot waits at a door before it changes its task.
const PATIENCE: u64 = 400;

/// Number of attempts to enter a room before a robot considers it impossible.
const ATTEMPTS: u64 = 10;

/// Number of steps for which a robot avoids a room that it could not enter.
const SHUNNED: u64 = 2_500;

/// Extra distance by which a robot approaches a block, in units, so that rounding does not matter.
const MARGIN: f64 = 0.01;

/// Distance between waiting robots, in units.
const SPACING: f64 = 3.5;

/// The turn of the first robot that has nothing to do and waits before the drop zone.
const RESTING: usize = 8;

/// The task of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Task {
    /// Searches a room.
    Search { room: EcoString },
    /// Fetches a block of this colour from a room.
    Fetch { color: Color, room: EcoString },
    /// Delivers the block that it took last.
    Deliver,
    /// Waits with a block before the drop zone, behind this number of others.
    AwaitTurn { turn: usize },
    /// Puts down the block that it took last in a room, where it can be found again.
    Stow { room: EcoString },
    /// Stays out of the way.
    #[default]
    Rest,
}

/// A robot.
#[derive(Clone, Debug, Default)]
pub(super) struct Robot {
    pub(super) body: Body,
    pub(super) atlas: Atlas,
    pub(super) memory: RobotMemory,
    walker: Walker,
    /// The room at whose door it waits, and since when.
    waiting: Option<(EcoString, u64)>,
    /// Whether robots collide, as far as it has noticed.
    collides: Option<bool>,
    /// The step of its last decision.
    thought: u64,
    /// The position at which it last moved or had arrived, and the step.
    moved: (Point, u64),
    retreat: Retreat,
}

/// A retreat from a place where robots are stuck.
#[derive(Clone, Debug, Default)]
struct Retreat {
    to: EcoString,
    until: u64,
    /// The number of retreats.
    count: u64,
}

impl Robot {
    /// Processes a perception. Returns the received messages.
    pub(super) fn hear(&mut self, perception: &Perception<Percept>) -> Vec<Letter> {
        let letters = self.body.absorb(perception);
        self.atlas.update(&self.body);
        self.memory.learn_rooms(&self.body);
        self.note_bumps();
        self.note_movement();
        self.memory.look(&self.body);
        letters
    }

    /// Returns the number of steps without progress.
    pub(super) fn still_for(&self) -> u64 {
        self.body.step.saturating_sub(self.moved.1)
    }

    /// Returns the ticks to its destination; `None` if it does not move.
    pub(super) fn ticks_left(&self) -> Option<f64> {
        let goal = self.walker.goal().filter(|_| self.body.state == State::Traveling)?;
        Some(match goal {
            Goal::Place(place) => self.atlas.ticks_for(&self.body, place),
            Goal::Point(point) => self.atlas.straight(self.body.location, *point),
        })
    }

    /// Whether robots collide, as far as it knows.
    pub(super) fn is_in_the_way(&self) -> bool {
        self.collides != Some(false) && !self.body.players.is_empty()
    }

    /// Whether it is time for a decision.
    pub(super) fn thinks(&mut self) -> bool {
        let step = self.body.step;
        let thinks = self.body.has_news || step >= self.thought + HABIT;
        if thinks {
            self.thought = step;
        }
        thinks
    }

    /// Returns the colours of the blocks that it holds, the top one first; `None` for an unknown colour.
    pub(super) fn load(&self) -> impl Iterator<Item = Option<Color>> {
        self.body.held.iter().map(|block| self.memory.color_of(*block))
    }

    /// Returns the next action for a task; `None` if the robot need only wait.
    pub(super) fn carry_out(&mut self, task: &Task) -> Option<Action> {
        if self.is_retreating() {
            let to = self.retreat.to.clone();
            return self.go_to(&to);
        }
        match task {
            Task::Search { room } => self.enter(room),
            Task::Fetch { color, room } if self.body.rooms.contains(room) => self.grasp(room, *color),
            Task::Fetch { room, .. } => self.enter(room),
            Task::Deliver if self.body.is_in_drop_zone() => Some(Action::PutDown),
            Task::Deliver => self.enter(DROP_ZONE),
            Task::AwaitTurn { turn } => self.wait_before_drop_zone(*turn),
            Task::Stow { room } if self.body.rooms.contains(room) => Some(Action::PutDown),
            Task::Stow { room } => self.enter(room),
            Task::Rest => self.clear_the_way(),
        }
    }

    /// Returns the ticks to a block in a room and back, in addition to the way to the centre of the room.
    pub(super) fn detour(&self, room: &str, position: Point) -> f64 {
        let beyond = self.atlas.center(room).map_or(0.0, |center| center.distance(position) - self.body.reach());
        let straight = Point::new(beyond.max(0.0), 0.0);
        if beyond > 0.0 { self.atlas.straight(Point::default(), straight) } else { 0.0 }
    }

    fn note_bumps(&mut self) {
        for object in &self.body.bumped {
            if self.body.zones.contains_key(object) {
                self.atlas.block(object);
                self.memory.remove(object);
            } else {
                self.collides = Some(true);
            }
        }
        if self.collides.is_none() && self.body.is_in_another() {
            self.collides = Some(false);
        }
    }

    fn note_movement(&mut self) {
        let body = &self.body;
        if self.moved.0 != body.location || body.state == State::Arrived || self.moved.1 > body.step {
            self.moved = (body.location, body.step);
        }
    }

    /// Whether it retreats, because robots have blocked each other for long. Each robot loses patience at another
    /// time, and goes in another direction.
    fn is_retreating(&mut self) -> bool {
        let (step, id) = (self.body.step, u64::from(self.body.id));
        if step < self.retreat.until {
            return true;
        }
        let patience = JAM + 20 * (id % 10);
        let is_jammed = self.still_for() > JAM && step > self.retreat.until + patience;
        if !is_jammed || !self.is_in_the_way() || self.body.room().is_some() {
            return false;
        }
        let halls: Vec<&EcoString> = self.atlas.beside(&self.body.at).filter(|zone| !self.is_room(zone)).collect();
        let Some(to) = halls.get(((id + self.retreat.count) as usize).checked_rem(halls.len()).unwrap_or(0)) else {
            return false;
        };
        self.retreat = Retreat { to: (*to).clone(), until: step + JAM, count: self.retreat.count + 1 };
        true
    }

    pub(super) fn is_room(&self, zone: &str) -> bool {
        zone == DROP_ZONE || self.memory.rooms().any(|(room, _)| room == zone)
    }

    /// Enters a room, or waits before it while another robot is in it.
    fn enter(&mut self, room: &str) -> Option<Action> {
        if self.body.rooms.iter().any(|inside| inside == room) {
            return None;
        }
        let at = self.body.at.clone();
        let is_closed = self.body.occupied.contains(room) && self.atlas.are_beside(&at, room);
        self.lose_patience(room, is_closed);
        if is_closed { self.wait_at(&at, room, 0) } else { self.go_to(room) }
    }

    /// Avoids a room in which another robot stays, or which cannot be entered. The drop zone has no alternative, so
    /// it is never avoided.
    fn lose_patience(&mut self, room: &str, is_closed: bool) {
        let step = self.body.step;
        let since = match &self.waiting {
            Some((waiting_for, since)) if is_closed && waiting_for == room => *since,
            _ => step,
        };
        self.waiting = is_closed.then(|| (room.into(), since));
        if (step.saturating_sub(since) > PATIENCE || self.walker.failures() > ATTEMPTS)
            && let Some(room) = self.memory.room_mut(room)
        {
            room.shunned_until = step + SHUNNED;
        }
    }

    fn go_to(&mut self, place: &str) -> Option<Action> {
        let next = self.atlas.next_around(&self.body.at, place).unwrap_or_else(|| place.into());
        let center = self.atlas.center(&next)?;
        self.walker.go(&self.body, Goal::Place(next), center)
    }

    /// Takes a block of this colour in the present room, or walks until it can reach one.
    fn grasp(&mut self, room: &str, color: Color) -> Option<Action> {
        let of_color = self.body.colors.iter().filter(|(_, seen)| **seen == color).map(|(block, _)| *block);
        let blocks: Vec<u32> = of_color.collect();
        if let Some(block) = blocks.iter().find(|block| self.body.reachable.contains(block)) {
            return Some(Action::PickUp { block: *block });
        }
        let center = self.atlas.center(room)?;
        let reach = self.body.reach() - MARGIN;
        let from = self.body.location;
        let places = blocks.iter().filter_map(|block| self.body.positions.get(block).copied());
        if let Some(Goal::Point(goal)) = self.walker.goal().cloned()
            && places.clone().any(|block| block.distance(goal) <= reach + MARGIN / 2.0)
        {
            return self.walker.go(&self.body, Goal::Point(goal), goal);
        }
        let goals = places.map(|block| within_reach(from, center, block, reach));
        let length = |goal: &Point| from.distance(*goal) + goal.distance(center);
        match goals.min_by(|one, other| length(one).total_cmp(&length(other))) {
            Some(goal) => self.walker.go(&self.body, Goal::Point(goal), goal),
            None => blocks.first().map(|block| Action::GoToBlock { block: *block }),
        }
    }

    fn wait_before_drop_zone(&mut self, turn: usize) -> Option<Action> {
        let front = self.atlas.front_of(DROP_ZONE)?.clone();
        self.wait_at(&front, DROP_ZONE, turn)
    }

    /// Waits before a room: if robots do not collide, in the middle of the hall at the nearest point.
    fn wait_at(&mut self, front: &str, room: &str, turn: usize) -> Option<Action> {
        if self.collides == Some(false) {
            return self.go_to(front);
        }
        let aside = beside_the_way(self.atlas.center(front)?, self.atlas.center(room)?, turn);
        self.walker.go(&self.body, Goal::Point(aside), aside)
    }

    /// Moves a robot without a task out of rooms, where it would block others, and out of the middle of halls.
    fn clear_the_way(&mut self) -> Option<Action> {
        if let Some(room) = self.body.room() {
            let front = self.atlas.front_of(room)?.clone();
            return self.go_to(&front);
        }
        if !self.is_in_the_way() {
            return None;
        }
        let at = self.body.at.clone();
        let is_last_hall = self.atlas.are_beside(&at, DROP_ZONE);
        let turn = if is_last_hall { RESTING + self.body.id as usize % 8 } else { self.body.id as usize % 4 };
        self.wait_at(&at, DROP_ZONE, turn)
    }
}

/// Returns the point on the shortest way from here to the centre of a room from which a block can be reached.
fn within_reach(from: Point, center: Point, block: Point, reach: f64) -> Point {
    /// Number of points from which one is chosen.
    const CHOICE: u32 = 32;
    let length = from.distance(center);
    let candidates = (0..=CHOICE).map(|part| {
        let on_the_way = from.towards(center, length * f64::from(part) / f64::from(CHOICE));
        // Points that are too far away are moved to the edge of the reach.
        let too_far = on_the_way.distance(block) - reach;
        if too_far > 0.0 { on_the_way.towards(block, too_far) } else { on_the_way }
    });
    let way = |point: &Point| from.distance(*point) + point.distance(center);
    candidates.min_by(|one, other| way(one).total_cmp(&way(other))).unwrap_or(block)
}

/// Returns a place to wait before a room, beside both ways through the hall. There are four places around the middle,
/// and then four further to the sides each time.
fn beside_the_way(middle: Point, room: Point, turn: usize) -> Point {
    let sign = |second: bool| if second { -1.0 } else { 1.0 };
    let aside = sign(turn % 2 == 1) * SPACING * (turn / 4 + 1) as f64;
    let ahead = sign((turn / 2).is_multiple_of(2)) * SPACING;
    // A room lies on one side of its hall.
    let is_beside = (room.x - middle.x).abs() > (room.y - middle.y).abs();
    let (x, y) =
        if is_beside { (ahead * sign(room.x < middle.x), aside) } else { (aside, ahead * sign(room.y < middle.y)) };
    Point::new(middle.x + x, middle.y + y)
}
