//! Subscriptions to an environment, each with its progress.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Form, Observer, Since, Version};
use situated::scene::Scene;
use situated_runtime::Seen;

use super::filter::Filter;
use crate::budget::Charge;
use crate::error::Error;
use crate::notifications::Notification;
use crate::session::Session;

/// A subscription of a session.
pub(super) struct Subscription {
    pub(super) session: Arc<Session>,
    pub(super) number: u64,
    pub(super) topic: Topic,
    /// The number of changes of the environment at the last notification; `None` if a notification is due in any
    /// case.
    pub(super) notified_at: Option<u64>,
}

/// The topic of a subscription, with its progress.
pub(super) enum Topic {
    Happenings {
        observer: Observer,
    },
    Percepts {
        agent: EcoString,
        form: Form,
        since: Since,
        /// The percepts of which the agent wants to be notified; none means all.
        filter: Option<Box<Filter>>,
        /// The minimum time between two notifications.
        interval: Duration,
        /// The time of the last notification.
        at: Duration,
        /// The versions that were sent and must be acknowledged before the next are sent.
        unacknowledged: BTreeMap<EcoString, Version>,
        /// Whether the client may have missed the last notification.
        again: bool,
    },
    Scene {
        viewer: Option<EcoString>,
        /// The scene that was sent last; none if the client has none yet.
        shown: Option<Scene>,
        /// The memory that it takes.
        charge: Charge,
        /// The time of the last notification, which limits the rate.
        at: Duration,
    },
    Activity {
        entity: Option<EcoString>,
        version: Version,
        seen: Seen,
        at: Duration,
    },
}

impl Topic {
    pub(super) fn happenings() -> Self {
        Topic::Happenings { observer: Observer::new() }
    }

    pub(super) fn percepts(
        agent: EcoString,
        form: Form,
        since: Since,
        filter: Option<Box<Filter>>,
        interval: Duration,
    ) -> Self {
        let (at, unacknowledged) = (Duration::ZERO, BTreeMap::new());
        Topic::Percepts { agent, form, since, filter, interval, at, unacknowledged, again: false }
    }

    pub(super) fn scene(session: &Session, viewer: Option<EcoString>) -> Self {
        Topic::Scene { viewer, shown: None, charge: session.share().charge(), at: Duration::ZERO }
    }

    pub(super) fn activity(entity: Option<EcoString>, seen: Seen) -> Self {
        Topic::Activity { entity, version: Version::default(), seen, at: Duration::ZERO }
    }

    /// The memory of its names, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Topic::Percepts { filter: Some(filter), .. } => {
                filter.names().map(|name| size_of::<EcoString>() + name.len()).sum()
            }
            _ => 0,
        }
    }
}

impl Subscription {
    /// Ends the subscription and notifies its session.
    pub(super) fn end(self, reason: &Error) {
        self.session.forget_subscription(self.number);
        self.session.receiver().notify(Notification::Ended { subscription: self.number, reason });
    }

    /// Whether the subscription is about the percepts of this agent.
    pub(super) fn is_of(&self, agent: &EcoString) -> bool {
        matches!(&self.topic, Topic::Percepts { agent: of, .. } if of == agent)
    }

    /// Starts over, because the client may have missed the last notification.
    pub(super) fn begin_again(&mut self) {
        self.notified_at = None;
        match &mut self.topic {
            Topic::Happenings { observer } => *observer = Observer::new(),
            Topic::Percepts { unacknowledged, again, .. } => {
                unacknowledged.clear();
                *again = true;
            }
            Topic::Scene { shown, .. } => *shown = None,
            Topic::Activity { version, .. } => *version = Version::default(),
        }
    }
}
