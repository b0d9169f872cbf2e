//! The conversations of agents as observers see them: all messages, each judged by its interaction protocol.

mod judge;
mod recording;
mod seen;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use situated_acl::Message;
use situated_platform::mail::Sent;

use crate::budget::Budget;
use crate::feed::Feed;
use crate::notifications::MessageSeen;
use judge::Judge;
use recording::Recording;

pub(crate) use recording::{Inbox, Recorded};

/// The messages of all agents, those who watch them, and the judge of all.
pub struct Conversations {
    /// The memory for what waits for recordings.
    budget: Arc<Budget>,
    /// Locked while messages are judged, so that observers see them in this order.
    court: Mutex<Court>,
    feed: Arc<Feed<MessageSeen>>,
    violations: AtomicU64,
    messages: AtomicU64,
    recordings: RwLock<Vec<Recording>>,
}

struct Court {
    judge: Judge,
    /// The first message that broke a rule.
    first_violation: Option<Arc<str>>,
}

impl Conversations {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            budget: budget.clone(),
            court: Mutex::new(Court { judge: Judge::new(), first_violation: None }),
            feed: Arc::new(Feed::new(budget)),
            violations: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            recordings: RwLock::default(),
        }
    }

    /// The messages for observers.
    pub(crate) fn feed(&self) -> &Feed<MessageSeen> {
        &self.feed
    }

    /// Notifies observers until the feed closes.
    pub(crate) async fn keep_notifying(self: Arc<Self>) {
        // Most messages are recorded by the threads that accept them, but some of these hold a lock.
        self.feed.clone().keep_notifying(|| self.record()).await;
    }

    /// Judges messages in the order in which they were accepted, and shows them to observers. `local` returns the name
    /// that an agent has on this server.
    pub(crate) fn observe(&self, sent: Vec<Sent>, local: impl Fn(&str) -> Option<String>) {
        if sent.is_empty() {
            return;
        }
        let mut court = self.court.lock();
        let mut is_recorded = false;
        for sent in sent {
            let message = with_names(sent.message, &local);
            let violations = court.judge.judge(&message, sent.time);
            self.messages.fetch_add(1, Ordering::Relaxed);
            self.violations.fetch_add(violations.len() as u64, Ordering::Relaxed);
            if let (None, Some(violation)) = (&court.first_violation, violations.first()) {
                court.first_violation = Some(violation.as_str().into());
            }
            let (time, bytes) = (sent.time, sent.bytes);
            let seen = self.feed.add(|number| MessageSeen { number, time, message, violations, bytes });
            is_recorded |= self.put_into_inboxes(&seen);
        }
        if is_recorded {
            self.feed.ring();
        }
    }

    /// Shows a message of a recording to observers, with the rules that it broke then. Up to 20,000 messages and 64 MiB are
    /// remembered from then on. No agent gets it, and it counts in no metric.
    pub fn recall(&self, message: Message<'static>, violations: Vec<String>, time: u64) {
        let Sent { message, time, bytes } = Sent::new(message, time);
        self.feed.recall(|number| MessageSeen { number, time, message, violations, bytes });
    }

    /// The number of messages that agents have sent.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// The number of rules of their interaction protocols that messages have broken.
    pub fn violations(&self) -> u64 {
        self.violations.load(Ordering::Relaxed)
    }

    /// The first rule that a message has broken, in words.
    pub fn first_violation(&self) -> Option<Arc<str>> {
        if self.violations() == 0 { None } else { self.court.lock().first_violation.clone() }
    }
}

/// Returns the message with other names of its agents, so that each has one name in all messages of a conversation.
pub(crate) fn with_names<N: Into<String>>(
    message: Arc<Message<'static>>,
    name_of: impl Fn(&str) -> Option<N>,
) -> Arc<Message<'static>> {
    let mut agents = message.sender.iter().chain(&message.receivers).chain(&message.reply_to);
    if agents.all(|agent| name_of(&agent.name).is_none()) {
        return message;
    }
    let mut renamed = Message::clone(&message);
    for agent in renamed.sender.iter_mut().chain(&mut renamed.receivers).chain(&mut renamed.reply_to) {
        if let Some(name) = name_of(&agent.name) {
            agent.name = name.into().into();
        }
    }
    Arc::new(renamed)
}

#[cfg(test)]
mod tests {
    use situated_acl::{Performative, Protocol};

    use super::*;

    #[test]
    fn follows_responses_to_local_agents_by_the_names_that_other_platforms_know() {
        let conversations = Conversations::new(&Budget::new(usize::MAX));
        let observe = |message: Message<'static>| {
            let local = |name: &str| name.strip_suffix("@market").map(str::to_owned);
            conversations.observe(vec![Sent::new(message, 0)], local);
            conversations.violations()
        };
        let cfp = Message::cfp().from("ada@market").to("bob@farm").protocol(Protocol::ContractNet).conversation_id("1");
        let cfp = Message { reply_to: vec!["carl@market".into()], ..cfp };
        let accept = Message { performative: Performative::AcceptProposal, ..cfp.clone() };
        assert_eq!([&cfp, &cfp.reply(Performative::Propose), &accept].map(|message| observe(message.clone())), [0; 3]);
        assert_eq!(observe(accept), 1);
    }
}
