//! The interface to environments that run elsewhere. A [`HostedInterface`] represents such an environment: it asks
//! the [host](crate::host) to perform the actions and commands, and stores what the host reported last. Agents use it
//! like any other interface. A host in this process performs tasks at once.

mod counter;
mod interface;
mod local;
mod mirror;
mod reports;
mod requests;
mod room;
mod terms;
mod update;

pub use interface::HostedInterface;
pub use mirror::SHOWN;
