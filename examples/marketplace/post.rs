//! The post: it takes messages by name from agent to agent, as bytes, and a monitor reads along.

use std::collections::BTreeMap;
use std::error::Error;

use situated_acl::{Encoding, Finding, Message, Monitor};

use crate::RULES;

pub(crate) struct Post {
    customers: BTreeMap<String, Customer>,
    /// By the time of their arrival, and then in the order in which they were sent.
    letters: BTreeMap<(i64, u64), Letter>,
    posted: u64,
    monitor: Monitor,
    /// The findings of the monitor.
    pub(crate) findings: Vec<Finding>,
    /// The messages written in each encoding.
    pub(crate) written: BTreeMap<Encoding, Written>,
}

/// An agent that sends and receives messages.
struct Customer {
    /// In which encoding it writes. It reads all.
    prefers: Encoding,
    /// How long messages take between the agent and the post office, in milliseconds.
    distance: i64,
}

/// A message on its way.
pub(crate) struct Letter {
    pub(crate) to: String,
    data: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Written {
    pub(crate) messages: usize,
    pub(crate) bytes: usize,
}

impl Post {
    pub(crate) fn new() -> Self {
        Self {
            customers: BTreeMap::new(),
            letters: BTreeMap::new(),
            posted: 0,
            monitor: Monitor::new(RULES),
            findings: Vec::new(),
            written: BTreeMap::new(),
        }
    }

    /// Adds an agent that writes in the encoding that it prefers, at this distance in milliseconds.
    pub(crate) fn serve(&mut self, name: &str, prefers: Encoding, distance: i64) {
        self.customers.insert(name.into(), Customer { prefers, distance });
    }

    /// Sends a message to all of its receivers.
    pub(crate) fn send(&mut self, message: &Message<'_>, now: i64) -> Result<(), Box<dyn Error>> {
        let sender = self.customer(message.sender_name().ok_or("a letter without a sender")?)?;
        let (prefers, from_sender) = (sender.prefers, sender.distance);
        let data = prefers.encode(message)?;
        for receiver in &message.receivers {
            let arrival = now + from_sender + self.customer(&receiver.name)?.distance;
            let letter = Letter { to: receiver.name.to_string(), data: data.clone() };
            self.posted += 1;
            self.letters.insert((arrival, self.posted), letter);
        }
        self.findings.extend(self.monitor.observe(message, now));
        let written = self.written.entry(prefers).or_default();
        written.messages += 1;
        written.bytes += data.len();
        Ok(())
    }

    /// Returns the time when the next message arrives.
    pub(crate) fn next_arrival(&self) -> Option<i64> {
        self.letters.first_key_value().map(|((arrival, _), _)| *arrival)
    }

    /// The next letter.
    pub(crate) fn deliver(&mut self) -> Option<Letter> {
        self.letters.pop_first().map(|(_, letter)| letter)
    }

    /// Returns the number of conversations that the monitor has seen.
    pub(crate) fn conversations(&self) -> usize {
        self.monitor.conversations()
    }

    fn customer(&self, name: &str) -> Result<&Customer, String> {
        self.customers.get(name).ok_or_else(|| format!("nobody here is called `{name}`"))
    }
}

impl Letter {
    /// Reads the message in its encoding.
    pub(crate) fn read(&self) -> Result<Message<'_>, Box<dyn Error>> {
        let encoding = Encoding::detect(&self.data).ok_or("a letter that nobody can read")?;
        Ok(encoding.decode(&self.data)?)
    }
}
