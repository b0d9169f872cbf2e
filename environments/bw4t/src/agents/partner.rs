//! The e-partners: devices that a person carries. Their functions determine what they do.

use situated::agent::Agent;
use situated::iil::{EcoString, Parameter};
use situated::interface::Perception;

use super::answers::{Answers, understand};
use super::device::Device;
use super::guide::Guide;
use crate::action::Action;
use crate::messages::{Dialect, Message};
use crate::percept::Percept;

/// A program for an e-partner. With the function `GPS`, it shows its holder the way to a destination that the holder
/// has sent. With `Forget-me-not`, it reminds the person who has put it down.
///
/// It does not perceive the name of its holder, nor the positions of others. It assumes that the player that has sent
/// it a destination is its holder, or else the only other player.
#[derive(Clone, Debug, Default)]
pub struct Companion {
    episode: u64,
    device: Device,
    guide: Guide,
    reminder: Reminder,
    holder: Option<EcoString>,
    /// Messages to send to the holder.
    unsaid: Vec<Message>,
    answers: Answers,
}

impl Companion {
    /// Creates an e-partner that nobody has held yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn listen(&mut self, from: &EcoString, content: &Parameter) {
        let Some(message) = understand(from, content) else { return };
        self.answers.decline(&self.device.name, from, content, &message);
        let goal = match message {
            Message::IWantToGo { room } => {
                self.holder = Some(from.clone());
                room
            }
            Message::GoingToRoom { room } if self.holder().as_ref() == Some(from) => room,
            _ => return,
        };
        self.unsaid.extend(self.reminder.hear_goal(&self.device, &goal));
        if self.device.gps {
            self.unsaid.extend(self.guide.hear_goal(from, &goal, &self.device));
        }
    }

    /// Returns the present or last holder, if known.
    fn holder(&self) -> Option<EcoString> {
        let known = self.holder.clone().filter(|holder| self.device.players.contains(holder));
        let only = || self.device.players.first().filter(|_| self.device.players.len() == 1).cloned();
        known.or_else(only)
    }
}

impl Agent<Action, Percept> for Companion {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        if perception.moment.episode != self.episode {
            *self = Self { episode: perception.moment.episode, ..Self::new() };
        }
        self.device.absorb(perception);
        for event in &perception.events {
            if let Percept::Message { from, content } = event {
                self.listen(from, content);
            }
        }
        if self.device.gps {
            self.unsaid.extend(self.guide.follow(&self.device));
        }
        if self.device.forget_me_not {
            self.unsaid.extend(self.reminder.watch(&self.device));
        }
        if let Some(answer) = self.answers.next(self.device.step) {
            return Some(answer);
        }
        let to = self.holder().unwrap_or_else(|| "all".into());
        let next = (!self.unsaid.is_empty()).then(|| self.unsaid.remove(0))?;
        // It talks to people.
        let sentence = next.to_english(Dialect::Specification);
        Some(Action::SendMessage { to, content: Parameter::Identifier(sentence.into()) })
    }
}

/// Number of steps after which the person who put it down is assumed to have left the room. It cannot see that.
const GRACE: u64 = 100;

/// Its place if it is in no room and knows no other places.
const ELSEWHERE: &str = "the hall";

/// Whether it has been put down.
#[derive(Clone, Debug, Default)]
pub(super) enum Reminder {
    /// Nobody has held it yet, or it has already reminded its holder.
    #[default]
    Quiet,
    Held,
    /// It was put down in this step.
    PutDown(u64),
}

impl Reminder {
    /// Returns the message after a perception.
    pub(super) fn watch(&mut self, device: &Device) -> Option<Message> {
        *self = match *self {
            _ if device.is_held => Reminder::Held,
            Reminder::Held => Reminder::PutDown(device.step),
            Reminder::PutDown(since) if device.step >= since + GRACE => return Some(self.call(device)),
            Reminder::PutDown(_) | Reminder::Quiet => return None,
        };
        None
    }

    /// Returns the message to a holder who wants to go somewhere: a reminder, if the holder leaves it behind.
    pub(super) fn hear_goal(&mut self, device: &Device, goal: &EcoString) -> Option<Message> {
        let leaves = matches!(self, Reminder::PutDown(_)) && device.whereabouts() != Some(goal);
        leaves.then(|| self.call(device))
    }

    fn call(&mut self, device: &Device) -> Message {
        *self = Reminder::Quiet;
        let room = device.whereabouts().cloned().unwrap_or_else(|| ELSEWHERE.into());
        Message::YouForgotMe { room }
    }
}
