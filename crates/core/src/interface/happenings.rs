//! Happenings: changes as data, which each observer drains at its own speed.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::State;
use crate::environment::{Announcement, Outcome};
use crate::iil::EcoString;
use crate::size::{Size, list};

/// Maximum number of happenings that an interface remembers. An observer that is further behind gets the number of
/// missed ones, and the current state.
pub const HAPPENINGS_REMEMBERED: usize = 4096;

/// Maximum number of bytes of these happenings, except that the last one is always remembered.
pub(crate) const HAPPENINGS_BYTES: usize = 1 << 20;

/// A change that observers receive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Happening {
    /// The environment is in this state.
    State(State),
    /// An episode began.
    Episode {
        /// Its number, from 1.
        number: u64,
        /// Its seed; none for sessions that cannot know it, because hidden facts follow from seeds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
    },
    /// An entity was created.
    New {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The name of its type.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity_type: EcoString,
    },
    /// An agent was associated with an entity.
    Taken {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// An agent is no longer associated with an entity.
    Released {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// The last agent released an entity. It follows the release of each agent.
    Freed {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agents that were released.
        #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
        agents: Vec<EcoString>,
    },
    /// An entity was deleted.
    Deleted {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The agents that controlled it.
        #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
        agents: Vec<EcoString>,
    },
    /// The ontology has changed: its host extended it, or ranges differ in a new episode.
    Ontology {
        /// The new revision of the ontology.
        revision: u64,
    },
    /// An agent was registered.
    Registered {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// An agent was unregistered.
    Unregistered {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
    },
    /// The environment announced something.
    Announcement(Announcement),
    /// The episode ended. The environment may continue.
    Outcome(Outcome),
}

/// The position of an observer. A new one first receives the current state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observer {
    heard: Option<u64>,
}

/// The happenings for an observer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drained {
    /// The happenings, in order. A new observer, and one that missed some, receives the current state as if it had
    /// come about just now.
    pub happenings: Vec<Happening>,
    /// Number of missed happenings.
    pub missed: u64,
}

/// The last happenings.
#[derive(Debug, Default)]
pub(crate) struct Happenings {
    last: VecDeque<Happening>,
    /// Their size.
    bytes: usize,
    /// Number of happenings so far.
    count: u64,
}

impl Size for Happening {
    fn heap_bytes(&self) -> usize {
        match self {
            Happening::State(_) | Happening::Episode { .. } | Happening::Ontology { .. } => 0,
            Happening::New { entity, entity_type } => entity.heap_bytes() + entity_type.heap_bytes(),
            Happening::Taken { entity, agent } | Happening::Released { entity, agent } => {
                entity.heap_bytes() + agent.heap_bytes()
            }
            Happening::Freed { entity, agents } | Happening::Deleted { entity, agents } => {
                entity.heap_bytes() + list(agents)
            }
            Happening::Registered { agent } | Happening::Unregistered { agent } => agent.heap_bytes(),
            Happening::Announcement(Announcement { name, text }) => name.heap_bytes() + text.heap_bytes(),
            Happening::Outcome(outcome) => outcome.heap_bytes(),
        }
    }
}

impl Observer {
    /// Creates an observer that has received nothing.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Happenings {
    /// The number of bytes of the remembered happenings.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn push(&mut self, happening: Happening) {
        let bytes = happening.bytes();
        while self.last.len() == HAPPENINGS_REMEMBERED || self.bytes + bytes > HAPPENINGS_BYTES {
            let Some(oldest) = self.last.pop_front() else { break };
            self.bytes -= oldest.bytes();
        }
        self.bytes += bytes;
        self.last.push_back(happening);
        self.count += 1;
    }

    /// Makes every observer receive the current state, because the changes cannot be described one by one.
    pub(crate) fn restart(&mut self) {
        self.last.clear();
        self.bytes = 0;
        self.count += 1;
    }

    /// Returns the happenings since the observer's last call; `present` returns the current state.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn happenings_are_limited_in_bytes() {
        let (mut happenings, mut observer) = (Happenings::default(), Observer::new());
        happenings.drain(&mut observer, Vec::new);
        let text = EcoString::from("x".repeat(HAPPENINGS_BYTES / 10));
        for _ in 0..100 {
            happenings.push(Happening::Announcement(Announcement { name: "long".into(), text: text.clone() }));
            assert!(happenings.bytes() <= HAPPENINGS_BYTES);
            assert_eq!(happenings.bytes(), happenings.last.iter().map(Happening::bytes).sum::<usize>());
        }
        assert_eq!(happenings.last.len(), 9);
        assert_eq!(happenings.drain(&mut observer, Vec::new).missed, 100);
        happenings.restart();
        assert_eq!(happenings.bytes(), 0);
    }
}
