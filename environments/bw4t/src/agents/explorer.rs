//! A robot that works alone: it searches rooms, remembers their contents, and delivers the colours in order.

use situated::agent::Agent;
use situated::interface::Perception;

use super::answers::{Answers, Asked};
use super::memory::Contents;
use super::planning::Outlook;
use super::robot::{Robot, Task};
use crate::action::Action;
use crate::percept::Percept;

/// A program for a robot that works alone. It sends messages only to answer questions.
#[derive(Clone, Debug)]
pub struct Explorer {
    /// Contents of rooms that it was given beforehand.
    told: Vec<Contents>,
    episode: u64,
    robot: Robot,
    task: Task,
    answers: Answers,
}

impl Explorer {
    /// Creates an explorer that knows no contents of rooms.
    pub fn new() -> Self {
        Self::informed(Vec::new())
    }

    /// Creates an explorer that knows the contents of these rooms.
    pub fn informed(told: Vec<Contents>) -> Self {
        Self { told, episode: 0, robot: Robot::default(), task: Task::Rest, answers: Answers::default() }
    }

    fn begin(&mut self, episode: u64) {
        *self = Self { episode, ..Self::informed(std::mem::take(&mut self.told)) };
    }
}

impl Default for Explorer {
    fn default() -> Self {
        Self::new()
    }
}

impl Agent<Action, Percept> for Explorer {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        if perception.moment.episode != self.episode {
            self.begin(perception.moment.episode);
        }
        let letters = self.robot.hear(perception);
        self.robot.memory.believe(&self.told);
        let outlook = Outlook::default();
        for (from, content) in letters {
            let asked = Asked { robot: &self.robot, task: &self.task, outlook: &outlook };
            self.answers.hear(&asked, &from, &content, self.robot.understand(&from, &content).as_ref());
        }
        if self.robot.thinks() {
            let errand = self.answers.errand(&self.robot);
            self.task = errand.unwrap_or_else(|| self.robot.choose(&outlook, &self.task));
        }
        self.answers.next(self.robot.body.step).or_else(|| self.robot.carry_out(&self.task))
    }
}
