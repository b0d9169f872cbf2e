//! The clocks of this machine. Owners read no clock; callers pass the current time.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use situated::interface::Time;

/// The clock of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    begin: Instant,
}

impl Clock {
    /// Creates a clock that begins now.
    #[expect(clippy::new_without_default, reason = "two clocks are not the same")]
    pub fn new() -> Self {
        Self { begin: Instant::now() }
    }

    /// Returns the current time.
    pub fn now(&self) -> Time {
        Time { monotonic: self.begin.elapsed(), wall: wall_clock() }
    }
}

/// Returns the wall-clock time in milliseconds since the beginning of 1970, UTC.
pub fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
