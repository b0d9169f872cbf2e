//! Steps envs by a table, some neighbours at a time: it first determines their next states, then copies the rows of
//! these states. Most of the time goes into copying. Rows are therefore copied in blocks whose size is known at
//! compile time. A block may write past the end of its row; the next row is then written over that.
//!
//! The loops are in functions that do not depend on the environment, so that they are compiled with this crate and not
//! with each environment.

use super::{Moves, Run, START, STATE, Tabled};
use crate::batch::{Batch, Envs, Rows, keep_last, row};
use crate::buffers::{Cell, Number};
use crate::settings::Course;
use crate::template::Layout;
use crate::{Autoreset, Settings};

/// Number of envs whose next states are determined before their rows are copied.
const NEIGHBOURS: usize = 128;

/// Number of elements of a block.
const BLOCK: usize = 16;

/// The rows of the table that neighbouring envs need.
struct Found {
    /// The joint actions, and afterwards the rows of their effects.
    passed: [u32; NEIGHBOURS],
    /// The next states.
    states: [u32; NEIGHBOURS],
}

impl<T: Cell> Tabled<T> {
    /// Completes the table: adds a row of rewards for steps that only begin an episode, and room after the last rows
    /// for blocks that write past the end.
    pub(super) fn close(&mut self) {
        self.moves.rewards.extend(vec![0.0; self.moves.agents + BLOCK]);
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
        let Batch { mut envs, actions, mut rows } = batch;
        let agents = layout.agents();
        rows.terminated.fill(false);
        rows.truncated.fill(false);
        if self.all_can_be_done {
            rows.masks.fill(true);
        }
        let mut found = Found { passed: [0; NEIGHBOURS], states: [START; NEIGHBOURS] };
        for (part, actions) in actions.chunks(NEIGHBOURS * agents).enumerate() {
            let first = part * NEIGHBOURS;
            let count = actions.len() / agents;
            N::join(actions, agents, layout.actions() as u32, &mut found.passed);
            let some_end = self.moves.move_on(settings, envs.part(first, count), &mut found);

            let Found { passed, states } = &found;
            f32::copy_rows(&mut rows.rewards[first * agents..], &self.moves.rewards, agents, &passed[..count]);
            let size = layout.observations();
            T::copy_rows(&mut rows.observations[first * size..], &self.observations, size, &states[..count]);
            if !self.all_can_be_done {
                let size = layout.masks();
                copy_masks(&mut rows.masks[first * size..], &self.masks, size, &states[..count]);
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

fn copy_masks(rows: &mut [bool], table: &[bool], length: usize, numbers: &[u32]) {
    copy_rows(rows, table, length, numbers);
}

/// Copies the rows with these numbers, one after another. There is room for at least as many rows; the contents of
/// further room are undefined afterwards. After the last row of the table there is room for a block.
pub(crate) fn copy_rows<T: Copy>(rows: &mut [T], table: &[T], length: usize, numbers: &[u32]) {
    match (length, length.div_ceil(BLOCK)) {
        (1, _) => copy_blocks::<1, T>(rows, table, length, numbers),
        (2, _) => copy_blocks::<2, T>(rows, table, length, numbers),
        (3, _) => copy_blocks::<3, T>(rows, table, length, numbers),
        (4, _) => copy_blocks::<4, T>(rows, table, length, numbers),
        (_, 1) => copy_blocks::<BLOCK, T>(rows, table, length, numbers),
        (_, 2) => copy_blocks::<{ 2 * BLOCK }, T>(rows, table, length, numbers),
        (_, 3) => copy_blocks::<{ 3 * BLOCK }, T>(rows, table, length, numbers),
        (_, 4) => copy_blocks::<{ 4 * BLOCK }, T>(rows, table, length, numbers),
        (_, 5) => copy_blocks::<{ 5 * BLOCK }, T>(rows, table, length, numbers),
        (_, 6) => copy_blocks::<{ 6 * BLOCK }, T>(rows, table, length, numbers),
        (_, 7) => copy_blocks::<{ 7 * BLOCK }, T>(rows, table, length, numbers),
        (_, 8) => copy_blocks::<{ 8 * BLOCK }, T>(rows, table, length, numbers),
        _ => copy_exactly(rows, table, length, numbers),
    }
}

/// Like [`copy_rows`], for rows of at most `BLOCKS` elements. The last rows are copied without blocks.
fn copy_blocks<const BLOCKS: usize, T: Copy>(rows: &mut [T], table: &[T], length: usize, numbers: &[u32]) {
    if length == BLOCKS {
        let (rows, table) = (rows.as_chunks_mut::<BLOCKS>().0, table.as_chunks::<BLOCKS>().0);
        return rows.iter_mut().zip(numbers).for_each(|(row, number)| *row = table[*number as usize]);
    }
    // Number of rows that have room for whole blocks.
    let roomy = (rows.len() + length).saturating_sub(BLOCKS) / length;
    let (whole, rest) = numbers.split_at(roomy.min(numbers.len()));
    for (place, number) in whole.iter().enumerate() {
        rows[place * length..][..BLOCKS].copy_from_slice(&table[*number as usize * length..][..BLOCKS]);
    }
    copy_exactly(&mut rows[whole.len() * length..], table, length, rest);
}

fn copy_exactly<T: Copy>(rows: &mut [T], table: &[T], length: usize, numbers: &[u32]) {
    for (row, number) in rows.chunks_exact_mut(length).zip(numbers) {
        row.copy_from_slice(&table[*number as usize * length..][..length]);
    }
}
