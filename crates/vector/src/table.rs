//! A table that replaces the rules. Each state of the environment has a number, and the table contains the effect of
//! each joint action in each state.

mod compile;
mod stepping;

use std::collections::HashMap;

use situated::encoding::Encode;
use situated::environment::Episode;

use crate::batch::Batch;
use crate::buffers::{Cell, Number};
use crate::fleet::Kernel;
use crate::settings::Course;
use crate::template::Template;
use crate::{Error, Seen};

/// The number of the state in which episodes begin.
const START: u32 = 0;

/// In an entry: the bits of the next state. If the other bit is set, the step ends the episode for some agent.
const STATE: u32 = u32::MAX >> 1;

/// The effects of the rules in every state, for inspection.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    moves: &'a Moves,
    observations: Seen<'a>,
    masks: &'a [bool],
    states: usize,
}

/// The effect of a joint action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition<'a> {
    /// The number of the next state.
    pub next: usize,
    /// The reward of each agent.
    pub rewards: &'a [f32],
    /// Whether the rules end the episode, for each agent.
    pub terminated: &'a [bool],
    /// Whether the environment truncates the episode, for each agent.
    pub truncated: &'a [bool],
}

/// Steps envs by a table.
#[derive(Debug)]
pub(crate) struct Tabled<T> {
    moves: Moves,
    /// The observations of all states, one after another.
    observations: Vec<T>,
    masks: Vec<bool>,
    /// Whether every action can be done in every state.
    all_can_be_done: bool,
    /// The saved episode of each state, with no steps counted.
    saves: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u32>,
}

/// The effects of joint actions. There is a row for each state and joint action. The action of the first agent is the
/// highest digit of the number of a joint action.
#[derive(Debug)]
struct Moves {
    agents: usize,
    /// Number of joint actions.
    joint_actions: usize,
    /// The next state, with a [mark](STATE) if the step ends the episode for some agent.
    entries: Vec<u32>,
    /// The rewards of all agents.
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
}

/// An env.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    state: u32,
    /// Number of steps of the current episode.
    steps: u64,
}

impl<'a> Table<'a> {
    /// Returns the number of states. State 0 is the first state of every episode.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Returns the number of joint actions. The action of the first agent is the highest digit of the number of a
    /// joint action.
    pub fn joint_actions(&self) -> usize {
        self.moves.joint_actions
    }

    /// Returns the observations of the agents in the states, `[state, agent, ...]`.
    pub fn observations(&self) -> Seen<'a> {
        self.observations
    }

    /// Returns the actions that the agents can do in the states, `[state, agent, action]`.
    pub fn masks(&self) -> &'a [bool] {
        self.masks
    }

    /// Returns the effect of a joint action in a state, or `None` if one of them does not exist.
    pub fn transition(&self, state: usize, joint_action: usize) -> Option<Transition<'a>> {
        let Moves { agents, joint_actions, ref entries, ref rewards, ref terminated, ref truncated } = *self.moves;
        if state >= self.states || joint_action >= joint_actions {
            return None;
        }
        let row = state * joint_actions + joint_action;
        let of_agents = row * agents..(row + 1) * agents;
        Some(Transition {
            next: (entries[row] & STATE) as usize,
            rewards: &rewards[of_agents.clone()],
            terminated: &terminated[of_agents.clone()],
            truncated: &truncated[of_agents],
        })
    }
}

impl<E: Encode<Element: Cell>> Kernel<E> for Tabled<E::Element> {
    type Run = Run;

    const LEAST: usize = 4096;

    const LEAST_PREPARED: usize = usize::MAX;

    fn begin(&self, _: &Template<E>, _: Option<&Run>, _: u64) -> Result<Run, Error> {
        Ok(Run { state: START, steps: 0 })
    }

    fn prepare(&self, _: &Template<E>, _: &mut Run, _: u64) -> Result<(), Error> {
        Ok(())
    }

    fn adopt(&self, template: &Template<E>, episode: Episode<E>) -> Result<Run, Error> {
        let steps = episode.context().step();
        let unknown = || template.not_saved("it is in a state to which no play leads");
        let state = compile::key(template, episode).and_then(|key| self.numbers.get(&key));
        state.map(|state| Run { state: *state, steps }).ok_or_else(unknown)
    }

    fn episode(&self, template: &Template<E>, run: &Run, course: Course) -> Result<Episode<E>, Error> {
        let state = template.restore(&self.saves[run.state as usize])?;
        let essence = state.environment().essence();
        let essence = essence.ok_or_else(|| template.not_saved("its environment has lost its essence"))?;
        Ok(template.begin(None, course.seed)?.with(essence, run.steps))
    }

    fn look(&self, _: &Template<E>, run: &Run, observations: &mut [E::Element], masks: &mut [bool]) {
        self.show(run.state, observations, masks);
    }

    fn step<N: Number>(&self, template: &Template<E>, batch: Batch<'_, Run, N, E::Element>) {
        self.step_all(&template.settings, &template.layout, batch);
    }

    fn table(&self) -> Option<Table<'_>> {
        let (observations, masks) = (Cell::seen(&self.observations), &self.masks[..]);
        Some(Table { moves: &self.moves, observations, masks, states: self.saves.len() })
    }

    fn state(&self, run: &Run) -> Option<usize> {
        Some(run.state as usize)
    }
}
