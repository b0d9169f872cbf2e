//! The hub itself: its environments, its sessions, and the names of agents.

mod environments;
mod installing;
mod mail;
mod restoring;
mod sessions;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use situated::iil::EcoString;
use situated::interface::Moment;
use situated::names::nearest;
use situated_runtime::Recorder;
use situated_wire::methods::{Call, EnvironmentStatus};
use situated_wire::notifications::RemarkSeen;
use situated_wire::{Name, Request, with_requests};
use tokio::runtime::Handle;

use crate::budget::Budget;
use crate::conversations::Conversations;
use crate::data::HubData;
use crate::environment::{AtEnvironment, RunningEnvironment};
use crate::error::Error;
use crate::kinds::Kinds;
use crate::post::{Neighbours, Post};
use crate::remarks::{Remarks, shown};
use crate::reply::{PendingReply, Reply};
use crate::session::{ReplyToken, Session};
use crate::watchers::Watchers;

/// Creates the recorder for a new environment of this name.
pub type NewRecorder = dyn Fn(&str) -> io::Result<Box<dyn Recorder>> + Send + Sync;

/// Settings of a hub.
#[derive(Clone)]
pub struct HubSettings {
    /// The maximum number of environments.
    pub environments: usize,
    /// The maximum number of bytes that clients make the server use, over connections and in what it keeps for them.
    pub memory: usize,
    /// How long a session remains after its connection is lost.
    pub grace: Duration,
    /// Creates recorders; `None` if environments are not recorded.
    pub record: Option<Arc<NewRecorder>>,
    /// Whether environments pause while they cannot be recorded.
    pub pause_unrecorded: bool,
    /// The data in which environments and sessions are stored, if they are.
    pub data: Option<Arc<HubData>>,
    /// Other platforms that exchange messages with this one.
    pub neighbours: Neighbours,
}

impl Default for HubSettings {
    fn default() -> Self {
        Self {
            environments: 256,
            memory: usize::MAX,
            grace: Duration::from_secs(10),
            record: None,
            pause_unrecorded: false,
            data: None,
            neighbours: Neighbours::default(),
        }
    }
}

/// The state that all gateways share. Dropping it ends its environments.
pub struct Hub {
    settings: HubSettings,
    budget: Arc<Budget>,
    kinds: Kinds,
    executor: Handle,
    environments: RwLock<BTreeMap<EcoString, Arc<RunningEnvironment>>>,
    sessions: Mutex<HashMap<u64, Arc<Session>>>,
    next_session: AtomicU64,
    next_absence: AtomicU64,
    post: Arc<Post>,
    conversations: Arc<Conversations>,
    remarks: Arc<Remarks>,
    watchers: Arc<Watchers>,
    failed_recordings: Arc<AtomicU64>,
    is_closing: AtomicBool,
}

impl Hub {
    /// Creates a hub. Its tasks, which mainly wait for deadlines, run on this executor.
    pub fn new(settings: HubSettings, kinds: Kinds, executor: Handle) -> Arc<Self> {
        let budget = Budget::new(settings.memory);
        let (watchers, conversations) = (Arc::new(Watchers::default()), Arc::new(Conversations::new(&budget)));
        let remarks: Arc<Remarks> = Arc::new(Remarks::new(&budget));
        let (data, neighbours) = (settings.data.clone(), settings.neighbours.clone());
        let post = Arc::new(Post::new(&budget, data, neighbours, conversations.clone()));
        let last_session = settings.data.as_ref().and_then(|data| data.kept().sessions.keys().next_back().copied());
        let next_session = last_session.unwrap_or(0) + 1;
        let hub = Arc::new(Self {
            budget,
            settings,
            kinds,
            executor,
            environments: RwLock::default(),
            sessions: Mutex::default(),
            next_session: AtomicU64::new(next_session),
            next_absence: AtomicU64::new(1),
            post: post.clone(),
            conversations: conversations.clone(),
            remarks: remarks.clone(),
            watchers: watchers.clone(),
            failed_recordings: Arc::default(),
            is_closing: AtomicBool::new(false),
        });
        let me: Weak<Self> = Arc::downgrade(&hub);
        let statuses = move || me.upgrade().map(|hub| hub.statuses()).unwrap_or_default();
        hub.executor.spawn(watchers.keep_notifying(statuses));
        hub.executor.spawn(conversations.keep_notifying());
        hub.executor.spawn(remarks.keep_notifying(|| {}));
        if hub.settings.data.is_none() {
            // With data, this begins when all agents are restored, who may get failures.
            hub.executor.spawn(post.clone().keep_expiring());
            hub.executor.spawn(post.keep_answering());
        } else {
            hub.executor.spawn(Self::watch_data(Arc::downgrade(&hub)));
        }
        hub
    }

