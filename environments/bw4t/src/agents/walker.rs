//! Going places: what to do to get somewhere, and when something is in the way.

use situated::iil::EcoString;

use super::body::Body;
use crate::action::Action;
use crate::geometry::Point;
use crate::robot::State;

/// How near to its goal a robot has arrived.
const NEAR: f64 = 0.01;

/// How many steps a robot waits before it tries again, at most.
const LONGEST_WAIT: u64 = 60;

/// Where a robot can be sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// The centre of a place.
    Place(EcoString),
    /// A point in the zone where the robot is.
    Point(Point),
}

/// Sends a robot to places, again and again until it is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Walker {
    goal: Option<Goal>,
    /// How often it was stopped on its way there.
    failures: u64,
    /// When it was sent or stopped last.
    since: u64,
    /// Whether it was seen to be stopped since it was sent.
    stopped: bool,
}

impl Walker {
    /// How often the robot was stopped on its way to where it is going.
    pub(super) fn failures(&self) -> u64 {
        self.failures
    }

    /// Where the robot is going.
    pub(super) fn goal(&self) -> Option<&Goal> {
        self.goal.as_ref()
    }

    /// What to do to get to a goal, whose point this is; nothing if the robot is there or on its way.
    pub(super) fn go(&mut self, body: &Body, goal: Goal, point: Point) -> Option<Action> {
        if self.goal.as_ref() != Some(&goal) {
            self.failures = 0;
            return self.set_out(body, goal);
        }
        match body.state {
            State::Traveling => None,
            State::Arrived | State::Collided if body.location.distance(point) < NEAR => None,
            State::Arrived => {
                // It was refused, or something made it arrive elsewhere.
                self.failures += 1;
                self.set_out(body, goal)
            }
            State::Collided => self.try_again(body, goal),
        }
    }

    fn set_out(&mut self, body: &Body, goal: Goal) -> Option<Action> {
        (self.since, self.stopped) = (body.step, false);
        self.goal = Some(goal.clone());
        Some(match goal {
            Goal::Place(place) => Action::GoToPlace { place },
            Goal::Point(Point { x, y }) => Action::GoTo { x, y },
        })
    }

    /// Two robots that are in each other's way wait for different times, so that one of them can get past.
    fn try_again(&mut self, body: &Body, goal: Goal) -> Option<Action> {
        if !self.stopped {
            (self.stopped, self.since) = (true, body.step);
            self.failures += 1;
        }
        let wait = (self.failures - 1) * (3 + u64::from(body.id) % 8);
        if body.step < self.since + wait.min(LONGEST_WAIT) {
            return None;
        }
        if body.bumped.is_empty() || self.failures.is_multiple_of(2) {
            return self.set_out(body, goal);
        }
        (self.since, self.stopped) = (body.step, false);
        Some(Action::NavigateObstacles)
    }
}
