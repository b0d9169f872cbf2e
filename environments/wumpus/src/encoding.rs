//! The encoding for reinforcement learning: what the explorer perceives, whether it has the arrow and the gold, and in
//! which of the four directions it looks, each as 0 or 1. A reward is the score of a step in thousands.

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::EntityId;
use situated::ontology::typed::TypedAction;

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
        let seen = [cave.breeze(), cave.stench(), cave.bump(), cave.scream(), cave.glitter()];
        for row in 0..entities.len() {
            let observation = &mut buffers.observations[row * SIZE..][..SIZE];
            let elements = seen.into_iter().map(|holds| holds && cave.end().is_none());
            let known = [cave.has_arrow(), cave.has_gold()].into_iter();
            let looks = Heading::ALL.into_iter().map(|heading| heading == cave.heading());
            for (element, holds) in observation.iter_mut().zip(elements.chain(known).chain(looks)) {
                *element = holds.into();
            }
            buffers.masks[row * Action::ALL.len()..][..Action::ALL.len()].fill(true);
            buffers.rewards[row] = self.rewards[1] as f32 / 1000.0;
            buffers.terminated[row] = cave.end().is_some();
            buffers.truncated[row] = false;
        }
    }

    fn decode(&self, _: EntityId, action: usize) -> Option<Action> {
        Action::ALL.get(action).copied()
    }
}