    /// Submits a request of a session. The session's [`Receiver`](crate::Receiver) gets exactly one answer with this token:
    /// during this call, or later from another thread. Returns whether it is left to a thread that is at work in the
    /// environment now.
    pub fn submit(self: &Arc<Self>, session: &Arc<Session>, token: ReplyToken, request: impl Into<Call>) -> bool {
        let (request, reply) = (request.into(), PendingReply::new(session.clone(), token));
        let needs = request.needs();
        if !needs.are_met_by(session.rights()) {
            reply.refuse(Error::Forbidden { needs });
            return false;
        }
        self.handle(request, reply)
    }

    /// Passes a request to the environment that it is about. Returns whether it is left to a thread that is at work there.
    fn pass_on<R: AtEnvironment>(&self, request: R, reply: Reply<R>) -> bool {
        match self.find(request.subject().environment().unwrap_or_default()) {
            Ok(environment) => environment.submit(move |seat, now| seat.handle(request, reply, now)),
            Err(error) => {
                request.miss(reply, error);
                false
            }
        }
    }

    /// The memory that clients make the server use. Gateways count that of their connections.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// The status of each environment, by name.
    pub fn statuses(&self) -> Vec<EnvironmentStatus> {
        self.environments.read().values().map(|environment| environment.profile.status()).collect()
    }

    /// The number of recordings that are incomplete because a write failed.
    pub fn failed_recordings(&self) -> u64 {
        self.failed_recordings.load(Ordering::Relaxed)
    }

    /// The reason why the data cannot be written, if so.
    pub fn data_failure(&self) -> Option<Arc<str>> {
        self.settings.data.as_ref()?.store().failure()
    }

    /// Returns an error if changes cannot be stored at present.
    ///
    /// # Errors
    /// Returns an error if the data cannot be written.
    pub fn check_data(&self) -> Result<(), Error> {
        self.settings.data.as_ref().map_or(Ok(()), |data| data.check())
    }

    /// The agents and their mail, for those who exchange messages with other platforms.
    pub fn post(&self) -> &Arc<Post> {
        &self.post
    }

    /// The messages of agents, as observers see them.
    pub fn conversations(&self) -> &Conversations {
        &self.conversations
    }

    /// Shows a remark of a recording to observers. Up to 20,000 remarks and 64 MiB are remembered from then on. The agent
    /// needs not exist.
    pub fn recall_remark(&self, environment: &str, moment: Moment, agent: EcoString, remark: Value, time: u64) {
        let (environment, agent, remark) = (environment.into(), Name(agent), shown(remark));
        let entities = Vec::new();
        self.remarks.recall(|number| RemarkSeen { number, environment, moment, agent, entities, remark, time });
    }

    /// Closes the hub: ends all environments, then all sessions.
    pub fn close(&self) {
        if self.is_closing.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(data) = &self.settings.data {
            // Closed first, so that the data keep what ends now, and it continues in another process. A write that
            // failed has been reported.
            let _ = data.store().close();
        }
        let environments: Vec<_> = self.environments.read().values().cloned().collect();
        for environment in &environments {
            environment.submit(|seat, now| seat.end(&Error::ShuttingDown, now));
        }
        let sessions: Vec<_> = self.sessions.lock().values().cloned().collect();
        sessions.iter().for_each(|session| self.end_session(session, Error::ShuttingDown));
        self.watchers.close();
        self.conversations.feed().close();
        self.remarks.close();
        self.post.close();
    }

    /// Whether the hub has been closed.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Whether all environments have ended.
    pub fn has_ended(&self) -> bool {
        self.environments.read().values().all(|environment| environment.has_ended())
    }

    /// The number of sessions, including those whose connection is lost.
    pub fn session_count(&self) -> usize {
        self.sessions.lock().len()
    }

    /// Returns the environment of this name.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<RunningEnvironment>, Error> {
        let environments = self.environments.read();
        environments.get(name).cloned().ok_or_else(|| {
            let nearest = nearest(name, environments.keys().map(EcoString::as_str)).map(EcoString::from);
            Error::NoSuchEnvironment { name: name.into(), nearest }
        })
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.close();
    }
}

/// A request that the hub itself handles.
trait AtHub: Request {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>);
}

macro_rules! handle {
    (methods { $($methods:tt)* } local { $($local:tt)* }) => {
        handle! { $($methods)* $($local)* }
    };
    ($(
        $(#[$documentation:meta])* $($name:literal)? $Request:ident -> $Answer:ty { $place:ident, $($rest:tt)* };
    )*) => {
        impl Hub {
            /// Handles a request. Returns whether it is left to a thread that is at work in its environment.
            fn handle(self: &Arc<Self>, request: Call, reply: PendingReply) -> bool {
                match request {
                    $(Call::$Request(request) => handle_at!($place, self, request, Reply::new(reply)),)*
                }
            }
        }
    };
}

macro_rules! handle_at {
    (hub, $hub:ident, $request:ident, $reply:expr) => {{
        AtHub::handle($request, $hub, $reply);
        false
    }};
    (environment, $hub:ident, $request:ident, $reply:expr) => {
        $hub.pass_on($request, $reply)
    };
}

with_requests!(handle);
