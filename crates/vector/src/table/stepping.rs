//! Steps envs by a table, some neighbours at a time: it first determines their next states, then copies the rows of
//! these states. Most of the time goes into copying. Rows are therefore copied in blocks whose size is known at
//! compile time. A block may write past the end of its row; the next row is then written over that.

use super::{Run, START, STATE, Tabled};
use crate::batch::{Batch, Envs, Rows, keep_last, row};
use crate::buffers::{Cell, Number};
use crate::settings::Course;
use crate::template::Layout;
use crate::{Autoreset, Settings};

/// Number of envs whose next states are determined before their rows are copied.
const NEIGHBOURS: usize = 128;

/// Number of elements of a block.
const BLOCK: usize = 16;

impl<T: Cell> Tabled<T> {
    /// Completes the table: adds a row of rewards for steps that only begin an episode, and room after the last rows
    /// for blocks that write past the end.
    pub(super) fn close(&mut self) {
        self.moves.rewards.extend(vec![0.0; self.moves.agents]);
        self.observations.extend([T::default(); BLOCK]);
        self.masks.extend([false; BLOCK]);
    }

    /// Returns the observations of all states, and their masks.
    pub(super) fn views(&self) -> (&[T], &[bool]) {
        (&self.observations[..self.observations.len() - BLOCK], &self.masks[..self.masks.len() - BLOCK])
    }

    /// Writes the observations of the agents of an env in this state, and the actions that they can do.
    pub(super) fn show(&self, state: u32, observations: &mut [T], masks: &mut [bool]) {
        let (size, count) = (observations.len(), masks.len());
        observations.copy_from_slice(&self.observations[state as usize * size..][..size]);
        masks.copy_from_slice(&self.masks[state as usize * count..][..count]);
    }

    /// Makes a step of all envs.
    pub(super) fn step_all<N: Number>(&self, settings: &Settings, layout: &Layout, batch: Batch<'_, Run, N, T>) {
        match layout.agents() {
            1 => self.step_agents::<1, N>(settings, layout, batch),
            2 => self.step_agents::<2, N>(settings, layout, batch),
            3 => self.step_agents::<3, N>(settings, layout, batch),
            4 => self.step_agents::<4, N>(settings, layout, batch),
            _ => self.step_agents::<0, N>(settings, layout, batch),
        }
    }

    /// Makes a step. `AGENTS` is the number of agents if it is known at compile time, or else 0.
    fn step_agents<const AGENTS: usize, N: Number>(
        &self,
        settings: &Settings,
        layout: &Layout,
        batch: Batch<'_, Run, N, T>,
    ) {
        let Batch { mut envs, actions, mut rows } = batch;
        let agents = if AGENTS == 0 { layout.agents() } else { AGENTS };
        rows.terminated.fill(false);
        rows.truncated.fill(false);
        if self.all_can_be_done {
            rows.masks.fill(true);
        }
        let mut passed = [0; NEIGHBOURS];
        for (part, actions) in actions.chunks(NEIGHBOURS * agents).enumerate() {
            let first = part * NEIGHBOURS;
            let count = actions.len() / agents;
            for (joint_action, actions) in passed.iter_mut().zip(actions.chunks_exact(agents)) {
                let choices = layout.actions() as u32;
                // The action for an env whose episode is over can be any number.
                let add = |joint: u32, action: &N| joint.wrapping_mul(choices).wrapping_add(action.index() as u32);
                *joint_action = actions.iter().fold(0, add);
            }
            let some_end = self.move_on(settings, envs.part(first, count), &mut passed);

            let runs = &envs.runs[first..first + count];
            let rewards = &mut rows.rewards[first * agents..(first + count) * agents];
            for (rewards, entry) in rewards.chunks_exact_mut(agents).zip(passed) {
                rewards.copy_from_slice(&self.moves.rewards[entry as usize * agents..][..agents]);
            }
            let size = layout.observations();
            copy_rows(&mut rows.observations[first * size..], &self.observations, size, runs);
            if !self.all_can_be_done {
                let size = layout.masks();
                copy_rows(&mut rows.masks[first * size..], &self.masks, size, runs);
            }
            if some_end {
                for (env, entry) in (first..first + count).zip(passed) {
                    self.end(settings, layout, &mut envs, &mut rows, env, entry as usize);
                }
            }
        }
    }

