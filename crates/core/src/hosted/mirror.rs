//! The stand-in for an environment that is run elsewhere: what its host has last reported.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::terms::{MirroredAction, MirroredParameters, MirroredPercept};
use crate::environment::{Context, Ending, EntityId, Environment, Failure, Measure, News, Outcome, Percepts};
use crate::host::HostTask;
use crate::iil::EcoString;
use crate::ontology::{NamedTypes, Ontology, Pace, Restriction};
use crate::scene::Scene;

/// How many entities a hosted environment has at the most.
pub const ENTITIES_MIRRORED: usize = 1 << 16;

/// How many percepts hold in a hosted environment at the most, counted for each entity.
pub const PERCEPTS_MIRRORED: usize = 1 << 20;

/// How many shapes the picture of a hosted environment has at the most, and how many results there are.
pub const SHOWN: usize = 1 << 16;

/// An environment that is run elsewhere: what its host has last reported. Nothing is done here.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Mirror {
    /// What holds for those entities of which the host has said anything.
    pub(super) held: BTreeMap<EntityId, Held>,
    /// How many percepts that are.
    pub(super) count: usize,
    ending: Option<Ending>,
    results: Vec<Measure>,
    /// The picture is not part of the state: it shows what that is.
    #[serde(skip)]
    pub(super) scene: Scene,
    /// Tasks for which the host has not been asked yet.
    #[serde(skip)]
    tasks: Vec<HostTask>,
}

/// What holds for an entity.
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

    /// The ontology of no environment in particular: what is mirrored is known at run time only.
    fn ontology() -> Ontology {
        Ontology {
            name: "mirror".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            revision: 0,
            documentation: "An environment that is run elsewhere.".into(),
            pace: Pace::Own,
            relation: Restriction::default(),
            parameters: Vec::new(),
            entity_types: Vec::new(),
            types: NamedTypes::new(),
        }
    }

    fn init(_: &MirroredParameters, _: &mut Context<MirroredPercept>) -> Result<Self, Failure> {
        Ok(Self::default())
    }

    fn act(
        &mut self,
        _: EntityId,
        _: &MirroredAction,
        _: &mut Context<MirroredPercept>,
    ) -> Result<Vec<MirroredPercept>, Failure> {
        Err(Failure::new("this world is run by a host, which is to be called for it"))
    }

    fn percepts(&self, entity: EntityId, _: &Context<MirroredPercept>, percepts: &mut Percepts<'_, MirroredPercept>) {
        if let Some(held) = self.held.get(&entity) {
            percepts.section(0, held.revision, |list| held.percepts.iter().for_each(|one| list.add(one.clone())));
        }
    }

    fn hear(&mut self, news: News, context: &mut Context<MirroredPercept>) {
        let name = |id| context.entity(id).map(|entity| entity.name.clone());
        match news {
            // The agent that has taken the entity shall perceive what the environment tells when it hears of this.
            News::Taken(id) => self.add_tasks(name(id), |entity| {
                [HostTask::Perceive { entity: entity.clone() }, HostTask::Taken { entity }]
            }),
            News::Freed(id) => self.add_tasks(name(id), |entity| [HostTask::Freed { entity }]),
            News::Left(id) => self.add_tasks(name(id), |entity| [HostTask::Left { entity }]),
        }
    }

    /// The host shows the environment as a whole; what one of its entities sees of it nobody here knows.
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
    /// The tasks that follow from what the environment has heard.
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
