//! Random agents that send, receive, acknowledge, disconnect, leave and come back, in a process that crashes. Each
//! accepted message is received once, or comes back as a failure, and the messages of one sender to one receiver keep
//! their order.

use std::collections::{BTreeMap, BTreeSet};

use situated::random::Random;
use situated_acl::{Message, Performative};
use situated_platform::mail::{KeptMailbox, Letter, Limits, Mail, MailChange, MailRefused};
use situated_platform::names::AMS;

const NAMES: [&str; 5] = ["ada", "bob", "cleo", "dan", "eve"];

const LIMITS: Limits = Limits {
    messages: 10,
    rate: 40,
    age: 2000,
    ..Limits { receivers: 4, message_bytes: 4096, messages: 0, mailbox_bytes: 1 << 20, bytes: 1 << 20, rate: 0, age: 0 }
};

/// The changes that were written.
#[derive(Clone, Default)]
struct Disk {
    letters: BTreeMap<u64, Letter>,
    mailboxes: BTreeMap<String, KeptMailbox>,
    last: u64,
}

impl Disk {
    fn write(&mut self, changes: Vec<MailChange>) {
        for change in changes {
            match change {
                MailChange::Accepted(letter) => {
                    assert!(self.letters.insert(letter.number, (*letter).clone()).is_none())
                }
                MailChange::Done(number) => assert!(self.letters.remove(&number).is_some(), "{number}"),
                MailChange::Mailbox(agent, kept) => drop(self.mailboxes.insert(agent.to_string(), kept)),
                MailChange::Closed(agent, last) => {
                    assert!(self.mailboxes.remove(agent.as_str()).is_some(), "{agent}");
                    self.last = last;
                }
            }
        }
    }
}

/// An agent with its own memory, which survives crashes of the server.
#[derive(Default)]
struct Agent {
    is_registered: bool,
    /// Number of times that it registered.
    life: u32,
    sent: u64,
    /// The number, receivers and content of a refused message.
    refused: Option<(u64, BTreeSet<&'static str>, String)>,
    /// The number of the last message that it has received.
    received: u64,
}

/// A message to one receiver.
type Sending = (String, String);

struct Simulation {
    random: Random,
    now: u64,
    mail: Mail,
    disk: Disk,
    agents: BTreeMap<&'static str, Agent>,
    /// The contents that were accepted for a receiver in one of its lives, in order, by sender.
    accepted: BTreeMap<Sending, Vec<String>>,
    received: BTreeMap<Sending, Vec<String>>,
    /// The contents that failed, as their senders learned.
    failed: BTreeSet<(String, String)>,
    /// Contents whose sender could not learn of a failure, since its mailbox was full or it had left.
    unreported: BTreeSet<(String, String)>,
    counted: BTreeMap<&'static str, u32>,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let agents = NAMES.iter().map(|name| (*name, Agent::default())).collect();
        Self {
            random: Random::new(seed),
            now: 1,
            mail: Mail::restore(LIMITS, 0, [], [], 1),
            disk: Disk::default(),
            agents,
            accepted: BTreeMap::new(),
            received: BTreeMap::new(),
            failed: BTreeSet::new(),
            unreported: BTreeSet::new(),
            counted: BTreeMap::new(),
        }
    }

    fn count(&mut self, what: &'static str) {
        *self.counted.entry(what).or_default() += 1;
    }

    fn write(&mut self) {
        let changes = self.mail.take_changes();
        self.disk.write(changes);
    }

    fn registered(&self) -> BTreeSet<String> {
        let registered = self.agents.iter().filter(|(_, agent)| agent.is_registered);
        registered.map(|(name, _)| (*name).to_owned()).collect()
    }

