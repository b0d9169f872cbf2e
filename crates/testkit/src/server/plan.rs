//! What is to be checked, and with which rights.

use std::time::Duration;

use crate::server::address::Address;

/// What is to be checked, and with which rights.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the server is.
    pub address: Address,
    /// A token with the right to act, if the server wants one.
    pub token: Option<String>,
    /// A token with the right to manage, if the server wants one. With it, each check makes an environment of its own.
    pub manager_token: Option<String>,
    /// Only the checks whose names begin so; none means all.
    pub only: Vec<String>,
    /// The kind of which environments are made; by default the first that the server lists.
    pub kind: Option<String>,
    /// The environment of a host that is checked, rather than the server: everything takes place in it, and only what hosts
    /// can do wrong is looked at.
    pub hosted: Option<String>,
    /// How long an answer may take.
    pub patience: Duration,
}

impl Plan {
    /// All checks, without tokens.
    pub fn new(address: Address) -> Self {
        let patience = Duration::from_secs(5);
        Self { address, token: None, manager_token: None, only: Vec::new(), kind: None, hosted: None, patience }
    }
}
