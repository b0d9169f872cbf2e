//! A server for one host, so that a check can test its environment.

use std::future;
use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{Context, bail};
use situated::interface::State;
use situated_server::{Kinds, Server, Settings};

/// Time that a host has to connect.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time between two looks for the host.
const LOOK: Duration = Duration::from_millis(20);

/// A host that has connected to a server of this process.
pub(crate) struct ConnectedHost {
    /// The address of the server.
    pub(crate) server: String,
    /// The name of the environment of the host.
    pub(crate) environment: String,
}

/// Starts a server, and waits until a host has connected and its environment has begun.
///
/// # Errors
/// Returns an error if the server cannot start or no host connects.
pub(crate) async fn wait_for_host(port: u16) -> anyhow::Result<ConnectedHost> {
    let settings = Settings { address: (Ipv4Addr::LOCALHOST, port).into(), ..Settings::default() };
    let server = Server::bind(settings, Kinds::new()).await?;
    let address = server.address();
    let hub = server.hub().clone();
    tokio::spawn(server.serve(future::pending()));
    eprintln!("Waiting for a host at {address}, for {} s.", PATIENCE.as_secs());
    let begun = async {
        loop {
            let hosted = hub.statuses().into_iter().find(|status| status.state != State::Initializing);
            if let Some(status) = hosted {
                return status;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    let begun = tokio::time::timeout(PATIENCE, begun).await;
    let status = begun.with_context(|| {
        let late = hub.statuses();
        match late.first() {
            Some(status) => format!("the host of `{}` did not respond to `init`", status.environment),
            None => "no host connected".to_owned(),
        }
    })?;
    if status.state == State::Killed {
        bail!("the environment of the host has already ended");
    }
    Ok(ConnectedHost { server: format!("tcp://{address}"), environment: status.environment.to_string() })
}
