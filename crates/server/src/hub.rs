//! What all connections of a server share: its environments, its sessions, and the names of agents.

mod environments;
mod sessions;

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use situated::iil::EcoString;
use situated::names::{did_you_mean, nearest};
use situated_wire::methods::EnvironmentStatus;
use situated_wire::{Code, Error};
use tokio::sync::watch;

use crate::agent_names::AgentNames;
use crate::catalogue::Catalogue;
use crate::instance::{Instance, Job};
use crate::listing::Listing;
use crate::metrics::Metrics;
use crate::session::Session;
use crate::settings::Settings;

/// What all connections share.
pub(crate) struct Hub {
    pub(crate) settings: Settings,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) agent_names: Arc<AgentNames>,
    pub(crate) listing: Arc<Listing>,
    catalogue: Catalogue,
    instances: RwLock<BTreeMap<EcoString, Arc<Instance>>>,
    /// By resume token.
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    next_session: AtomicU64,
    next_connection: AtomicU64,
    closing: watch::Sender<bool>,
}

impl Hub {
    pub(crate) fn new(settings: Settings, catalogue: Catalogue) -> Arc<Self> {
        Arc::new(Self {
            settings,
            metrics: Arc::new(Metrics::new()),
            agent_names: Arc::default(),
            listing: Arc::default(),
            catalogue,
            instances: RwLock::default(),
            sessions: Mutex::default(),
            next_session: AtomicU64::new(1),
            next_connection: AtomicU64::new(1),
            closing: watch::Sender::new(false),
        })
    }

    pub(crate) fn next_connection(&self) -> u64 {
        self.next_connection.fetch_add(1, Ordering::Relaxed)
    }

    /// Is done when the server shuts down.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.closing.subscribe();
        async move {
            // An error means that there is no server any more.
            let _ = closing.wait_for(|closing| *closing).await;
        }
    }

    pub(crate) fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// The environment of this name.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<Instance>, Error> {
        let instances = self.instances.read();
        instances.get(name).cloned().ok_or_else(|| {
            let near = did_you_mean(nearest(name, instances.keys().map(EcoString::as_str)));
            let name: String = name.chars().take(64).collect();
            Error::new(Code::NoSuchEnvironment, format!("there is no environment `{name}` on this server{near}"))
        })
    }

    /// How all environments stand, by name.
    pub(crate) fn statuses(&self) -> Vec<EnvironmentStatus> {
        let instances = self.instances.read();
        instances.values().map(|instance| instance.status()).collect()
    }

    /// The server shuts down: episodes are closed, clients are told.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
        let instances: Vec<Arc<Instance>> = self.instances.read().values().cloned().collect();
        instances.iter().for_each(|instance| instance.submit(Job::End { reason: shutting_down() }));
        let sessions: Vec<Arc<Session>> = self.sessions.lock().values().cloned().collect();
        sessions.iter().for_each(|session| session.outbox().close(shutting_down()));
    }

    /// Whether all environments have ended and nobody is connected any more.
    pub(crate) fn is_closed(&self) -> bool {
        let instances = self.instances.read();
        instances.values().all(|instance| instance.has_ended()) && self.metrics.connections.get() == 0
    }
}

pub(crate) fn shutting_down() -> Error {
    Error::new(Code::ShuttingDown, "the server is shutting down")
}
