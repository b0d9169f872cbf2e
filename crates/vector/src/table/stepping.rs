//! Steps envs by a table, some neighbours at a time: it first determines their next states, then copies the rows of
//! these states.

use super::{Moves, Run, START, STATE, Tabled};
use crate::batch::{Batch, Envs, Rows, keep_last, row};
use crate::buffers::{Cell, Number};
use crate::settings::Course;
use crate::template::Layout;
use crate::{Autoreset, Settings};

/// Number of envs whose next states are determined before their rows are copied.
const NEIGHBOURS: usize = 128;

/// The rows of the table that neighbouring envs need.
struct Found {
    /// The joint actions, and afterwards the rows of their effects.
    passed: [u32; NEIGHBOURS],
    /// The next states.
    states: [u32; NEIGHBOURS],
}

impl<T: Cell> Tabled<T> {
    /// Writes the observations of the agents of an env in this state, and the actions that they can do.
    pub(super) fn show(&self, state: u32, observations: &mut [T], masks: &mut [bool]) {
        let (size, count) = (observations.len(), masks.len());
        observations.copy_from_slice(&self.observations[state as usize * size..][..size]);
        masks.copy_from_slice(&self.masks[state as usize * count..][..count]);
    }

    /// Makes a step of all envs.
    pub(super) fn step_all<N: Number>(&self, settings: &Settings, layout: &Layout, batch: Batch<'_, Run, N, T>) {
        let Batch { mut envs, actions, mut rows } = batch;
        let (agents, choices) = (layout.agents(), layout.actions() as u32);
        rows.terminated.fill(false);
        rows.truncated.fill(false);
        if self.all_can_be_done {
            rows.masks.fill(true);
        }
        let mut found = Found { passed: [0; NEIGHBOURS], states: [START; NEIGHBOURS] };
        for (part, actions) in actions.chunks(NEIGHBOURS * agents).enumerate() {
            let first = part * NEIGHBOURS;
            let count = actions.len() / agents;
            match agents {
                1 => join::<1, N>(actions, agents, choices, &mut found.passed),
                2 => join::<2, N>(actions, agents, choices, &mut found.passed),
                _ => join::<0, N>(actions, agents, choices, &mut found.passed),
            }
            let some_end = self.moves.move_on(settings, envs.part(first, count), &mut found);

            let Found { passed, states } = &found;
            copy_rows(&mut rows.rewards[first * agents..], &self.moves.rewards, agents, &passed[..count]);
            let size = layout.observations();
            copy_rows(&mut rows.observations[first * size..], &self.observations, size, &states[..count]);
            if !self.all_can_be_done {
                let size = layout.masks();
                copy_rows(&mut rows.masks[first * size..], &self.masks, size, &states[..count]);
            }
            if some_end {
                for (env, entry) in (first..first + count).zip(passed) {
                    self.end(settings, layout, &mut envs, &mut rows, env, *entry as usize);
                }
            }
        }
    }

    /// Handles a step that may end an episode for some or all of its agents.
    fn end(
        &self,
        settings: &Settings,
        layout: &Layout,
        envs: &mut Envs<'_, Run>,
        rows: &mut Rows<'_, T>,
        env: usize,
        entry: usize,
    ) {
        let late = settings.max_steps.is_some_and(|last_step| envs.runs[env].steps >= last_step);
        // The row after the last one is that of a step that begins an episode.
        let marked = self.moves.entries.get(entry).is_some_and(|to| *to > STATE);
        if !late && !marked {
            return;
        }
        let agents = layout.agents();
        let flags = entry * agents..(entry + 1) * agents;
        let (terminated, truncated) = (row(rows.terminated, env, agents), row(rows.truncated, env, agents));
        terminated.copy_from_slice(&self.moves.terminated[flags.clone()]);
        truncated.copy_from_slice(&self.moves.truncated[flags]);
        if late {
            truncated.fill(true);
        }
        let over = terminated.iter().zip(truncated).all(|(by_rules, cut)| *by_rules | *cut);
        if over && settings.autoreset == Autoreset::SameStep {
            keep_last(&mut rows.finals, env, row(rows.observations, env, layout.observations()));
            begin_next(&mut envs.runs[env], &mut envs.courses[env]);
            let row = rows.of(layout, env);
            self.show(START, row.observations, row.masks);
        } else {
            envs.over[env] = over;
        }
    }
}

impl Moves {
    /// Moves neighbouring envs to their next states, or to their next episodes. Returns whether the episode may be over
    /// for some agent.
    fn move_on(&self, settings: &Settings, envs: Envs<'_, Run>, found: &mut Found) -> bool {
        let Envs { runs, courses, over } = envs;
        let last_step = settings.max_steps.unwrap_or(u64::MAX);
        let (joint_actions, targets) = (self.joint_actions as u32, &self.entries[..]);
        let (mut all_targets, mut late) = (0, false);
        let found = found.passed.iter_mut().zip(&mut found.states);
        for (neighbour, ((run, over), (passed, state))) in runs.iter_mut().zip(over).zip(found).enumerate() {
            if *over {
                *over = false;
                begin_next(run, &mut courses[neighbour]);
                (*passed, *state) = (targets.len() as u32, START);
                continue;
            }
            *passed += run.state * joint_actions;
            let to = targets[*passed as usize];
            let steps = run.steps + 1;
            *run = Run { state: to & STATE, steps };
            *state = to & STATE;
            all_targets |= to;
            late |= steps >= last_step;
        }
        late || all_targets > STATE
    }
}

#[cold]
fn begin_next(run: &mut Run, course: &mut Course) {
    *run = Run { state: START, steps: 0 };
    *course = course.next();
}

/// Writes the number of the joint action of each env, whose highest digit is the action of the first agent. `AGENTS` is
/// the number of agents if it is known at compile time, or else 0.
fn join<const AGENTS: usize, N: Number>(actions: &[N], agents: usize, choices: u32, joint_actions: &mut [u32]) {
    let agents = if AGENTS == 0 { agents } else { AGENTS };
    for (joint_action, actions) in joint_actions.iter_mut().zip(actions.chunks_exact(agents)) {
        // The action for an env whose episode is over can be any number.
        let add = |joint: u32, action: &N| joint.wrapping_mul(choices).wrapping_add(action.index() as u32);
        *joint_action = actions.iter().fold(0, add);
    }
}

/// Copies the rows with these numbers, one after another. A copy whose length is known at compile time takes a fraction
/// of the time of a call of `memcpy`, so the common lengths of short rows are.
fn copy_rows<T: Copy>(rows: &mut [T], table: &[T], length: usize, numbers: &[u32]) {
    match length {
        1 => copy_short_rows::<1, T>(rows, table, numbers),
        2 => copy_short_rows::<2, T>(rows, table, numbers),
        4 => copy_short_rows::<4, T>(rows, table, numbers),
        8 => copy_short_rows::<8, T>(rows, table, numbers),
        16 => copy_short_rows::<16, T>(rows, table, numbers),
        _ => {
            for (row, number) in rows.chunks_exact_mut(length).zip(numbers) {
                row.copy_from_slice(&table[*number as usize * length..][..length]);
            }
        }
    }
}

fn copy_short_rows<const LENGTH: usize, T: Copy>(rows: &mut [T], table: &[T], numbers: &[u32]) {
    let (rows, table) = (rows.as_chunks_mut::<LENGTH>().0, table.as_chunks::<LENGTH>().0);
    rows.iter_mut().zip(numbers).for_each(|(row, number)| *row = table[*number as usize]);
}
