//! Creating and removing environments.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use situated::iil::{EcoString, Parameter};
use situated::interface::{Command, FIRST_SEED, NAME_LENGTH};
use situated::names::check_clear;
use situated::ontology::{Ontology, Pace};
use situated_runtime::{Clock, HostTerms, Input, Owner, Speed, Tempo, wall_clock};
use situated_wire::Name;
use situated_wire::methods::{
    BuiltInAgent, CreateEnvironment, DescribeKind, EnvironmentStatus, Environments, Examine, Examined, Host, Hosting,
    Kind, KindDescription, ListEnvironments, RemoveEnvironment, ServerTime, StatusAnswer,
};

use super::restoring::{Keeping, Restored};
use super::{AtHub, Hub};
use crate::budget::Charge;
use crate::environment::{Destination, DrivenEnvironment, Profile, RecordingRule, RunningEnvironment, speed};
use crate::error::Error;
use crate::reply::Reply;
use crate::session::Session;

/// What happens to a new environment for which the budget has no room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WithoutRoom {
    /// It is refused, since a client wants it.
    Refuse,
    /// It only counts, since the person who runs the hub wants it.
    Count,
}

/// The name that a new environment gets.
pub(super) enum Naming {
    /// Exactly this name.
    Exactly(EcoString),
    /// This name, with a number appended if it is taken.
    Like(EcoString),
}

impl Naming {
    /// The name that a client gives to an environment, or else that of its kind, which a host also gives.
    fn new(wanted: Option<Name>, kind: &str) -> Result<Self, Error> {
        check_clear(wanted.as_ref().map_or(kind, |name| name.as_str())).map_err(Error::UnclearEnvironment)?;
        Ok(wanted.map_or_else(|| Naming::Like(kind.into()), |name| Naming::Exactly(name.0)))
    }

    /// Returns the name, given the names that are taken.
    fn among(&self, is_taken: impl Fn(&EcoString) -> bool) -> EcoString {
        let name = match self {
            Naming::Exactly(name) => return name.clone(),
            Naming::Like(name) => name,
        };
        let (mut numbered, mut number) = (name.clone(), 1);
        while is_taken(&numbered) {
            number += 1;
            numbered = format!("{name}-{number}").into();
        }
        numbered
    }
}

impl Hub {
    /// Creates an environment of a kind.
    ///
    /// # Errors
    /// The same as for the request [`CreateEnvironment`].
    pub fn create(&self, request: CreateEnvironment) -> Result<EnvironmentStatus, Error> {
        let CreateEnvironment {
            kind,
            environment,
            parameters,
            seed,
            pace,
            speed: hertz,
            patience_ms,
            start,
            agents,
            temporary,
        } = request;
        let kind = self.kinds.find(&kind)?;
        let beginning = Beginning { parameters, seed, pace: checked(pace)?, speed: speed(hertz)?, patience_ms };
        let owner = Owner::new((kind.interface)(), beginning.tempo(&kind.ontology)).with_team(kind.team(&agents)?);
        let mut commands = vec![beginning.init()];
        commands.extend(start.then_some(Command::Start));
        let naming = Naming::new(environment, &kind.ontology.name)?;
        let keeping = if temporary { Keeping::Not } else { Keeping::New { agents } };
        Ok(self.begin(naming, owner, commands, keeping, WithoutRoom::Refuse)?.profile.status())
    }

    /// Adds an environment with this owner, which executes these commands first. If the name is taken, a number is
    /// appended. If an environment of this name and kind was stored, the owner restores that one instead of executing
    /// the commands.
    ///
    /// # Errors
    /// Returns an error if a command is rejected, there are too many environments, or the stored environment cannot
    /// be restored.
    pub fn add(
        &self,
        name: &str,
        owner: Owner<Destination>,
        commands: Vec<Command>,
    ) -> Result<EnvironmentStatus, Error> {
        let name_if_kept = Naming::Like(name.into()).among(|name| self.environments.read().contains_key(name));
        if let Some(kept) = self.take_kept(&name_if_kept, &owner.ontology().name) {
            return Ok(self.restore_environment(name_if_kept, kept, Some(owner))?.profile.status());
        }
        Ok(self.begin(Naming::Like(name.into()), owner, commands, Keeping::NEW, WithoutRoom::Count)?.profile.status())
    }

    /// Adds an environment whose time the caller advances.
    ///
    /// # Errors
    /// Returns an error if a command is rejected, or there are too many environments.
    pub fn add_driven(
        &self,
        name: &str,
        owner: Owner<Destination>,
        commands: Vec<Command>,
    ) -> Result<DrivenEnvironment, Error> {
        let environment = self.begin(Naming::Like(name.into()), owner, commands, Keeping::NEW, WithoutRoom::Count)?;
        environment.leave_to_driver();
        Ok(DrivenEnvironment(environment))
    }

    /// Direct access to the owner of an environment.
    ///
    /// # Errors
    /// Returns an error if there is no such environment.
    pub fn environment(&self, name: &str) -> Result<DrivenEnvironment, Error> {
        self.find(name).map(DrivenEnvironment)
    }