    fn step(&mut self) {
        self.now += self.random.index(40) as u64;
        let name = NAMES[self.random.index(NAMES.len())];
        let registered = self.registered();
        let exists = |name: &str| registered.contains(name);
        match self.random.index(21) {
            _ if !exists(name) => {
                let agent = self.agents.get_mut(name).expect("it is known");
                *agent = Agent { is_registered: true, life: agent.life + 1, ..Agent::default() };
            }
            0..=8 => self.send(name, &registered),
            9..=14 => self.receive(name),
            15 => {
                // Its connection is lost: it gets everything again that it has not acknowledged.
                let received = self.agents[name].received;
                let again: Vec<u64> = self.mail.waiting(name, 0).map(|letter| letter.number).collect();
                assert!(again.is_sorted() && again.iter().all(|number| *number > self.mail.acknowledged(name)));
                assert!(self.mail.waiting(name, received).all(|letter| letter.number > received));
                self.count("lost a connection");
            }
            16 if self.random.index(3) == 0 => self.take(name),
            16 => self.acknowledge(name),
            17 => self.leave(name),
            18 => {
                let before = self.waiting();
                self.mail.expire(exists, self.now);
                self.write();
                self.note_returned(before, "expired");
                for name in NAMES {
                    let old = |letter: &Letter| letter.time + LIMITS.age <= self.now;
                    assert!(!self.mail.waiting(name, 0).any(old), "a message of {name} is too old");
                }
            }
            // The answer was lost with a connection.
            19 => self.repeat_refused(name),
            _ => self.crash(),
        }
    }

