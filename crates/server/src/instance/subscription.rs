//! What somebody has subscribed to in an environment, and how far it has been told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Form, Observer, Since, Version};
use situated::scene::Scene;
use situated_runtime::{Seen, wall_clock};
use situated_wire::Error;
use situated_wire::methods::Topic;
use situated_wire::notifications::Ended;

use crate::session::Session;

/// What somebody has subscribed to.
pub(super) struct Subscription {
    pub(super) session: Arc<Session>,
    pub(super) number: u64,
    pub(super) about: About,
    /// How often the environment had changed when it was last told; none if it is to be told whatever has happened.
    pub(super) told_at: Option<u64>,
}

/// What it is about, and how far it has been told.
pub(super) enum About {
    Happenings {
        observer: Observer,
    },
    Percepts {
        agent: EcoString,
        form: Form,
        since: Since,
        /// The versions that were told and are to be acknowledged before the next are.
        unacknowledged: BTreeMap<EcoString, Version>,
        /// What was last told may not have arrived.
        anew: bool,
    },
    Scene {
        viewer: Option<EcoString>,
        shown: Scene,
        /// When it was last shown; pictures that follow each other too quickly are seen by nobody.
        at: Duration,
    },
    Activity {
        entity: Option<EcoString>,
        version: Version,
        seen: Seen,
        at: Duration,
    },
}

impl Subscription {
    /// There is nothing more to tell.
    pub(super) fn end(self, reason: &Error) {
        self.session.belongings().subscriptions.remove(&self.number);
        let (subscription, reason) = (self.number, reason.clone());
        self.session.notify(&Ended { subscription, reason, time: wall_clock() });
    }

    /// Whether it is about what this agent perceives.
    pub(super) fn is_of(&self, agent: &EcoString) -> bool {
        matches!(&self.about, About::Percepts { agent: of, .. } if of == agent)
    }

    /// Whoever is told may not have got what was last sent.
    pub(super) fn begin_anew(&mut self) {
        self.told_at = None;
        match &mut self.about {
            About::Happenings { observer } => *observer = Observer::new(),
            About::Percepts { unacknowledged, anew, .. } => {
                unacknowledged.clear();
                *anew = true;
            }
            About::Scene { shown, .. } => *shown = Scene::default(),
            About::Activity { version, .. } => *version = Version::default(),
        }
    }
}

impl About {
    /// The beginning of a subscription; none to what does not concern one environment.
    pub(super) fn beginning(topic: Topic, seen: impl FnOnce() -> Seen) -> Option<Self> {
        Some(match topic {
            Topic::Environments {} => return None,
            Topic::Happenings { .. } => About::Happenings { observer: Observer::new() },
            Topic::Percepts { agent, form, since, .. } => {
                About::Percepts { agent: agent.0, form, since, unacknowledged: BTreeMap::new(), anew: false }
            }
            Topic::Scene { viewer, .. } => {
                let viewer = viewer.map(|name| name.0);
                About::Scene { viewer, shown: Scene::default(), at: Duration::ZERO }
            }
            Topic::Activity { entity, .. } => {
                let entity = entity.map(|name| name.0);
                About::Activity { entity, version: Version::default(), seen: seen(), at: Duration::ZERO }
            }
        })
    }
}
