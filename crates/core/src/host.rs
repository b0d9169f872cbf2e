//! Hosts: environments that run elsewhere, in another process or in other code of this one.
//!
//! The interface to such an environment gives its host tasks ([`HostTask`]), and the host reports results and changes
//! ([`HostReport`]). A [`Provider`] is a host that runs an ordinary [`Environment`](crate::environment::Environment).
//! The interface's side is in [`hosted`](crate::hosted).

mod provider;
mod report;
mod requests;
mod task;

pub use provider::Provider;
pub use report::{EventReport, HostAnswer, HostReport, HostUpdate, NewEntity, PerceptUpdate};
pub use requests::{
    HostRequests, HostTerms, KeptRequests, LATE_REMEMBERED, LONGEST_ANSWER, LONGEST_BEGINNING, REQUEST_BYTES,
    REQUESTS_OPEN, TooSlow,
};
pub use task::{HostRequest, HostTask};

/// A host in this process. It performs each task at once.
pub trait Host: Send {
    /// Performs a task. Returns its result, and everything that has changed since the last task.
    ///
    /// # Errors
    /// Returns an error if the host has crashed, which kills its environment. A task that merely fails returns
    /// [`HostAnswer::Failed`].
    fn perform(&mut self, task: HostTask) -> Result<(HostAnswer, HostUpdate), String>;
}
