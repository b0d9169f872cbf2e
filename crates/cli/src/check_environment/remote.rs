//! An environment on a server under check, such as one that a host provides.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use situated::environment::{Ending, Entity, Measure, Outcome};
use situated::iil::{Action, EcoString, Parameter, Percept};
use situated::interface::{Command, Form, Since};
use situated::ontology::{Ontology, Pace};
use situated::scene::Scene;
use situated_checker::{Acted, Broken, Clock, Perceived, Report, Settings, Subject, free_name, is_declared};
use situated_client::{Client, Environment, Error};
use situated_wire::methods::{
    Act, Associate, EntityListed, EntityResult, GetOutcome, Perceive, Register, RequestEntity, Role, Step, Turn,
    Unregister,
};
use situated_wire::{Code, Name, Right};
use tokio::runtime::{Builder, Runtime};

use crate::connected_host::wait_for_host;

/// Time that a host has to finish the last change of state.
const BUSY: Duration = Duration::from_secs(10);

/// Time between two tries.
const AGAIN: Duration = Duration::from_millis(20);

/// Maximum time to wait for a step of an environment with its own clock, which may count no steps.
const LONGEST_STEP: Duration = Duration::from_millis(100);

/// An environment on a server under check.
pub(super) struct Remote {
    client: Client,
    environment: Environment,
    name: Name,
    ontology: Ontology,
    pace: Pace,
    /// Whether a host in another process runs it.
    is_hosted: bool,
    parameters: BTreeMap<String, Parameter>,
    /// The agents of this client, by entity.
    agents: BTreeMap<EcoString, Name>,
    /// The types of these entities.
    types: BTreeMap<EcoString, EcoString>,
    /// Runs the server that the host connected to.
    _server: Option<Runtime>,
}

impl Remote {
    /// Connects to the environment with this name on a server.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, or has no such environment, or does not grant the right
    /// to manage it.
    pub(super) fn connect(
        url: &str,
        token: Option<String>,
        environment: &str,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let connect = Client::connect(url).role(Role::Platform).program("situated check-environment");
        let client = token.into_iter().fold(connect, |connect, token| connect.token(token)).wait()?;
        if !client.greeting().rights.contains(&Right::Manage) {
            bail!("the check resets `{environment}`, which needs the right to manage; give a token with it (--token)");
        }
        let described = client.environment(environment).describe().wait().with_context(|| url.to_owned())?;
        // Parameters stay as they are, unless others are given.
        let mut parameters = described.parameters.unwrap_or_default();
        parameters.extend(settings.parameters.clone());
        Ok(Self {
            environment: client.environment(environment),
            client,
            name: Name::from(environment),
            ontology: described.ontology,
            pace: described.status.pace,
            is_hosted: described.status.hosted,
            parameters,
            agents: BTreeMap::new(),
            types: BTreeMap::new(),
            _server: None,
        })
    }

    /// The environment of a host that connects to a server opened here.
    ///
    /// # Errors
    /// Returns an error if no host connects.
    pub(super) fn of_host(port: Option<u16>, settings: &Settings) -> anyhow::Result<Self> {
        let server = Builder::new_multi_thread().enable_all().build()?;
        let host = server.block_on(wait_for_host(port.unwrap_or(situated_server::PORT)))?;
        let remote = Self::connect(&host.server, None, &host.environment, settings)?;
        Ok(Self { _server: Some(server), ..remote })
    }

    pub(super) fn check(mut self, settings: &Settings) -> Report {
        settings.check_subject(&mut self)
    }

    fn register(&mut self) -> Result<Name, Broken> {
        let known = self.environment.entities().wait()?.agents;
        let name = Name(free_name("check", |name| known.iter().any(|known| known.0 == name)));
        self.client.call(Register { environment: self.name.clone(), agent: name.clone() }).wait()?;
        Ok(name)
    }

    fn unregister(&self, agent: Name) -> Result<(), Broken> {
        self.client.call(Unregister { environment: self.name.clone(), agent }).wait()?;
        Ok(())
    }

    /// Executes a command. A host that is still busy with the last one, such as the start that it has asked for, gets
    /// time for it.
    fn manage(&self, command: &Command) -> Result<(), Broken> {
        let begun = Instant::now();
        loop {
            match self.environment.manage(command.clone()).wait() {
                Err(error) if error.code() == Some(Code::Busy) && begun.elapsed() < BUSY => thread::sleep(AGAIN),
                done => return Ok(done?),
            }
        }
    }

