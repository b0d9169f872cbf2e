//! The plan of a run of the suite.

use std::time::Duration;

use crate::server::address::Address;

/// The plan of a run of the suite: the server, the rights, and the checks.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The address of the server.
    pub address: Address,
    /// A token with the right to act, if the server requires one.
    pub token: Option<String>,
    /// A token with the right to manage, if the server requires one. With it, each check creates its own environment.
    pub manager_token: Option<String>,
    /// Runs only the checks whose names begin with one of these prefixes; empty means all.
    pub only: Vec<String>,
    /// The kind of environments to create. The default is the first kind that the server lists.
    pub kind: Option<String>,
    /// The environment of a host to check, instead of the server. All checks then use this environment, and only
    /// those about hosts are made.
    pub hosted: Option<String>,
    /// Timeout of an answer.
    pub patience: Duration,
}

impl Plan {
    /// All checks, without tokens.
    pub fn new(address: Address) -> Self {
        let patience = Duration::from_secs(5);
        Self { address, token: None, manager_token: None, only: Vec::new(), kind: None, hosted: None, patience }
    }
}
