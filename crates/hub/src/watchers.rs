//! Sessions that have subscribed to the list of environments.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use situated_wire::methods::EnvironmentStatus;
use tokio::sync::Notify;

use crate::notifications::Notification;
use crate::session::{NotificationSource, Session};

/// Sessions that have subscribed to the list of environments. One task notifies them all, so that no notification
/// overtakes another.
#[derive(Default)]
pub(crate) struct Watchers {
    /// By session and number of the subscription.
    watchers: Mutex<BTreeMap<(u64, u64), Watcher>>,
    bell: Notify,
    is_closed: AtomicBool,
}

struct Watcher {
    session: Arc<Session>,
    /// Whether the list has changed since the last notification.
    is_behind: bool,
}

impl Watchers {
    /// Adds a subscription.
    pub(crate) fn add(&self, session: &Arc<Session>, subscription: u64) {
        let watcher = Watcher { session: session.clone(), is_behind: true };
        self.watchers.lock().insert((session.number(), subscription), watcher);
        self.bell.notify_one();
    }

    /// Ends a subscription.
    pub(crate) fn remove(&self, session: u64, subscription: u64) {
        self.watchers.lock().remove(&(session, subscription));
    }

    /// Ends the subscriptions of a session.
    pub(crate) fn forget(&self, session: u64) {
        self.watchers.lock().retain(|(of, _), _| *of != session);
    }

    /// Notifies a session again, because its client may have missed the last notification.
    pub(crate) fn resume(&self, session: u64) {
        for (_, watcher) in self.watchers.lock().range_mut((session, 0)..=(session, u64::MAX)) {
            watcher.is_behind = true;
        }
        self.bell.notify_one();
    }

    /// Notes that an environment was added or removed, or that its status has changed.
    pub(crate) fn change(&self) {
        let mut watchers = self.watchers.lock();
        if !watchers.is_empty() {
            watchers.values_mut().for_each(|watcher| watcher.is_behind = true);
            self.bell.notify_one();
        }
    }

    /// Ends the task that sends notifications.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    /// Notifies sessions until the hub closes.
    pub(crate) async fn keep_notifying(self: Arc<Self>, statuses: impl Fn() -> Vec<EnvironmentStatus>) {
        let me: Arc<dyn NotificationSource> = self.clone();
        let me = Arc::downgrade(&me);
        loop {
            self.bell.notified().await;
            if self.is_closed.load(Ordering::Acquire) {
                return;
            }
            let behind = self.take_behind(&me);
            if behind.is_empty() {
                continue;
            }
            let environments = statuses();
            for (subscription, session) in behind {
                let environments = environments.as_slice();
                session.receiver().notify(Notification::Environments { subscription, environments });
            }
        }
    }

    /// Takes the sessions that need a notification and have room for it.
    fn take_behind(&self, me: &Weak<dyn NotificationSource>) -> Vec<(u64, Arc<Session>)> {
        let mut behind = Vec::new();
        for ((_, subscription), watcher) in self.watchers.lock().iter_mut() {
            if watcher.is_behind && watcher.session.has_room(me) {
                watcher.is_behind = false;
                behind.push((*subscription, watcher.session.clone()));
            }
        }
        behind
    }
}

impl NotificationSource for Watchers {
    fn proceed(self: Arc<Self>, _: u64) {
        self.bell.notify_one();
    }
}
