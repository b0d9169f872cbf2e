//! What all connections of a server share: its environments, its sessions, and the names of agents.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use situated::iil::EcoString;
use situated::interface::{Command, FIRST_SEED, NAME_LENGTH};
use situated::ontology::{Ontology, Pace};
use situated::suggestion::{did_you_mean, nearest};
use situated_runtime::{Clock, HostDeadlines, Input, Owner, Recorder, Request, Speed, Tempo};
use situated_wire::methods::{
    CreateEnvironment, DescribeKind, EnvironmentStatus, Environments, Greeting, Hello, Host, Hosting, KindDescription,
    Right, Role, Standing,
};
use situated_wire::notifications::EnvironmentsListed;
use situated_wire::{Code, Error, PROTOCOL};
use tokio::sync::watch;

use crate::called::Called;
use crate::caller::Caller;
use crate::catalogue::{Catalogue, Kind};
use crate::instance::{Instance, Job, Ticket};
use crate::metrics::Metrics;
use crate::outbox::Lagging;
use crate::refusal::refusal;
use crate::session::{Ended, Session};
use crate::settings::Settings;

/// What all connections share.
pub(crate) struct Hub {
    pub(crate) settings: Settings,
    pub(crate) metrics: Arc<Metrics>,
    catalogue: Catalogue,
    instances: RwLock<BTreeMap<EcoString, Arc<Instance>>>,
    /// By resume token.
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    /// Whose the agents are that have come through the server, by session.
    names: Mutex<HashMap<EcoString, u64>>,
    /// Who wants to know which environments there are.
    watchers: Mutex<BTreeMap<(u64, u64), Arc<Session>>>,
    next_session: AtomicU64,
    next_connection: AtomicU64,
    closing: watch::Sender<bool>,
}

