//! Tests for those who write environments and servers.
//!
//! `server`, behind the feature of that name, is the conformance suite for servers of the wire protocol. It is apart because it
//! needs an async runtime and WebSockets, which nobody should have to build to test an environment.

#[cfg(feature = "server")]
pub mod server;
