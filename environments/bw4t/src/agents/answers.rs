//! The answers of a robot to questions of people and other agents, and the tasks that it does at their request.
//!
//! A robot answers only the player that asks, and in a sentence if the question was a sentence. It answers questions
//! to all players and those that name it, from its own knowledge. It does what a player asks of it by name, if it
//! can: it says "OK", does this before its own work, and says "I couldn't" if it turns out to be impossible.

use std::collections::VecDeque;

use situated::iil::{EcoString, Parameter};

use super::board;
use super::planning::Outlook;
use super::robot::{Robot, Task};
use crate::Color;
use crate::action::Action;
use crate::messages::{Dialect, Message, SOMEBODY};

/// Maximum number of waiting answers. Further questions are not answered.
const MOST_WAITING: usize = 20;

/// Number of steps between two answers, so that questions do not keep a robot from its work. All waiting answers are
/// given within a second.
const PAUSE: u64 = 2;

/// Number of ticks below which a robot answers that it is almost there, and that it will not be long.
const ALMOST: f64 = 100.0;
const NEAR: f64 = 300.0;

/// Number of steps without progress after which a robot says that it is delayed.
const DELAY: u64 = 50;

/// Maximum number of steps that a robot spends on a request.
const ERRAND: u64 = 3_000;

/// The answers of a robot to questions, and the requests that it fulfils.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    waiting: VecDeque<(EcoString, Parameter)>,
    said_at: u64,
    errand: Option<Errand>,
}

/// A task that a robot does at somebody's request.
#[derive(Clone, Debug)]
struct Errand {
    asker: Asker,
    task: Task,
    since: u64,
    /// The number of blocks that it held when the request came.
    held: usize,
}

/// A player that has asked a question.
#[derive(Clone, Debug)]
struct Asker {
    name: EcoString,
    /// Whether it uses sentences, as people do.
    is_person: bool,
}

/// The knowledge from which a robot answers: its own state, and its knowledge of the team.
pub(super) struct Asked<'a> {
    pub(super) robot: &'a Robot,
    pub(super) task: &'a Task,
    pub(super) outlook: &'a Outlook,
}

/// Parses a message, which is a term or a sentence.
pub(super) fn understand(from: &EcoString, content: &Parameter) -> Option<Message> {
    let sentence = || match content {
        Parameter::Identifier(text) => Message::from_english(text).ok(),
        _ => None,
    };
    Message::from_term(content, from).ok().or_else(sentence)
}

/// Returns the player that a question or a request names, if it names one.
fn addressee(message: &Message) -> Option<&EcoString> {
    match message {
        Message::GoToRoom { player, .. }
        | Message::FindColor { player, .. }
        | Message::GetColorFromRoom { player, .. }
        | Message::PutDown { player }
        | Message::WillYouBeLong { player }
        | Message::AreYouClose { player } => Some(player),
        _ => None,
    }
}

impl Asker {
    fn of(from: &EcoString, content: &Parameter) -> Self {
        Self { name: from.clone(), is_person: matches!(content, Parameter::Identifier(_)) }
    }
}

impl Answers {
    /// Processes a message to a robot, with its meaning.
    pub(super) fn hear(&mut self, asked: &Asked<'_>, from: &EcoString, content: &Parameter, message: Option<&Message>) {
        let body = &asked.robot.body;
        let asker = Asker::of(from, content);
        let other = message.and_then(addressee).filter(|player| **player != body.name);
        let exists = |player: &EcoString| *player == SOMEBODY || body.players.contains(player);
        let answers = match message {
            _ if other.is_some_and(exists) => Vec::new(),
            _ if other.is_some() => vec![Message::IDoNotKnow],
            Some(message) => match asked.requested(message) {
                Some(Ok(task)) => {
                    let room = task.room().filter(|_| !matches!(task, Task::Stow { .. })).cloned();
                    let (since, held) = (body.step, body.held.len());
                    self.errand = Some(Errand { asker: asker.clone(), task, since, held });
                    vec![Message::Ok { room }]
                }
                Some(Err(refusal)) => vec![refusal],
                None => asked.answers(from, message),
            },
            None if asker.is_person => vec![Message::IDoNotKnow],
            None => Vec::new(),
        };
        answers.into_iter().for_each(|answer| self.tell(&asker, &answer, &body.name));
    }

    /// Processes a message to a player of this name that does not fulfil requests.
    pub(super) fn decline(&mut self, me: &EcoString, from: &EcoString, content: &Parameter, message: &Message) {
        if addressee(message) == Some(me) {
            self.tell(&Asker::of(from, content), &Message::IDoNot, me);
        }
    }