impl Hub {
    pub(crate) fn new(settings: Settings, catalogue: Catalogue) -> Arc<Self> {
        Arc::new(Self {
            settings,
            metrics: Arc::new(Metrics::new()),
            catalogue,
            instances: RwLock::default(),
            sessions: Mutex::default(),
            names: Mutex::default(),
            watchers: Mutex::default(),
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

    /// Begins a session, or goes on with one.
    pub(crate) fn greet(&self, hello: Hello, connection: u64) -> Result<(Arc<Session>, Greeting), Error> {
        let Hello { protocol, role, token, resume, client } = hello;
        if protocol != PROTOCOL {
            let message = format!("this server speaks version {PROTOCOL} of the protocol, not {protocol}");
            return Err(Error::new(Code::Version, message).with_details(PROTOCOL));
        }
        if self.is_closing() {
            return Err(shutting_down());
        }
        let rights = self.settings.access.rights(role, token.as_deref())?;
        let resumed = resume.is_some();
        let session = match resume {
            Some(resume) => self.find_session(&resume, role, &rights)?,
            None => {
                let number = self.next_session.fetch_add(1, Ordering::Relaxed);
                let (limits, metrics) = (self.settings.limits, self.metrics.clone());
                let session = Arc::new(Session::new(number, secret()?, role, rights, limits, metrics));
                lock(&self.sessions).insert(session.resume.clone(), session.clone());
                self.metrics.sessions.inc();
                session
            }
        };
        tracing::info!(session = session.number, connection, ?role, client, resumed, "greeted");
        let greeting = Greeting {
            protocol: PROTOCOL,
            server: concat!("situated ", env!("CARGO_PKG_VERSION")).into(),
            rights: session.rights.clone(),
            resume: session.resume.clone(),
            resumed,
            grace_ms: milliseconds(self.settings.grace),
            limits: session.limits,
            time: wall_clock(),
        };
        Ok((session, greeting))
    }

    /// A session goes on: what it has subscribed to is told anew.
    pub(crate) fn resume(&self, session: &Session) {
        let (subscriptions, hosted) = {
            let belongings = session.belongings();
            (belongings.subscriptions.clone(), belongings.hosted.clone())
        };
        let hosted = hosted.iter().filter_map(|environment| self.find(environment).ok());
        let concerned: BTreeMap<EcoString, Arc<Instance>> =
            subscriptions.into_values().flatten().chain(hosted).map(|one| (one.name.clone(), one)).collect();
        concerned.values().for_each(|instance| instance.submit(Job::Resumed { session: session.number }));
        self.tell_of_environments();
    }

    /// A connection is lost: its session has so long to come back.
    pub(crate) fn lose(self: &Arc<Self>, session: Arc<Session>, connection: u64) {
        if !session.outbox().detach(connection) {
            return;
        }
        let belongings = session.belongings();
        let has_something = !belongings.is_empty();
        drop(belongings);
        if !has_something || self.is_closing() {
            return self.end_session(&session);
        }
        let (hub, grace) = (self.clone(), self.settings.grace);
        tracing::info!(session = session.number, connection, "lost its connection");
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            if session.outbox().is_forsaken_by(connection) {
                hub.end_session(&session);
            }
        });
    }

    /// A session ends: its agents are unregistered.
    pub(crate) fn end_session(&self, session: &Arc<Session>) {
        if lock(&self.sessions).remove(&session.resume).is_none() {
            return;
        }
        self.metrics.sessions.dec();
        let Ended { agents, subscriptions, hosted } = session.belongings().end();
        for instance in hosted.iter().filter_map(|environment| self.find(environment).ok()) {
            instance.submit(Job::HostGone { session: session.number });
            let _ = self.remove(&instance.name);
        }
        lock(&self.watchers).retain(|(of, _), _| *of != session.number);
        let mut concerned: BTreeMap<EcoString, Arc<Instance>> = BTreeMap::new();
        let environments = agents.values().flatten().filter_map(|environment| self.find(environment).ok());
        for instance in environments.chain(subscriptions.into_values().flatten()) {
            concerned.insert(instance.name.clone(), instance);
        }
        for instance in concerned.values() {
            instance.submit(Job::Gone { session: session.number });
        }
        let mut names = lock(&self.names);
        for agent in agents.keys() {
            if names.get(agent) == Some(&session.number) {
                names.remove(agent);
            }
        }
        tracing::info!(session = session.number, agents = agents.len(), "ended");
    }

    /// An agent is to have this name, which nobody else has.
    pub(crate) fn claim_name(&self, agent: &EcoString, session: u64) -> Result<(), Error> {
        let mut names = lock(&self.names);
        match names.get(agent) {
            Some(owner) if *owner != session => {
                let message = format!("somebody else on this server has an agent `{agent}`; choose another name");
                Err(Error::new(Code::AgentTaken, message))
            }
            _ => {
                names.insert(agent.clone(), session);
                Ok(())
            }
        }
    }

    /// An agent is registered nowhere any more.
    pub(crate) fn release_name(&self, agent: &str, session: u64) {
        let mut names = lock(&self.names);
        if names.get(agent) == Some(&session) {
            names.remove(agent);
        }
    }

    /// The environment of this name.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<Instance>, Error> {
        let instances = self.instances.read().unwrap_or_else(PoisonError::into_inner);
        instances.get(name).cloned().ok_or_else(|| {
            let near = did_you_mean(nearest(name, instances.keys().map(EcoString::as_str)));
            let name: String = name.chars().take(64).collect();
            Error::new(Code::NoSuchEnvironment, format!("there is no environment `{name}` on this server{near}"))
        })
    }

    /// How all environments stand, by name.
    pub(crate) fn statuses(&self) -> Vec<EnvironmentStatus> {
        let instances = self.instances.read().unwrap_or_else(PoisonError::into_inner);
        instances.values().map(|instance| instance.status()).collect()
    }

    pub(crate) fn list(&self) -> Environments {
        Environments { environments: self.statuses(), kinds: self.catalogue.listed(), time: wall_clock() }
    }

    pub(crate) fn describe_kind(&self, call: &DescribeKind) -> Result<KindDescription, Error> {
        Ok(KindDescription { ontology: (*self.kind(&call.kind)?.ontology).clone(), time: wall_clock() })
    }

    /// Makes an environment.
    pub(crate) fn create(self: &Arc<Self>, call: CreateEnvironment) -> Result<Standing, Error> {
        let CreateEnvironment { kind, environment, parameters, seed, pace, speed, patience_ms, start } = call;
        let kind = self.kind(&kind)?;
        let tempo = tempo(&kind.ontology, pace, speed, patience_ms)?;
        let owner = Owner::new((kind.interface)(), tempo);
        let mut commands = vec![Command::Init { parameters, seed: seed.unwrap_or(FIRST_SEED) }];
        commands.extend(start.then_some(Command::Start));
        let called = Called::new(environment, &kind.ontology.name);
        Ok(Standing { status: self.add(called, owner, commands)?.status() })
    }

