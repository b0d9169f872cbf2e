//! Creating and removing environments.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use situated::iil::Parameter;
use situated::interface::{Command, FIRST_SEED};
use situated::ontology::{Ontology, Pace};
use situated_runtime::{Clock, HostTerms, Input, Owner, Speed, Tempo, wall_clock};
use situated_wire::Name;
use situated_wire::methods::{
    BuiltInAgent, CreateEnvironment, DescribeKind, EnvironmentStatus, Environments, Examine, Examined, Host, Hosting,
    Kind, KindDescription, ListEnvironments, RemoveEnvironment, StatusAnswer,
};

use super::installing::{Keeping, Naming, WithoutRoom};
use super::{AtHub, Hub};
use crate::environment::{Destination, DrivenEnvironment, RunningEnvironment, speed};
use crate::error::Error;
use crate::reply::Reply;
use crate::session::Session;

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
            Ok(Examined { examination: examined?, time: wall_clock() })
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
        reply.send_time(match removed {
            Some(environment) => {
                hub.end_environment(&environment);
                Ok(())
            }
            None => hub.find(&self.environment).map(drop),
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
