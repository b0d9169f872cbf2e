//! The names of agents, which are unique on a server.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use situated::iil::EcoString;

use crate::session::Session;

/// The names of agents that were registered through the hub, each with its session. A name is unique on a server,
/// across all environments.
#[derive(Default)]
pub(crate) struct AgentNames(Mutex<HashMap<EcoString, Weak<Session>>>);

impl AgentNames {
    /// Reserves a name for an agent of this session.
    ///
    /// # Errors
    /// Returns the session that has the name.
    pub(crate) fn claim(&self, agent: &EcoString, session: &Arc<Session>) -> Result<(), Weak<Session>> {
        let mut names = self.0.lock();
        let owner = names.entry(agent.clone()).or_insert_with(|| Arc::downgrade(session));
        if is(owner, session) { Ok(()) } else { Err(owner.clone()) }
    }

    /// Releases the name of an agent of this session that is no longer registered anywhere.
    pub(crate) fn release(&self, agent: &str, session: &Session) {
        let mut names = self.0.lock();
        if names.get(agent).is_some_and(|owner| is(owner, session)) {
            names.remove(agent);
        }
    }
}

fn is(owner: &Weak<Session>, session: &Session) -> bool {
    std::ptr::eq(owner.as_ptr(), session)
}