    fn message(&self, name: &str, receivers: &BTreeSet<&str>, content: &str) -> Message<'static> {
        let message = Message::request().conversation_id(format!("c-{name}")).content(content.to_owned());
        receivers.iter().fold(message, |message, receiver| message.to((*receiver).to_owned()))
    }

    fn send(&mut self, name: &'static str, registered: &BTreeSet<String>) {
        let agent = self.agents.get_mut(name).expect("it is known");
        agent.sent += 1;
        let (number, life) = (agent.sent, agent.life);
        let content = format!("{name}-{life}-{number}");
        let names = [NAMES.as_slice(), &["nobody"]].concat();
        let receivers: BTreeSet<&'static str> =
            (0..=self.random.index(3)).map(|_| names[self.random.index(names.len())]).collect();
        self.submit(name, number, receivers, content, registered);
    }

    fn submit(
        &mut self,
        name: &'static str,
        number: u64,
        receivers: BTreeSet<&'static str>,
        content: String,
        registered: &BTreeSet<String>,
    ) {
        let message = self.message(name, &receivers, &content);
        let exists = |name: &str| registered.contains(name);
        let before = (self.waiting(), self.disk.clone());
        let result = self.mail.send(&name.into(), Some(number), message.clone(), exists, self.now);
        let changes = self.mail.take_changes();
        match result {
            Err(
                MailRefused::Full { .. }
                | MailRefused::ShareOfMailbox { .. }
                | MailRefused::TooFast { .. }
                | MailRefused::NoRoomForFailure { .. },
            ) => {
                assert_eq!(before.0, self.waiting(), "an error changes nothing");
                self.disk.write(changes);
                return self.note_refused(name, number, receivers, content);
            }
            Err(error) => panic!("{error}"),
            Ok(()) => {}
        }
        // The process may end before this is written. The sender then repeats it.
        if self.random.index(12) == 0 {
            self.restart();
            // They have got the answers to their other messages.
            self.agents.values_mut().for_each(|agent| agent.refused = None);
            let again = self.mail.send(&name.into(), Some(number), message.clone(), exists, self.now);
            if again.is_err() {
                self.write();
                return self.note_refused(name, number, receivers, content);
            }
            self.write();
            self.count("crashed before writing");
        } else {
            self.disk.write(changes);
        }
        for receiver in receivers {
            if registered.contains(receiver) {
                self.accepted.entry((name.into(), self.life_of(receiver))).or_default().push(content.clone());
            }
        }
        self.count("accepted");
        // The connection may be lost before the answer. The sender then repeats it.
        if self.random.index(4) == 0 {
            let before = self.waiting();
            self.mail.send(&name.into(), Some(number), message, exists, self.now).expect("it was accepted");
            self.write();
            assert_eq!(before, self.waiting(), "it is accepted once");
        }
    }

    /// An agent sends a refused message again.
    fn repeat_refused(&mut self, name: &'static str) {
        if let Some((number, receivers, content)) = self.agents.get_mut(name).and_then(|one| one.refused.take()) {
            let registered = self.registered();
            self.submit(name, number, receivers, content, &registered);
            self.count("repeated");
        }
    }

    fn note_refused(&mut self, name: &'static str, number: u64, receivers: BTreeSet<&'static str>, content: String) {
        self.agents.get_mut(name).expect("it is known").refused = Some((number, receivers, content));
        self.count("refused");
    }

    fn life_of(&self, name: &str) -> String {
        format!("{name}/{}", self.agents[name].life)
    }

    fn receive(&mut self, name: &'static str) {
        let Some(letter) = self.mail.waiting(name, self.agents[name].received).next().cloned() else { return };
        let agent = self.agents.get_mut(name).expect("it is known");
        agent.received = letter.number;
        let content = letter.message.content.as_ref().and_then(|content| content.as_text()).unwrap_or("").to_owned();
        assert_eq!(letter.message.sender_name(), Some(letter.sender.as_str()));
        if letter.sender == AMS {
            assert_eq!(letter.message.performative, Performative::Failure);
            assert!(content.starts_with(&format!("((action (agent-identifier :name {name}) (request :receiver")));
            return self.count("got a failure");
        }
        self.count("received");
        let life = self.life_of(name);
        self.received.entry((letter.sender.to_string(), life)).or_default().push(content);
    }

    fn acknowledge(&mut self, name: &'static str) {
        let received = self.agents[name].received;
        if received == 0 {
            return;
        }
        self.mail.acknowledge(name, received).expect("it was received");
        self.write();
        assert!(matches!(self.mail.acknowledge(name, received + 1000), Err(MailRefused::NoSuchMessage { .. })));
        self.count("acknowledged");
    }

    /// An agent takes the last message that it has received, whether or not it has acknowledged earlier ones.
    fn take(&mut self, name: &'static str) {
        let received = self.agents[name].received;
        let before = self.waiting();
        if self.mail.take(&name.into(), received) {
            self.write();
            let others = before[name].iter().filter(|(number, _, _)| *number != received).cloned();
            assert_eq!(self.waiting()[name], others.collect::<Vec<_>>());
            self.count("taken");
        }
    }

    fn leave(&mut self, name: &'static str) {
        let before = self.waiting();
        let agent = self.agents.get_mut(name).expect("it is known");
        (agent.is_registered, agent.refused) = (false, None);
        let registered = self.registered();
        self.mail.close(name, |name| registered.contains(name), self.now);
        self.write();
        assert_eq!(self.mail.waiting(name, 0).count(), 0);
        self.note_returned(before, "left");
    }

    /// The process ends, and another one continues with what is written.
    fn crash(&mut self) {
        let before = self.waiting();
        self.restart();
        assert_eq!(before, self.waiting(), "nothing is lost, nothing comes twice");
        self.count("crashed");
        // Agents repeat what was not answered before they send anything else.
        NAMES.iter().for_each(|name| self.repeat_refused(name));
    }

    fn restart(&mut self) {
        let letters: Vec<Letter> = self.disk.letters.values().cloned().collect();
        let mailboxes = self.disk.mailboxes.iter().map(|(agent, kept)| (agent.as_str().into(), kept.clone()));
        self.mail = Mail::restore(LIMITS, self.disk.last, letters, mailboxes, self.now);
        self.write();
    }

    /// For each receiver, the numbers, senders and contents of its messages.
    fn waiting(&self) -> BTreeMap<&'static str, Vec<(u64, String, String)>> {
        let of = |letter: &Letter| {
            let content = letter.message.content.as_ref().and_then(|content| content.as_text()).unwrap_or("");
            (letter.number, letter.sender.to_string(), content.to_owned())
        };
        NAMES.iter().map(|name| (*name, self.mail.waiting(name, 0).map(of).collect())).collect()
    }

    /// Notes the messages that were removed without being received.
    fn note_returned(&mut self, before: BTreeMap<&'static str, Vec<(u64, String, String)>>, what: &'static str) {
        let after = self.waiting();
        for (name, letters) in before {
            let life = self.life_of(name);
            let received = self.agents[name].received;
            for (number, sender, content) in letters {
                let is_gone = after[name].iter().all(|(other, _, _)| *other != number);
                if is_gone && number > received && sender != AMS {
                    let failures = |all: &BTreeMap<&str, Vec<(u64, String, String)>>| {
                        all.get(sender.as_str()).map_or(0, |one| one.iter().filter(|(_, from, _)| from == AMS).count())
                    };
                    // When messages expire, the mailbox of the sender may have been full in between.
                    let is_full_now = after.get(sender.as_str()).is_some_and(|one| one.len() >= LIMITS.messages);
                    let is_full = is_full_now || what == "expired";
                    let has_left = !self.agents[sender.as_str()].is_registered;
                    if failures(&after) > 0 {
                        self.failed.insert((life.clone(), content));
                    } else {
                        assert!(is_full || has_left, "{sender} learned nothing of {content}");
                        self.unreported.insert((life.clone(), content));
                    }
                    self.count(what);
                }
            }
        }
    }

    /// All agents receive everything that waits.
    fn finish(mut self) -> BTreeMap<&'static str, u32> {
        for name in NAMES {
            if !self.agents[name].is_registered {
                continue;
            }
            while self.mail.waiting(name, self.agents[name].received).next().is_some() {
                self.receive(name);
            }
            self.acknowledge(name);
        }
        for ((sender, life), accepted) in &self.accepted {
            let key = (sender.clone(), life.clone());
            let received = self.received.remove(&key).unwrap_or_default();
            let is_returned = |content: &String| {
                let key = (life.clone(), content.clone());
                self.failed.contains(&key) || self.unreported.contains(&key)
            };
            let wanted: Vec<&String> = accepted.iter().filter(|content| !is_returned(content)).collect();
            assert_eq!(received.iter().collect::<Vec<_>>(), wanted, "{sender} to {life}");
        }
        assert!(self.received.is_empty(), "{:?} was never accepted", self.received);
        for name in NAMES {
            self.mail.close(name, |_| false, self.now);
        }
        self.write();
        assert!(self.disk.letters.is_empty() && self.disk.mailboxes.is_empty(), "everything is cleared away");
        self.counted
    }
}

