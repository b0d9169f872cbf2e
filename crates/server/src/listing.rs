//! Telling those who have subscribed to it which environments there are, and how they stand.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use situated_runtime::wall_clock;
use situated_wire::methods::EnvironmentStatus;
use situated_wire::notifications::EnvironmentsListed;
use tokio::sync::Notify;

use crate::outbox::Teller;
use crate::session::Session;

/// Who wants to know which environments there are. One task tells them all, so that no news overtakes another.
#[derive(Default)]
pub(crate) struct Listing {
    /// By session and number.
    watchers: Mutex<BTreeMap<(u64, u64), Watcher>>,
    bell: Notify,
}

struct Watcher {
    session: Arc<Session>,
    /// Something is new since it was told.
    is_behind: bool,
}

impl Listing {
    /// Somebody wants to know, from now on.
    pub(crate) fn watch(&self, session: &Arc<Session>, subscription: u64) {
        let watcher = Watcher { session: session.clone(), is_behind: true };
        self.watchers.lock().insert((session.number, subscription), watcher);
        self.bell.notify_one();
    }

    /// Somebody does not want to know any more.
    pub(crate) fn ignore(&self, session: &Session, subscription: u64) {
        self.watchers.lock().remove(&(session.number, subscription));
    }

    /// Somebody has gone for good.
    pub(crate) fn forget(&self, session: u64) {
        self.watchers.lock().retain(|(of, _), _| *of != session);
    }

    /// Somebody has come back, and has perhaps not got what was last sent.
    pub(crate) fn resume(&self, session: u64) {
        for (_, watcher) in self.watchers.lock().range_mut((session, 0)..=(session, u64::MAX)) {
            watcher.is_behind = true;
        }
        self.bell.notify_one();
    }

    /// An environment has come or gone, or stands otherwise than before.
    pub(crate) fn change(&self) {
        let mut watchers = self.watchers.lock();
        if !watchers.is_empty() {
            watchers.values_mut().for_each(|watcher| watcher.is_behind = true);
            self.bell.notify_one();
        }
    }

    /// Tells whoever is to be told, for ever.
    pub(crate) async fn keep_telling(self: Arc<Self>, statuses: impl Fn() -> Vec<EnvironmentStatus>) {
        let me: Arc<dyn Teller> = self.clone();
        let me = Arc::downgrade(&me);
        loop {
            self.bell.notified().await;
            let behind = self.take_behind(&me);
            if behind.is_empty() {
                continue;
            }
            let (environments, time) = (statuses(), wall_clock());
            for (subscription, session) in behind {
                let environments = environments.clone();
                session.notify(&EnvironmentsListed { subscription, environments, time });
            }
        }
    }

    /// Those who are to be told and have room for it.
    fn take_behind(&self, me: &Weak<dyn Teller>) -> Vec<(u64, Arc<Session>)> {
        let mut behind = Vec::new();
        for ((_, subscription), watcher) in self.watchers.lock().iter_mut() {
            if watcher.is_behind && watcher.session.outbox().has_room(me) {
                watcher.is_behind = false;
                behind.push((*subscription, watcher.session.clone()));
            }
        }
        behind
    }
}

impl Teller for Listing {
    fn go_on(self: Arc<Self>, _: u64) {
        self.bell.notify_one();
    }
}
