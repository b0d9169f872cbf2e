//! Waiting for the host that is to be checked, with a server for it.

use std::future;
use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{Context, bail};
use situated::interface::State;
use situated_server::{Kinds, Server, Settings};
use situated_testkit::server::Plan;

/// How long a host has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked whether it has come.
const LOOK: Duration = Duration::from_millis(20);

/// Opens a server, and waits until a host has come whose environment has begun: what is to be checked.
///
/// # Errors
/// When the server cannot be opened, or nobody comes.
pub(crate) async fn wait(port: u16) -> anyhow::Result<Plan> {
    let settings = Settings { address: (Ipv4Addr::LOCALHOST, port).into(), ..Settings::default() };
    let server = Server::bind(settings, Kinds::new()).await?;
    let address = server.address();
    let hub = server.hub().clone();
    tokio::spawn(server.serve(future::pending()));
    eprintln!("Waiting for a host at {address}, for {} s.", PATIENCE.as_secs());
    let begun = async {
        loop {
            let hosted = hub.statuses().into_iter().find(|status| status.status.state != State::Initializing);
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
            Some(status) => format!("the host of `{}` has not answered `init`", status.environment),
            None => "no host has come".to_owned(),
        }
    })?;
    if status.status.state == State::Killed {
        bail!("the environment of the host is over already");
    }
    let mut plan = Plan::new(format!("tcp://{address}").parse()?);
    plan.hosted = Some(status.environment.to_string());
    Ok(plan)
}
