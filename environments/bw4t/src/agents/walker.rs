//! Moving to places, around obstacles.

use situated::iil::EcoString;

use super::body::Body;
use crate::action::Action;
use crate::geometry::Point;
use crate::robot::State;

/// Distance from its goal at which a robot has arrived.
const NEAR: f64 = 0.01;

/// Maximum number of steps that a robot waits before it tries again.
const LONGEST_WAIT: u64 = 60;

/// A destination of a robot.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// The centre of a place.
    Place(EcoString),
    /// A point in the robot's zone.
    Point(Point),
}

/// Sends a robot to places, repeatedly until it arrives.
#[derive(Clone, Debug, Default)]
pub(super) struct Walker {
    goal: Option<Goal>,
    /// Number of times that it was stopped on its way there.
    failures: u64,
    /// The step at which it was last sent or stopped.
    since: u64,
    /// Whether it was stopped since it was sent.
    stopped: bool,
}

impl Walker {
    /// Returns the number of times that the robot was stopped on its way.
    pub(super) fn failures(&self) -> u64 {
        self.failures
    }

    /// Returns the robot's destination.
    pub(super) fn goal(&self) -> Option<&Goal> {
        self.goal.as_ref()
    }

    /// Returns the next action towards a goal at this point; `None` if the robot has arrived or is on its way.
    pub(super) fn go(&mut self, body: &Body, goal: Goal, point: Point) -> Option<Action> {
        if self.goal.as_ref() != Some(&goal) {
            self.failures = 0;
            return self.set_out(body, goal);
        }
        match body.state {
            State::Traveling => None,
            State::Arrived | State::Collided if body.location.distance(point) < NEAR => None,
            State::Arrived => {
                // The action was rejected, or the robot was made to stop elsewhere.
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

    /// Two robots that block each other wait for different times, so that one of them can pass.
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
