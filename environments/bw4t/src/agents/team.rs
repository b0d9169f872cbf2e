//! A robot in a team of robots with the same program. They divide the rooms and colours only by messages in the
//! language of the specification:
//!
//! * A robot that fetches blocks says so when it joins ("I am looking for ..."). Whenever its plan changes, it
//!   announces which room it searches, which colour it fetches from where, that it waits, or that it is about to put
//!   down a block.
//! * A robot that has searched a room reports its contents, and then that it has been checked.
//! * A robot that takes or puts down a block reports it. If two have announced the same, the one whose name sorts
//!   first does it.
//!
//! It also answers questions of people and other agents.

use std::collections::{BTreeSet, VecDeque};

use situated::agent::Agent;
use situated::iil::{EcoString, Parameter};
use situated::interface::Perception;

use super::answers::{Answers, Asked};
use super::board::{self, Board};
use super::mates::Mates;
use super::planning::Outlook;
use super::robot::{Robot, Task};
use crate::Color;
use crate::action::Action;
use crate::map::DROP_ZONE;
use crate::messages::Message;
use crate::percept::Percept;

/// Number of steps after which a robot repeats its plan, so that others continue to rely on it.
const REPEAT: u64 = 500;

/// Number of steps without movement after which a robot considers itself stuck.
const STUCK: u64 = 600;

/// Number of steps without a delivery after which any robot may deliver the next colour.
const OVERDUE: u64 = 400;

/// Number of steps for which a robot leaves the next colour to others, before robots swap their blocks for it, one
/// after another.
const SWAP: u64 = 150;

/// A program for a robot in a team. Alone, it works as well as an [`Explorer`](super::Explorer).
#[derive(Clone, Debug, Default)]
pub struct Teammate {
    episode: u64,
    robot: Robot,
    task: Task,
    /// Its knowledge about the team at its last decision.
    outlook: Outlook,
    mates: Mates,
    board: Board,
    speech: Speech,
    answers: Answers,
    /// The other players to whom it has introduced itself.
    greeted: BTreeSet<EcoString>,
    /// The blocks that it held at its last decision, with their colours.
    held: Vec<(u32, Option<Color>)>,
    /// Number of delivered colours at the last check, and the step since when.
    delivered: (usize, u64),
    /// The step since when no robot fetches the colour that is needed now.
    unattended: Option<u64>,
}

/// The messages of a robot.
#[derive(Clone, Debug, Default)]
struct Speech {
    /// Reports of its actions, in order.
    deeds: VecDeque<Message>,
    /// Its last announced plan, with the time.
    plan: Option<Message>,
    said_at: u64,
    /// Contents of rooms that it has seen.
    news: VecDeque<Message>,
}

impl Teammate {
    /// Creates a program that has not joined yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Agent<Action, Percept> for Teammate {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        if perception.moment.episode != self.episode {
            *self = Self { episode: perception.moment.episode, ..Self::new() };
        }
        for (from, content) in self.robot.hear(perception) {
            self.listen(&from, &content);
        }
        self.mates.retain(&self.robot.body.players, self.robot.body.step);
        if self.robot.thinks() {
            self.note_deeds();
            self.note_sights();
            self.greet();
            self.look_ahead();
            let errand = self.answers.errand(&self.robot);
            self.task = errand.unwrap_or_else(|| self.robot.choose(&self.outlook, &self.task));
        }
        let answer = self.answers.next(self.robot.body.step);
        let claim = answer.or_else(|| if self.is_contested() { self.claim() } else { None });
        claim.or_else(|| self.robot.carry_out(&self.task)).or_else(|| self.speak())
    }
}

impl Teammate {
    fn listen(&mut self, from: &EcoString, content: &Parameter) {
        let message = self.robot.understand(from, content);
        let asked = Asked { robot: &self.robot, task: &self.task, outlook: &self.outlook };
        self.answers.hear(&asked, from, content, message.as_ref());
        let Some(message) = message else { return };
        let step = self.robot.body.step;
        self.mates.hear(from, &message, step);
        self.board.hear(&message);
        board::remember(&mut self.robot.memory, &message, step);
    }

    /// Reports blocks that it took or gave away.
    fn note_deeds(&mut self) {
        let now: Vec<(u32, Option<Color>)> = self.robot.body.held.iter().copied().zip(self.robot.load()).collect();
        for (_, color) in self.held.iter().filter(|block| !now.contains(block)) {
            self.speech.deeds.push_back(Message::DroppedOffBlock { color: *color });
        }
        for (_, color) in now.iter().filter(|block| !self.held.contains(block)) {
            let Some(color) = *color else { continue };
            let taken = match self.robot.body.room().cloned() {
                Some(room) => Message::HasColorFromRoom { color, room },
                None => Message::HasColor { color },
            };
            self.board.hear(&taken);
            self.speech.deeds.push_back(taken);
        }
        self.held = now;
    }

