//! The states of an environment, and the commands that change them.

use std::collections::BTreeMap;
use std::fmt;

use crate::data;
use crate::iil::Parameter;

/// The default seed of a first episode.
pub const FIRST_SEED: u64 = 1;

/// The state of an environment, as in the Environment Interface Standard.
#[data(Copy, Eq)]
pub enum State {
    /// There is no episode yet, or one is beginning.
    Initializing,
    /// Time stands still. Agents can perceive and cannot act.
    Paused,
    /// Time runs. Agents can act.
    Running,
    /// The environment has ended for good.
    Killed,
}

/// A command to an environment.
#[data(deny_unknown_fields)]
pub enum Command {
    /// Begins the first episode, paused.
    Init {
        /// The parameters; missing ones have their defaults.
        #[serde(default)]
        parameters: BTreeMap<String, Parameter>,
        /// The seed.
        #[serde(default = "first_seed")]
        seed: u64,
    },
    /// Lets time run.
    Start,
    /// Stops time.
    Pause,
    /// Begins a new episode, paused.
    Reset {
        /// The parameters that change; one without a value gets its default. The others keep the values that they have
        /// in the last episode.
        parameters: Option<BTreeMap<String, Option<Parameter>>>,
        /// The seed; none means one that follows from the last.
        seed: Option<u64>,
    },
    /// Ends the environment for good.
    Kill,
}

fn first_seed() -> u64 {
    FIRST_SEED
}

impl State {
    /// Returns whether `next` can follow this state. In addition to the table of EIS 0.7, a reset leads from paused
    /// and running back to initializing; the interface then continues to paused by itself.
    pub(crate) fn may_become(self, next: State) -> bool {
        use State::{Initializing, Killed, Paused, Running};
        matches!(
            (self, next),
            (Initializing | Paused | Running, Initializing | Killed)
                | (Initializing | Running, Paused)
                | (Paused, Running)
        )
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Initializing => "initializing",
            State::Paused => "paused",
            State::Running => "running",
            State::Killed => "killed",
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Command::Init { .. } => "init",
            Command::Start => "start",
            Command::Pause => "pause",
            Command::Reset { .. } => "reset",
            Command::Kill => "kill",
        })
    }
}
