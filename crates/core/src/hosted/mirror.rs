//! The copy of an environment that runs elsewhere, as its host reported it last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::counter::Counter;
use super::terms::{MirroredAction, MirroredParameters, MirroredPercept};
use crate::environment::{Context, Ending, EntityId, Environment, Failure, Measure, News, Outcome, Percepts};
use crate::host::HostTask;
use crate::iil::EcoString;
use crate::ontology::{NamedTypes, Ontology, Pace, Restriction};
use crate::scene::Scene;

/// Maximum number of entities of a hosted environment.
pub(super) const ENTITIES_MIRRORED: usize = 1 << 16;

/// Maximum number of percepts that hold in a hosted environment, counted for each entity.
pub(super) const PERCEPTS_MIRRORED: usize = 1 << 20;

/// Maximum number of shapes in the picture of a hosted environment, and of results.
pub const SHOWN: usize = 1 << 16;

/// A copy of an environment that runs elsewhere, as its host reported it last. It has no rules.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Mirror {
    /// The percepts of the entities about which the host has reported anything.
    pub(super) held: BTreeMap<EntityId, Held>,
    /// The number of these percepts.
    pub(super) count: usize,
    ending: Option<Ending>,
    pub(super) results: Vec<Measure>,
    /// The picture, which is not part of the state but follows from it.
    #[serde(skip)]
    pub(super) scene: Scene,
    /// Counts the percepts.
    #[serde(skip)]
    pub(super) counter: Counter,
    /// The size of the percepts that hold.
    #[serde(skip)]
    pub(super) held_bytes: usize,
    /// The size of the picture and of the results, and of entities with their names.
    #[serde(skip)]
    pub(super) rest: usize,
    /// Tasks that have not been sent to the host yet.
    #[serde(skip)]
    tasks: Vec<HostTask>,
}

/// The percepts that hold for an entity.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Held {
    /// Counts the changes.
    pub(super) revision: u64,
    pub(super) percepts: Vec<MirroredPercept>,
}

impl Environment for Mirror {
    type Parameters = MirroredParameters;
    type Action = MirroredAction;
    type Percept = MirroredPercept;

    /// An empty ontology. The real one is known only at run time.
    fn ontology() -> Ontology {
        Ontology {
            name: "mirror".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            revision: 0,
            documentation: "An environment that runs elsewhere.".into(),
            pace: Pace::Own,
            relation: Restriction::default(),
            open: false,
            parameters: Vec::new(),
            properties: Vec::new(),
            entity_properties: Vec::new(),
            entity_types: Vec::new(),
            types: NamedTypes::new(),
        }
    }

    fn init(_: &MirroredParameters, _: &mut Context<MirroredPercept>) -> Result<Self, Failure> {
        Ok(Self::default())
    }

    fn act(&mut self, _: EntityId, _: &MirroredAction, _: &mut Context<MirroredPercept>) -> Result<(), Failure> {
        Err(Failure::new("a host runs this environment and has to provide the entity"))
    }

    fn percepts(&self, entity: EntityId, _: &Context<MirroredPercept>, percepts: &mut Percepts<'_, MirroredPercept>) {
        if let Some(held) = self.held.get(&entity) {
            percepts.section(0, held.revision, |list| held.percepts.iter().for_each(|one| list.add(one.clone())));
        }
    }

    fn hear(&mut self, news: News, context: &mut Context<MirroredPercept>) {
        let name = |id| context.entity(id).map(|entity| entity.name.clone());
        match news {
            // The agent that takes the entity also perceives events that the environment sends because of this.
            News::Taken(id) => self.add_tasks(name(id), |entity| {
                [HostTask::Perceive { entity: entity.clone() }, HostTask::Taken { entity }]
            }),
            News::Freed(id) => self.add_tasks(name(id), |entity| [HostTask::Freed { entity }]),
            News::Left(id) => self.add_tasks(name(id), |entity| [HostTask::Left { entity }]),
        }
    }

    /// The host shows the environment as a whole. The view of an entity is not known here.
    fn scene(&self, viewer: Option<EntityId>, _: &Context<MirroredPercept>) -> Scene {
        if viewer.is_none() { self.scene.clone() } else { Scene::default() }
    }

    fn ending(&self) -> Option<Ending> {
        self.ending
    }

    fn results(&self, _: &Context<MirroredPercept>) -> Vec<Measure> {
        self.results.clone()
    }
}

impl Mirror {
    /// Returns the tasks that follow from changes of entities' agents.
    pub(super) fn take_tasks(&mut self) -> Vec<HostTask> {
        std::mem::take(&mut self.tasks)
    }

    fn add_tasks<const COUNT: usize>(
        &mut self,
        entity: Option<EcoString>,
        tasks: impl FnOnce(EcoString) -> [HostTask; COUNT],
    ) {
        self.tasks.extend(entity.map(tasks).into_iter().flatten());
    }

    pub(super) fn set_outcome(&mut self, Outcome { ending, results }: Outcome) {
        (self.ending, self.results) = (ending, results);
    }
}
