//! What there is to know about an environment without asking its owner.

use std::sync::Arc;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated::ontology::Ontology;
use situated_runtime::Status;
use situated_wire::Error;
use situated_wire::methods::EnvironmentStatus;

use crate::agent_names::AgentNames;
use crate::listing::Listing;
use crate::session::Session;

/// What there is to know about an environment without asking its owner.
pub(crate) struct Identity {
    pub(crate) name: EcoString,
    pub(crate) ontology: Ontology,
    /// Who hosts it, if it is hosted from outside.
    pub(crate) host: Option<Arc<Session>>,
    status: Mutex<EnvironmentStatus>,
    agent_names: Arc<AgentNames>,
    listing: Arc<Listing>,
}

impl Identity {
    pub(crate) fn new(
        name: EcoString,
        ontology: Ontology,
        host: Option<Arc<Session>>,
        standing: Status,
        agent_names: Arc<AgentNames>,
        listing: Arc<Listing>,
    ) -> Self {
        let Status { state, moment, pace, speed, missed, crash } = standing;
        let status = EnvironmentStatus {
            environment: name.clone().into(),
            kind: ontology.name.as_str().into(),
            hosted: host.is_some(),
            state,
            moment,
            pace,
            speed: speed.steps_per_second(),
            skipped_steps: missed,
            agents: 0,
            entities: 0,
            crash,
        };
        Self { name, ontology, host, status: Mutex::new(status), agent_names, listing }
    }

    /// How it stands.
    pub(crate) fn status(&self) -> EnvironmentStatus {
        self.status.lock().clone()
    }

    /// It stands so from now on. Those who see the list of environments are told, unless it is time alone that has changed.
    pub(super) fn stand(&self, standing: Status, agents: usize, entities: usize) {
        let Status { state, moment, pace, speed, missed, crash } = standing;
        let speed = speed.steps_per_second();
        let mut status = self.status.lock();
        let before = (status.state, status.moment.episode, status.agents, status.entities, status.speed);
        let is_news = before != (state, moment.episode, agents, entities, speed) || status.crash != crash;
        (status.state, status.moment, status.pace, status.speed) = (state, moment, pace, speed);
        (status.skipped_steps, status.agents, status.entities, status.crash) = (missed, agents, entities, crash);
        drop(status);
        if is_news {
            self.listing.change();
        }
    }

    /// The host, if it is this session.
    pub(crate) fn host_of(&self, session: u64) -> Option<&Arc<Session>> {
        self.host.as_ref().filter(|host| host.number == session)
    }

    /// An agent is to be registered here.
    pub(super) fn claim(&self, session: &Session, agent: &EcoString) -> Result<(), Error> {
        let mut belongings = session.belongings();
        belongings.add_agent(agent, &self.name, session.limits.agents)?;
        self.agent_names.claim(agent, session.number).inspect_err(|_| {
            belongings.remove_agent(agent, &self.name);
        })
    }

    /// An agent is not, or no longer, registered here.
    pub(super) fn release(&self, session: &Session, agent: &EcoString) {
        let mut belongings = session.belongings();
        if belongings.remove_agent(agent, &self.name) {
            self.agent_names.release(agent, session.number);
        }
    }
}
