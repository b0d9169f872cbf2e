//! Methods for sessions, and the rights of a session.

use situated::data;

use crate::Right;

/// Parameters of `hello`.
#[data(deny_unknown_fields)]
pub struct Hello {
    /// The version of the protocol that the client uses; this is version 2.
    pub protocol: u32,
    /// The role of the client.
    pub role: Role,
    /// A token, if the server requires one. The session has all rights that the token grants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The resume token of the session to continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// The name of the program, for the log of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The client promises to send something, such as `ping` or a WebSocket ping, at least once in this many
    /// milliseconds. If it is silent for longer (at most twice as long), its connection counts as lost. In lockstep,
    /// a step waits for its agents without limit; for agents of other clients it waits 10 s, unless the environment
    /// has a patience.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_ms: Option<u64>,
}

/// The purpose of a client. It decides which right its token must grant; the session has the other rights of the token as
/// well, so that a platform can act and observe.
#[data(Copy, Eq)]
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

/// Answer to `hello`.
#[data]
pub struct Greeting {
    /// The version of the protocol that the server uses.
    pub protocol: u32,
    /// The server's name and version.
    pub server: String,
    /// The rights of the session.
    pub rights: Vec<Right>,
    /// The token that continues the session after a lost connection. It is a secret.
    pub resume: String,
    /// Whether this continues an earlier session.
    pub resumed: bool,
    /// The milliseconds that the session outlives its connection.
    pub grace_ms: u64,
    /// The time in milliseconds within which the client must send something: what it promised, or less if the server
    /// requires it. None if it may be silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_ms: Option<u64>,
    /// The limits of a connection.
    pub limits: Limits,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// The limits of a connection and its session.
#[data(Copy, Eq)]
pub struct Limits {
    /// The maximum number of bytes of a frame. The server closes the connection after a longer one.
    pub frame_bytes: usize,
    /// The maximum number of requests per second; the server reads a faster connection more slowly.
    pub requests_per_second: u32,
    /// The maximum number of requests without a response.
    pub pending_requests: usize,
    /// The maximum number of agents of a session; 1 in the role of an agent.
    pub agents: usize,
    /// The maximum number of subscriptions of a session.
    pub subscriptions: usize,
    /// The milliseconds for which a client may not read anything. After that, the server closes the connection.
    pub read_timeout_ms: u64,
}

/// Parameters of `bye`: none.
#[data(Copy, Default, Eq, deny_unknown_fields)]
pub struct Bye {}

/// Parameters of `ping`: none.
#[data(Copy, Default, Eq, deny_unknown_fields)]
pub struct Ping {}

/// The response of methods that concern no environment.
#[data(Copy, Eq)]
pub struct ServerTime {
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}
