//! Subscriptions to mail, and the delivery of messages to them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use situated::iil::EcoString;
use situated_platform::mail::Letter;
use situated_wire::Name;
use situated_wire::methods::Topic;

use super::{Post, RESERVED, State};
use crate::data::KeptSubscription;
use crate::error::Error;
use crate::notifications::Notification;
use crate::session::{Belongings, NotificationSource, Session};

/// Maximum number of messages that were sent to an agent and are not acknowledged.
const UNACKNOWLEDGED: usize = 256;

/// Maximum number and approximate size of the messages in one notification.
const TOGETHER: (usize, usize) = (64, 32 << 10);

/// The mailboxes that have got messages.
#[must_use = "messages that are not delivered wait for the next ones"]
pub(crate) struct Delivery(pub(super) Vec<EcoString>);

/// A subscription to the mail of an agent.
pub(super) struct Subscriber {
    session: Arc<Session>,
    number: u64,
    /// The number of the last message that was sent.
    sent: u64,
    /// Whether messages wait until the subscription begins, or its session is resumed.
    is_suspended: bool,
}

impl Post {
    /// Subscribes to the mail of an agent of this session. It [begins](Self::begin) later, so that the caller can answer
    /// first.
    pub(crate) fn subscribe(&self, session: &Arc<Session>, agent: &EcoString) -> Result<u64, Error> {
        let mut belongings = session.belongings();
        let mut state = self.state.lock();
        let address = state.address(session, agent)?;
        let replaced = Error::SubscriptionReplaced { agent: agent.clone() };
        state.end_subscription(session, &mut belongings, &address, &replaced);
        let number = belongings.subscribe(None, 0, session.limits().subscriptions)?;
        state.add(session, number, &address);
        if let Some(data) = session.data() {
            let topic = Topic::Mail { agent: Name(agent.clone()) };
            data.put_subscription(&KeptSubscription { session: session.number(), number, topic });
        }
        Ok(number)
    }

    /// Restores a subscription that a session had in another process. It begins when the session is resumed.
    pub(crate) fn restore_subscription(&self, session: &Arc<Session>, number: u64, agent: &EcoString) {
        let mut belongings = session.belongings();
        let mut state = self.state.lock();
        if let Ok(address) = state.address(session, agent) {
            belongings.restore_subscription(number, None);
            state.add(session, number, &address);
        } else if let Some(data) = session.data() {
            data.remove_subscription(session.number(), number);
        }
    }

    /// Begins a subscription with the messages that are not acknowledged.
    pub(crate) fn begin(self: &Arc<Self>, session: &Session, subscription: u64) {
        let mut state = self.state.lock();
        if let Some(address) = state.subscriptions.get(&(session.number(), subscription)).cloned() {
            state.begin(self, &address);
        }
    }

    /// Ends a subscription.
    pub(crate) fn unsubscribe(&self, session: u64, subscription: u64) {
        let mut state = self.state.lock();
        if let Some(address) = state.subscriptions.remove(&(session, subscription)) {
            state.subscribers.remove(&address);
        }
    }

    /// Holds back the mail of a session until it is resumed: what was sent over its last connection may be lost.
    pub(crate) fn suspend(&self, session: u64) {
        let mut state = self.state.lock();
        for address in state.subscribed(session) {
            if let Some(subscriber) = state.subscribers.get_mut(&address) {
                subscriber.is_suspended = true;
            }
        }
    }

    /// Sends the messages of a session again that are not acknowledged.
    pub(crate) fn resume(self: &Arc<Self>, session: u64) {
        let mut state = self.state.lock();
        for address in state.subscribed(session) {
            state.begin(self, &address);
        }
    }

    /// Sends messages to subscribers.
    pub(crate) fn deliver(self: &Arc<Self>, delivery: Delivery) {
        self.state.lock().deliver(self, delivery);
        self.conversations.record();
    }
}

impl State {
    fn add(&mut self, session: &Arc<Session>, number: u64, address: &EcoString) {
        self.subscriptions.insert((session.number(), number), address.clone());
        let subscriber = Subscriber { session: session.clone(), number, sent: 0, is_suspended: true };
        self.subscribers.insert(address.clone(), subscriber);
    }

