//! Tests of the client against a real server, over connections that are cut.

mod bundles;
mod conversations;
mod examples;
mod federation;
mod hosting;
mod living;
mod messaging;
mod mill;
mod parity;
mod platforms;
mod resuming;
mod resuming_hosts;
mod server;
mod subscribing;
#[cfg(feature = "tls")]
mod tls;
mod watching;
mod wire_cutter;
