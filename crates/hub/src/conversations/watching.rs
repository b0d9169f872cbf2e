//! Subscriptions to conversations.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use situated_acl::{Expression, Message};

use super::{Conversations, MessageSeen, State};
use crate::error::Error;
use crate::notifications::Notification;
use crate::requests::ConversationFilter;
use crate::session::{NotificationSource, Session};

/// Maximum number and approximate size of the messages in one notification.
const TOGETHER: (usize, usize) = (64, 32 << 10);

/// Maximum length of a text in a filter, in bytes.
const LONGEST: usize = 1024;

/// A subscription to conversations.
pub(super) struct Watcher {
    session: Arc<Session>,
    filter: ConversationFilter,
    /// The number of the last message that it has passed.
    passed: u64,
    /// The number of messages that were forgotten before it passed them, and that its session does not know of.
    lost: u64,
}

/// A notification that is about to be sent.
struct Due {
    session: Arc<Session>,
    subscription: u64,
    messages: Vec<Arc<MessageSeen>>,
    lost: u64,
}

impl ConversationFilter {
    /// Returns an error if a text of the filter is too long to be kept.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut texts = [&self.agent, &self.protocol, &self.conversation].into_iter().flatten();
        if texts.all(|text| text.len() <= LONGEST) {
            return Ok(());
        }
        let (what, remedy) = ("bytes of a name in a filter of messages", "filter by something shorter");
        Err(Error::Limit { what, limit: LONGEST, remedy })
    }

    /// Whether a message matches.
    fn matches(&self, message: &Message<'_>) -> bool {
        let is_agent = |name: &str| {
            message.sender_name() == Some(name) || message.receivers.iter().any(|receiver| receiver.name == name)
        };
        let is_protocol =
            |name: &str| message.protocol.as_ref().is_some_and(|protocol| protocol.as_str().eq_ignore_ascii_case(name));
        let is_conversation =
            |id: &str| message.conversation_id.as_ref().and_then(Expression::as_text).is_some_and(|known| known == id);
        self.agent.as_deref().is_none_or(is_agent)
            && self.protocol.as_deref().is_none_or(is_protocol)
            && self.conversation.as_deref().is_none_or(is_conversation)
    }
}

impl Conversations {
    /// Adds a subscription. It begins with the messages that are remembered.
    pub(crate) fn add(&self, session: &Arc<Session>, subscription: u64, filter: ConversationFilter) {
        let mut state = self.state.lock();
        let watcher = Watcher { session: session.clone(), filter, passed: state.forgotten(), lost: 0 };
        state.watchers.insert((session.number(), subscription), watcher);
        self.bell.notify_one();
    }

    /// Ends a subscription.
    pub(crate) fn remove(&self, session: u64, subscription: u64) {
        self.state.lock().watchers.remove(&(session, subscription));
    }

    /// Ends the subscriptions of a session.
    pub(crate) fn forget(&self, session: u64) {
        self.state.lock().watchers.retain(|(of, _), _| *of != session);
    }

    /// Begins the subscriptions of a session again, because its client may have missed the last notifications.
    pub(crate) fn resume(&self, session: u64) {
        let mut state = self.state.lock();
        let forgotten = state.forgotten();
        for (_, watcher) in state.watchers.range_mut((session, 0)..=(session, u64::MAX)) {
            watcher.passed = forgotten;
        }
        self.bell.notify_one();
    }

    /// Ends the task that sends notifications.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    /// Notifies sessions until the hub closes. One task notifies them all, so that no notification overtakes another.
    pub(crate) async fn keep_notifying(self: Arc<Self>) {
        let me: Arc<dyn NotificationSource> = self.clone();
        let me = Arc::downgrade(&me);
        while !self.is_closed.load(Ordering::Acquire) {
            // Most messages are recorded by the threads that accept them, but some of these hold a lock.
            self.record();
            let due = self.state.lock().take_due(&me);
            if due.is_empty() {
                self.bell.notified().await;
                continue;
            }
            for Due { session, subscription, messages, lost } in due {
                let messages: Vec<&MessageSeen> = messages.iter().map(|message| &**message).collect();
                session.receiver().notify(Notification::Conversations { subscription, messages: &messages, lost });
            }
            // Other tasks run between the notifications of long conversations.
            tokio::task::yield_now().await;
        }
    }
}

impl State {
    /// The number of the last message that is no longer remembered.
    fn forgotten(&self) -> u64 {
        self.seen.front().map_or(self.last, |first| first.number - 1)
    }

    /// Takes the next notification of each watcher that is behind and has room.
    fn take_due(&mut self, me: &Weak<dyn NotificationSource>) -> Vec<Due> {
        let (forgotten, last, seen) = (self.forgotten(), self.last, &self.seen);
        let mut due = Vec::new();
        for ((_, subscription), watcher) in &mut self.watchers {
            if watcher.passed == last || !watcher.session.has_room(me) {
                continue;
            }
            watcher.lost += forgotten.saturating_sub(watcher.passed);
            watcher.passed = watcher.passed.max(forgotten);
            let from = seen.partition_point(|message| message.number <= watcher.passed);
            let (mut messages, mut bytes) = (Vec::new(), 0);
            for message in seen.range(from..) {
                if watcher.filter.matches(&message.message) {
                    bytes += message.bytes;
                    if !messages.is_empty() && (messages.len() == TOGETHER.0 || bytes > TOGETHER.1) {
                        break;
                    }
                    messages.push(message.clone());
                }
                watcher.passed = message.number;
            }
            if !messages.is_empty() || watcher.lost > 0 {
                let (session, lost) = (watcher.session.clone(), std::mem::take(&mut watcher.lost));
                due.push(Due { session, subscription: *subscription, messages, lost });
            }
        }
        due
    }
}

impl NotificationSource for Conversations {
    fn proceed(self: Arc<Self>, _: u64) {
        self.bell.notify_one();
    }
}
