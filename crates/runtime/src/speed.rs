//! The speed at which steps follow each other in wall-clock time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use situated::ontology::Pace;

/// A speed: the minimum time between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(Duration);

/// The error for an invalid speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `max` or a number of steps per second, at least {}", Speed::SLOWEST)]
pub struct NoSpeed;

impl Speed {
    /// The slowest speed, in steps per second.
    pub const SLOWEST: f64 = 0.001;

    /// As fast as possible.
    pub const MAX: Speed = Speed(Duration::ZERO);

    /// Creates a speed in steps per second, at least 0.001.
    pub fn hertz(steps_per_second: f64) -> Self {
        let period = Duration::try_from_secs_f64(1.0 / steps_per_second.max(Self::SLOWEST));
        Speed(period.unwrap_or(Duration::ZERO))
    }

    /// Creates a speed in steps per second.
    ///
    /// # Errors
    /// Returns an error if the value is not a number, or less than 0.001.
    pub fn try_hertz(steps_per_second: f64) -> Result<Self, NoSpeed> {
        let valid = steps_per_second.is_finite() && steps_per_second >= Self::SLOWEST;
        valid.then(|| Self::hertz(steps_per_second)).ok_or(NoSpeed)
    }

    /// The speed with this time between two steps.
    pub(crate) fn of_period(period: Duration) -> Self {
        Self(period)
    }

    /// Returns the speed at which an environment runs by itself: that of its real time, otherwise as fast as its
    /// agents.
    pub fn of(pace: Pace) -> Self {
        match pace {
            Pace::RealTime { steps_per_second } => Self::hertz(steps_per_second),
            Pace::Reactive | Pace::Lockstep | Pace::Own => Self::MAX,
        }
    }

    /// Returns the time between two steps.
    pub(crate) fn period(self) -> Duration {
        self.0
    }

    /// Returns the steps per second; `None` if the speed is unlimited.
    pub fn steps_per_second(self) -> Option<f64> {
        (!self.0.is_zero()).then(|| 1.0 / self.0.as_secs_f64())
    }
}

impl FromStr for Speed {
    type Err = NoSpeed;

    fn from_str(text: &str) -> Result<Self, NoSpeed> {
        if text == "max" {
            return Ok(Speed::MAX);
        }
        text.parse().map_err(|_| NoSpeed).and_then(Speed::try_hertz)
    }
}

impl fmt::Display for Speed {
    /// Writes a speed in the form that can be parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps_per_second() {
            // Periods are whole nanoseconds; rounding gives the number that the user chose.
            Some(hertz) => write!(f, "{}", (hertz * 1e6).round() / 1e6),
            None => f.write_str("max"),
        }
    }
}

/// Computes when the next step is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticker {
    speed: Speed,
    /// Time at which the last step was due.
    last: Duration,
    /// Time at which the speed was changed.
    changed: Duration,
    /// Time at which the last step was made, or time began to run.
    pub(crate) made: Duration,
    /// Number of steps that were due and were skipped for lack of time.
    pub(crate) missed: u64,
    /// Whether steps are made as fast as possible for a while, whatever the speed.
    pub(crate) hurries: bool,
}

impl Ticker {
    pub(crate) fn new(speed: Speed) -> Self {
        let (last, changed, made) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        Self { speed, last, changed, made, missed: 0, hurries: false }
    }

    pub(crate) fn speed(&self) -> Speed {
        self.speed
    }

    /// Starts or resumes time.
    pub(crate) fn begin(&mut self, now: Duration) {
        (self.last, self.made) = (now, now);
    }

    /// Changes the speed, counted from the last step. A step that would have been due earlier is due now.
    pub(crate) fn set_speed(&mut self, speed: Speed, now: Duration) {
        self.speed = speed;
        self.changed = now;
    }

    /// Returns when the next step is due.
    pub(crate) fn due(&self) -> Duration {
        if self.hurries { Duration::ZERO } else { (self.last + self.speed.0).max(self.changed) }
    }

    /// Notes that a due step is made. Steps are due at regular times, however long the work between them takes;
    /// missed steps are counted and never made up for.
    pub(crate) fn tick(&mut self, now: Duration) {
        if self.hurries {
            (self.last, self.made) = (now, now);
            return;
        }
        let (due, period) = (self.due(), self.speed.0.as_nanos());
        let late = now.saturating_sub(due);
        self.made = now;
        match late.as_nanos().checked_div(period) {
            Some(0) => self.last = due,
            missed => {
                self.missed += missed.and_then(|missed| u64::try_from(missed).ok()).unwrap_or(0);
                self.last = now;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn deadlines_do_not_drift_and_missed_ones_are_skipped() {
        let mut ticker = Ticker::new(Speed(milliseconds(100)));
        ticker.begin(milliseconds(1000));
        for (due, now, missed) in [(1100, 1130, 0), (1200, 1200, 0), (1300, 2050, 7), (2150, 2150, 7)] {
            assert_eq!(ticker.due(), milliseconds(due));
            ticker.tick(milliseconds(now));
            assert_eq!(ticker.missed, missed);
        }
    }

    #[test]
    fn the_maximum_speed_is_always_due_and_skips_nothing() {
        let mut ticker = Ticker::new(Speed::MAX);
        ticker.begin(milliseconds(5));
        ticker.tick(milliseconds(500));
        assert_eq!((ticker.due(), ticker.missed), (milliseconds(500), 0));
    }

    #[test]
    fn a_change_of_speed_counts_from_the_last_step_and_misses_nothing() {
        let mut ticker = Ticker::new(Speed::hertz(1.0));
        ticker.begin(milliseconds(1000));
        ticker.set_speed(Speed::hertz(10.0), milliseconds(1050));
        assert_eq!(ticker.due(), milliseconds(1100));
        ticker.set_speed(Speed::hertz(100.0), milliseconds(1090));
        assert_eq!(ticker.due(), milliseconds(1090));
        ticker.tick(milliseconds(1090));
        assert_eq!(ticker.missed, 0);
    }

    #[test]
    fn parses_and_prints_speeds() {
        for text in ["max", "2.5", "0.001", "50", "3"] {
            assert_eq!(text.parse::<Speed>().map(|speed| speed.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "fast", "0", "-1", "NaN", "inf", "1e-9"] {
            assert!(wrong.parse::<Speed>().is_err(), "{wrong}");
        }
    }
}
