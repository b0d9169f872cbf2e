//! The server. It gives agents, observers and hosts in other processes, and people with browsers, access to the
//! environments of a hub. It speaks the wire protocol over WebSocket and over TCP, on one port, and serves the page
//! and metrics.
//!
//! A [`Server`] listens (`server`, `http`, `tls`) and limits the resources of its clients (`admission`, `peer`). The
//! gateway for the wire protocol (`gateway`) reads frames from connections, submits their requests to the
//! [hub](situated_hub), and writes its answers and notifications as frames.

mod admission;
mod data;
mod gateway;
mod guesses;
mod http;
mod learners;
mod metrics;
mod models;
mod origin;
mod page;
mod peer;
mod platform;
mod server;
mod settings;
mod upgrade;

pub use server::Server;
pub use settings::{DataSettings, LIMITS, PORT, PeerPlatform, PlatformSettings, Proof, Settings, StartError, TlsFiles};
pub use situated_hub::{Access, Destination, DrivenEnvironment, EnvironmentStatus, Kinds, Right, ShortToken, Token};
pub use situated_platform::transport::Form;
