//! The runtime: owners of environments. An [`Owner`] has the interface to one environment, passes it all inputs in
//! order, advances its time at a pace, and runs the programs of a [`Team`].

mod error;
mod guarded;
mod journal;
mod owner;
mod recorder;
mod reply;
mod spectacle;
mod speed;
mod status;
mod team;
mod time;

pub use error::{Error, what_panicked};
pub use journal::{Checkpoint, Journal, Record, may_have_changed};
pub use owner::{Owner, Tempo};
pub use recorder::Recorder;
pub use reply::{Answered, Reply};
pub use situated::host::HostTerms;
pub use situated::interface::{Effect, Input, Time};
pub use spectacle::{ActionSeen, Seen};
pub use speed::{NoSpeed, Speed};
pub use status::{DataStatus, RecordingStatus, Status};
pub use team::{Failures, Notes, Post, Program, Rule, Team};
pub use time::{Clock, wall_clock};
