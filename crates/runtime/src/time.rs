//! The present time, as whoever drives an owner passes it in.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A moment, on two clocks: one that nobody sets, for deadlines, and the one on the wall, for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Time since some moment that is the same for all times of one clock. It never goes back.
    pub monotonic: Duration,
    /// Milliseconds since the beginning of 1970, UTC.
    pub wall: u64,
}

/// The clock of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    begin: Instant,
}

impl Clock {
    /// A clock that begins now.
    #[expect(clippy::new_without_default, reason = "two clocks are not the same")]
    pub fn new() -> Self {
        Self { begin: Instant::now() }
    }

    /// What time it is.
    pub fn now(&self) -> Time {
        Time { monotonic: self.begin.elapsed(), wall: wall_clock() }
    }
}

/// The clock on the wall, in milliseconds since the beginning of 1970, UTC.
pub fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