#[test]
fn delivers_each_message_once_in_order_or_reports_its_failure() {
    let mut counted: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..150 {
        let result = std::panic::catch_unwind(|| {
            let mut simulation = Simulation::new(seed);
            (0..400).for_each(|_| simulation.step());
            simulation.finish()
        });
        match result {
            Ok(of_seed) => of_seed.into_iter().for_each(|(what, count)| *counted.entry(what).or_default() += count),
            Err(_) => panic!("seed {seed}"),
        }
    }
    let wanted = [
        "accepted",
        "acknowledged",
        "crashed",
        "crashed before writing",
        "expired",
        "got a failure",
        "left",
        "lost a connection",
        "received",
        "refused",
        "repeated",
        "taken",
    ];
    assert!(wanted.iter().all(|what| counted.get(what).is_some_and(|count| *count > 100)), "{counted:?}");
}

#[test]
fn numbers_never_go_back() {
    let mut mail = Mail::restore(LIMITS, 0, [], [], 1);
    let mut disk = Disk::default();
    for _ in 0..3 {
        mail.send(&"ada".into(), None, Message::inform().to("bob"), |_| true, 1).expect("there is room");
    }
    let before = mail.waiting("bob", 0).last().expect("it has arrived").number;
    NAMES.iter().for_each(|name| mail.close(name, |_| false, 1));
    disk.write(mail.take_changes());

    let mut mail = Mail::restore(LIMITS, disk.last, disk.letters.into_values(), [], 1);
    mail.send(&"ada".into(), None, Message::inform().to("bob"), |_| true, 1).expect("there is room");
    let after = mail.waiting("bob", 0).next().expect("it has arrived").number;
    assert!(after > before, "{after} after {before}");
}
