//! The gateway for the wire protocol. It identifies a session by its resume token, and translates between the types
//! of the wire protocol and those of the hub.

mod connection;
mod notifications;
mod outbox;
mod unwritten;

use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use std::{io, thread};

use outbox::Outbox;
use parking_lot::Mutex;
use situated_hub::{
    self as hub, Grant, Hub, HubSettings, Kinds, Neighbours, NewRecorder, Session, SessionLimits, Token,
};
use situated_mcp::McpGateway;
use situated_openenv::OpenEnvGateway;
use situated_recording::{McapRecorder, RecorderSettings};
use situated_runtime::wall_clock;
use situated_store::{Bell, Mark, Store, Unreadable};
use situated_wire::methods::{CreateEnvironment, EnvironmentStatus, Greeting, Hello, Limits, Role};
use situated_wire::{Code, Error, PROTOCOL, Right};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::sleep;

use crate::admission::{Admission, Bounds, usual_bytes};
use crate::data::{CLIENT, Data, KeptClient, fingerprint};
use crate::guesses::Guesses;
use crate::metrics::Metrics;
use crate::settings::Settings;

pub(crate) use connection::lines::Lines;
pub(crate) use connection::websocket::Messages;
pub(crate) use connection::{Received, Transport, closing, serve};

/// The maximum number of characters of a client's name in the log.
const PROGRAM: usize = 64;

/// The shortest interval within which a client can promise to send something.
const SHORTEST_HEARTBEAT: Duration = Duration::from_millis(100);

/// Time between two looks whether changes are written.
const LOOK: Duration = Duration::from_millis(1);

/// A bell that nobody hears: who waits looks again.
struct Silent;

impl Bell for Silent {
    fn ring(&self) {}
}

/// The gateway for the wire protocol.
pub(crate) struct Gateway {
    pub(crate) hub: Arc<Hub>,
    pub(crate) admission: Arc<Admission>,
    pub(crate) settings: Settings,
    pub(crate) metrics: Arc<Metrics>,
    /// The gateway for language models.
    pub(crate) models: McpGateway,
    /// The gateway for learners.
    pub(crate) learners: OpenEnvGateway,
    guesses: Guesses,
    sessions: Arc<Clients>,
    /// The store for sessions, if there is one.
    data: Option<Arc<Store>>,
    /// Whether stored changes must reach the disk.
    sync: bool,
    next_connection: AtomicU64,
    closing: watch::Sender<bool>,
}

/// The sessions, by the fingerprint of the resume token.
type Clients = Mutex<HashMap<String, Client>>;

/// A session of the wire protocol.
#[derive(Clone)]
struct Client {
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    role: Role,
    /// The fingerprint of its resume token and of the token with which it was opened.
    bound: String,
}

impl Gateway {
    /// Creates a gateway with its own hub, which runs on the current executor. Restores the sessions in the data.
    pub(crate) fn new(settings: Settings, kinds: Kinds, data: Option<Data>) -> Result<Arc<Self>, Unreadable> {
        let Settings { environments, grace, record, pause_unrecorded, .. } = settings.clone();
        let bounds =
            Bounds { connections: settings.connections, connections_per_address: settings.connections_per_address };
        let record = record.map(|(folder, what)| into_folder(folder, what));
        let sync = data.as_ref().is_some_and(|data| data.sync);
        let (kept, mut contents) = data.map(|data| (data.hub, data.contents)).unzip();
        let store = kept.as_ref().map(|kept| kept.store().clone());
        let neighbours = settings.platform.as_ref().map(|platform| Neighbours {
            platform: platform.name.as_str().into(),
            others: platform.peers.iter().map(|peer| (peer.name.as_str().into(), peer.registers)).collect(),
        });
        let neighbours = neighbours.unwrap_or_default();
        let memory = settings.memory.unwrap_or_else(usual_bytes);
        let hub_settings =
            HubSettings { environments, memory, grace, record, pause_unrecorded, data: kept, neighbours };
        let hub = Hub::new(hub_settings, kinds, Handle::current());
        let gateway = Arc::new(Self {
            models: McpGateway::new(hub.clone(), settings.trust_hosts),
            learners: OpenEnvGateway::new(hub.clone()),
            admission: Admission::new(bounds, hub.budget().clone()),
            hub,
            settings,
            metrics: Arc::new(Metrics::new()),
            guesses: Guesses::default(),
            sessions: Arc::default(),
            data: store,
            sync,
            next_connection: AtomicU64::new(1),
            closing: watch::Sender::new(false),
        });
        let clients = contents.as_mut().map(|contents| contents.take(CLIENT)).transpose()?;
        clients.into_iter().flatten().for_each(|(key, kept)| gateway.reopen(key, kept));
        Ok(gateway)
    }

