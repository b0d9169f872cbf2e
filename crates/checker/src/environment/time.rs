//! The time that a check may take.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// The time that a check may take. When it is over, the rest of the check is left out.
#[derive(Debug)]
pub(super) struct TimeLimit {
    /// The time, and its end.
    limit: Option<(Duration, Instant)>,
    /// Whether something was left out.
    is_cut: bool,
}

impl TimeLimit {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self { limit: limit.map(|limit| (limit, Instant::now() + limit)), is_cut: false }
    }

    /// Returns whether the time is over. The caller then leaves something out.
    pub(super) fn is_over(&mut self) -> bool {
        self.is_past(self.limit.map(|(_, end)| end))
    }

    /// Returns whether this time is past. The caller then leaves something out.
    pub(super) fn is_past(&mut self, end: Option<Instant>) -> bool {
        let is_past = end.is_some_and(|end| Instant::now() >= end);
        self.is_cut |= is_past;
        is_past
    }

    /// Returns the time at which an episode ends that is played now: the rest is for its repetitions.
    pub(super) fn end_of_play(&self) -> Option<Instant> {
        let now = Instant::now();
        self.limit.map(|(_, end)| now + end.saturating_duration_since(now) / 4)
    }

    /// Returns a note for the report if something was left out. `seed` was the last one.
    pub(super) fn note(&self, seed: u64, seeds: &RangeInclusive<u64>) -> Option<String> {
        let (limit, _) = self.limit.filter(|_| self.is_cut)?;
        let (seconds, first, last) = (limit.as_secs_f64(), seeds.start(), seeds.end());
        Some(format!("the time of {seconds} s was over with seed {seed} of {first} to {last}"))
    }
}
