//! The numeric encoding for learners: observations, choices and rewards of robots.
//!
//! An observation contains what the robot perceives, and what it remembers of rooms that it has left. All elements
//! are from 0 to 1. [`Layout`] describes them. Choices are macro actions ([`Choice`]). [`Steps`] determines the
//! length of a step, and [`Reward`] its reward.

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

    const ENVIRONMENTS_PER_THREAD: usize = 64;

    /// Returns the encoding for robots of both types; `None` if the map or the team is invalid.
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

    fn meanings(parameters: &Parameters, entity_type: &str) -> Vec<String> {
        let meanings = || {
            let team = read_team(parameters).ok()?;
            let ground = Ground::from(read_map(parameters, &team).ok()?);
            Some(Layout::of(&ground, some_are_color_blind(&team)).meanings())
        };
        if matches!(entity_type, BOT | HUMAN) { meanings().unwrap_or_default() } else { Vec::new() }
    }

    /// Writes the rows of these robots.
    ///
    /// A robot is terminated when the sequence is complete, and when it can no longer be completed because too many
    /// blocks are lost. No robot is truncated.
    ///
    /// # Panics
    /// Panics if a buffer has too little room for the rows, or if an entity is not a robot of this environment.
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

    /// Shares the ground, if the map is the same.
    fn share(&mut self, other: &Self) {
        self.world_mut().share_ground(other.world());
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
