//! The runtime: owners of environments. An [`Owner`] has the interface to one environment, passes it all inputs in
//! order, advances its time at a pace, and runs the programs of a [`Team`].

mod error;
mod guarded;
mod journal;
mod owner;
mod recorder;
mod request;
mod spectacle;
mod speed;
mod team;
mod time;

pub use error::{Error, what_panicked};
pub use journal::{Checkpoint, Journal, Record, may_have_changed};
pub use owner::{ANSWERS_REMEMBERED, Owner, REPEATED, Tempo, WAITING};
pub use recorder::Recorder;
pub use request::{Answered, DataStatus, RecordingStatus, Reply, Request, Status};
pub use situated::host::{HostTerms, LATE_REMEMBERED, REQUESTS_OPEN};
pub use situated::interface::{Effect, Input, Time};
pub use spectacle::{ActionSeen, Seen};
pub use speed::{NoSpeed, Speed};
pub use team::{Failures, Notes, Post, Program, Rule, Team};
pub use time::{Clock, wall_clock};
