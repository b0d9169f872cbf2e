//! The state of an owner and its environment, as it is seen from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use situated::iil::{Action, EcoString};
use situated::interface::{EnvironmentInterface, Moment, State};

use crate::driver::{Driver, action};
use crate::request::Request;

/// The state at one time.
#[derive(Debug, PartialEq)]
pub(super) struct View {
    pub(super) state: State,
    pub(super) moment: (u64, u64),
    pub(super) missed: u64,
    pub(super) hash: Option<u64>,
    /// Entities in order of creation.
    pub(super) entities: Vec<EcoString>,
    /// Agents with their entities.
    pub(super) relation: BTreeMap<EcoString, BTreeSet<EcoString>>,
    pub(super) deadline: Option<Duration>,
}

/// The episode and the step of a moment.
pub(super) fn at(moment: Moment) -> (u64, u64) {
    (moment.episode, moment.step)
}

/// Reads the current state.
pub(super) fn look(driver: &mut Driver) -> View {
    let relation = |interface: &dyn EnvironmentInterface| {
        let of = |agent: &EcoString| interface.associated_entities(agent).expect("registered").into_iter().collect();
        interface.agents().into_iter().map(|agent| (agent.clone(), of(&agent))).collect()
    };
    let read = |interface: &dyn EnvironmentInterface| (interface.hash(), interface.entities(), relation(interface));
    let (hash, entities, relation) = driver.owner.read(read).expect("the environment is whole");
    let (status, deadline) = (driver.status(), driver.owner.deadline());
    View { state: status.state, moment: at(status.moment), missed: status.missed, hash, entities, relation, deadline }
}

impl View {
    /// The entities that have agents, in order of creation.
    pub(super) fn seats(&self) -> Vec<EcoString> {
        let has_agent = |entity: &&EcoString| self.relation.values().any(|entities| entities.contains(*entity));
        self.entities.iter().filter(has_agent).cloned().collect()
    }
}

/// The entities for which a request chooses, and whether each can do what it chooses.
pub(super) fn chosen_entities(driver: &mut Driver, request: &Request) -> Vec<(EcoString, bool)> {
    let (Request::Act { agent, entities, .. } | Request::Pass { agent, entities }) = request else { return Vec::new() };
    let names: Vec<&str> = entities.iter().map(EcoString::as_str).collect();
    let able = |interface: &dyn EnvironmentInterface| match request {
        Request::Act { action, .. } => {
            let checked = interface.check_action(agent, action, &names).map(|(_, checked)| checked).unwrap_or_default();
            checked.into_iter().map(|one| (one.entity, one.verdict.is_ok())).collect()
        }
        _ => {
            let own = interface.own_entities(agent, &names).unwrap_or_default();
            own.into_iter().map(|(_, entity)| (entity, true)).collect()
        }
    };
    driver.owner.read(able).expect("the environment is whole")
}

/// Returns the entities that have done each action according to the environment, each once.
pub(super) fn works(driver: &mut Driver) -> BTreeMap<Action, BTreeSet<EcoString>> {
    let mut works: BTreeMap<Action, BTreeSet<EcoString>> = BTreeMap::new();
    for line in driver.log() {
        let Some((entity, text)) = line.split_once(' ').filter(|(_, text)| text.starts_with("work")) else { continue };
        assert!(works.entry(action(text)).or_default().insert(entity.into()), "twice: {line}");
    }
    works
}
