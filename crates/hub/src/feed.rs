//! Feeds: the last items of a kind, such as messages, for the observers who subscribe to them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use situated_runtime::wall_clock;
use tokio::sync::Notify;

use crate::budget::{Budget, Charge};
use crate::error::Error;
use crate::notifications::Notification;
use crate::session::{NotificationSource, Session};

/// Maximum number and approximate size in bytes of the items that are remembered for observers.
const REMEMBERED: (usize, usize) = (1024, 4 << 20);

/// The same with the items of a recording.
const RECALLED: (usize, usize) = (20_000, 64 << 20);

/// The part of the budget that a feed can take: a sixteenth.
const OF_BUDGET: usize = 16;

/// Maximum number and approximate size of the items in one notification.
const TOGETHER: (usize, usize) = (64, 32 << 10);

/// Maximum length of a text in a filter, in bytes.
const LONGEST: usize = 1024;

/// An item of a feed.
pub(crate) trait Item: Send + Sync + Sized + 'static {
    /// The condition of a subscription.
    type Filter: Send;

    /// What a text of a filter is, with its unit.
    const TEXT: &'static str;

    /// Its number. Later items have higher numbers, also after a restart.
    fn number(&self) -> u64;

    /// Its approximate size.
    fn bytes(&self) -> usize;

    fn matches(&self, filter: &Self::Filter) -> bool;

    /// The texts of a filter.
    fn texts(filter: &Self::Filter) -> impl Iterator<Item = &str>;

    /// The notification of a subscription about these items.
    fn notification<'a>(subscription: u64, items: &'a [&'a Self], lost: u64) -> Notification<'a>;
}

/// The last items, and those who watch them.
pub(crate) struct Feed<I: Item> {
    state: Mutex<State<I>>,
    /// Rings when a watcher may be behind.
    bell: Notify,
    is_closed: AtomicBool,
}

struct State<I: Item> {
    /// The last items, in order.
    seen: VecDeque<Arc<I>>,
    /// Their size.
    charge: Charge,
    /// The maximum number of these items, and their maximum size.
    room: (usize, usize),
    /// The same with the items of a recording.
    recalled: (usize, usize),
    /// The number of the last item.
    last: u64,
    /// By session and number of the subscription.
    watchers: BTreeMap<(u64, u64), Watcher<I>>,
}

/// A subscription.
struct Watcher<I: Item> {
    session: Arc<Session>,
    filter: I::Filter,
    /// The number of the last item that it has passed.
    passed: u64,
    /// The number of items that were forgotten before it passed them, and that its session does not know of.
    lost: u64,
}

/// A notification that is about to be sent.
struct Due<I> {
    session: Arc<Session>,
    subscription: u64,
    items: Vec<Arc<I>>,
    lost: u64,
}

/// Returns an error if a text of a filter is too long to be kept.
pub(crate) fn check<I: Item>(filter: &I::Filter) -> Result<(), Error> {
    if I::texts(filter).all(|text| text.len() <= LONGEST) {
        return Ok(());
    }
    Err(Error::Limit { what: I::TEXT, limit: LONGEST, remedy: "filter by something shorter" })
}

