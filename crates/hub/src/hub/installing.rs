//! Installing environments: their names, memory, recorders and data.

use std::collections::BTreeMap;
use std::sync::Arc;

use situated::iil::EcoString;
use situated::interface::{Command, NAME_LENGTH, State};
use situated::names::check_clear;
use situated_runtime::{Clock, Owner};
use situated_wire::Name;
use situated_wire::methods::AgentRule;

use super::Hub;
use crate::budget::Charge;
use crate::conversations::Recorded;
use crate::data::{EnvironmentJournal, KeptEnvironment, KeptHosting, KeptSubscription};
use crate::environment::{Destination, Profile, RecordingRule, Returning, RunningEnvironment};
use crate::error::Error;
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
    pub(super) fn new(wanted: Option<Name>, kind: &str) -> Result<Self, Error> {
        check_clear(wanted.as_ref().map_or(kind, |name| name.as_str())).map_err(Error::UnclearEnvironment)?;
        Ok(wanted.map_or_else(|| Naming::Like(kind.into()), |name| Naming::Exactly(name.0)))
    }

    /// Returns the name, given the names that are taken.
    pub(super) fn among(&self, is_taken: impl Fn(&EcoString) -> bool) -> EcoString {
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

/// The way in which an installed environment is stored, if the hub has data.
pub(super) enum Keeping {
    /// As a new environment, with these rules for its built-in agents.
    New { agents: Vec<AgentRule> },
    /// As a new environment of a host. Its first episode begins later.
    Hosted { init: Command, start: bool },
    /// As one that was stored before.
    Again(KeptEnvironment),
    /// Not at all.
    Not,
}

impl Keeping {
    /// A new environment without built-in agents.
    pub(super) const NEW: Self = Keeping::New { agents: Vec::new() };
}

/// The agents and subscriptions that sessions had in an environment in another process.
pub(super) struct Restored {
    pub(super) agents: Returning,
    pub(super) subscriptions: Vec<(Arc<Session>, KeptSubscription)>,
    pub(super) beginning: Option<(Command, bool)>,
}

impl Hub {
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
            let recorded: Arc<dyn Recorded> = environment.clone();
            self.conversations.begin_recording(Arc::downgrade(&recorded));
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

    /// Begins to store an environment, if the hub has data. Returns the key of its journal, and what is restored of
    /// its sessions.
    fn keep(
        &self,
        name: &EcoString,
        owner: &mut Owner<Destination>,
        host: Option<&Arc<Session>>,
        keeping: Keeping,
    ) -> Result<(Option<String>, Option<Restored>), Error> {
        let Some(data) = &self.settings.data else { return Ok((None, None)) };
        let hosting = |(init, start)| host.map(|host| KeptHosting { session: host.number(), init, start });
        let new = |host, agents| {
            let (kind, version) = (owner.ontology().name.as_str().into(), owner.ontology().version.clone());
            KeptEnvironment { kind, version, journal: data.new_journal_key(name), host, agents }
        };
        let (kept, is_again) = match keeping {
            Keeping::New { agents } => (new(None, agents), false),
            Keeping::Hosted { init, start } => (new(hosting((init, start)), Vec::new()), false),
            Keeping::Again(kept) => (kept, true),
            Keeping::Not => return Ok((None, None)),
        };
        let restored = is_again.then(|| {
            let beginning = kept.host.clone().filter(|_| owner.state() == State::Initializing);
            self.restored(data, name, beginning.map(|KeptHosting { init, start, .. }| (init, start)))
        });
        // If the process ends before the environment is stored, the next start removes the journal.
        owner.keep(Box::new(EnvironmentJournal::new(data.store().clone(), &kept.journal)))?;
        data.put_environment(name, &kept);
        Ok((Some(kept.journal), restored))
    }
}