    /// Adds an environment that a session hosts. Returns it with the command that begins its first episode, and whether time
    /// runs then.
    fn host(&self, request: Host, session: &Arc<Session>) -> Result<(Arc<RunningEnvironment>, Command, bool), Error> {
        let Host { ontology, environment, parameters, seed, pace, speed: hertz, patience_ms, start, .. } = request;
        let beginning = Beginning { parameters, seed, pace: checked(pace)?, speed: speed(hertz)?, patience_ms };
        let (tempo, init) = (beginning.tempo(&ontology), beginning.init());
        let usual = HostTerms::default();
        let terms = HostTerms {
            begin_timeout: request.begin_timeout_ms.map_or(usual.begin_timeout, Duration::from_millis),
            answer_timeout: request.answer_timeout_ms.map_or(usual.answer_timeout, Duration::from_millis),
            steps_with_actions: request.steps_with_actions,
        };
        terms.check()?;
        let naming = Naming::new(environment, &ontology.name)?;
        let owner = Owner::hosted(ontology, tempo, terms)?;
        let keeping = Keeping::Hosted { init: init.clone(), start };
        let host = Some(session.clone());
        let environment = self.install(&naming, owner, Clock::new(), host, keeping, WithoutRoom::Refuse)?;
        let added = session.belongings().add_hosted(environment.profile.name());
        // A session that has ended meanwhile hosts nothing.
        added.inspect_err(|_| self.remove_hosted(environment.profile.name(), session.number()))?;
        Ok((environment, init, start))
    }

    /// Lets an owner execute the first commands, and installs it.
    fn begin(
        &self,
        naming: Naming,
        mut owner: Owner<Destination>,
        commands: Vec<Command>,
        keeping: Keeping,
        without_room: WithoutRoom,
    ) -> Result<Arc<RunningEnvironment>, Error> {
        let clock = Clock::new();
        for command in commands {
            owner.apply(Destination::NOBODY, Input::Manage(command), clock.now());
            while let Some((_, answered)) = owner.next_reply() {
                answered?;
            }
        }
        self.install(&naming, owner, clock, None, keeping, without_room)
    }

    /// Adds an environment under its name and starts it.
    pub(super) fn install(
        &self,
        naming: &Naming,
        owner: Owner<Destination>,
        clock: Clock,
        host: Option<Arc<Session>>,
        keeping: Keeping,
        without_room: WithoutRoom,
    ) -> Result<Arc<RunningEnvironment>, Error> {
        self.check_data()?;
        let name = self.choose_name(naming, &self.environments.read())?;
        let mut owner = owner;
        let charge = self.charge(&name, &mut owner, host.as_ref(), without_room)?;
        // The recorder is created before the lock is taken: disks are slow.
        let owner = match &self.settings.record {
            Some(new_recorder) => {
                let recorder = new_recorder(&name).map_err(|error| Error::Recording { reason: error.to_string() })?;
                owner.with_recorder(recorder)
            }
            None => owner,
        };
        let (environment, restored) = {
            let mut environments = self.environments.write();
            let name = self.choose_name(naming, &environments)?;
            let mut owner = owner;
            let (journal, restored) = self.keep(&name, &mut owner, host.as_ref(), keeping)?;
            let profile = Profile::new(
                name.clone(),
                &owner,
                host,
                journal,
                self.post.clone(),
                self.watchers.clone(),
                self.remarks.clone(),
            );
            let recording = RecordingRule {
                pauses_unrecorded: self.settings.pause_unrecorded,
                failures: self.failed_recordings.clone(),
            };
            let environment = RunningEnvironment::new(profile, owner, clock, recording, charge);
            environments.insert(name, environment.clone());
            (environment, restored)
        };
        if let Some(Restored { agents, subscriptions, beginning }) = restored {
            environment.restore(&agents, subscriptions, beginning);
        }
        if environment.is_recorded() {
            self.conversations.begin_recording(&environment);
        }
        environment.start(&self.executor);
        tracing::info!(environment = environment.profile.name().as_str(), "begun");
        self.watchers.change();
        Ok(environment)
    }

    /// Counts the memory of a new environment.
    fn charge(
        &self,
        name: &EcoString,
        owner: &mut Owner<Destination>,
        host: Option<&Arc<Session>>,
        without_room: WithoutRoom,
    ) -> Result<Charge, Error> {
        let mut charge = host.map_or_else(|| self.budget.charge(), |host| host.share().charge());
        owner.measure();
        let bytes = owner.kept_bytes();
        match without_room {
            WithoutRoom::Refuse => charge.resize(bytes).map_err(|reason| {
                let what = format!("environment `{name}`");
                Error::NoRoom { what, reason }
            })?,
            WithoutRoom::Count => charge.set(bytes),
        }
        Ok(charge)
    }