    /// Waits until the host has reported the effects of changed agents. It does its tasks in order.
    fn settle(&self) -> Result<(), Broken> {
        // A host may be unable to pause.
        match self.is_hosted && self.clock() != Clock::Own && self.manage(&Command::Pause).is_ok() {
            true => self.manage(&Command::Start),
            false => Ok(()),
        }
    }

    /// Gives each free entity an agent. Returns whether there were any, and the entities of this client.
    fn take_entities(&mut self) -> Result<(bool, Vec<Entity>), Broken> {
        let listed = self.environment.entities().wait()?.entities;
        self.agents.retain(|entity, _| listed.iter().any(|listed| listed.entity.0 == *entity));
        let free: Vec<&EntityListed> = listed.iter().filter(|listed| listed.agents.is_empty()).collect();
        for free in &free {
            let (agent, entity) = (self.register()?, free.entity.clone());
            let associate = Associate { environment: self.name.clone(), agent: agent.clone(), entity: entity.clone() };
            self.client.call(associate).wait()?;
            self.agents.insert(entity.0, agent);
        }
        let are_new = !free.is_empty();
        // Leaves out entities of other agents.
        let own = listed.into_iter().filter(|listed| self.agents.contains_key(&listed.entity.0));
        let own: Vec<Entity> =
            own.map(|listed| Entity { name: listed.entity.0, entity_type: listed.entity_type.0 }).collect();
        self.types = own.iter().map(|entity| (entity.name.clone(), entity.entity_type.clone())).collect();
        Ok((are_new, own))
    }

    /// Reads the ontology again if it does not declare these percepts: a host may have added to it.
    fn learn(&mut self, entity: &str, percepts: &[Percept]) -> Result<(), Broken> {
        let of = self.types.get(entity).and_then(|of| self.ontology.find_entity_type(of));
        let knows = |percept| of.is_some_and(|of| self.ontology.check_percept(of, percept).is_ok());
        if self.is_hosted && !percepts.iter().all(knows) {
            self.ontology = self.environment.describe().wait()?.ontology;
        }
        Ok(())
    }

    fn do_action(&self, entity: &str, action: &Action) -> Result<Acted, Broken> {
        let entity_type = self.types.get(entity).map_or("", EcoString::as_str);
        // The server refuses an undeclared action at once. In a turn, the step would wait for an agent that has not
        // chosen.
        if self.pace == Pace::Lockstep && is_declared(&self.ontology, entity_type, action) {
            let acted = self.turn(Some((entity, action)))?;
            return acted.ok_or_else(|| Broken(format!("an action of `{entity}` has no result")));
        }
        let (environment, agent) = (self.name.clone(), self.agent(entity)?);
        let act = Act { environment, agent, action: action.clone(), entities: Vec::new(), number: None };
        match self.client.call(act).wait() {
            Ok(acted) => result(acted.results),
            Err(error) => refusal(error),
        }
    }

    /// Waits until time has passed.
    fn await_step(&self) -> Result<(), Broken> {
        let now = || self.environment.status().wait().map(|status| (status.moment.episode, status.moment.step));
        let (begun, before) = (Instant::now(), now()?);
        while now()? == before && begun.elapsed() < LONGEST_STEP {
            thread::sleep(AGAIN);
        }
        Ok(())
    }

    fn agent(&self, entity: &str) -> Result<Name, Broken> {
        let agent = self.agents.get(entity).cloned();
        agent.ok_or_else(|| Broken(format!("there is no agent for entity `{entity}`")))
    }

    fn outcome(&self) -> Result<Option<Outcome>, Broken> {
        Ok(self.client.call(GetOutcome { environment: self.name.clone() }).wait()?.outcome)
    }

    /// Makes a step in lockstep, in which at most one entity acts. Returns the result of the action.
    fn turn(&self, acting: Option<(&str, &Action)>) -> Result<Option<Acted>, Broken> {
        let turn = |(entity, agent): (&EcoString, &Name)| {
            let action = acting.filter(|(acting, _)| *acting == entity.as_str()).map(|(_, action)| action.clone());
            Turn::new(agent.clone(), action)
        };
        let (environment, agents) = (self.name.clone(), self.agents.iter().map(turn).collect());
        let step = Step { environment, agents, form: Form::Update, since: Since::LastCall, perceive: false };
        let mut taken = self.client.call(step).wait()?.agents.into_iter();
        let Some((entity, _)) = acting else { return Ok(None) };
        let agent = self.agent(entity)?;
        let Some(taken) = taken.find(|taken| taken.agent == agent) else { return Ok(None) };
        match taken.error {
            Some(error) => refusal(Error::Refused(*error)).map(Some),
            None => result(taken.results).map(Some),
        }
    }
}

