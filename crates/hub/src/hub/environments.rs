//! Creating and removing environments.

use std::collections::BTreeMap;
use std::sync::Arc;

use situated::iil::EcoString;
use situated::interface::{Command, FIRST_SEED, NAME_LENGTH};
use situated::names::check_clear;
use situated::ontology::Ontology;
use situated_runtime::{Clock, Input, Owner, Speed, Tempo};

use super::restoring::{Keeping, Restored};
use super::{AtHub, Hub};
use crate::answers::{DoneByHub, EnvironmentList, EnvironmentStatus, Examined, Hosting, KindDescription};
use crate::budget::Charge;
use crate::environment::{Destination, DrivenEnvironment, Job, Profile, RecordingRule, RunningEnvironment};
use crate::error::Error;
use crate::reply::Reply;
use crate::requests::{
    Beginning, CreateEnvironment, DescribeKind, Examine, HostEnvironment, ListEnvironments, RemoveEnvironment,
};
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
    fn new(wanted: Option<EcoString>, kind: &str) -> Result<Self, Error> {
        check_clear(wanted.as_deref().unwrap_or(kind)).map_err(Error::UnclearEnvironment)?;
        Ok(wanted.map_or_else(|| Naming::Like(kind.into()), Naming::Exactly))
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
        let CreateEnvironment { kind, beginning, agents, kept } = request;
        let kind = self.kinds.find(&kind)?;
        let team = kind.team(&agents)?;
        let owner = Owner::new((kind.interface)(), beginning.tempo(&kind.ontology)).with_team(team);
        let mut commands = vec![beginning.init()];
        commands.extend(beginning.start.then_some(Command::Start));
        let naming = Naming::new(beginning.name, &kind.ontology.name)?;
        let keeping = if kept { Keeping::New { agents } } else { Keeping::Not };
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
            environment.submit(Job::HostGone);
            self.end_environment(&environment);
        }
    }

    fn end_environment(&self, environment: &Arc<RunningEnvironment>) {
        let name = environment.profile.name();
        if let (Some(data), Some(journal)) = (&self.settings.data, environment.profile.journal()) {
            data.remove_environment(name, journal);
        }
        environment.submit(Job::End { reason: Error::EnvironmentEnded { name: name.clone() } });
        tracing::info!(environment = name.as_str(), "removed");
        self.watchers.change();
    }
}

impl Beginning {
    /// The pace and speed of an environment that declares this.
    fn tempo(&self, ontology: &Ontology) -> Tempo {
        let pace = self.pace.unwrap_or(ontology.pace);
        Tempo { pace, speed: self.speed.unwrap_or(Speed::of(pace)), patience: self.patience }
    }

    /// The command that begins the first episode.
    fn init(&self) -> Command {
        Command::Init { parameters: self.parameters.clone(), seed: self.seed.unwrap_or(FIRST_SEED) }
    }
}

impl AtHub for ListEnvironments {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let (environments, kinds) = (hub.statuses(), hub.kinds.ontologies().cloned().collect());
        reply.answer(EnvironmentList { environments, kinds });
    }
}

impl AtHub for DescribeKind {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        reply.send(
            hub.kinds
                .find(&self.kind)
                .map(|kind| KindDescription { ontology: kind.ontology.clone(), agents: kind.agents.clone() }),
        );
    }
}

impl AtHub for Examine {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let Examine { kind, document, parameters, seed } = self;
        reply.send(hub.kinds.find(&kind).and_then(|kind| {
            let examined = (kind.interface)().examine(&document, &parameters, seed);
            examined.map(Examined).map_err(|error| Error::from(situated_runtime::Error::Interface(error)))
        }));
    }
}

impl AtHub for CreateEnvironment {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        reply.send(hub.create(self));
    }
}

impl AtHub for RemoveEnvironment {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        if let Err(error) = hub.check_data() {
            return reply.refuse(error);
        }
        let removed = hub.environments.write().remove(&self.environment);
        reply.send(match removed {
            Some(environment) => {
                hub.end_environment(&environment);
                Ok(DoneByHub)
            }
            None => hub.find(&self.environment).map(|_| DoneByHub),
        });
    }
}

impl AtHub for HostEnvironment {
    /// The first episode begins after the answer was sent to the host.
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let HostEnvironment { ontology, beginning, terms } = self;
        let session = reply.session().clone();
        let (tempo, init, start) = (beginning.tempo(&ontology), beginning.init(), beginning.start);
        let naming = Naming::new(beginning.name, &ontology.name);
        let begin = || -> Result<Arc<RunningEnvironment>, Error> {
            terms.check()?;
            let naming = naming?;
            let owner = Owner::hosted(*ontology, tempo, terms)?;
            let keeping = Keeping::Hosted { init: init.clone(), start };
            let environment =
                hub.install(&naming, owner, Clock::new(), Some(session.clone()), keeping, WithoutRoom::Refuse)?;
            let added = session.belongings().add_hosted(environment.profile.name());
            // A session that has ended meanwhile hosts nothing.
            added.inspect_err(|_| hub.remove_hosted(environment.profile.name(), session.number()))?;
            Ok(environment)
        };
        match begin() {
            Err(error) => reply.refuse(error),
            Ok(environment) => {
                reply.answer(Hosting { environment: environment.profile.name().clone() });
                environment.submit(Job::Begin { init, start });
            }
        }
    }
}
