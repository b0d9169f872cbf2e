//! The place of an environment's owner: in this thread alone, or in a server that others connect to.

use std::sync::Arc;
use std::time::Duration;

use situated::ontology::Ontology;
use situated_runtime::{Clock, Owner, Request, Time};
use situated_server::{Destination, DrivenEnvironment, Server, Settings};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::launch::{Address, Launched};
use crate::plan::Plan;
use crate::serve::kinds;

/// Maximum delay before requests of connected clients are noticed.
const ATTENTION: Duration = Duration::from_millis(5);

/// The place of an environment's owner.
pub(super) enum Home {
    Here { owner: Box<Owner<Destination>>, clock: Clock },
    Served(ServedHome),
}

/// A server for one environment, which this thread drives.
pub(super) struct ServedHome {
    driven: DrivenEnvironment,
    ontology: Arc<Ontology>,
    page: String,
    url: String,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
    runtime: Runtime,
}

impl Home {
    pub(super) fn here(owner: Owner<Destination>) -> Self {
        Self::Here { owner: Box::new(owner), clock: Clock::new() }
    }

    /// Starts a server for the owner.
    ///
    /// # Errors
    /// Returns an error if the server cannot start.
    pub(super) fn with_server(plan: &Plan, owner: Owner<Destination>, settings: Settings) -> anyhow::Result<Self> {
        let ontology = Arc::new(plan.environment.ontology.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let (driven, page, url, stop, serving) = runtime.block_on(async {
            let server = Server::bind(settings, kinds()).await?;
            let url = format!("tcp://{}", server.address());
            let page = format!("http://{}/#/{}", server.address(), ontology.name);
            let driven = server.hub().add_driven(&ontology.name, owner, Vec::new())?;
            let (stop, stopped) = oneshot::channel::<()>();
            let serving = tokio::spawn(server.serve(async {
                // The channel is closed at the latest when its sender is dropped.
                let _ = stopped.await;
            }));
            anyhow::Ok((driven, page, url, stop, serving))
        })?;
        Ok(Self::Served(ServedHome { driven, ontology, page, url, stop: Some(stop), serving, runtime }))
    }

    pub(super) fn page(&self) -> Option<&str> {
        match self {
            Home::Here { .. } => None,
            Home::Served(served) => Some(&served.page),
        }
    }

    pub(super) fn ontology(&self) -> &Ontology {
        match self {
            Home::Here { owner, .. } => owner.ontology(),
            Home::Served(served) => &served.ontology,
        }
    }

    /// Starts the programs that run in processes of their own.
    ///
    /// # Errors
    /// Returns an error if a program cannot be started.
    pub(super) fn launch(&mut self, plan: &Plan) -> anyhow::Result<Option<Launched>> {
        let Home::Served(served) = self else { return Ok(None) };
        let address = Address { url: served.url.clone(), environment: &served.ontology.name, token: None };
        let entities = served.driven.entities();
        Launched::start(plan, &address, &entities).map(Some)
    }

    /// Sends a request to the owner.
    ///
    /// # Errors
    /// Returns an error if the request is refused at once.
    pub(super) fn ask(&mut self, request: Request) -> anyhow::Result<()> {
        match self {
            Home::Here { owner, clock } => {
                owner.submit(Destination::NOBODY, request, clock.now());
                drain(owner)
            }
            Home::Served(served) => served.driven.ask(request).transpose().map(drop).map_err(Into::into),
        }
    }

    /// Lets the owner do what is due now.
    pub(super) fn advance(&mut self) {
        match self {
            Home::Here { owner, clock } => {
                owner.poll(clock.now());
                // The status shows requests that were refused in the meantime.
                let _ = drain(owner);
            }
            Home::Served(served) => served.driven.advance(),
        }
    }

    /// Calls a function with the owner.
    pub(super) fn with<R>(&mut self, look: impl FnOnce(&mut Owner<Destination>) -> R) -> R {
        match self {
            Home::Here { owner, .. } => look(owner),
            Home::Served(served) => served.driven.with(|owner, _| look(owner)),
        }
    }

    /// Returns the time until something is due; `None` if nothing is.
    pub(super) fn rest(&mut self) -> Option<Duration> {
        let rest = |owner: &Owner<Destination>, now: Time| {
            owner.deadline().map(|deadline| deadline.saturating_sub(now.monotonic))
        };
        match self {
            Home::Here { owner, clock } => rest(owner, clock.now()),
            Home::Served(served) => {
                let rest = served.driven.with(|owner, now| rest(owner, now));
                Some(rest.map_or(ATTENTION, |rest| rest.min(ATTENTION)))
            }
        }
    }

    /// Ends the recording, if there is one.
    ///
    /// # Errors
    /// Returns an error if not everything could be recorded.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        match self {
            Home::Here { owner, clock } => Ok(owner.finish(clock.now())?),
            Home::Served(served) => Ok(served.driven.with(|owner, now| owner.finish(now))?),
        }
    }
}

impl Drop for ServedHome {
    /// Clients get a message that the server stops.
    fn drop(&mut self) {
        drop(self.stop.take());
        // The result of the server does not matter here.
        let _ = self.runtime.block_on(&mut self.serving);
    }
}

/// Takes the responses to requests.
fn drain(owner: &mut Owner<Destination>) -> anyhow::Result<()> {
    while let Some((_, answered)) = owner.next_reply() {
        answered?;
    }
    Ok(())
}
