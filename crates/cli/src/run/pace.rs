//! How fast steps follow each other in wall-clock time.

use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use situated::ontology::Pace;

/// The slowest speed, in steps a second.
const SLOWEST: f64 = 0.001;

/// The speed of an environment that does not run in real time, so that one can follow it.
const PLEASANT: f64 = 10.0;

/// A speed: how much time there is between two steps at the least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Speed(Duration);

impl Speed {
    /// As fast as possible.
    pub(super) const MAX: Speed = Speed(Duration::ZERO);

    /// The speed that an environment runs at by itself.
    pub(super) fn of(pace: Pace) -> Self {
        match pace {
            Pace::RealTime { steps_per_second } => Self::hertz(steps_per_second),
            Pace::Reactive | Pace::Lockstep | Pace::Own => Self::hertz(PLEASANT),
        }
    }

    fn hertz(steps_per_second: f64) -> Self {
        Speed(Duration::from_secs_f64(1.0 / steps_per_second.max(SLOWEST)))
    }
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "max" {
            return Ok(Speed::MAX);
        }
        let hertz = text.parse().ok().filter(|hertz: &f64| hertz.is_finite() && *hertz >= SLOWEST);
        hertz
            .map(Speed::hertz)
            .ok_or_else(|| format!("expected `max` or a number of steps a second, {SLOWEST} at the least"))
    }
}

/// Says when the next step is due.
#[derive(Debug)]
pub(super) struct Clock {
    period: Duration,
    deadline: Instant,
}

impl Clock {
    /// One that runs from now on.
    pub(super) fn new(speed: Speed) -> Self {
        Self { period: speed.0, deadline: Instant::now() }
    }

    /// The next deadline. Deadlines follow each other regularly, however long the work between them takes; one that
    /// has been missed is not made up for.
    pub(super) fn next(&mut self, now: Instant) -> Instant {
        self.deadline = (self.deadline + self.period).max(now);
        self.deadline
    }
}

/// Waits until then.
pub(super) fn sleep_until(deadline: Instant) {
    let left = deadline.saturating_duration_since(Instant::now());
    if !left.is_zero() {
        thread::sleep(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn deadlines_do_not_drift_and_are_not_made_up_for() {
        let mut clock = Clock::new(Speed(milliseconds(100)));
        let begin = clock.deadline;
        assert_eq!(clock.next(begin), begin + milliseconds(100));
        assert_eq!(clock.next(begin + milliseconds(130)), begin + milliseconds(200));
        assert_eq!(clock.next(begin + milliseconds(950)), begin + milliseconds(950));
        assert_eq!(clock.next(begin + milliseconds(951)), begin + milliseconds(1050));
    }

    #[test]
    fn speeds_are_read() {
        assert_eq!("max".parse(), Ok(Speed::MAX));
        assert_eq!("2.5".parse(), Ok(Speed(milliseconds(400))));
        for wrong in ["", "fast", "0", "-1", "NaN", "inf", "1e-9"] {
            assert!(wrong.parse::<Speed>().is_err(), "{wrong}");
        }
    }
}
