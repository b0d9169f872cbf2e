//! Makes a table from the rules. It finds every state that can occur by trying every joint action in each known
//! state.

use std::collections::HashMap;

use situated::encoding::{Buffers, Encode};
use situated::environment::Episode;
use situated::random::Random;

use super::{Moves, STATE, Tabled};
use crate::batch::row;
use crate::buffers::Cell;
use crate::first_seed;
use crate::template::Layout;
use crate::template::Template;

/// Maximum number of states.
const STATES: usize = 1 << 16;

/// Maximum number of joint actions.
const JOINT_ACTIONS: usize = 1 << 12;

/// Maximum number of states times joint actions. Each takes some microseconds.
const TRANSITIONS: usize = 1 << 20;

/// Maximum number of elements of all observations.
const ELEMENTS: usize = 1 << 24;

/// The observations and masks of the agents of an env.
struct View<T> {
    observations: Vec<T>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
}

impl<T: Cell> Tabled<T> {
    /// Makes the table of an environment. Returns `None` if the environment has no [essence](Encode::essence), uses
    /// random numbers, adds or removes entities, or is too large.
    pub(crate) fn compile<E: Encode<Element = T>>(template: &Template<E>) -> Option<Self> {
        let agents = template.layout.agents();
        let joint_actions = template.layout.actions().checked_pow(u32::try_from(agents).ok()?)?;
        if joint_actions > JOINT_ACTIONS {
            return None;
        }
        let seed = first_seed(template.settings.seed, 0);
        let first = template.begin(None, seed).ok()?;
        if first.context().random != Random::new(seed) {
            return None;
        }
        let (rewards, terminated, truncated) = (Vec::new(), Vec::new(), Vec::new());
        let moves = Moves { agents, joint_actions, entries: Vec::new(), rewards, terminated, truncated };
        let (observations, masks, saves) = (Vec::new(), Vec::new(), Vec::new());
        let mut table = Self { moves, observations, masks, all_can_be_done: false, saves, numbers: HashMap::new() };
        table.find(template, first, &mut View::new(&template.layout))?;
        table.follow_all(template)?;
        table.all_can_be_done = table.masks.iter().all(|mask| *mask);
        // The row of steps that only begin an episode.
        table.moves.rewards.extend(vec![0.0; agents]);
        Some(table)
    }

    fn follow_all<E: Encode<Element = T>>(&mut self, template: &Template<E>) -> Option<()> {
        let (actions, agents) = (template.layout.actions(), self.moves.agents);
        let mut view = View::new(&template.layout);
        let mut state = 0;
        while state < self.saves.len() {
            for joint_action in 0..self.moves.joint_actions {
                let mut episode = template.restore(&self.saves[state]).ok()?;
                let digit = |agent| joint_action / actions.pow((agents - 1 - agent) as u32) % actions;
                template.act(&mut episode, (0..agents).map(digit), |_, _| ());
                episode.step();
                let next = self.find(template, episode, &mut view)?;
                self.moves.add(next, &view);
            }
            state += 1;
        }
        Some(())
    }

    /// Returns the number of the state of an episode; adds the state if it is new. Returns `None` if the table would
    /// be too large. `view` is what the agents observe in that state.
    fn find<E: Encode<Element = T>>(
        &mut self,
        template: &Template<E>,
        episode: Episode<E>,
        view: &mut View<T>,
    ) -> Option<u32> {
        template.encode(&episode, &mut view.buffers());
        let key = bare(episode)?;
        let number = match self.numbers.get(&key) {
            Some(number) => *number,
            None => self.add(template, key, view)?,
        };
        // An essence must contain everything that agents observe.
        let shown = row(&mut self.observations, number as usize, view.observations.len()) == view.observations
            && row(&mut self.masks, number as usize, view.masks.len()) == view.masks;
        shown.then_some(number)
    }

    fn add<E: Encode<Element = T>>(&mut self, template: &Template<E>, key: Vec<u8>, view: &View<T>) -> Option<u32> {
        let states = self.saves.len() + 1;
        let (transitions, elements) = (states * self.moves.joint_actions, states * template.layout.observations());
        if states > STATES || transitions > TRANSITIONS || elements > ELEMENTS {
            return None;
        }
        if begun_like(template, first_seed(template.settings.seed, 0), &template.restore(&key).ok()?)? != key {
            return None;
        }
        let number = u32::try_from(self.saves.len()).ok()?;
        self.numbers.insert(key.clone(), number);
        self.saves.push(key);
        self.observations.extend(&view.observations);
        self.masks.extend(&view.masks);
        Some(number)
    }
}

impl Moves {
    fn add<T>(&mut self, next: u32, view: &View<T>) {
        let marked = view.terminated.contains(&true) || view.truncated.contains(&true);
        self.entries.push(if marked { next | !STATE } else { next });
        self.rewards.extend(&view.rewards);
        self.terminated.extend(&view.terminated);
        self.truncated.extend(&view.truncated);
    }
}

impl<T: Cell> View<T> {
    fn new(layout: &Layout) -> Self {
        let agents = layout.agents();
        Self {
            observations: vec![T::default(); layout.observations()],
            masks: vec![false; layout.masks()],
            rewards: vec![0.0; agents],
            terminated: vec![false; agents],
            truncated: vec![false; agents],
        }
    }

    fn buffers(&mut self) -> Buffers<'_, T> {
        Buffers {
            observations: &mut self.observations,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
        }
    }
}

/// Returns the bytes that identify the state of an episode: the essence of its environment, saved in an episode that
/// has just begun. Returns `None` if the environment has no essence, or if the episode differs from one that has just
/// begun in more than its environment.
pub(super) fn key<E: Encode>(template: &Template<E>, episode: Episode<E>) -> Option<Vec<u8>> {
    let (own, first) = (episode.context().seed(), first_seed(template.settings.seed, 0));
    let begun = begun_like(template, own, &episode)?;
    let key = begun_like(template, first, &episode)?;
    (bare(episode)? == begun).then_some(key)
}

/// Returns the bytes of an episode that has just begun, with the essence of this episode's environment.
fn begun_like<E: Encode>(template: &Template<E>, seed: u64, episode: &Episode<E>) -> Option<Vec<u8>> {
    let essence = episode.environment().essence()?;
    Some(template.begin(None, seed).ok()?.with(essence, 0).save())
}

/// Returns the bytes of an episode with only the essence of its environment and a step count of 0.
fn bare<E: Encode>(episode: Episode<E>) -> Option<Vec<u8>> {
    let essence = episode.environment().essence()?;
    Some(episode.with(essence, 0).save())
}
