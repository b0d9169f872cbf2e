//! The status of an environment and its owner.

use situated::iil::EcoString;
use situated::interface::{Moment, State};
use situated::ontology::Pace;

use crate::speed::Speed;

/// The status of an environment and its owner.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// The state of the environment.
    pub state: State,
    /// The current moment of the environment.
    pub moment: Moment,
    /// The pace.
    pub pace: Pace,
    /// The maximum speed.
    pub speed: Speed,
    /// The number of steps of this episode that were skipped for lack of time.
    pub missed: u64,
    /// The reason of the crash, if the environment crashed.
    pub crash: Option<String>,
    /// In lockstep, the entities for which a step has waited for more than a second.
    pub awaited: Vec<EcoString>,
    /// The state of its recording, if it is recorded.
    pub recording: Option<RecordingStatus>,
    /// Whether it can be kept, if it is.
    pub data: Option<DataStatus>,
}

/// Whether an environment can be stored, so that it continues in another process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataStatus {
    /// The reason why changes cannot be stored, so that inputs are rejected; `None` while they are stored.
    pub error: Option<String>,
}

/// The state of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingStatus {
    /// The reason why recording stopped; `None` while everything is recorded.
    pub error: Option<String>,
}