impl<I: Item> Feed<I> {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        let state = State {
            seen: VecDeque::new(),
            charge: budget.charge(),
            room: (REMEMBERED.0, REMEMBERED.1.min(budget.limit() / OF_BUDGET)),
            recalled: (RECALLED.0, RECALLED.1.min(budget.limit() / OF_BUDGET)),
            // Higher than the numbers of a server that began earlier, and exact as a number in JSON.
            last: wall_clock() * 1000,
            watchers: BTreeMap::new(),
        };
        Self { state: Mutex::new(state), bell: Notify::new(), is_closed: AtomicBool::new(false) }
    }

    /// Adds an item, which is made for its number.
    pub(crate) fn add(&self, make: impl FnOnce(u64) -> I) -> Arc<I> {
        let mut state = self.state.lock();
        let item = state.add(make);
        if !state.watchers.is_empty() {
            self.ring();
        }
        item
    }

    /// Adds an item of a recording. More items are remembered from then on.
    pub(crate) fn recall(&self, make: impl FnOnce(u64) -> I) {
        let mut state = self.state.lock();
        state.room = state.recalled;
        state.add(make);
        self.ring();
    }

    /// The number and the size of the items that are remembered.
    #[cfg(test)]
    pub(crate) fn remembered(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.seen.len(), state.charge.bytes())
    }

    /// Wakes the task that sends notifications.
    pub(crate) fn ring(&self) {
        self.bell.notify_one();
    }

    /// Adds a subscription. It begins with the items that are remembered.
    pub(crate) fn subscribe(&self, session: &Arc<Session>, subscription: u64, filter: I::Filter) {
        let mut state = self.state.lock();
        let watcher = Watcher { session: session.clone(), filter, passed: state.forgotten(), lost: 0 };
        state.watchers.insert((session.number(), subscription), watcher);
        self.ring();
    }

    /// Ends a subscription.
    pub(crate) fn unsubscribe(&self, session: u64, subscription: u64) {
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
        self.ring();
    }

    /// Ends the task that sends notifications.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.ring();
    }

    /// Notifies sessions until the feed closes, and does further work whenever the bell rings. One task notifies them all,
    /// so that no notification overtakes another.
    pub(crate) async fn keep_notifying(self: Arc<Self>, work: impl Fn()) {
        let me: Arc<dyn NotificationSource> = self.clone();
        let me = Arc::downgrade(&me);
        while !self.is_closed.load(Ordering::Acquire) {
            work();
            let due = self.state.lock().take_due(&me);
            if due.is_empty() {
                self.bell.notified().await;
                continue;
            }
            for Due { session, subscription, items, lost } in due {
                let items: Vec<&I> = items.iter().map(|item| &**item).collect();
                session.receiver().notify(I::notification(subscription, &items, lost));
            }
            // Other tasks run between the notifications of long feeds.
            tokio::task::yield_now().await;
        }
    }
}

impl<I: Item> State<I> {
    fn add(&mut self, make: impl FnOnce(u64) -> I) -> Arc<I> {
        self.last += 1;
        let item = Arc::new(make(self.last));
        let mut bytes = self.charge.bytes() + item.bytes();
        self.seen.push_back(item.clone());
        while self.seen.len() > self.room.0 || bytes > self.room.1 {
            let Some(oldest) = self.seen.pop_front() else { break };
            bytes -= oldest.bytes();
        }
        // The room is a small part of the budget, so there is no need to ask for it.
        self.charge.set(bytes);
        item
    }

    /// The number of the last item that is no longer remembered.
    fn forgotten(&self) -> u64 {
        self.seen.front().map_or(self.last, |first| first.number() - 1)
    }

    /// Takes the next notification of each watcher that is behind and has room.
    fn take_due(&mut self, me: &Weak<dyn NotificationSource>) -> Vec<Due<I>> {
        let (forgotten, last, seen) = (self.forgotten(), self.last, &self.seen);
        let mut due = Vec::new();
        for ((_, subscription), watcher) in &mut self.watchers {
            if watcher.passed == last || !watcher.session.has_room(me) {
                continue;
            }
            watcher.lost += forgotten.saturating_sub(watcher.passed);
            watcher.passed = watcher.passed.max(forgotten);
            let from = seen.partition_point(|item| item.number() <= watcher.passed);
            let (mut items, mut bytes) = (Vec::new(), 0);
            for item in seen.range(from..) {
                if item.matches(&watcher.filter) {
                    bytes += item.bytes();
                    if !items.is_empty() && (items.len() == TOGETHER.0 || bytes > TOGETHER.1) {
                        break;
                    }
                    items.push(item.clone());
                }
                watcher.passed = item.number();
            }
            if !items.is_empty() || watcher.lost > 0 {
                let (session, lost) = (watcher.session.clone(), std::mem::take(&mut watcher.lost));
                due.push(Due { session, subscription: *subscription, items, lost });
            }
        }
        due
    }
}

impl<I: Item> NotificationSource for Feed<I> {
    fn proceed(self: Arc<Self>, _: u64) {
        self.ring();
    }
}