    /// Moves neighbouring envs to their next states, or to their next episodes. `passed` contains their joint
    /// actions, and afterwards the rows of the table for these. Returns whether the episode may be over for some
    /// agent.
    ///
    /// This is a function of its own so that the compiler keeps all variables of its loop in registers.
    #[inline(never)]
    fn move_on(&self, settings: &Settings, envs: Envs<'_, Run>, passed: &mut [u32; NEIGHBOURS]) -> bool {
        let Envs { runs, courses, over } = envs;
        let last_step = settings.max_steps.unwrap_or(u64::MAX);
        let (joint_actions, targets) = (self.moves.joint_actions as u32, &self.moves.entries[..]);
        let (mut all_targets, mut late) = (0, false);
        for (neighbour, ((run, over), passed)) in runs.iter_mut().zip(over).zip(passed).enumerate() {
            if *over {
                *over = false;
                begin_next(run, &mut courses[neighbour]);
                *passed = targets.len() as u32;
                continue;
            }
            *passed += run.state * joint_actions;
            let to = targets[*passed as usize];
            let steps = run.steps + 1;
            *run = Run { state: to & STATE, steps };
            all_targets |= to;
            late |= steps >= last_step;
        }
        late || all_targets > STATE
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

#[cold]
fn begin_next(run: &mut Run, course: &mut Course) {
    *run = Run { state: START, steps: 0 };
    *course = course.next();
}

/// Copies the rows of the states of these runs, one after another. There is room for at least as many rows; the
/// contents of further room are undefined afterwards. After the last row of the table there is room for a block.
fn copy_rows<T: Copy>(rows: &mut [T], table: &[T], length: usize, runs: &[Run]) {
    match length.div_ceil(BLOCK) {
        1 => copy_blocks::<BLOCK, T>(rows, table, length, runs),
        2 => copy_blocks::<{ 2 * BLOCK }, T>(rows, table, length, runs),
        3 => copy_blocks::<{ 3 * BLOCK }, T>(rows, table, length, runs),
        4 => copy_blocks::<{ 4 * BLOCK }, T>(rows, table, length, runs),
        5 => copy_blocks::<{ 5 * BLOCK }, T>(rows, table, length, runs),
        6 => copy_blocks::<{ 6 * BLOCK }, T>(rows, table, length, runs),
        7 => copy_blocks::<{ 7 * BLOCK }, T>(rows, table, length, runs),
        8 => copy_blocks::<{ 8 * BLOCK }, T>(rows, table, length, runs),
        _ => copy_exactly(rows, table, length, runs),
    }
}

/// Like [`copy_rows`], for rows of at most `BLOCKS` elements. The last rows are copied without blocks.
fn copy_blocks<const BLOCKS: usize, T: Copy>(rows: &mut [T], table: &[T], length: usize, runs: &[Run]) {
    if length == BLOCKS {
        let (rows, table) = (rows.as_chunks_mut::<BLOCKS>().0, table.as_chunks::<BLOCKS>().0);
        return rows.iter_mut().zip(runs).for_each(|(row, run)| *row = table[run.state as usize]);
    }
    // Number of rows that have room for whole blocks.
    let roomy = (rows.len() + length).saturating_sub(BLOCKS) / length;
    let (whole, rest) = runs.split_at(roomy.min(runs.len()));
    for (place, run) in whole.iter().enumerate() {
        rows[place * length..][..BLOCKS].copy_from_slice(&table[run.state as usize * length..][..BLOCKS]);
    }
    copy_exactly(&mut rows[whole.len() * length..], table, length, rest);
}

fn copy_exactly<T: Copy>(rows: &mut [T], table: &[T], length: usize, runs: &[Run]) {
    for (row, run) in rows.chunks_exact_mut(length).zip(runs) {
        row.copy_from_slice(&table[run.state as usize * length..][..length]);
    }
}
