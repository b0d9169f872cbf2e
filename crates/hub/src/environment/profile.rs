//! The part of an environment that can be read without its owner.

use std::sync::Arc;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated_acl::Message;
use situated_runtime::{Owner, Status};
use situated_wire::Name;
use situated_wire::methods::{DataStatus, EnvironmentStatus, RecordingStatus};
use situated_wire::notifications::RemarkSeen;

use super::Destination;
use crate::error::Error;
use crate::post::Post;
use crate::remarks::Remarks;
use crate::session::Session;
use crate::watchers::Watchers;

/// The part of an environment that can be read without its owner.
pub(crate) struct Profile {
    name: EcoString,
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
        let kind = owner.ontology().name.as_str().into();
        let status = Mutex::new(status(Name(name.clone()), kind, host.is_some(), owner.status(), 0, 0));
        Self { name, host, journal, status, post, watchers, remarks }
    }

    pub(crate) fn name(&self) -> &EcoString {
        &self.name
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
        let (environment, kind) = (known.environment.clone(), known.kind.clone());
        let now = status(environment, kind, known.hosted, now, agents, entities);
        let has_changed = lasting(&known) != lasting(&now);
        *known = now;
        drop(known);
        if has_changed {
            self.watchers.change();
        }
    }

    /// Shows a remark, which is made for its number, to observers.
    pub(super) fn show(&self, remark: impl FnOnce(u64) -> RemarkSeen) {
        self.remarks.add(remark);
    }

    /// Reserves a name for an agent that is about to be registered here. Returns its address, which is the former one if it
    /// had one in another process.
    pub(super) fn claim(
        &self,
        session: &Arc<Session>,
        agent: &EcoString,
        former: Option<&EcoString>,
    ) -> Result<EcoString, Error> {
        self.post.claim(session, agent, Some(&self.name), former)
    }

    /// Returns a message with the names that its agents have here, if it is from or for an agent of this environment.
    pub(super) fn concerning(&self, message: &Arc<Message<'static>>) -> Option<Arc<Message<'static>>> {
        self.post.within(&self.name, message)
    }

    /// Releases the name of an agent that is not or no longer registered here.
    pub(super) fn release(&self, session: &Session, agent: &EcoString) {
        self.post.release(session, agent, Some(&self.name));
    }
}

/// What changes in a status other than by time.
fn lasting(status: &EnvironmentStatus) -> impl PartialEq {
    let EnvironmentStatus { state, moment, speed, agents, entities, crash, awaited, recording, data, .. } = status;
    (*state, moment.episode, *speed, *agents, *entities, crash, awaited, recording, data)
}

/// The status of an environment of this name and kind.
fn status(
    environment: Name,
    kind: Name,
    hosted: bool,
    now: Status,
    agents: usize,
    entities: usize,
) -> EnvironmentStatus {
    EnvironmentStatus {
        environment,
        kind,
        hosted,
        state: now.state,
        moment: now.moment,
        pace: now.pace,
        speed: now.speed.steps_per_second(),
        skipped_steps: now.missed,
        agents,
        entities,
        crash: now.crash,
        awaited: now.awaited.into_iter().map(Name).collect(),
        recording: now.recording.map(|recording| RecordingStatus { error: recording.error }),
        data: now.data.map(|data| DataStatus { error: data.error }),
    }
}
