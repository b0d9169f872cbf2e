//! Paces as people choose them, on the command line or in a team file.

use std::str::FromStr;

use situated::ontology::{Ontology, Pace};
use situated_runtime::Speed;

/// A pace as the user chose it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ChosenPace {
    Reactive,
    Lockstep,
    /// With the number of steps per second. `None` means the speed of the environment, or else the setting for speed.
    RealTime(Option<f64>),
}

impl ChosenPace {
    /// The names of paces.
    pub(crate) const NAMES: [&str; 3] = ["reactive", "lockstep", "real-time"];

    /// Returns the pace with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "reactive" => Some(Self::Reactive),
            "lockstep" => Some(Self::Lockstep),
            "real-time" => Some(Self::RealTime(None)),
            _ => None,
        }
    }

    /// Returns the pace for an environment with this ontology that runs at this speed. `example` shows how to give
    /// the steps per second.
    ///
    /// # Errors
    /// Returns an error if the number of steps per second is missing or not a valid speed.
    pub(crate) fn of(self, ontology: &Ontology, speed: Option<Speed>, example: &str) -> Result<Pace, String> {
        let chosen = match self {
            Self::Reactive => return Ok(Pace::Reactive),
            Self::Lockstep => return Ok(Pace::Lockstep),
            Self::RealTime(steps_per_second) => steps_per_second,
        };
        let declared = match ontology.pace {
            Pace::RealTime { steps_per_second } => Some(steps_per_second),
            _ => speed.and_then(Speed::steps_per_second),
        };
        match chosen.or(declared) {
            Some(steps_per_second) if Speed::try_hertz(steps_per_second).is_ok() => {
                Ok(Pace::RealTime { steps_per_second })
            }
            Some(wrong) => {
                let least = Speed::SLOWEST;
                Err(format!("found {wrong}, expected a number of steps per second, at least {least}"))
            }
            None => {
                let environment = &ontology.name;
                Err(format!("{environment} declares no number of steps per second; choose one: {example}"))
            }
        }
    }
}

impl FromStr for ChosenPace {
    type Err = String;

    /// Reads `lockstep`, `real-time` or `real-time=50`.
    fn from_str(text: &str) -> Result<Self, String> {
        let steps_per_second = text.strip_prefix("real-time=").and_then(|number| number.parse().ok());
        let pace = steps_per_second.map(|number| Self::RealTime(Some(number))).or_else(|| Self::named(text));
        pace.ok_or_else(|| format!("expected {} or real-time=STEPS_PER_SECOND", Self::NAMES.join(", ")))
    }
}
