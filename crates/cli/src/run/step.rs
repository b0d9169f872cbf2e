//! A step of a run, as audiences show it and lines of JSON contain it.

use std::collections::BTreeMap;

use serde::Serialize;
use situated::environment::Announcement;
use situated::iil::{Action, EcoString, Percept};
use situated::interface::Perception;
use situated_runtime::Notes;

/// What has happened in one step, by entity.
#[derive(Debug, Default, Serialize)]
pub(super) struct Step {
    /// The number of the step, from 1.
    #[serde(rename = "step")]
    pub(super) number: u64,
    /// What the agents were told before they decided. Who was told nothing is left out.
    pub(super) percepts: BTreeMap<EcoString, Told>,
    /// What they did.
    pub(super) actions: BTreeMap<EcoString, Action>,
    /// What their actions found out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) found: BTreeMap<EcoString, Vec<Percept>>,
    /// Why their actions failed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) errors: BTreeMap<EcoString, String>,
    /// What the environment has announced since the last step was written down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) announcements: Vec<Announcement>,
}

impl Step {
    /// The step of this number, as it was noted, with what the environment has announced.
    pub(super) fn new(number: u64, notes: Notes, announcements: Vec<Announcement>) -> Self {
        let Notes { percepts, actions, found, errors } = notes;
        let percepts = percepts.into_iter().map(|(entity, perception)| (entity, perception.into())).collect();
        Self { number, percepts, actions, found, errors, announcements }
    }
}

/// What an agent is told, without wall-clock time: that differs between runs.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resync: bool,
    add: Vec<Percept>,
    delete: Vec<Percept>,
    events: Vec<Percept>,
    #[serde(skip_serializing_if = "is_zero")]
    lost: u64,
}

impl From<Perception> for Told {
    fn from(perception: Perception) -> Self {
        let Perception { resync, add, delete, events, lost, .. } = perception;
        Told { resync, add, delete, events, lost }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
