//! Environments come and go.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Command, FIRST_SEED, NAME_LENGTH};
use situated::names::{did_you_mean, nearest};
use situated::ontology::{Ontology, Pace};
use situated_recording::McapRecorder;
use situated_runtime::{Clock, HostDeadlines, Input, Owner, Request, Speed, Tempo, wall_clock};
use situated_wire::methods::{
    CreateEnvironment, DescribeKind, Environments, Host, Hosting, KindDescription, StatusAnswer,
};
use situated_wire::{Code, Error};

use super::{Hub, shutting_down};
use crate::called::Called;
use crate::caller::Caller;
use crate::catalogue::Kind;
use crate::instance::{Identity, Instance, Job, Ticket};
use crate::refusal::refusal;
use crate::session::Session;

impl Hub {
    pub(crate) fn list(&self) -> Environments {
        Environments { environments: self.statuses(), kinds: self.catalogue.listed(), time: wall_clock() }
    }

    pub(crate) fn describe_kind(&self, call: &DescribeKind) -> Result<KindDescription, Error> {
        Ok(KindDescription { ontology: (*self.kind(&call.kind)?.ontology).clone(), time: wall_clock() })
    }

    /// Makes an environment.
    pub(crate) fn create(self: &Arc<Self>, call: CreateEnvironment) -> Result<StatusAnswer, Error> {
        let CreateEnvironment { kind, environment, parameters, seed, pace, speed, patience_ms, start } = call;
        let kind = self.kind(&kind)?;
        let tempo = tempo(&kind.ontology, pace, speed, patience_ms)?;
        let owner = Owner::new((kind.interface)(), tempo);
        let mut commands = vec![Command::Init { parameters, seed: seed.unwrap_or(FIRST_SEED) }];
        commands.extend(start.then_some(Command::Start));
        let called = Called::new(environment, &kind.ontology.name);
        Ok(StatusAnswer { status: self.add(called, owner, commands)?.status() })
    }

    /// Adds an environment that somebody hosts. Its first episode begins when the host has been told that it is there.
    pub(crate) fn host(self: &Arc<Self>, caller: Caller, call: Host) {
        let session = caller.session().clone();
        let Host {
            ontology,
            environment,
            parameters,
            seed,
            pace,
            speed,
            patience_ms,
            start,
            begin_timeout_ms,
            answer_timeout_ms,
        } = call;
        let called = Called::new(environment, &ontology.name);
        let begin = move || -> Result<Arc<Instance>, Error> {
            let tempo = tempo(&ontology, pace, speed, patience_ms)?;
            let usual = HostDeadlines::default();
            let deadlines = HostDeadlines {
                begin: begin_timeout_ms.map_or(usual.begin, Duration::from_millis),
                other: answer_timeout_ms.map_or(usual.other, Duration::from_millis),
            };
            let owner = Owner::hosted(ontology, tempo, deadlines).map_err(|error| refusal(&error))?;
            let instance = self.install(called, owner, Clock::new(), Some(session.clone()))?;
            let added = session.belongings().add_hosted(&instance.identity().name);
            // Who has gone meanwhile hosts nothing.
            added.inspect_err(|_| self.remove_hosted(&instance.identity().name, session.number))?;
            Ok(instance)
        };
        match begin() {
            Err(error) => caller.refuse(&error),
            Ok(instance) => {
                caller.answer(&Hosting { environment: instance.identity().name.clone().into(), time: wall_clock() });
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
        let name = self.name(&called, &self.instances.read())?;
        // Nobody waits for a slow disk.
        let owner = match self.recorder(&name)? {
            Some(recorder) => owner.with_recorder(recorder),
            None => owner,
        };
        let instance = {
            let mut instances = self.instances.write();
            let name = self.name(&called, &instances)?;
            let (ontology, status) = (owner.ontology().clone(), owner.status());
            let (agent_names, listing) = (self.agent_names.clone(), self.listing.clone());
            let identity = Identity::new(name.clone(), ontology, host, status, agent_names, listing);
            let instance = Instance::new(identity, owner, clock);
            instances.insert(name, instance.clone());
            instance
        };
        instance.start();
        tracing::info!(environment = %instance.identity().name, kind = %instance.identity().ontology.name, "begun");
        self.listing.change();
        Ok(instance)
    }

    /// The name that one more environment has among these.
    fn name(&self, called: &Called, instances: &BTreeMap<EcoString, Arc<Instance>>) -> Result<EcoString, Error> {
        let name = called.among(instances);
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
        Ok(name)
    }

    /// Ends an environment and removes it.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Error> {
        let removed = self.instances.write().remove(name);
        match removed {
            Some(instance) => {
                self.end(&instance);
                Ok(())
            }
            None => self.find(name).map(drop),
        }
    }

    /// Ends an environment and removes it, because its host has gone.
    pub(super) fn remove_hosted(&self, name: &str, host: u64) {
        let removed = {
            let mut instances = self.instances.write();
            // By now it may be another one's.
            let is_its_own = instances.get(name).is_some_and(|instance| instance.identity().host_of(host).is_some());
            if is_its_own { instances.remove(name) } else { None }
        };
        if let Some(instance) = removed {
            instance.submit(Job::HostGone { session: host });
            self.end(&instance);
        }
    }

    fn end(&self, instance: &Arc<Instance>) {
        let name = &instance.identity().name;
        let reason = Error::new(Code::NoSuchEnvironment, format!("environment `{name}` has ended"));
        instance.submit(Job::End { reason });
        tracing::info!(environment = %name, "removed");
        self.listing.change();
    }

    fn kind(&self, name: &str) -> Result<&Kind, Error> {
        self.catalogue.find(name).ok_or_else(|| {
            let near = did_you_mean(nearest(name, self.catalogue.names()));
            let name: String = name.chars().take(64).collect();
            Error::new(Code::NoSuchKind, format!("there is no kind of environment `{name}`{near}"))
        })
    }

    /// A recorder for an environment, if all are recorded.
    fn recorder(&self, environment: &str) -> Result<Option<McapRecorder>, Error> {
        let Some((folder, settings)) = &self.settings.record else { return Ok(None) };
        let file = file_in(folder, environment);
        let failed = |error| Error::new(Code::Internal, format!("the environment cannot be recorded: {error}"));
        McapRecorder::create(&file, *settings).map(Some).map_err(failed)
    }
}

/// A file for a recording that there is not yet, named after the environment and the time.
fn file_in(folder: &Path, environment: &str) -> PathBuf {
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
