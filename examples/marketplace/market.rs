//! The market: agents, the post between them, and the time that passes.

use std::collections::BTreeMap;
use std::error::Error;

use situated_acl::{Encoding, Message};

use crate::books::Books;
use crate::post::Post;

/// An agent at the market: it takes messages and returns messages.
pub(crate) trait Agent {
    fn name(&self) -> &str;

    fn books(&self) -> &Books;

    /// Takes a message and returns the messages to send.
    fn hear(&mut self, message: &Message<'_>, now: i64) -> Vec<Message<'static>>;

    /// Returns the time at which the agent wants to be woken.
    fn alarm(&self) -> Option<i64> {
        None
    }

    /// Does what is due now and returns the messages to send.
    fn wake(&mut self, _now: i64) -> Vec<Message<'static>> {
        Vec::new()
    }
}

pub(crate) struct Market {
    agents: BTreeMap<String, Box<dyn Agent>>,
    pub(crate) post: Post,
}

impl Market {
    pub(crate) fn new() -> Self {
        Self { agents: BTreeMap::new(), post: Post::new() }
    }

    /// Adds an agent that writes in the encoding that it prefers, at this distance in milliseconds from the post.
    pub(crate) fn admit(&mut self, agent: impl Agent + 'static, prefers: Encoding, distance: i64) {
        self.post.serve(agent.name(), prefers, distance);
        self.agents.insert(agent.name().into(), Box::new(agent));
    }

    pub(crate) fn agents(&self) -> impl Iterator<Item = &dyn Agent> {
        self.agents.values().map(Box::as_ref)
    }

    /// Lets time pass until no message is in transit and no agent has plans.
    pub(crate) fn run(&mut self) -> Result<(), Box<dyn Error>> {
        while let Some(now) = self.next_moment() {
            if self.post.next_arrival() == Some(now) {
                self.deliver(now)?;
            } else {
                self.wake(now)?;
            }
        }
        Ok(())
    }

    fn next_moment(&self) -> Option<i64> {
        self.post.next_arrival().into_iter().chain(self.agents().filter_map(Agent::alarm)).min()
    }

    fn deliver(&mut self, now: i64) -> Result<(), Box<dyn Error>> {
        let Some(letter) = self.post.deliver() else { return Ok(()) };
        let agent = self.agents.get_mut(&letter.to).ok_or("a letter to nobody")?;
        for message in agent.hear(&letter.read()?, now) {
            self.post.send(&message, now)?;
        }
        Ok(())
    }

    fn wake(&mut self, now: i64) -> Result<(), Box<dyn Error>> {
        for agent in self.agents.values_mut().filter(|agent| agent.alarm().is_some_and(|alarm| alarm <= now)) {
            for message in agent.wake(now) {
                self.post.send(&message, now)?;
            }
        }
        Ok(())
    }
}
