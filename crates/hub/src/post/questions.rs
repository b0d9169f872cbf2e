//! Questions to the AMS and the DF, and what they say.

use std::sync::{Arc, Weak};

use situated_acl::Message;
use situated_directory::{AMS, Agent, Answer, DF, Heard, LifeCycle};
use situated_mail::Sent;
use situated_runtime::wall_clock;

use super::neighbours::Gates;
use super::{Post, RESERVED, State};
use crate::answers::DirectoryAnswer;
use crate::error::Error;
use crate::reply::Reply;
use crate::requests::AskDirectory;

impl Post {
    /// Asks the AMS or the DF for an agent of a session. A search that goes on in other directories is answered later.
    pub(crate) fn ask(self: &Arc<Self>, question: AskDirectory, reply: Reply<AskDirectory>) {
        if let Err((error, reply)) = self.try_ask(question, reply) {
            reply.refuse(error);
        }
        self.conversations.record();
    }

    fn try_ask(
        self: &Arc<Self>,
        AskDirectory { agent, mut message }: AskDirectory,
        reply: Reply<AskDirectory>,
    ) -> Result<(), (Error, Reply<AskDirectory>)> {
        self.gates.localize(&mut message);
        let service = match &*message.receivers {
            [one] => RESERVED.into_iter().find(|name| *name == self.gates.local(&one.name)),
            _ => None,
        };
        let act = message.performative;
        let now = wall_clock();
        let mut state = self.state.lock();
        let checked = state.check_owner(reply.session(), &agent);
        let checked = checked.and_then(|()| service.ok_or(Error::NotADirectory));
        let routed = state.routed(&self.gates, &agent, &message);
        let sent = checked.and_then(|service| {
            state.mail.dispatch(&agent, None, *message, routed, now)?;
            Ok(service)
        });
        let service = match sent {
            Ok(service) => service,
            Err(error) => return Err((error, reply)),
        };
        let Heard { answer, told } = state.hear(service, now);
        let unanswered = match answer {
            Answer::Given(answer) => {
                state.give(*answer, reply, now);
                None
            }
            Answer::Later(search) => {
                state.asked.insert(search, reply);
                None
            }
            Answer::None => Some((Error::NoAnswer { act }, reply)),
        };
        state.tell(&self.gates, told, now);
        state.tell_found(&self.gates, now);
        // A lease or a search may have begun.
        self.ring();
        let delivery = state.settle(self);
        state.deliver(self, delivery);
        unanswered.map_or(Ok(()), Err)
    }
}

impl State {
    /// Answers the messages that wait for the AMS and the DF.
    pub(super) fn answer(&mut self, gates: &Gates, now: u64) {
        for service in RESERVED {
            while self.mail.waiting(service, 0).next().is_some() {
                let Heard { answer, told } = self.hear(service, now);
                if let Answer::Given(answer) = answer {
                    self.submit(gates, [*answer], now);
                }
                self.submit(gates, told, now);
            }
        }
        self.tell_found(gates, now);
    }

    /// Sends messages of the AMS and the DF, and answers those that come back.
    pub(super) fn tell(&mut self, gates: &Gates, messages: Vec<Message<'static>>, now: u64) {
        if !messages.is_empty() {
            self.submit(gates, messages, now);
            self.answer(gates, now);
        }
    }

    /// Answers the searches that have ended in other directories.
    pub(super) fn tell_found(&mut self, gates: &Gates, now: u64) {
        for (search, answer) in self.directory.take_found() {
            match self.asked.remove(&search) {
                Some(reply) => self.give(answer, reply, now),
                None => self.submit(gates, [answer], now),
            }
        }
    }

    /// Passes the first message that waits for the AMS or the DF to it.
    fn hear(&mut self, service: &'static str, now: u64) -> Heard {
        let first = self.mail.waiting(service, 0).next().map(|one| (one.number, one.message.clone()));
        let Some((number, message)) = first else { return Heard::default() };
        // A message is written before it is acknowledged. The answer is written with the acknowledgement.
        self.store();
        let agents = if service == AMS { self.agents() } else { Vec::new() };
        // The number is that of a message that waits.
        let _ = self.mail.acknowledge(service, number);
        self.directory.hear(service, &message, &agents, now)
    }

    /// The agents that are registered with the server, by name.
    fn agents(&self) -> Vec<Agent> {
        let mut agents: Vec<Agent> = Vec::with_capacity(self.owners.len());
        for (name, owner) in &self.owners {
            let is_absent = Weak::upgrade(owner).is_some_and(|session| session.is_absent());
            let state = if is_absent { LifeCycle::Suspended } else { LifeCycle::Active };
            agents.push(Agent { name: name.clone(), state });
        }
        agents.sort_unstable();
        agents
    }

    /// Answers a question.
    fn give(&mut self, answer: Message<'static>, reply: Reply<AskDirectory>, now: u64) {
        self.answered.push(Sent::new(answer.clone(), now));
        reply.answer(DirectoryAnswer { message: Box::new(answer) });
    }

    /// Sends messages of the AMS and the DF. An agent whose mailbox is full does not get them.
    fn submit(&mut self, gates: &Gates, messages: impl IntoIterator<Item = Message<'static>>, now: u64) {
        for message in messages {
            let service = if message.sender_name() == Some(AMS) { AMS } else { DF };
            let routed = self.routed(gates, service, &message);
            // Agents that do not read their mail must not stop the directory.
            let _ = self.mail.dispatch(&service.into(), None, message, routed, now);
        }
    }
}