    /// Adds an environment that somebody hosts. Its first episode begins when the host has been told that it is there.
    pub(crate) fn host(self: &Arc<Self>, caller: Caller, call: Host) {
        let session = caller.session().clone();
        let Host { ontology, environment, parameters, seed, pace, speed, patience_ms, start, begin_ms, answer_ms } =
            call;
        let called = Called::new(environment, &ontology.name);
        let begin = move || -> Result<Arc<Instance>, Error> {
            let tempo = tempo(&ontology, pace, speed, patience_ms)?;
            let usual = HostDeadlines::default();
            let deadlines = HostDeadlines {
                begin: begin_ms.map_or(usual.begin, Duration::from_millis),
                other: answer_ms.map_or(usual.other, Duration::from_millis),
            };
            let owner = Owner::hosted(ontology, tempo, deadlines).map_err(|error| refusal(&error))?;
            let instance = self.install(called, owner, Clock::new(), Some(session.clone()))?;
            session.belongings().hosted.insert(instance.name.clone());
            Ok(instance)
        };
        match begin() {
            Err(error) => caller.refuse(&error),
            Ok(instance) => {
                caller.answer(&Hosting { environment: instance.name.clone().into(), time: wall_clock() });
                let init = Command::Init { parameters, seed: seed.unwrap_or(FIRST_SEED) };
                instance.submit(Job::Begin { init, start });
            }
        }
    }

    /// Adds an environment under a name, which begins with these commands.
    pub(crate) fn add(
        self: &Arc<Self>,
        called: Called,
        mut owner: Owner<Ticket>,
        commands: Vec<Command>,
    ) -> Result<Arc<Instance>, Error> {
        let clock = Clock::new();
        for command in commands {
            owner.submit(Ticket::NOBODY, Request::Input(Input::Manage(command)), clock.now());
            while let Some((_, answered)) = owner.next_reply() {
                answered.map_err(|error| refusal(&error))?;
            }
        }
        self.install(called, owner, clock, None)
    }

    /// Puts an environment in its place.
    fn install(
        self: &Arc<Self>,
        called: Called,
        owner: Owner<Ticket>,
        clock: Clock,
        host: Option<Arc<Session>>,
    ) -> Result<Arc<Instance>, Error> {
        let instance = {
            let mut instances = self.instances.write().unwrap_or_else(PoisonError::into_inner);
            let name = called.among(&instances);
            if name.is_empty() || name.len() > NAME_LENGTH {
                let message = format!("the name of an environment has 1 to {NAME_LENGTH} bytes");
                return Err(Error::new(Code::EnvironmentName, message));
            }
            if self.is_closing() {
                return Err(shutting_down());
            }
            let limit = self.settings.environments;
            if instances.len() >= limit {
                let message = format!("there are {limit} environments already; remove one first");
                return Err(Error::new(Code::Limit, message));
            }
            if instances.contains_key(&name) {
                let message = format!("there is an environment `{name}` already; choose another name");
                return Err(Error::new(Code::EnvironmentName, message));
            }
            let owner = match self.recorder(&name)? {
                Some(recorder) => owner.with_recorder(recorder),
                None => owner,
            };
            let instance = Instance::new(self, name.clone(), owner, clock, host);
            instances.insert(name, instance.clone());
            instance
        };
        instance.start();
        tracing::info!(environment = %instance.name, kind = %instance.ontology.name, "begun");
        self.tell_of_environments();
        Ok(instance)
    }

