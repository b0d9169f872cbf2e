//! The conversations of agents as observers see them: all messages, each judged by its interaction protocol.

mod judge;
mod recording;
mod watching;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use situated_acl::Message;
use situated_mail::Sent;
use situated_runtime::wall_clock;
use tokio::sync::Notify;

use judge::Judge;
use recording::Recorded;
use watching::Watcher;

/// Maximum number and approximate size in bytes of the messages that are remembered for observers.
const REMEMBERED: (usize, usize) = (1024, 4 << 20);

/// The same with the messages of a recording.
const RECALLED: (usize, usize) = (20_000, 64 << 20);

pub(crate) use recording::Inbox;

/// A message that an agent has sent, as observers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageSeen {
    /// Its number among those that observers see. Later messages have higher numbers, also after a restart.
    pub number: u64,
    /// The time at which it was accepted, in milliseconds since 1970.
    pub time: u64,
    /// The message.
    pub message: Arc<Message<'static>>,
    /// The rules of its protocol that it breaks, in words.
    pub violations: Vec<String>,
    bytes: usize,
}

/// The messages of all agents: the last ones, those who watch them, and the judge of all.
pub(crate) struct Conversations {
    state: Mutex<State>,
    violations: AtomicU64,
    messages: AtomicU64,
    recorded: RwLock<Vec<Recorded>>,
    /// Rings when a watcher may be behind, or messages wait to be recorded.
    bell: Notify,
    is_closed: AtomicBool,
}

struct State {
    judge: Judge,
    /// The last messages, in order.
    seen: VecDeque<Arc<MessageSeen>>,
    /// Their size.
    bytes: usize,
    /// The maximum number of these messages, and their maximum size.
    room: (usize, usize),
    /// The number of the last message.
    last: u64,
    /// The first message that broke a rule.
    first_violation: Option<Arc<str>>,
    /// By session and number of the subscription.
    watchers: BTreeMap<(u64, u64), Watcher>,
}

impl Conversations {
    pub(crate) fn new() -> Self {
        let state = State {
            judge: Judge::new(),
            seen: VecDeque::new(),
            bytes: 0,
            room: REMEMBERED,
            // Higher than the numbers of a server that began earlier, and exact as a number in JSON.
            last: wall_clock() * 1000,
            first_violation: None,
            watchers: BTreeMap::new(),
        };
        Self {
            state: Mutex::new(state),
            violations: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            recorded: RwLock::default(),
            bell: Notify::new(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Judges messages in the order in which they were accepted, and shows them to observers. `local` returns the name
    /// that an agent has on this server.
    pub(crate) fn observe(&self, sent: Vec<Sent>, local: impl Fn(&str) -> Option<String>) {
        if sent.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        let mut rings = !state.watchers.is_empty();
        for sent in sent {
            let message = with_local_names(sent.message, &local);
            // The report that a receiver does not exist is no message of a participant.
            let violations = if sent.is_report { Vec::new() } else { state.judge.judge(&message, sent.time) };
            self.messages.fetch_add(1, Ordering::Relaxed);
            self.violations.fetch_add(violations.len() as u64, Ordering::Relaxed);
            if let (None, Some(violation)) = (&state.first_violation, violations.first()) {
                state.first_violation = Some(violation.as_str().into());
            }
            state.last += 1;
            let (number, time) = (state.last, sent.time);
            let seen = Arc::new(MessageSeen { number, time, message, violations, bytes: sent.bytes });
            rings |= self.put_into_inboxes(&seen);
            state.remember(seen);
        }
        if rings {
            self.bell.notify_one();
        }
    }

    /// Shows a message of a recording, with the rules that it broke then.
    pub(crate) fn recall(&self, message: Message<'static>, violations: Vec<String>, time: u64) {
        let Sent { message, time, bytes, .. } = Sent::new(message, time);
        let mut state = self.state.lock();
        state.room = RECALLED;
        state.last += 1;
        let number = state.last;
        state.remember(Arc::new(MessageSeen { number, time, message, violations, bytes }));
        self.bell.notify_one();
    }

    /// The number of messages so far.
    pub(crate) fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// The number of rules that messages have broken so far.
    pub(crate) fn violations(&self) -> u64 {
        self.violations.load(Ordering::Relaxed)
    }

    /// The first rule that a message has broken, in words.
    pub(crate) fn first_violation(&self) -> Option<Arc<str>> {
        if self.violations() == 0 { None } else { self.state.lock().first_violation.clone() }
    }
}

impl State {
    fn remember(&mut self, message: Arc<MessageSeen>) {
        self.bytes += message.bytes;
        self.seen.push_back(message);
        while self.seen.len() > self.room.0 || self.bytes > self.room.1 {
            let Some(oldest) = self.seen.pop_front() else { return };
            self.bytes -= oldest.bytes;
        }
    }
}

/// Returns the message with the names that its agents have on this server, so that an agent has one name in all messages
/// of a conversation.
fn with_local_names(message: Arc<Message<'static>>, local: impl Fn(&str) -> Option<String>) -> Arc<Message<'static>> {
    let mut agents = message.sender.iter().chain(&message.receivers);
    if agents.all(|agent| local(&agent.name).is_none()) {
        return message;
    }
    let mut renamed = Message::clone(&message);
    for agent in renamed.sender.iter_mut().chain(&mut renamed.receivers) {
        if let Some(name) = local(&agent.name) {
            agent.name = name.into();
        }
    }
    Arc::new(renamed)
}
