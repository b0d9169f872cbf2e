//! The part of an environment that can be read without its owner.

use std::sync::Arc;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated::ontology::Ontology;
use situated_runtime::{Owner, Status};

use super::Destination;
use crate::answers::EnvironmentStatus;
use crate::error::Error;
use crate::post::Post;
use crate::remarks::{RemarkSeen, Remarks};
use crate::session::Session;
use crate::watchers::Watchers;

/// The part of an environment that can be read without its owner.
pub(crate) struct Profile {
    name: EcoString,
    /// The ontology as last read; a host may extend it.
    ontology: Mutex<Arc<Ontology>>,
    host: Option<Arc<Session>>,
    /// The key of its journal, if the hub stores environments.
    journal: Option<String>,
    status: Mutex<EnvironmentStatus>,
    post: Arc<Post>,
    watchers: Arc<Watchers>,
    remarks: Arc<Remarks>,
}

impl Profile {
    pub(crate) fn new(
        name: EcoString,
        owner: &Owner<Destination>,
        host: Option<Arc<Session>>,
        journal: Option<String>,
        post: Arc<Post>,
        watchers: Arc<Watchers>,
        remarks: Arc<Remarks>,
    ) -> Self {
        let ontology = Arc::new(owner.ontology().clone());
        let status = EnvironmentStatus {
            environment: name.clone(),
            kind: ontology.name.as_str().into(),
            hosted: host.is_some(),
            status: owner.status(),
            agents: 0,
            entities: 0,
        };
        let (ontology, status) = (Mutex::new(ontology), Mutex::new(status));
        Self { name, ontology, host, journal, status, post, watchers, remarks }
    }

    pub(crate) fn name(&self) -> &EcoString {
        &self.name
    }

    /// Returns the ontology, after replacing the stored copy if it has changed.
    pub(super) fn ontology(&self, now: &Ontology) -> Arc<Ontology> {
        let mut known = self.ontology.lock();
        if known.revision != now.revision {
            *known = Arc::new(now.clone());
        }
        known.clone()
    }

    /// The key of its journal, if the hub stores environments.
    pub(crate) fn journal(&self) -> Option<&str> {
        self.journal.as_deref()
    }

    /// The session that hosts the environment, if one does.
    pub(super) fn host(&self) -> Option<&Arc<Session>> {
        self.host.as_ref()
    }

    /// Whether this session hosts the environment.
    pub(crate) fn is_hosted_by(&self, session: u64) -> bool {
        self.host.as_ref().is_some_and(|host| host.number() == session)
    }

    /// The status of the environment.
    pub(crate) fn status(&self) -> EnvironmentStatus {
        self.status.lock().clone()
    }

    /// Sets the status. Subscribers of the list of environments are notified, unless only time has passed.
    pub(super) fn set_status(&self, now: Status, agents: usize, entities: usize) {
        let mut known = self.status.lock();
        let was = &known.status;
        let has_changed = (was.state, was.moment.episode, was.speed) != (now.state, now.moment.episode, now.speed)
            || (known.agents, known.entities) != (agents, entities)
            || (&was.crash, &was.recording, &was.data, &was.awaited)
                != (&now.crash, &now.recording, &now.data, &now.awaited);
        (known.status, known.agents, known.entities) = (now, agents, entities);
        drop(known);
        if has_changed {
            self.watchers.change();
        }
    }

    /// Shows a remark to observers.
    pub(super) fn show(&self, remark: RemarkSeen) {
        self.remarks.add(|number| remark.numbered(number));
    }

    /// Reserves a name for an agent that is about to be registered here.
    pub(super) fn claim(&self, session: &Arc<Session>, agent: &EcoString) -> Result<(), Error> {
        self.post.claim(session, agent, Some(&self.name))
    }

    /// Releases the name of an agent that is not or no longer registered here.
    pub(super) fn release(&self, session: &Session, agent: &EcoString) {
        self.post.release(session, agent, Some(&self.name));
    }
}
