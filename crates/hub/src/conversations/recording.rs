//! Messages on their way into the recordings of environments.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::Conversations;
use crate::budget::Charge;
use crate::notifications::MessageSeen;

/// Maximum number and approximate size in bytes of the messages that wait for an environment that is busy.
const WAITING: (usize, usize) = (8192, 16 << 20);

/// The messages that wait for the recording of an environment.
pub(crate) struct Inbox {
    waiting: Mutex<Waiting>,
    /// Their memory. Locked while `waiting` is.
    charge: Mutex<Charge>,
    /// Whether the environment has a job to record them.
    is_announced: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<Arc<MessageSeen>>,
    /// The number of messages that found no room.
    lost: u64,
}

/// An environment that is recorded.
pub(crate) trait Recorded: Send + Sync {
    fn has_ended(&self) -> bool;

    /// Records the messages in the inbox, at once or soon.
    fn record(self: Arc<Self>, inbox: Arc<Inbox>);
}

/// The recording of an environment, with its inbox.
pub(super) struct Recording {
    environment: Weak<dyn Recorded>,
    inbox: Arc<Inbox>,
}

impl Inbox {
    fn push(&self, message: &Arc<MessageSeen>) {
        let mut waiting = self.waiting.lock();
        let mut charge = self.charge.lock();
        let bytes = charge.bytes() + message.bytes;
        if waiting.messages.len() >= WAITING.0 || bytes > WAITING.1 || charge.resize(bytes).is_err() {
            waiting.lost += 1;
            return;
        }
        waiting.messages.push_back(message.clone());
    }

    /// Takes the messages in order, and the number of those after them that are lost.
    pub(crate) fn take(&self) -> (VecDeque<Arc<MessageSeen>>, u64) {
        // First, so that messages that come from now on have a job of their own.
        self.is_announced.store(false, Ordering::SeqCst);
        let mut waiting = self.waiting.lock();
        self.charge.lock().set(0);
        let Waiting { messages, lost } = std::mem::take(&mut *waiting);
        (messages, lost)
    }

    fn is_empty(&self) -> bool {
        let waiting = self.waiting.lock();
        waiting.messages.is_empty() && waiting.lost == 0
    }
}

impl Conversations {
    /// Sends messages to the recording of an environment from now on.
    pub(crate) fn begin_recording(&self, environment: Weak<dyn Recorded>) {
        let mut recordings = self.recordings.write();
        recordings.retain(|one| one.environment.upgrade().is_some_and(|one| !one.has_ended()));
        let (waiting, is_announced) = Default::default();
        let inbox = Arc::new(Inbox { waiting, charge: Mutex::new(self.budget.charge()), is_announced });
        recordings.push(Recording { environment, inbox });
    }

    /// Puts a message into the inboxes of recordings. The caller [records](Self::record) it when it holds no lock.
    pub(super) fn put_into_inboxes(&self, message: &Arc<MessageSeen>) -> bool {
        let recordings = self.recordings.read();
        recordings.iter().for_each(|one| one.inbox.push(message));
        !recordings.is_empty()
    }

    /// Lets environments record the messages in their inboxes. The calling thread may do work of an environment, so it must
    /// hold no lock.
    pub(crate) fn record(&self) {
        let announced = |one: &Recording| {
            let is_new = !one.inbox.is_empty() && !one.inbox.is_announced.swap(true, Ordering::SeqCst);
            if is_new { one.environment.upgrade().zip(Some(one.inbox.clone())) } else { None }
        };
        let announced: Vec<_> = self.recordings.read().iter().filter_map(announced).collect();
        for (environment, inbox) in announced {
            environment.record(inbox);
        }
    }
}

#[cfg(test)]
mod tests {
    use situated_acl::Message;

    use super::*;
    use crate::budget::Budget;

    #[test]
    fn messages_that_wait_for_a_recording_are_limited_in_bytes() {
        const ROOM: usize = 1 << 20;
        let budget = Budget::new(2 * ROOM);
        let (waiting, is_announced) = Default::default();
        let inbox = Inbox { waiting, charge: Mutex::new(budget.charge()), is_announced };
        let (message, violations) = (Arc::new(Message::inform()), Vec::new());
        let seen = Arc::new(MessageSeen { number: 1, time: 0, message, violations, bytes: ROOM / 10 });
        for _ in 0..25 {
            inbox.push(&seen);
            assert!(budget.kept() <= ROOM);
        }
        let (messages, lost) = inbox.take();
        assert_eq!((messages.len(), lost, budget.kept()), (10, 15, 0));
    }
}