    /// Reports the contents of its room that others do not know.
    fn note_sights(&mut self) {
        let body = &self.robot.body;
        let Some(name) = body.room().filter(|room| *room != DROP_ZONE && !body.color_blind) else { return };
        let Some((_, room)) = self.robot.memory.rooms().find(|(room, _)| *room == name) else { return };
        for news in self.board.news(name, room) {
            self.board.hear(&news);
            self.speech.news.push_back(news);
        }
    }

    /// Introduces itself to new players. The first robot by name reports the known contents of rooms to them.
    fn greet(&mut self) {
        let body = &self.robot.body;
        self.greeted.retain(|player| body.players.contains(player));
        let new: Vec<EcoString> = body.players.difference(&self.greeted).cloned().collect();
        let Some(first) = new.first() else { return };
        if self.can_carry()
            && let Some(color) = body.wanted().first()
        {
            self.speech.deeds.push_back(Message::LookingFor { color: *color });
        }
        let held = self.held.iter().filter_map(|(_, color)| *color);
        self.speech.deeds.extend(held.map(|color| Message::HasColor { color }));
        self.speech.plan = None;
        if self.mates.are_after(&body.name, first) {
            self.speech.news.extend(board::report(&self.robot.memory));
        }
        self.greeted.extend(new);
    }

    /// Determines what the other robots leave to it.
    fn look_ahead(&mut self) {
        let mut outlook = self.mates.outlook(&self.robot.body.name, self.speech.plan.as_ref());
        let step = self.robot.body.step;
        let is_unattended = self.robot.first_open(&outlook) == Some(0);
        self.unattended = is_unattended.then(|| self.unattended.unwrap_or(step));
        // The robot that holds the colour needed last swaps first.
        let place = self.robot.own_place(&outlook).unwrap_or(outlook.hands);
        let patience = SWAP * (1 + outlook.hands.saturating_sub(place) as u64);
        outlook.must_swap = outlook.hands == 1 || self.unattended.is_some_and(|since| step > since + patience);
        if self.delivered.0 != self.robot.body.delivered {
            self.delivered = (self.robot.body.delivered, step);
        }
        outlook.is_overdue = step > self.delivered.1 + OVERDUE;
        self.outlook = outlook;
    }

    fn is_stuck(&self) -> bool {
        self.robot.still_for() > STUCK
    }

    fn can_carry(&self) -> bool {
        self.robot.body.grippers > 0 && !self.robot.body.color_blind && !self.is_stuck()
    }

    /// Whether another robot could be about to do the same. Then it announces its plan first.
    fn is_contested(&self) -> bool {
        match &self.task {
            Task::Search { room } | Task::Fetch { room, .. } => !self.robot.body.rooms.contains(room),
            Task::Deliver | Task::AwaitTurn { .. } | Task::Stow { .. } | Task::Rest => false,
        }
    }

    /// Introduces itself, and then announces its plan, if the others do not know it.
    fn claim(&mut self) -> Option<Action> {
        if self.robot.body.players.is_empty() {
            return None;
        }
        let message = self.speech.deeds.pop_front().or_else(|| self.new_plan())?;
        Some(self.say(&message))
    }

    /// Returns the next message to send, if there are other players.
    fn speak(&mut self) -> Option<Action> {
        if self.robot.body.players.is_empty() {
            self.speech = Speech::default();
            return None;
        }
        let message = self.speech.deeds.pop_front().or_else(|| self.new_plan());
        let message = message.or_else(|| self.speech.news.pop_front())?;
        Some(self.say(&message))
    }

    fn say(&self, message: &Message) -> Action {
        Action::SendMessage { to: "all".into(), content: message.to_term(&self.robot.body.name) }
    }

    /// Returns its plan, if the others do not know it, or have not received it for long.
    fn new_plan(&mut self) -> Option<Message> {
        let plan = self.plan()?;
        let step = self.robot.body.step;
        let is_known = self.speech.plan.as_ref() == Some(&plan) && step < self.speech.said_at + REPEAT;
        if is_known {
            return None;
        }
        (self.speech.plan, self.speech.said_at) = (Some(plan.clone()), step);
        Some(plan)
    }

    fn plan(&self) -> Option<Message> {
        let color = self.robot.load().next().flatten();
        let needed = self.robot.body.wanted().first().copied();
        if self.is_stuck() {
            return Some(Message::CouldNot);
        }
        Some(match &self.task {
            Task::Search { room } => Message::GoingToRoom { room: room.clone() },
            Task::Fetch { color, room } => Message::AmGettingColor { color: *color, room: Some(room.clone()) },
            Task::Stow { room } if self.outlook.must_swap => {
                Message::AmGettingColor { color: needed?, room: Some(room.clone()) }
            }
            Task::Stow { room } => Message::GoingToRoom { room: room.clone() },
            Task::Deliver => Message::AboutToDropOffBlock { color },
            Task::AwaitTurn { .. } => Message::AmWaitingOutsideRoom { room: DROP_ZONE.into(), color },
            Task::Rest => Message::LookingFor { color: needed.filter(|_| self.can_carry())? },
        })
    }
}
