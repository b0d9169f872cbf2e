//! The agents of the platform, and the states of their life cycle (SC00023, section 5.1).

use ecow::EcoString;
use situated_acl::Expression;

use crate::reading::{agent, word};

/// An agent that is registered with the server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Agent {
    /// Its name.
    pub name: EcoString,
    /// The state of its life cycle.
    pub state: LifeCycle,
}

/// The state of the life cycle of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LifeCycle {
    /// It gets its messages.
    Active,
    /// Its client is disconnected, and may return. Its messages wait.
    Suspended,
}

/// The description of an agent by the AMS.
pub(crate) fn describe(Agent { name, state }: &Agent) -> Expression<'static> {
    let state = match state {
        LifeCycle::Active => "active",
        LifeCycle::Suspended => "suspended",
    };
    let described = [word("ams-agent-description"), word(":name"), agent(name), word(":ownership"), word("NONE")];
    described.into_iter().chain([word(":state"), word(state)]).collect::<Vec<_>>().into()
}
