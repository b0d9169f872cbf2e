//! Where the owner of an environment is: here alone, or in a server whose doors are open.

use std::sync::Arc;
use std::time::Duration;

use situated::ontology::Ontology;
use situated_runtime::{Clock, Owner, Request, Time};
use situated_server::{Destination, DrivenEnvironment, Server, Settings};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::launch::{Door, Launched};
use crate::plan::Plan;
use crate::serve::kinds;

/// How soon it is noticed what those who have come in want.
const ATTENTION: Duration = Duration::from_millis(5);

/// Where the owner of an environment is.
pub(super) enum Home {
    Here { owner: Box<Owner<Destination>>, clock: Clock },
    WithDoors(Doors),
}

/// A server that serves one environment, which is driven from here.
pub(super) struct Doors {
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

    /// A home with open doors.
    ///
    /// # Errors
    /// When they cannot be opened.
    pub(super) fn with_doors(plan: &Plan, owner: Owner<Destination>, settings: Settings) -> anyhow::Result<Self> {
        let ontology = Arc::new(plan.environment.ontology.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let (driven, page, url, stop, serving) = runtime.block_on(async {
            let server = Server::bind(settings, kinds()).await?;
            let url = format!("tcp://{}", server.address());
            let page = format!("http://{}/#/{}", server.address(), ontology.name);
            let driven = server.hub().add_driven(&ontology.name, owner, Vec::new())?;
            let (stop, stopped) = oneshot::channel::<()>();
            let serving = tokio::spawn(server.serve(async {
                // It is closed with its sender at the latest.
                let _ = stopped.await;
            }));
            anyhow::Ok((driven, page, url, stop, serving))
        })?;
        Ok(Self::WithDoors(Doors { driven, ontology, page, url, stop: Some(stop), serving, runtime }))
    }

    pub(super) fn page(&self) -> Option<&str> {
        match self {
            Home::Here { .. } => None,
            Home::WithDoors(doors) => Some(&doors.page),
        }
    }

    pub(super) fn ontology(&self) -> &Ontology {
        match self {
            Home::Here { owner, .. } => owner.ontology(),
            Home::WithDoors(doors) => &doors.ontology,
        }
    }

    /// Starts the programs of its entities that have processes of their own.
    ///
    /// # Errors
    /// When one cannot be started.
    pub(super) fn launch(&mut self, plan: &Plan) -> anyhow::Result<Option<Launched>> {
        let Home::WithDoors(doors) = self else { return Ok(None) };
        let door = Door { url: doors.url.clone(), environment: &doors.ontology.name, token: None };
        let entities = doors.driven.entities();
        Launched::start(plan, &door, &entities).map(Some)
    }

    /// Asks the owner for something.
    ///
    /// # Errors
    /// When it is refused at once.
    pub(super) fn ask(&mut self, request: Request) -> anyhow::Result<()> {
        match self {
            Home::Here { owner, clock } => {
                owner.submit(Destination::NOBODY, request, clock.now());
                drain(owner)
            }
            Home::WithDoors(doors) => doors.driven.ask(request).transpose().map(drop).map_err(Into::into),
        }
    }

    /// Lets the owner do what is due.
    pub(super) fn advance(&mut self) {
        match self {
            Home::Here { owner, clock } => {
                owner.poll(clock.now());
                // What was asked for and has been refused meanwhile is seen in how things stand.
                let _ = drain(owner);
            }
            Home::WithDoors(doors) => doors.driven.advance(),
        }
    }

    /// Looks at the owner.
    pub(super) fn with<R>(&mut self, look: impl FnOnce(&mut Owner<Destination>) -> R) -> R {
        match self {
            Home::Here { owner, .. } => look(owner),
            Home::WithDoors(doors) => doors.driven.with(|owner, _| look(owner)),
        }
    }

    /// How long nothing is due; none means for good.
    pub(super) fn rest(&mut self) -> Option<Duration> {
        let rest = |owner: &Owner<Destination>, now: Time| {
            owner.deadline().map(|deadline| deadline.saturating_sub(now.monotonic))
        };
        match self {
            Home::Here { owner, clock } => rest(owner, clock.now()),
            Home::WithDoors(doors) => {
                let rest = doors.driven.with(|owner, now| rest(owner, now));
                Some(rest.map_or(ATTENTION, |rest| rest.min(ATTENTION)))
            }
        }
    }

    /// Ends the recording, if there is one.
    ///
    /// # Errors
    /// When not all could be recorded.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        match self {
            Home::Here { owner, clock } => Ok(owner.finish(clock.now())?),
            Home::WithDoors(doors) => Ok(doors.driven.with(|owner, now| owner.finish(now))?),
        }
    }
}

impl Drop for Doors {
    /// Those who are there are told that the doors are closed.
    fn drop(&mut self) {
        drop(self.stop.take());
        // It has nothing to say that anybody would wait for.
        let _ = self.runtime.block_on(&mut self.serving);
    }
}

/// Takes the answers to what was asked.
fn drain(owner: &mut Owner<Destination>) -> anyhow::Result<()> {
    while let Some((_, answered)) = owner.next_reply() {
        answered?;
    }
    Ok(())
}
