//! The numeric interface of an environment, for learners: observations of a fixed size, numbered actions with a mask,
//! rewards. It is part of the core, because learners step thousands of bare [episodes](crate::environment::Episode)
//! at once.

use serde::{Deserialize, Serialize};

use crate::environment::{Ending, EntityId, Environment, Episode};

/// An environment that can be observed and controlled through numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no encoding for learners",
    label = "needs `impl Encode`",
    note = "write `impl Encode for {Self}`, with `encoding`, `encode` and `decode`"
)]
pub trait Encode: Environment {
    /// The type of the elements of observations.
    type Element: Element;

    /// Number of environments above which a second thread pays off. An environment whose step takes a microsecond
    /// chooses a smaller number.
    const ENVIRONMENTS_PER_THREAD: usize = 2048;

    /// Returns the encoding for entities of this type in episodes with these parameters, or `None` if the type has
    /// none.
    fn encoding(parameters: &Self::Parameters, entity_type: &str) -> Option<Encoding>;

    /// Returns the meaning of each number of an observation, in order. An environment that does not describe them
    /// returns none.
    fn meanings(parameters: &Self::Parameters, entity_type: &str) -> Vec<String> {
        let _ = (parameters, entity_type);
        Vec::new()
    }

    /// Writes the observations, masks and rewards of these entities after the last step. All entities have the same
    /// type; the rows of the buffers follow their order.
    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, Self::Element>);

    /// Returns the action with this number, or `None` if the entity has no such action or cannot do it.
    fn decode(&self, entity: EntityId, action: usize) -> Option<Self::Action>;

    /// Shares with another environment what never changes and is equal in both, such as a map, so that many
    /// environments need little memory. By default they share nothing.
    fn share(&mut self, other: &Self) {
        let _ = other;
    }

    /// Returns the environment without anything that its future does not depend on: sums, counts, and the rewards
    /// just given. It continues like this one, and everything else is encoded equally from here on. Environments with
    /// the same essence are one state; if there are few states and no chance, they can be turned into tables. Returns
    /// `None` if this is not worth trying.
    fn essence(&self) -> Option<Self> {
        None
    }
}

/// The sizes and bounds of an encoding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// The shape of one observation, outermost dimension first.
    pub shape: Vec<usize>,
    /// The type of its elements.
    pub element: ElementType,
    /// The smallest value of an element.
    pub low: f64,
    /// The largest value of an element.
    pub high: f64,
    /// The meanings of the numbered actions, as text.
    pub actions: Vec<String>,
}

/// Buffers that an encoding writes to. The caller owns the memory. There is a row for each entity.
#[derive(Debug)]
pub struct Buffers<'a, T> {
    /// Observations, with [`Encoding::size`] elements per row.
    pub observations: &'a mut [T],
    /// Whether each action is possible now, with one element per action in each row.
    pub masks: &'a mut [bool],
    /// Rewards of the last step, one per row.
    pub rewards: &'a mut [f32],
    /// Whether the episode has ended for the entity by the rules, one per row.
    pub terminated: &'a mut [bool],
    /// Whether the episode was cut off for other reasons, one per row.
    pub truncated: &'a mut [bool],
}

/// The row of one entity in [`Buffers`].
#[derive(Debug)]
pub struct Row<'a, T> {
    /// The observation.
    pub observation: &'a mut [T],
    /// Whether each action is possible now.
    pub mask: &'a mut [bool],
    /// The reward of the last step.
    pub reward: &'a mut f32,
}

/// The type of the elements of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// Integers from 0 to 255.
    U8,
    /// Floats of single precision.
    F32,
}

/// The numbers of one entity after the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The observation. In single precision, all integers from 0 to 255 are exact.
    pub observation: Vec<f32>,
    /// Whether each action is possible now.
    pub mask: Vec<bool>,
    /// The reward of the last step.
    pub reward: f32,
    /// Whether the episode has ended for the entity by the rules.
    pub terminated: bool,
    /// Whether the episode was cut off for other reasons.
    pub truncated: bool,
}

/// A Rust type for the elements of observations.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of elements of observations",
    label = "must be `u8` or `f32`",
    note = "write `type Element = f32;`, or `u8` for integers from 0 to 255"
)]
pub trait Element: Copy + Default + Into<f32> + Send + 'static {
    /// The corresponding element type.
    const TYPE: ElementType;
}

impl Element for u8 {
    const TYPE: ElementType = ElementType::U8;
}

impl Element for f32 {
    const TYPE: ElementType = ElementType::F32;
}

impl<E: Encode> Episode<E> {
    /// Shares with another episode what never changes and is equal in both; see [`Encode::share`].
    pub fn share(&mut self, other: &Self) {
        self.parts_mut().0.share(other.environment());
    }
}

impl<'a, T: Element> Buffers<'a, T> {
    /// Returns the rows of these entities, in order. In each, the observation is filled with zeros, all actions are
    /// possible, the reward is 0, and the episode has ended as `ending` says.
    ///
    /// # Panics
    /// Panics if the buffers have too few rows.
    pub fn rows(self, entities: &[EntityId], ending: Option<Ending>) -> impl Iterator<Item = (EntityId, Row<'a, T>)> {
        assert!(self.rewards.len() >= entities.len(), "a row for each entity");
        let count = self.rewards.len().max(1);
        let (size, actions) = (self.observations.len() / count, self.masks.len() / count);
        self.observations.fill(T::default());
        self.masks.fill(true);
        self.rewards.fill(0.0);
        self.terminated.fill(ending == Some(Ending::Terminated));
        self.truncated.fill(ending == Some(Ending::Truncated));
        let observations = self.observations.chunks_exact_mut(size.max(1));
        let rows = observations.zip(self.masks.chunks_exact_mut(actions.max(1))).zip(self.rewards);
        entities
            .iter()
            .zip(rows)
            .map(|(&entity, ((observation, mask), reward))| (entity, Row { observation, mask, reward }))
    }
}

impl Encoding {
    /// Returns the number of elements of one observation.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::Roster;

    #[test]
    fn rows_begin_empty_with_all_actions_and_the_ending() {
        let mut roster: Roster<EntityId, &str> = Roster::new();
        let entities: Vec<EntityId> = ["a", "b"].into_iter().filter_map(|name| roster.push(name)).collect();
        let (mut observations, mut masks, mut rewards) = ([7u8; 6], [false; 4], [7.0; 2]);
        let (mut terminated, mut truncated) = ([true; 2], [false; 2]);
        let buffers = Buffers {
            observations: &mut observations,
            masks: &mut masks,
            rewards: &mut rewards,
            terminated: &mut terminated,
            truncated: &mut truncated,
        };
        for ((entity, row), number) in buffers.rows(&entities, Some(Ending::Truncated)).zip(0..) {
            assert_eq!(entity, entities[number]);
            assert_eq!((&*row.observation, &*row.mask, *row.reward), (&[0; 3][..], &[true; 2][..], 0.0));
            row.observation[number] = 1;
            row.mask[number] = false;
            *row.reward = 0.5;
        }
        assert_eq!((observations, masks, rewards), ([1, 0, 0, 0, 1, 0], [false, true, true, false], [0.5; 2]));
        assert_eq!((terminated, truncated), ([false; 2], [true; 2]));
    }
}
