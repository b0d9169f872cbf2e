//! Rounds of notifications: some subscribers at a time, the others after a pause.

use std::time::Duration;

/// Notifying takes at most one part in `REST` of the time, so that many subscribers never delay an agent.
const REST: u32 = 5;

/// The progress of an environment in notifying its subscribers.
#[derive(Default)]
pub(super) struct Rounds {
    /// The next subscriber, by session and number; `None` after the last one.
    next: Option<(u64, u64)>,
    /// Whether a change occurred since the round began, so that another round follows.
    again: bool,
    /// The time before which no subscriber is notified.
    rests_until: Duration,
}

impl Rounds {
    /// Notes a change of which all subscribers must be notified.
    pub(super) fn extend(&mut self) {
        self.again |= self.next.is_some();
    }

    /// Returns the subscriber to continue with, or the time at which to continue.
    pub(super) fn resume(&mut self, now: Duration) -> Result<(u64, u64), Duration> {
        if now < self.rests_until { Err(self.rests_until) } else { Ok(self.next.take().unwrap_or_default()) }
    }

    /// Pauses after a part of the round that took this long. Returns the time at which to continue, if subscribers
    /// are left.
    pub(super) fn rest(&mut self, next: Option<(u64, u64)>, now: Duration, took: Duration) -> Option<Duration> {
        self.next = next.or_else(|| std::mem::take(&mut self.again).then_some((0, 0)));
        self.rests_until = now + took * REST;
        self.next.map(|_| self.rests_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn pauses_between_the_parts_of_a_round() {
        let mut rounds = Rounds::default();
        assert_eq!(rounds.resume(SECOND), Ok((0, 0)));
        assert_eq!(rounds.rest(Some((3, 1)), SECOND, SECOND), Some(6 * SECOND));
        assert_eq!(rounds.resume(5 * SECOND), Err(6 * SECOND));
        assert_eq!(rounds.resume(6 * SECOND), Ok((3, 1)));
        assert_eq!(rounds.rest(None, 6 * SECOND, SECOND), None);
    }

    #[test]
    fn starts_another_round_after_a_change_during_a_round() {
        let mut rounds = Rounds::default();
        rounds.extend();
        assert_eq!(rounds.rest(Some((3, 1)), SECOND, Duration::ZERO), Some(SECOND));
        rounds.extend();
        assert_eq!(rounds.resume(SECOND), Ok((3, 1)));
        assert_eq!(rounds.rest(None, SECOND, Duration::ZERO), Some(SECOND));
        assert_eq!(rounds.resume(SECOND), Ok((0, 0)));
        assert_eq!(rounds.rest(None, SECOND, Duration::ZERO), None);
    }
}
