//! An agent that comes with the environment.

use std::collections::BTreeSet;

use situated::prelude::*;

use crate::{Act, Sense};

/// Takes all parcels, from left to right.
#[derive(Default)]
pub struct Collector {
    beliefs: Vec<Sense>,
}

impl Agent<Act, Sense> for Collector {
    fn decide(&mut self, perception: &Perception<Sense>) -> Option<Act> {
        perception.apply(&mut self.beliefs);
        let (mut here, mut parcels) = (None, BTreeSet::new());
        for percept in &self.beliefs {
            match *percept {
                Sense::At { cell } => here = Some(cell),
                Sense::Parcel { cell } => {
                    parcels.insert(cell);
                }
            }
        }
        let next = *parcels.first()?;
        Some(if here == Some(next) {
            Act::Take
        } else {
            Act::Right
        })
    }
}

impl BuiltInAgents for crate::MyWorld {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![BuiltInAgent {
            name: "collector",
            documentation: "Takes all parcels, from left to right.",
            make: |_entity, _entity_type| Some(Box::new(Translated::new(Collector::default()))),
        }]
    }
}
