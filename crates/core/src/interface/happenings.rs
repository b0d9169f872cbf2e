//! What observers are told: not by calls, but as data that each of them drains at its own speed.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::State;
use crate::environment::{Announcement, Outcome};
use crate::iil::EcoString;

/// How many happenings an interface remembers at the most. An observer that is further behind is told how many it has
/// missed, and how things stand.
pub const HAPPENINGS_REMEMBERED: usize = 4096;

/// Something that observers are told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Happening {
    /// The state of the environment is now this.
    State(State),
    /// An episode has begun.
    Episode {
        /// Its number, from 1.
        number: u64,
        /// Its seed; none for those who may not know it. From seeds follows what environments hide.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
    },
    /// There is a new entity.
    New {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The name of its type.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity_type: EcoString,
    },
    /// An agent has been associated with an entity.
    Taken {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// An agent is no longer associated with an entity, which goes on.
    Released {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// An entity is free: none of its agents is left. It follows the release of each of them.
    Freed {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agents that have just been released.
        #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
        agents: Vec<EcoString>,
    },
    /// An entity is no more.
    Deleted {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agents that it had until now.
        #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
        agents: Vec<EcoString>,
    },
    /// The ontology has been added to: entities can do or perceive more than before.
    Ontology {
        /// The revision that the ontology has now.
        revision: u64,
    },
    /// An agent has been registered.
    Registered {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// An agent has been unregistered.
    Unregistered {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// The environment has announced something.
    Announcement(Announcement),
    /// The episode is over. The environment may go on.
    Outcome(Outcome),
}

/// How far an observer has come. A new one is first told how things stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observer {
    heard: Option<u64>,
}

/// What an observer is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drained {
    /// What has happened, in order. For a new observer, and for one that has missed something, it is how things
    /// stand, told as if it had happened now.
    pub happenings: Vec<Happening>,
    /// How many happenings were missed.
    pub missed: u64,
}

/// The last happenings.
#[derive(Debug, Default)]
pub(crate) struct Happenings {
    last: VecDeque<Happening>,
    /// How many there have been.
    count: u64,
}

impl Observer {
    /// One that has heard nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Happenings {
    pub(crate) fn push(&mut self, happening: Happening) {
        if self.last.len() == HAPPENINGS_REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(happening);
        self.count += 1;
    }

    /// What has happened cannot be told one by one: every observer is told how things stand.
    pub(crate) fn begin_anew(&mut self) {
        self.last.clear();
        self.count += 1;
    }

    /// What has happened since the observer was last told; `present` says how things stand.
    pub(crate) fn drain(&self, observer: &mut Observer, present: impl FnOnce() -> Vec<Happening>) -> Drained {
        let heard = observer.heard.replace(self.count);
        let unheard = heard.map(|heard| self.count.saturating_sub(heard));
        match unheard {
            Some(unheard) if unheard <= self.last.len() as u64 => {
                let begin = self.last.len() - unheard as usize;
                Drained { happenings: self.last.range(begin..).cloned().collect(), missed: 0 }
            }
            _ => Drained { happenings: present(), missed: unheard.unwrap_or(0) },
        }
    }
}
