//! Rounds of notifications: some subscribers at once, the others after a rest.

use std::time::Duration;

/// Telling everybody takes one part in so many of the time at the most, so that a crowd of watchers keeps no agent waiting.
const REST: u32 = 5;

/// How far an environment has come with telling everybody.
#[derive(Default)]
pub(super) struct Rounds {
    /// Who is to be told next, by session and number; none if everybody has been told.
    next: Option<(u64, u64)>,
    /// Something has happened since the round began: there is another one.
    again: bool,
    /// Until when nobody is told.
    rests_until: Duration,
}

impl Rounds {
    /// Something has happened that everybody is to be told.
    pub(super) fn extend(&mut self) {
        self.again |= self.next.is_some();
    }

    /// With whom it goes on now; or else when it does.
    pub(super) fn go_on(&mut self, now: Duration) -> Result<(u64, u64), Duration> {
        if now < self.rests_until { Err(self.rests_until) } else { Ok(self.next.take().unwrap_or_default()) }
    }

    /// It rests after this part, which has taken so long; when it goes on, if somebody is still to be told.
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
    fn a_round_rests_between_its_parts() {
        let mut rounds = Rounds::default();
        assert_eq!(rounds.go_on(SECOND), Ok((0, 0)));
        assert_eq!(rounds.rest(Some((3, 1)), SECOND, SECOND), Some(6 * SECOND));
        assert_eq!(rounds.go_on(5 * SECOND), Err(6 * SECOND));
        assert_eq!(rounds.go_on(6 * SECOND), Ok((3, 1)));
        assert_eq!(rounds.rest(None, 6 * SECOND, SECOND), None);
    }

    #[test]
    fn what_happens_in_a_round_is_told_in_another() {
        let mut rounds = Rounds::default();
        rounds.extend();
        assert_eq!(rounds.rest(Some((3, 1)), SECOND, Duration::ZERO), Some(SECOND));
        rounds.extend();
        assert_eq!(rounds.go_on(SECOND), Ok((3, 1)));
        assert_eq!(rounds.rest(None, SECOND, Duration::ZERO), Some(SECOND));
        assert_eq!(rounds.go_on(SECOND), Ok((0, 0)));
        assert_eq!(rounds.rest(None, SECOND, Duration::ZERO), None);
    }
}