impl Subject for Remote {
    fn ontology(&self) -> &Ontology {
        &self.ontology
    }

    /// With a reactive pace, the server makes the step itself.
    fn clock(&self) -> Clock {
        match self.pace {
            Pace::Reactive => Clock::Actions,
            Pace::Lockstep => Clock::Turns,
            Pace::RealTime { .. } | Pace::Own => Clock::Own,
        }
    }

    fn begin(&mut self, seed: u64) -> Result<(), Broken> {
        for agent in std::mem::take(&mut self.agents).into_values() {
            self.unregister(agent)?;
        }
        let parameters = self.parameters.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
        self.manage(&Command::Reset { parameters: Some(parameters), seed: Some(seed) })?;
        // The host reports what these entities perceive before it starts.
        self.take_entities()?;
        self.manage(&Command::Start)
    }

    fn entities(&mut self) -> Result<Vec<Entity>, Broken> {
        let (are_new, entities) = self.take_entities()?;
        if are_new {
            self.settle()?;
        }
        Ok(entities)
    }

    fn act(&mut self, entity: &str, action: &Action) -> Result<Acted, Broken> {
        let acted = self.do_action(entity, action)?;
        if let Acted::Done(found) = &acted {
            self.learn(entity, found)?;
        }
        Ok(acted)
    }

    fn step(&mut self) -> Result<(), Broken> {
        match self.pace {
            Pace::Reactive => {}
            Pace::Lockstep => drop(self.turn(None)?),
            Pace::RealTime { .. } | Pace::Own => self.await_step()?,
        }
        Ok(())
    }

    fn join(&mut self, entity_type: &str) -> Result<bool, Broken> {
        let (agent, entity_type) = (self.register()?, Name::from(entity_type));
        let request = RequestEntity { environment: self.name.clone(), agent: agent.clone(), entity_type, name: None };
        match self.client.call(request).wait() {
            Ok(given) => {
                self.agents.insert(given.entity.0, agent);
                self.settle().map(|()| true)
            }
            Err(Error::Refused(_)) => self.unregister(agent).map(|()| false),
            Err(error) => Err(error.into()),
        }
    }

    fn leave(&mut self, entity: &str) -> Result<(), Broken> {
        let Some(agent) = self.agents.remove(entity) else { return Ok(()) };
        self.unregister(agent)?;
        self.settle()
    }

    fn perceive(&mut self, entity: &str) -> Result<Perceived, Broken> {
        let (environment, agent) = (self.name.clone(), self.agent(entity)?);
        let (form, since) = (Form::Snapshot, Since::LastCall);
        let perceive = Perceive { form, since, ..Perceive::new(environment, agent) };
        let Some(one) = self.client.call(perceive).wait()?.perceptions.into_iter().next() else {
            return Ok(Perceived::default());
        };
        self.learn(entity, &one.add)?;
        self.learn(entity, &one.events)?;
        Ok(Perceived::without_sections(one.add, one.events))
    }

    fn scene(&mut self, viewer: Option<&str>) -> Result<Scene, Broken> {
        Ok(self.environment.scene(viewer).wait()?.scene)
    }

    fn ending(&mut self) -> Result<Option<Ending>, Broken> {
        Ok(self.outcome()?.and_then(|outcome| outcome.ending))
    }

    fn results(&mut self) -> Result<Vec<Measure>, Broken> {
        Ok(self.outcome()?.map(|outcome| outcome.results).unwrap_or_default())
    }
}

/// Returns the result of an action through one entity.
fn result(results: Vec<EntityResult>) -> Result<Acted, Broken> {
    match results.into_iter().next() {
        Some(EntityResult { error: Some(error), .. }) => refusal(Error::Refused(*error)),
        Some(EntityResult { percepts, .. }) => Ok(Acted::Done(percepts)),
        // The action is done and returned nothing.
        None => Ok(Acted::Done(Vec::new())),
    }
}

/// Returns the result for a refused action.
fn refusal(error: Error) -> Result<Acted, Broken> {
    match error.code() {
        Some(Code::NotSupportedByEnvironment | Code::NotSupportedByType) => Ok(Acted::Forbidden(error.to_string())),
        Some(Code::Failure | Code::NotSupportedByEntity) => Ok(Acted::Refused(error.to_string())),
        _ => Err(error.into()),
    }
}
