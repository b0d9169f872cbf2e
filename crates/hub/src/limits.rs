//! The limits of sessions.

/// Limits of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// The maximum number of agents.
    pub agents: usize,
    /// The maximum number of subscriptions.
    pub subscriptions: usize,
    /// Whether the gateway detects within some time that the client has disappeared. It can change later.
    pub is_attended: bool,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { agents: 10_000, subscriptions: 1024, is_attended: true }
    }
}
