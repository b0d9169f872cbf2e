//! The place of an environment's owner: in this thread alone, or in a hub for language models and others that connect.

use std::sync::Arc;
use std::time::Duration;

use situated::ontology::Ontology;
use situated_hub::{Hub, HubSettings};
use situated_runtime::{Clock, Owner, Speed, Time};
use situated_server::{Destination, DrivenEnvironment, Server, Settings};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::environments::kinds;
use crate::launch::{Address, Launched};
use crate::models::Models;
use crate::plan::Plan;

/// Maximum delay before requests of connected clients are noticed.
pub(super) const ATTENTION: Duration = Duration::from_millis(5);

/// The place of an environment's owner.
pub(super) enum Home {
    Here { owner: Box<Owner<Destination>>, clock: Clock },
    Served(Box<ServedHome>),
}

/// A hub with one environment, which this thread drives.
pub(super) struct ServedHome {
    driven: DrivenEnvironment,
    ontology: Arc<Ontology>,
    hub: Arc<Hub>,
    models: Models,
    /// The server of the hub, if others can connect.
    server: Option<Serving>,
    runtime: Runtime,
}

/// A server.
struct Serving {
    page: String,
    url: String,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Home {
    pub(super) fn here(owner: Owner<Destination>) -> Self {
        Self::Here { owner: Box::new(owner), clock: Clock::new() }
    }

    /// Puts the owner into a hub, so that language models can play. With settings, others can connect, too.
    ///
    /// # Errors
    /// Returns an error if the server cannot start.
    pub(super) fn with_hub(plan: &Plan, owner: Owner<Destination>, settings: Option<Settings>) -> anyhow::Result<Self> {
        let ontology = Arc::new(plan.environment.ontology.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let (hub, driven, server) = runtime.block_on(async {
            let Some(settings) = settings else {
                let hub = Hub::new(HubSettings::default(), kinds(), runtime.handle().clone());
                let driven = hub.add_driven(&ontology.name, owner, Vec::new())?;
                return anyhow::Ok((hub, driven, None));
            };
            let server = Server::bind(settings, kinds()).await?;
            let url = format!("tcp://{}", server.address());
            let page = format!("http://{}/#/{}", server.address(), ontology.name);
            let hub = server.hub().clone();
            let driven = hub.add_driven(&ontology.name, owner, Vec::new())?;
            let (stop, stopped) = oneshot::channel::<()>();
            let task = tokio::spawn(server.serve(async {
                // The channel is closed at the latest when its sender is dropped.
                let _ = stopped.await;
            }));
            Ok((hub, driven, Some(Serving { page, url, stop: Some(stop), task })))
        })?;
        Ok(Self::Served(Box::new(ServedHome { driven, ontology, hub, models: Models::default(), server, runtime })))
    }

    pub(super) fn page(&self) -> Option<&str> {
        match self {
            Home::Here { .. } => None,
            Home::Served(served) => served.server.as_ref().map(|server| server.page.as_str()),
        }
    }

    /// Returns the language models that play.
    pub(super) fn models(&self) -> Option<&Models> {
        match self {
            Home::Here { .. } => None,
            Home::Served(served) => Some(&served.models),
        }
    }

    /// Gives language models their entities, so that they play as soon as time advances.
    ///
    /// # Errors
    /// Returns an error if a model cannot play.
    pub(super) fn seat_models(&mut self, plan: &Plan) -> anyhow::Result<()> {
        let Home::Served(served) = self else { return Ok(()) };
        let entities = served.driven.entities();
        let started = Models::join(plan, &served.hub, &served.ontology.name, &entities);
        served.models = served.runtime.block_on(started)?;
        Ok(())
    }

    /// Returns the number of rules of their protocols that messages have broken, and the first one in words.
    pub(super) fn violations(&self) -> (u64, Option<Arc<str>>) {
        match self {
            Home::Here { .. } => (0, None),
            Home::Served(served) => {
                let conversations = served.hub.conversations();
                (conversations.violations(), conversations.first_violation())
            }
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
        let ServedHome { driven, ontology, server: Some(server), .. } = &mut **served else { return Ok(None) };
        let address = Address { url: server.url.clone(), environment: &ontology.name, token: None };
        let entities = driven.entities();
        Launched::start(plan, &address, &entities).map(Some)
    }

    /// Makes a request to the owner.
    ///
    /// # Errors
    /// Returns an error if the request is refused at once.
    pub(super) fn ask(
        &mut self,
        request: impl FnOnce(&mut Owner<Destination>, Destination, Time),
    ) -> anyhow::Result<()> {
        match self {
            Home::Here { owner, clock } => {
                request(owner, Destination::NOBODY, clock.now());
                drain(owner)
            }
            Home::Served(served) => served.driven.ask(request).transpose().map(drop).map_err(Into::into),
        }
    }

    /// Sets the speed.
    ///
    /// # Errors
    /// Returns an error if the owner refuses it.
    pub(super) fn set_speed(&mut self, speed: Speed) -> anyhow::Result<()> {
        Ok(match self {
            Home::Here { owner, clock } => owner.set_speed(speed, clock.now()),
            Home::Served(served) => served.driven.with(|owner, now| owner.set_speed(speed, now)),
        }?)
    }

    /// Lets the owner do what is due now.
    pub(super) fn advance(&mut self) {
        match self {
            Home::Here { owner, clock } => {
                owner.poll(clock.now());
                // The status shows requests that were refused in the meantime.
                let _ = drain(owner);
            }
            Home::Served(served) => {
                // Models cost money, so they think only once somebody needs the run.
                served.models.play(served.runtime.handle());
                served.driven.advance();
            }
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
            Home::Served(served) => {
                // Messages that were accepted before are recorded first.
                served.driven.with(|_, _| ());
                Ok(served.driven.with(|owner, now| owner.finish(now))?)
            }
        }
    }
}

impl Drop for ServedHome {
    /// Clients get a message that the server stops.
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            drop(server.stop.take());
            // The result of the server does not matter here.
            let _ = self.runtime.block_on(&mut server.task);
        }
    }
}

/// Takes the responses to requests.
fn drain(owner: &mut Owner<Destination>) -> anyhow::Result<()> {
    while let Some((_, answered)) = owner.next_reply() {
        answered?;
    }
    Ok(())
}
