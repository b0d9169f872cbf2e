//! Worlds that are run elsewhere, by a host: another process that provides an environment. A [`Mirror`] is what the host
//! has last said of its world. It stands in the place of that world, so that to agents it is like any other; the interface
//! to it is made by [`Interface::hosted`](crate::interface::Interface::hosted).
//!
//! Nothing is done in a mirror: whatever an agent or a manager wants is a [`Call`] for the host, which [says](HostSays)
//! what has come of it. A [`Provider`] is the host's side, for a world that is an ordinary [`Environment`].

mod calls;
mod provider;
mod sayings;
mod terms;
mod update;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::environment::{Context, Ending, EntityId, Environment, Failure, Measure, News, Outcome, Percepts};
use crate::iil::EcoString;
use crate::ontology::{NamedTypes, Ontology, Pace, Restriction};
use crate::scene::Scene;

pub use calls::{Call, HostCall};
pub use provider::Provider;
pub use sayings::{EventTold, HostAnswer, HostSays, HostUpdate, NewEntity, PerceptUpdate};
pub use terms::{MirroredAction, MirroredParameters, MirroredPercept};

/// How many entities a hosted world has at the most.
pub const ENTITIES_MIRRORED: usize = 1 << 16;

/// How many percepts hold in a hosted world at the most, counted for each entity.
pub const PERCEPTS_MIRRORED: usize = 1 << 20;

/// How many shapes the picture of a hosted world has at the most, and how many results there are.
pub const SHOWN: usize = 1 << 16;

/// A world that is run elsewhere: what its host has last said of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Mirror {
    /// What holds for those entities of which the host has said anything.
    held: BTreeMap<EntityId, Held>,
    /// How many percepts that are.
    count: usize,
    ending: Option<Ending>,
    results: Vec<Measure>,
    /// The picture is not part of the state: it shows what that is.
    #[serde(skip)]
    scene: Scene,
    /// What the host has not been called for yet.
    #[serde(skip)]
    heard: Vec<Call>,
}

/// What holds for an entity.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Held {
    /// Counts the changes.
    revision: u64,
    percepts: Vec<MirroredPercept>,
}

impl Environment for Mirror {
    type Parameters = MirroredParameters;
    type Action = MirroredAction;
    type Percept = MirroredPercept;

    /// That of no world in particular: what is mirrored is known at run time only.
    fn ontology() -> Ontology {
        Ontology {
            name: "mirror".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            documentation: "A world that is run elsewhere.".into(),
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
            // What the world tells when it hears of this, whoever has taken the entity is to hear.
            News::Taken(id) => {
                self.call_for(name(id), |entity| [Call::Perceive { entity: entity.clone() }, Call::Taken { entity }])
            }
            News::Freed(id) => self.call_for(name(id), |entity| [Call::Freed { entity }]),
            News::Left(id) => self.call_for(name(id), |entity| [Call::Left { entity }]),
        }
    }

    /// The host shows the world as a whole; what one of its entities sees of it nobody here knows.
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
    /// What the host is to be called for because of what the world has heard.
    pub(crate) fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.heard)
    }

    fn call_for<const COUNT: usize>(
        &mut self,
        entity: Option<EcoString>,
        calls: impl FnOnce(EcoString) -> [Call; COUNT],
    ) {
        self.heard.extend(entity.map(calls).into_iter().flatten());
    }

    fn set_outcome(&mut self, Outcome { ending, results }: Outcome) {
        (self.ending, self.results) = (ending, results);
    }
}