    /// Restores a stored session.
    fn reopen(&self, key: String, KeptClient { session, role, bound }: KeptClient) {
        let outbox = self.new_outbox(key.clone());
        match self.hub.reopen_session(session, outbox.clone()) {
            Some(session) => drop(self.sessions.lock().insert(key, Client { session, outbox, role, bound })),
            None => self.data.iter().for_each(|data| data.remove(CLIENT, &key)),
        }
    }

    fn new_outbox(&self, key: String) -> Arc<Outbox> {
        let memory = self.hub.budget().limit();
        Arc::new(Outbox::new(self.metrics.clone(), key, self.sessions.clone(), self.data.clone(), memory))
    }

    /// Writes the changes that are not written yet. Returns whether the changes up to the mark are written; if not,
    /// the bell rings when it is worth checking again.
    async fn settle<B: Bell + 'static>(&self, mark: Mark, bell: &Arc<B>) -> bool {
        let Some(data) = self.data.clone() else { return true };
        // Wait a moment: changes of other connections can be written in the same transaction.
        if self.metrics.connections.get() > 1 {
            yield_now().await;
            if data.is_written(mark) {
                return true;
            }
        }
        let bell: Arc<dyn Bell> = bell.clone();
        if !self.sync {
            return data.settle(mark, &bell);
        }
        // A blocking task, since it waits for the disk.
        spawn_blocking(move || data.settle(mark, &bell)).await.unwrap_or(false)
    }

    /// Waits until the changes so far are written.
    ///
    /// # Errors
    /// Returns the reason if they cannot be written.
    pub(crate) async fn written<B: Bell + 'static>(&self, bell: &Arc<B>) -> Result<(), Arc<str>> {
        let Some(data) = &self.data else { return Ok(()) };
        let mark = data.mark();
        while !self.settle(mark, bell).await {
            if let Some(reason) = data.failure() {
                return Err(reason);
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Writes the changes so far. Blocks until they are written.
    ///
    /// # Errors
    /// Returns the reason if they cannot be written.
    pub(crate) fn write(&self) -> Result<(), Arc<str>> {
        let Some(data) = &self.data else { return Ok(()) };
        let (mark, bell): (_, Arc<dyn Bell>) = (data.mark(), Arc::new(Silent));
        while !data.settle(mark, &bell) {
            if let Some(reason) = data.failure() {
                return Err(reason);
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Creates an environment.
    pub(crate) fn create(&self, request: CreateEnvironment) -> Result<EnvironmentStatus, Error> {
        self.hub.create(request).map_err(|error| Error::from(&error))
    }

    /// Completes when the gateway closes.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.closing.subscribe();
        async move {
            // An error means that the gateway has been dropped.
            let _ = closing.wait_for(|closing| *closing).await;
        }
    }

    pub(crate) fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Closes the hub and all connections.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
        self.hub.close();
    }

    /// Whether all environments have ended and all connections are closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.hub.has_ended() && self.metrics.connections.get() == 0
    }

    /// Grants the rights of a token to a client at this address. The error for a wrong token is delayed.
    pub(crate) async fn grant(&self, wanted: Right, token: Option<&str>, peer: IpAddr) -> Result<Grant, hub::Error> {
        let granted = self.settings.access.grant(wanted, token);
        if granted == Err(hub::Error::TokenUnknown) {
            self.delay_wrong("token", peer).await;
        }
        granted
    }

    /// Delays the response to a client at this address, which has sent a wrong token or secret.
    pub(crate) async fn delay_wrong(&self, what: &'static str, peer: IpAddr) {
        let delay = self.guesses.note(peer, Instant::now());
        tracing::warn!(%peer, ?delay, "refused a wrong {what}");
        sleep(delay).await;
    }

    /// Grants a client the rights of its token, if its protocol version is supported.
    async fn admit(&self, hello: &Hello, peer: IpAddr) -> Result<Grant, Error> {
        let Hello { protocol, role, token, .. } = hello;
        if *protocol != PROTOCOL {
            let message = format!(
                "this server speaks version {PROTOCOL} of the protocol, not {protocol}; use a client for version {PROTOCOL}"
            );
            return Err(Error::new(Code::Version, message).with_details(PROTOCOL));
        }
        let granted = self.grant(right_of(*role), token.as_deref(), peer).await;
        granted.map_err(|error| Error::from(&error))
    }

    /// Opens or resumes the session of a connection. Attaching sends the greeting before anything else.
    fn greet(
        &self,
        hello: Hello,
        grant: Grant,
        (connection, peer): (u64, IpAddr),
        attach: impl FnOnce(&Outbox, &Greeting),
    ) -> Result<Client, Error> {
        let Hello { role, resume, token, client: program, heartbeat_ms, .. } = hello;
        let limits = self.limits(role);
        let token = token.unwrap_or_default();
        let asked = heartbeat_ms.map(|heartbeat| Duration::from_millis(heartbeat).max(SHORTEST_HEARTBEAT));
        let heartbeat = asked.into_iter().chain(self.settings.heartbeat).min();
        let resumed = resume.is_some();
        let (resume, client) = match resume {
            Some(resume) => (resume.clone(), self.find(&resume, role, grant, &token)?),
            None => self.begin(role, grant, &token, limits, heartbeat.is_some())?,
        };
        if resumed {
            self.hub.suspend_session(&client.session);
        }
        let program: Option<String> = program.map(|program| program.chars().take(PROGRAM).collect());
        tracing::info!(session = client.session.number(), connection, %peer, ?role, program, resumed, "greeted");
        let greeting = Greeting {
            protocol: PROTOCOL,
            server: concat!("situated ", env!("CARGO_PKG_VERSION")).into(),
            rights: grant.rights.iter().collect(),
            resume,
            resumed,
            grace_ms: u64::try_from(self.settings.grace.as_millis()).unwrap_or(u64::MAX),
            heartbeat_ms: heartbeat.and_then(|heartbeat| u64::try_from(heartbeat.as_millis()).ok()),
            limits,
            time: wall_clock(),
        };
        attach(&client.outbox, &greeting);
        if resumed && self.hub.resume_session(&client.session, heartbeat.is_some()).is_err() {
            client.outbox.detach(connection);
            return Err(no_such_session());
        }
        Ok(client)
    }

    fn begin(
        &self,
        role: Role,
        grant: Grant,
        token: &str,
        limits: Limits,
        is_attended: bool,
    ) -> Result<(String, Client), Error> {
        let resume = Token::random().map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        let resume = resume.as_str().to_owned();
        let (key, bound) = (fingerprint(&[&resume]), bound(&resume, grant, token));
        let outbox = self.new_outbox(key.clone());
        let limits = SessionLimits { agents: limits.agents, subscriptions: limits.subscriptions, is_attended };
        let session = self.hub.open_session(grant.rights, limits, outbox.clone());
        let session = session.map_err(|error| Error::from(&error))?;
        if let Some(data) = &self.data {
            self.hub.keep_session(&session);
            data.put(CLIENT, &key, &KeptClient { session: session.number(), role, bound: bound.clone() });
        }
        let client = Client { session, outbox, role, bound };
        self.sessions.lock().insert(key, client.clone());
        Ok((resume, client))
    }

    /// Returns the session with this resume token, if it was opened in this role and with the same token.
    fn find(&self, resume: &str, role: Role, grant: Grant, token: &str) -> Result<Client, Error> {
        let client = self.sessions.lock().get(&fingerprint(&[resume])).cloned().ok_or_else(no_such_session)?;
        let is_same_grant = client.session.rights() == grant.rights && client.bound == bound(resume, grant, token);
        if client.role != role || !is_same_grant {
            let message = "the session was opened in another role, or with another token; resume it with those";
            return Err(Error::new(Code::Forbidden, message));
        }
        Ok(client)
    }

    /// The limits of a session in this role.
    fn limits(&self, role: Role) -> Limits {
        let limits = self.settings.limits;
        if role == Role::Agent { Limits { agents: 1, ..limits } } else { limits }
    }
}

/// The fingerprint of a resume token and of the token with which the session was opened. On a server without tokens,
/// the client's token is ignored.
fn bound(resume: &str, grant: Grant, token: &str) -> String {
    fingerprint(&[resume, if grant.token.is_some() { token } else { "" }])
}

/// The right that a role needs. The session also has all other rights of its token.
fn right_of(role: Role) -> Right {
    match role {
        Role::Agent | Role::Platform => Right::Act,
        Role::Observer => Right::Observe,
        Role::Host => Right::Host,
    }
}

fn no_such_session() -> Error {
    Error::new(Code::SessionEnded, "there is no session with this resume token; it has ended, open a new one")
}

/// Records each environment into its own file in this folder.
fn into_folder(folder: PathBuf, settings: RecorderSettings) -> Arc<NewRecorder> {
    Arc::new(move |environment: &str| {
        let recorder = McapRecorder::create(&new_file(&folder, environment), settings).map_err(io::Error::other)?;
        Ok(Box::new(recorder) as _)
    })
}

/// The path of a new recording, named after the environment and the time.
fn new_file(folder: &Path, environment: &str) -> PathBuf {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let environment: String = environment.chars().map(harmless).take(64).collect();
    let time = wall_clock();
    let mut file = folder.join(format!("{environment}-{time}.mcap"));
    let mut number = 2;
    while file.exists() {
        file = folder.join(format!("{environment}-{time}-{number}.mcap"));
        number += 1;
    }
    file
}