    /// Ends an environment and removes it.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Error> {
        let instance = self.find(name)?;
        self.instances.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        instance.submit(Job::End);
        tracing::info!(environment = name, "removed");
        self.tell_of_environments();
        Ok(())
    }

    /// The server shuts down: episodes are closed, clients are told.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
        let instances: Vec<Arc<Instance>> =
            self.instances.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        instances.iter().for_each(|instance| instance.submit(Job::End));
        let sessions: Vec<Arc<Session>> = lock(&self.sessions).values().cloned().collect();
        sessions.iter().for_each(|session| session.outbox().close(shutting_down()));
    }

    /// Whether all environments have ended and nobody is connected any more.
    pub(crate) fn is_closed(&self) -> bool {
        let instances = self.instances.read().unwrap_or_else(PoisonError::into_inner);
        instances.values().all(|instance| instance.has_ended()) && self.metrics.connections.get() == 0
    }

    /// Somebody wants to know which environments there are.
    pub(crate) fn watch_environments(&self, session: &Arc<Session>, subscription: u64) {
        lock(&self.watchers).insert((session.number, subscription), session.clone());
        self.tell_session_of_environments(session);
    }

    pub(crate) fn ignore_environments(&self, session: &Session, subscription: u64) {
        lock(&self.watchers).remove(&(session.number, subscription));
    }

    /// Tells everybody who wants to know which environments there are.
    pub(crate) fn tell_of_environments(&self) {
        let watchers: Vec<((u64, u64), Arc<Session>)> =
            lock(&self.watchers).iter().map(|(key, session)| (*key, session.clone())).collect();
        self.tell_watchers(&watchers);
    }

    pub(crate) fn tell_session_of_environments(&self, session: &Session) {
        let of_session = (session.number, 0)..=(session.number, u64::MAX);
        let watchers: Vec<((u64, u64), Arc<Session>)> =
            lock(&self.watchers).range(of_session).map(|(key, session)| (*key, session.clone())).collect();
        self.tell_watchers(&watchers);
    }

    fn tell_watchers(&self, watchers: &[((u64, u64), Arc<Session>)]) {
        if watchers.is_empty() {
            return;
        }
        let environments = self.statuses();
        for ((_, subscription), session) in watchers {
            if session.outbox().has_room(|| Lagging::Server) {
                let (subscription, environments) = (*subscription, environments.clone());
                session.notify(&EnvironmentsListed { subscription, environments, time: wall_clock() });
            }
        }
    }

    fn find_session(&self, resume: &str, role: Role, rights: &[Right]) -> Result<Arc<Session>, Error> {
        let ended = || {
            let message = "there is no session with this resume token; it has ended, begin a new one";
            Error::new(Code::SessionEnded, message)
        };
        let session = lock(&self.sessions).get(resume).cloned().ok_or_else(ended)?;
        if session.role != role || session.rights != rights {
            let message = "the session was begun in another role, or with another token";
            return Err(Error::new(Code::Forbidden, message));
        }
        Ok(session)
    }

    fn kind(&self, name: &str) -> Result<&Kind, Error> {
        self.catalogue.find(name).ok_or_else(|| {
            let near = did_you_mean(nearest(name, self.catalogue.names()));
            let name: String = name.chars().take(64).collect();
            Error::new(Code::NoSuchKind, format!("there is no kind of environment `{name}`{near}"))
        })
    }

    /// A recorder for an environment, if all are recorded.
    fn recorder(&self, environment: &str) -> Result<Option<Recorder>, Error> {
        let Some((folder, settings)) = &self.settings.record else { return Ok(None) };
        let file = file_in(folder, environment);
        let failed = |error| Error::new(Code::Internal, format!("the environment cannot be recorded: {error}"));
        Recorder::create(&file, *settings).map(Some).map_err(failed)
    }
}

/// A file for a recording that there is not yet, named after the environment and the time.
fn file_in(folder: &Path, environment: &str) -> std::path::PathBuf {
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

/// Who moves the time of an environment, and how fast, where some of it is said.
fn tempo(
    ontology: &Ontology,
    pace: Option<Pace>,
    speed: Option<f64>,
    patience_ms: Option<u64>,
) -> Result<Tempo, Error> {
    let pace = pace.unwrap_or(ontology.pace);
    let wrong = |error| Error::new(Code::InvalidParameters, format!("`speed`: {error}"));
    let speed = speed.map_or(Ok(Speed::of(pace)), |hertz| Speed::try_hertz(hertz).map_err(wrong))?;
    Ok(Tempo { pace, speed, patience: patience_ms.map(Duration::from_millis) })
}

pub(crate) fn shutting_down() -> Error {
    Error::new(Code::ShuttingDown, "the server is shutting down")
}

/// A token that nobody guesses: 128 random bits.
fn secret() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(Code::Internal, format!("the system has no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Wall-clock time in milliseconds since the beginning of 1970, UTC.
pub(crate) fn wall_clock() -> u64 {
    milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
