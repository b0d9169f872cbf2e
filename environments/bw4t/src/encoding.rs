//! The numeric face: what a robot observes as numbers, what it can choose, and what it is given for it.
//!
//! An observation tells what the robot perceives, and what it remembers of the rooms that it has left; all elements are
//! from 0 to 1. [`Layout`] says which is what. Choices are macro actions, [`Choice`]; how long a step is says
//! [`Steps`], and what it brings [`Reward`].

mod choices;
mod layout;
pub(crate) mod learning;
mod observation;

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::EntityId;

use crate::action::Action;
use crate::ground::Ground;
use crate::parameters::{read_map, read_team};
use crate::robot::Robot;
use crate::team::{BOT, HUMAN};
use crate::{Bw4t, Parameters};

pub use layout::{Choice, Layout};
pub use learning::MOST_TICKS;

pub use crate::parameters::{Reward, Steps};

use learning::some_are_color_blind;
use observation::View;

impl Encode for Bw4t {
    type Element = f32;

    const WORLDS_PER_THREAD: usize = 64;

    /// That of robots, of both types; none where map or team cannot be read.
    fn encoding(parameters: &Parameters, entity_type: &str) -> Option<Encoding> {
        if !matches!(entity_type, BOT | HUMAN) {
            return None;
        }
        let team = read_team(parameters).ok()?;
        let ground = Ground::from(read_map(parameters, &team).ok()?);
        let layout = Layout::of(&ground, some_are_color_blind(&team));
        let actions = layout.choices().map(|choice| choice.describe(&ground)).collect();
        Some(Encoding { shape: vec![layout.size()], element: f32::TYPE, low: 0.0, high: 1.0, actions })
    }

    /// Writes the rows of these robots.
    ///
    /// A robot is terminated when the sequence is complete, and also when it can no longer be completed, since too many
    /// blocks are lost. None is truncated.
    ///
    /// # Panics
    /// When a buffer has no room for as many rows, or an entity is no robot of this world.
    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, f32>) {
        let (world, learning) = (self.world(), self.learning());
        let layout = learning.layout(world.ground());
        let observations = buffers.observations.chunks_exact_mut(layout.size());
        let masks = buffers.masks.chunks_exact_mut(layout.actions());
        for (row, ((&entity, observation), mask)) in entities.iter().zip(observations).zip(masks).enumerate() {
            let view = View::of(world, self.body(entity));
            let notes = learning.notes(entity);
            view.write(&layout, notes.map_or(&[], |notes| &notes.rooms), observation);
            choices::write_mask(&view, &layout, mask);
            buffers.rewards[row] = notes.map_or(0.0, |notes| notes.reward);
            buffers.terminated[row] = learning.is_over();
            buffers.truncated[row] = false;
        }
    }

    /// Returns the robot's action for a choice; `None` if it waits, already follows that choice, or cannot follow it.
    fn decode(&self, entity: EntityId, action: usize) -> Option<Action> {
        let world = self.world();
        let choice = self.learning().layout(world.ground()).choice(action)?;
        choice.action(&View::of(world, world.robot(entity)?))
    }
}

impl Bw4t {
    fn body(&self, entity: EntityId) -> &Robot {
        self.world().robot(entity).expect("a robot of this world")
    }
}
