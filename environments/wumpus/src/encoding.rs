//! The encoding for reinforcement learning: what the explorer perceives, whether it has the arrow and the gold, and in
//! which of the four directions it looks, each as 0 or 1. A reward is the score of a step in thousands.

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::{EntityId, Environment};
use situated::ontology::typed::TypedAction;

use crate::notes::Notes;
use crate::{Action, EXPLORER, Heading, Parameters, Wumpus};

/// The number of elements.
const SIZE: usize = 11;

/// The meanings of the elements.
const MEANINGS: [&str; SIZE] = [
    "breeze",
    "stench",
    "bump",
    "scream",
    "glitter",
    "has the arrow",
    "has the gold",
    "looks east",
    "looks north",
    "looks west",
    "looks south",
];

impl Encode for Wumpus {
    type Element = u8;

    fn encoding(_: &Parameters, entity_type: &str) -> Option<Encoding> {
        let actions = Action::ALL.iter().map(|action| action.to_iil().to_string()).collect();
        let encoding = Encoding { shape: vec![SIZE], element: u8::TYPE, low: 0.0, high: 1.0, actions };
        (entity_type == EXPLORER).then_some(encoding)
    }

    fn meanings(_: &Parameters, entity_type: &str) -> Vec<String> {
        if entity_type == EXPLORER { MEANINGS.map(str::to_owned).into() } else { Vec::new() }
    }

    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, u8>) {
        let cave = &self.cave;
        let sees = cave.end.is_none();
        for (_, row) in buffers.rows(entities, self.ending()) {
            let senses = [cave.breeze(), cave.stench(), cave.bump, cave.scream, cave.glitter()];
            let looks = Heading::ALL.map(|heading| heading == cave.heading);
            let elements = senses.into_iter().map(|holds| holds && sees).chain([cave.has_arrow, cave.has_gold]);
            for (element, holds) in row.observation.iter_mut().zip(elements.chain(looks)) {
                *element = holds.into();
            }
            *row.reward = self.rewards[1] as f32 / 1000.0;
        }
    }

    /// The cave, without what has been counted and noted in it. A cave from a file is the same in each episode.
    fn essence(&self) -> Option<Self> {
        let mut essence = Self { notes: Notes::default(), rewards: [0; 2], ..self.clone() };
        (essence.cave.time, essence.cave.score) = (0, 0);
        Some(essence)
    }

    fn decode(&self, _: EntityId, action: usize) -> Option<Action> {
        Action::ALL.get(action).copied()
    }
}
