//! Sessions: who somebody is, and what they may do.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `hello`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hello {
    /// The version of the protocol that the client speaks; this is version 2.
    pub protocol: u32,
    /// As what it comes.
    pub role: Role,
    /// A token, if the server requires one. The session has all rights that the token grants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The resume token of a session that it goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// What program it is, for the logs of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The client promises to send something, such as `ping` or a ping of WebSocket, at least every so many milliseconds. If it
    /// is silent for longer, at most twice as long, its connection counts as lost. A step of an environment in lockstep
    /// waits for its agents without end; for those of other clients it waits 10 s, unless the environment has a patience.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_ms: Option<u64>,
}

/// The purpose of a client. It decides which right its token must grant; the session has the other rights of the token as
/// well, so that a platform can act and observe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// A single agent. Needs the right to act.
    Agent,
    /// A platform with many agents. Needs the right to act.
    Platform,
    /// A client that watches environments. Needs the right to observe.
    Observer,
    /// The host of environments that it offers to the server. Needs the right to host.
    Host,
}

/// A permission of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Right {
    /// Register agents; act and perceive as the agents that it has registered, and as no others.
    Act,
    /// See every environment as a whole, with its seed and parameters, and what any entity perceives and does.
    Observe,
    /// Create and remove environments, move their time, free any entity. It includes the right to observe.
    Manage,
    /// Offer environments.
    Host,
}

/// Answer to `hello`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Greeting {
    /// The version of the protocol that the server speaks.
    pub protocol: u32,
    /// The server's name and version.
    pub server: String,
    /// The rights of the session.
    pub rights: Vec<Right>,
    /// With this token the session goes on after the connection is lost. It is a secret.
    pub resume: String,
    /// Whether this is a session that goes on.
    pub resumed: bool,
    /// For how many milliseconds the session outlives its connection.
    pub grace_ms: u64,
    /// The time, in milliseconds, within which the client must send something: what it has promised, or less if the server demands
    /// it. None if it may be silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_ms: Option<u64>,
    /// What the server bears.
    pub limits: Limits,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// What a server bears from one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// How many bytes a frame may have. Whoever sends a longer one is told and disconnected.
    pub frame_bytes: usize,
    /// How many calls a second it makes at the most; a connection that makes more is read more slowly.
    pub requests_per_second: u32,
    /// How many calls may wait for their answers.
    pub pending_requests: usize,
    /// How many agents a session may have; 1 in the role of an agent.
    pub agents: usize,
    /// How many subscriptions a session may have.
    pub subscriptions: usize,
    /// For how many milliseconds it may take nothing of what it is sent. Then it is disconnected.
    pub read_timeout_ms: u64,
}

/// Parameters of `bye`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bye {}

/// Parameters of `ping`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Ping {}

/// The answer where no environment is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ServerTime {
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}
