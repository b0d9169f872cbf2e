//! The names of agents, each of which exists once on a server.

use std::collections::HashMap;

use parking_lot::Mutex;
use situated::iil::EcoString;

use crate::error::Error;

/// The names of agents that have come through the hub, each with its session. A name is unique on a server, whichever
/// environments the agent is registered with.
#[derive(Default)]
pub(crate) struct AgentNames(Mutex<HashMap<EcoString, u64>>);

impl AgentNames {
    /// Reserves a name for an agent of this session.
    pub(crate) fn claim(&self, agent: &EcoString, session: u64) -> Result<(), Error> {
        if *self.0.lock().entry(agent.clone()).or_insert(session) == session {
            return Ok(());
        }
        Err(Error::AgentTaken { agent: agent.clone() })
    }

    /// Releases the name of an agent of this session that is no longer registered anywhere.
    pub(crate) fn release(&self, agent: &str, session: u64) {
        let mut names = self.0.lock();
        if names.get(agent) == Some(&session) {
            names.remove(agent);
        }
    }
}
