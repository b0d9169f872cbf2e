//! The clocks of this machine. Owners read none: the present time is passed to them.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use situated::interface::Time;

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
