//! A step of a run, as audiences and lines of JSON show it.

use std::collections::BTreeMap;

use serde::Serialize;
use situated::environment::Announcement;
use situated::iil::{Action, EcoString, Percept};
use situated::interface::Perception;
use situated_runtime::Notes;

/// Events of one step, by entity.
#[derive(Debug, Default, Serialize)]
pub(super) struct Step {
    /// Number of the step, from 1.
    #[serde(rename = "step")]
    pub(super) number: u64,
    /// Percepts that the agents got before they decided. Agents without new percepts are left out.
    pub(super) percepts: BTreeMap<EcoString, Told>,
    /// Actions.
    pub(super) actions: BTreeMap<EcoString, Action>,
    /// Percepts that actions returned.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) found: BTreeMap<EcoString, Vec<Percept>>,
    /// Reasons why actions failed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) errors: BTreeMap<EcoString, String>,
    /// Announcements of the environment since the last step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) announcements: Vec<Announcement>,
}

impl Step {
    /// Creates a step from notes and announcements.
    pub(super) fn new(number: u64, notes: Notes, announcements: Vec<Announcement>) -> Self {
        let Notes { percepts, actions, found, errors } = notes;
        let percepts = percepts.into_iter().map(|(entity, perception)| (entity, perception.into())).collect();
        Self { number, percepts, actions, found, errors, announcements }
    }
}

/// Percepts of an agent, without wall-clock time, which differs between runs.
#[derive(Debug, Default, Serialize)]
pub(super) struct Told {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resync: bool,
    add: Vec<Percept>,
    delete: Vec<Percept>,
    pub(super) events: Vec<Percept>,
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
