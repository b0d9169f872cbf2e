//! Environments that are run elsewhere, as seen from here. A [`HostedInterface`] stands in for such an environment: it asks
//! the [host](crate::host) to do what agents and managers want, and keeps what the host has last reported. To agents it is
//! like any other. A host in this process is asked at once.

mod interface;
mod local;
mod mirror;
mod reports;
mod requests;
mod terms;
mod update;

pub use interface::HostedInterface;
pub use mirror::{ENTITIES_MIRRORED, PERCEPTS_MIRRORED, SHOWN};