    /// Returns the requested task, until it is done.
    pub(super) fn errand(&mut self, robot: &Robot) -> Option<Task> {
        let errand = self.errand.take()?;
        let done = errand.is_done(robot);
        if !done && robot.can_continue(&errand.task) && robot.body.step < errand.since + ERRAND {
            let task = errand.task.clone();
            self.errand = Some(errand);
            return Some(task);
        }
        let arrived = robot.body.room().map(|room| Message::InRoom { room: room.clone() });
        let report = match errand.task {
            _ if !done => Some(Message::CouldNot),
            Task::Search { .. } => arrived,
            _ => None,
        };
        if let Some(report) = report {
            self.tell(&errand.asker, &report, &robot.body.name);
        }
        None
    }

    /// Returns the next answer, if there is one.
    pub(super) fn next(&mut self, step: u64) -> Option<Action> {
        if step < self.said_at + PAUSE {
            return None;
        }
        let (to, content) = self.waiting.pop_front()?;
        self.said_at = step;
        Some(Action::SendMessage { to, content })
    }

    fn tell(&mut self, asker: &Asker, answer: &Message, me: &str) {
        if self.waiting.len() >= MOST_WAITING {
            return;
        }
        let content = if asker.is_person {
            Parameter::Identifier(answer.to_english(Dialect::Specification).into())
        } else {
            answer.to_term(me)
        };
        self.waiting.push_back((asker.name.clone(), content));
    }
}

impl Errand {
    fn is_done(&self, robot: &Robot) -> bool {
        let body = &robot.body;
        match &self.task {
            Task::Search { room } => body.rooms.contains(room) || body.at == *room && !robot.is_room(room),
            Task::Fetch { .. } => body.held.len() > self.held,
            _ => body.held.len() < self.held,
        }
    }
}

