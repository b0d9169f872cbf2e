//! The names of agents, of which there is each only once on a server, whichever environments it lives in.

use std::collections::HashMap;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated_wire::{Code, Error};

/// Whose the agents are that have come through the server, by session.
#[derive(Default)]
pub(crate) struct AgentNames(Mutex<HashMap<EcoString, u64>>);

impl AgentNames {
    /// An agent of this session is to have this name, which nobody else has.
    pub(crate) fn claim(&self, agent: &EcoString, session: u64) -> Result<(), Error> {
        if *self.0.lock().entry(agent.clone()).or_insert(session) == session {
            return Ok(());
        }
        let message = format!("somebody else on this server has an agent `{agent}`; choose another name");
        Err(Error::new(Code::AgentTaken, message))
    }

    /// An agent of this session is registered nowhere any more.
    pub(crate) fn release(&self, agent: &str, session: u64) {
        let mut names = self.0.lock();
        if names.get(agent) == Some(&session) {
            names.remove(agent);
        }
    }
}