    /// Ends the subscription of a session to the mail of its agent, if there is one, and notifies the session.
    pub(super) fn end_subscription(
        &mut self,
        session: &Session,
        belongings: &mut Belongings,
        address: &EcoString,
        reason: &Error,
    ) {
        let Some(Subscriber { number: subscription, .. }) = self.subscribers.remove(address) else { return };
        self.subscriptions.remove(&(session.number(), subscription));
        belongings.subscriptions.remove(&subscription);
        if let Some(data) = session.data() {
            data.remove_subscription(session.number(), subscription);
        }
        session.receiver().notify(Notification::Ended { subscription, reason });
    }

    /// The addresses of the agents whose mail a session has subscribed to.
    fn subscribed(&self, session: u64) -> Vec<EcoString> {
        self.subscriptions.range((session, 0)..=(session, u64::MAX)).map(|(_, address)| address.clone()).collect()
    }

    fn begin(&mut self, post: &Arc<Post>, address: &EcoString) {
        if let Some(subscriber) = self.subscribers.get_mut(address) {
            (subscriber.sent, subscriber.is_suspended) = (0, false);
            self.deliver_to(post, address);
        }
    }

    pub(super) fn deliver(&mut self, post: &Arc<Post>, delivery: Delivery) {
        delivery.0.iter().for_each(|mailbox| self.deliver_to(post, mailbox));
    }

    /// Sends the messages that waited until the store could be written.
    pub(super) fn deliver_unwritten(&mut self, post: &Arc<Post>) {
        let unwritten = std::mem::take(&mut self.unwritten);
        unwritten.iter().for_each(|address| self.deliver_to(post, address));
    }

    /// Sends the messages of a mailbox to its subscriber, as long as there is room.
    pub(super) fn deliver_to(&mut self, post: &Arc<Post>, mailbox: &EcoString) {
        post.gates.ring(mailbox);
        if RESERVED.contains(&mailbox.as_str()) {
            post.asked.notify_one();
        }
        let State { agents, mail, subscribers, behind, unwritten, data, .. } = self;
        let Some(subscriber) = subscribers.get_mut(mailbox).filter(|subscriber| !subscriber.is_suspended) else {
            return;
        };
        let Some(agent) = agents.at(mailbox) else { return };
        if data.as_ref().is_some_and(|data| data.has_failed()) {
            if unwritten.insert(mailbox.clone()) {
                post.ring();
            }
            return;
        }
        let session = subscriber.session.clone();
        loop {
            let room = UNACKNOWLEDGED.saturating_sub(mail.count_up_to(mailbox, subscriber.sent)).min(TOGETHER.0);
            let mut bytes = 0;
            let fits = |letter: &&Letter| {
                let is_first = bytes == 0;
                bytes += letter.bytes;
                is_first || bytes <= TOGETHER.1
            };
            let letters: Vec<&Letter> = mail.waiting(mailbox, subscriber.sent).take(room).take_while(fits).collect();
            let Some(last) = letters.last() else { return };
            let source: Arc<dyn NotificationSource> = post.clone();
            if !session.has_room(&Arc::downgrade(&source)) {
                behind.entry(session.number()).or_default().insert(mailbox.clone());
                return;
            }
            subscriber.sent = last.number;
            let letters: Vec<Cow<'_, Letter>> =
                letters.into_iter().map(|letter| agents.as_known(&agent.environments, letter)).collect();
            let letters: Vec<&Letter> = letters.iter().map(|letter| &**letter).collect();
            let (subscription, agent) = (subscriber.number, &agent.name);
            session.receiver().notify(Notification::Mail { subscription, agent, letters: &letters });
        }
    }
}

impl NotificationSource for Post {
    fn proceed(self: Arc<Self>, session: u64) {
        let mut state = self.state.lock();
        let behind: BTreeSet<EcoString> = state.behind.remove(&session).unwrap_or_default();
        behind.iter().for_each(|address| state.deliver_to(&self, address));
    }
}