impl Asked<'_> {
    /// Returns the task that a request asks for, or the reason why the robot cannot do it.
    fn requested(&self, message: &Message) -> Option<Result<Task, Message>> {
        let body = &self.robot.body;
        let task = match message {
            Message::GoToRoom { room, .. } => Ok(Task::Search { room: room.clone() }),
            Message::GetColorFromRoom { color, room, .. } if body.free_grippers() > 0 => {
                Ok(Task::Fetch { color: *color, room: room.clone() })
            }
            Message::FindColor { color, .. } => self.find(*color),
            Message::PutDown { .. } if !body.held.is_empty() => {
                self.robot.place_to_stow(self.outlook).ok_or(Message::CouldNot)
            }
            Message::GetColorFromRoom { .. } | Message::PutDown { .. } => Err(Message::CouldNot),
            _ => return None,
        };
        let is_known = |task: &Task| task.room().is_none_or(|room| body.zones.contains_key(room));
        Some(task.and_then(|task| if is_known(&task) { Ok(task) } else { Err(Message::IDoNotKnow) }))
    }

    /// Returns the task of searching a room for a colour, or the message that a room contains it.
    fn find(&self, color: Color) -> Result<Task, Message> {
        match self.known(|_, found| found == color).into_iter().next() {
            Some(known) => Err(known),
            None => self.robot.place_to_search(self.outlook, color).ok_or(Message::IDoNotKnow),
        }
    }

    /// Returns the answers to a question; none if the message is not a question.
    fn answers(&self, from: &EcoString, message: &Message) -> Vec<Message> {
        let body = &self.robot.body;
        let yes_or_no = |yes| if yes { Message::Yes } else { Message::No };
        let answers = match message {
            Message::AreYouClose { .. } => vec![self.progress()],
            Message::WillYouBeLong { .. } => vec![match self.robot.ticks_left() {
                _ if self.is_delayed() => Message::Delayed,
                ticks => yes_or_no(ticks.is_some_and(|ticks| ticks > NEAR)),
            }],
            Message::WhatIsInRoom { room } => self.contents(room),
            Message::WhereIsColor { color } => self.known(|_, found| found == *color),
            Message::WeNeed { color } if self.holds(*color) => vec![Message::HasColor { color: *color }],
            Message::WeNeed { color } => self.known(|_, found| found == *color),
            Message::WhoHasABlock { color } if self.holds(*color) => vec![Message::HasColor { color: *color }],
            Message::WhoHasABlock { .. } => vec![Message::IDoNot],
            Message::WhoIsInRoom { room } if body.rooms.contains(room) => vec![Message::InRoom { room: room.clone() }],
            // A robot cannot see from elsewhere who is in a room, but it can see whether the room is occupied.
            Message::WhoIsInRoom { room } if body.occupied.contains(room) => vec![Message::IDoNotKnow],
            Message::WhoIsInRoom { room } if body.zones.contains_key(room) => vec![Message::No],
            Message::WhoIsInRoom { .. } => vec![Message::IDoNotKnow],
            Message::HasAnybodyCheckedRoom { room } => {
                match self.robot.memory.rooms().find(|(name, _)| *name == room) {
                    Some((_, known)) if known.checked => vec![Message::Checked { room: room.clone(), player: None }],
                    known => known.map(|_| Message::No).into_iter().collect(),
                }
            }
            Message::IsAnybodyGoingToRoom { room } if self.task.room() == Some(room) => {
                vec![Message::GoingToRoom { room: room.clone() }]
            }
            Message::IsAnybodyGoingToRoom { room } if !body.zones.contains_key(room) => vec![Message::IDoNotKnow],
            Message::IsAnybodyGoingToRoom { room } => {
                let is_shared = self.outlook.searched.contains(room) || self.outlook.visited.contains(room);
                vec![yes_or_no(is_shared)]
            }
            Message::WhereShouldIGo => self.advice(from),
            Message::WhatColorShouldIGet => {
                self.colors_for_others().take(1).map(|color| Message::WeNeed { color }).collect()
            }
            _ => return Vec::new(),
        };
        if answers.is_empty() { vec![Message::IDoNotKnow] } else { answers }
    }

    /// Returns the message about the robot's progress to its destination.
    fn progress(&self) -> Message {
        match self.robot.ticks_left() {
            _ if self.is_delayed() => Message::Delayed,
            None => Message::No,
            Some(ticks) if ticks <= ALMOST => Message::AlmostThere,
            Some(ticks) if ticks <= NEAR => Message::OnTheWay,
            Some(_) => Message::FarAway,
        }
    }

    fn is_delayed(&self) -> bool {
        *self.task != Task::Rest && self.robot.still_for() > DELAY
    }

    fn holds(&self, color: Color) -> bool {
        self.robot.load().any(|held| held == Some(color))
    }

    /// Returns the robot's knowledge about a room.
    fn contents(&self, room: &EcoString) -> Vec<Message> {
        let known = self.known(|name, _| name == room);
        let is_empty = || self.robot.memory.rooms().any(|(name, known)| name == room && known.checked);
        if known.is_empty() && is_empty() { vec![Message::RoomIsEmpty { room: room.clone() }] } else { known }
    }

    /// Returns the number of known blocks that match, by room and colour.
    fn known(&self, is_meant: impl Fn(&EcoString, Color) -> bool) -> Vec<Message> {
        let rooms = self.robot.memory.rooms();
        let contents = rooms.flat_map(|(name, room)| room.colors().into_iter().map(move |color| (name, room, color)));
        let meant = contents.filter(|(name, _, color)| is_meant(name, *color));
        meant.map(|(name, room, color)| board::contents(name, color, room.count(color))).collect()
    }

    /// Returns the colours that another player could fetch.
    fn colors_for_others(&self) -> impl Iterator<Item = Color> {
        let own = if let Task::Fetch { color, .. } = self.task { Some(*color) } else { None };
        let mut open = self.robot.open_colors(self.outlook);
        if let Some(place) = open.iter().position(|color| Some(*color) == own) {
            open.remove(place);
        }
        open.into_iter()
    }

    /// Returns a suggestion for another player: a room with a block that is needed, or a room that nobody has
    /// searched.
    fn advice(&self, player: &EcoString) -> Vec<Message> {
        let (own, color) = (self.task.room(), self.colors_for_others().next());
        let rooms = || self.robot.memory.rooms().filter(|(name, _)| own != Some(name));
        let with_block = rooms().find(|(_, room)| color.is_some_and(|color| room.count(color) > 0));
        let unchecked = || rooms().find(|(name, room)| !room.checked && !self.outlook.searched.contains(*name));
        let room = with_block.or_else(unchecked).map(|(name, _)| name.clone());
        room.map(|room| Message::GoToRoom { player: player.clone(), room }).into_iter().collect()
    }
}

impl Task {
    /// Returns the room, or other place, to which a task leads.
    fn room(&self) -> Option<&EcoString> {
        match self {
            Task::Search { room } | Task::Fetch { room, .. } | Task::Stow { room } => Some(room),
            Task::Deliver | Task::AwaitTurn { .. } | Task::Rest => None,
        }
    }
}

impl Robot {
    /// Parses a message. In sentences, which people type, the case of names does not matter.
    pub(super) fn understand(&self, from: &EcoString, content: &Parameter) -> Option<Message> {
        let (message, body) = (understand(from, content)?, &self.body);
        let is_sentence = matches!(content, Parameter::Identifier(_));
        let players = body.players.iter().chain([&body.name]);
        Some(if is_sentence { message.with_names_of(body.zones.keys(), players) } else { message })
    }

    /// Whether a task can still be done.
    fn can_continue(&self, task: &Task) -> bool {
        let Some(place) = task.room() else { return true };
        let room = self.memory.rooms().find(|(name, _)| *name == place).map(|(_, room)| room);
        let is_there = |color| room.is_some_and(|room| !room.checked || room.count(color) > 0);
        let is_open = room.is_none_or(|room| room.shunned_until <= self.body.step);
        is_open && !self.atlas.is_blocked(place) && !matches!(task, Task::Fetch { color, .. } if !is_there(*color))
    }
}