    /// Chooses the name for a new environment.
    fn choose_name(
        &self,
        naming: &Naming,
        environments: &BTreeMap<EcoString, Arc<RunningEnvironment>>,
    ) -> Result<EcoString, Error> {
        let is_kept = |name: &EcoString| {
            self.settings.data.as_ref().is_some_and(|data| data.kept().environments.contains_key(name))
        };
        let name = naming.among(|name| environments.contains_key(name) || is_kept(name));
        if name.is_empty() || name.len() > NAME_LENGTH {
            return Err(Error::EnvironmentName);
        }
        if self.is_closing() {
            return Err(Error::ShuttingDown);
        }
        let limit = self.settings.environments;
        if environments.len() >= limit {
            return Err(Error::Limit { what: "environments on this server", limit, remedy: "remove one first" });
        }
        if environments.contains_key(&name) || is_kept(&name) {
            return Err(Error::EnvironmentTaken { name });
        }
        Ok(name)
    }

    /// Removes an environment that a session hosted.
    pub(super) fn remove_hosted(&self, name: &str, host: u64) {
        let removed = {
            let mut environments = self.environments.write();
            // Another environment may have the name by now.
            let is_its_own = environments.get(name).is_some_and(|environment| environment.profile.is_hosted_by(host));
            if is_its_own { environments.remove(name) } else { None }
        };
        if let Some(environment) = removed {
            environment.submit(|seat, now| seat.lose_host(now));
            self.end_environment(&environment);
        }
    }

    fn end_environment(&self, environment: &Arc<RunningEnvironment>) {
        let name = environment.profile.name();
        if let (Some(data), Some(journal)) = (&self.settings.data, environment.profile.journal()) {
            data.remove_environment(name, journal);
        }
        let reason = Error::EnvironmentEnded { name: name.clone() };
        environment.submit(move |seat, now| seat.end(&reason, now));
        tracing::info!(environment = name.as_str(), "removed");
        self.watchers.change();
    }
}

/// The way in which a new environment begins.
struct Beginning {
    parameters: BTreeMap<String, Parameter>,
    seed: Option<u64>,
    pace: Option<Pace>,
    speed: Option<Speed>,
    patience_ms: Option<u64>,
}

impl Beginning {
    /// The pace and speed of an environment that declares this.
    fn tempo(&self, ontology: &Ontology) -> Tempo {
        let (pace, patience) = (self.pace.unwrap_or(ontology.pace), self.patience_ms.map(Duration::from_millis));
        Tempo { pace, speed: self.speed.unwrap_or(Speed::of(pace)), patience }
    }

    /// The command that begins the first episode.
    fn init(&self) -> Command {
        Command::Init { parameters: self.parameters.clone(), seed: self.seed.unwrap_or(FIRST_SEED) }
    }
}

/// Returns a pace, after checking that its steps per second are a valid speed.
fn checked(pace: Option<Pace>) -> Result<Option<Pace>, Error> {
    if let Some(Pace::RealTime { steps_per_second }) = pace
        && Speed::try_hertz(steps_per_second).is_err()
    {
        let least = Speed::SLOWEST;
        let wrong = format!("`pace`: found {steps_per_second} steps per second, expected at least {least}");
        return Err(Error::Parameters(wrong));
    }
    Ok(pace)
}

impl AtHub for ListEnvironments {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let kind = |ontology: &Arc<Ontology>| Kind {
            kind: ontology.name.as_str().into(),
            summary: ontology.summary().to_owned(),
        };
        let (environments, kinds) = (hub.statuses(), hub.kinds.ontologies().map(kind).collect());
        reply.answer(Environments { environments, kinds, time: wall_clock() });
    }
}

impl AtHub for DescribeKind {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        reply.send(hub.kinds.find(&self.kind).map(|kind| {
            let agents = kind
                .agents
                .iter()
                .map(|agent| BuiltInAgent { name: agent.name.into(), documentation: agent.documentation.into() });
            KindDescription { ontology: (*kind.ontology).clone(), agents: agents.collect(), time: wall_clock() }
        }));
    }
}

impl AtHub for Examine {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let Examine { kind, document, parameters, seed } = self;
        reply.send(hub.kinds.find(&kind).and_then(|kind| {
            let examined = (kind.interface)().examine(&document, &parameters, seed);
            let examined = examined.map(|examination| Examined { examination, time: wall_clock() });
            examined.map_err(|error| Error::from(situated_runtime::Error::Interface(error)))
        }));
    }
}

impl AtHub for CreateEnvironment {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        reply.send(hub.create(self).map(|status| StatusAnswer { status }));
    }
}

impl AtHub for RemoveEnvironment {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        if let Err(error) = hub.check_data() {
            return reply.refuse(error);
        }
        let removed = hub.environments.write().remove(&self.environment.0);
        reply.send(match removed {
            Some(environment) => {
                hub.end_environment(&environment);
                Ok(ServerTime { time: wall_clock() })
            }
            None => hub.find(&self.environment).map(|_| ServerTime { time: wall_clock() }),
        });
    }
}

impl AtHub for Host {
    /// The first episode begins after the answer was sent to the host.
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        match hub.host(self, reply.session()) {
            Err(error) => reply.refuse(error),
            Ok((environment, init, start)) => {
                let name = Name(environment.profile.name().clone());
                reply.answer(Hosting { environment: name, time: wall_clock() });
                environment.submit(move |seat, now| seat.begin(init, start, now));
            }
        }
    }
}
