//! An environment under check that is accessed by names only. Its state, sections and encoding are not accessible.

use std::collections::BTreeMap;

use situated::environment::{Ending, Entity, Measure};
use situated::iil::{Action, EcoString, Parameter};
use situated::interface::{Command, EnvironmentInterface, Error, Form, Since, State};
use situated::ontology::Ontology;
use situated::scene::Scene;

use super::subject::{Acted, Broken, Perceived, Subject, free_name};

/// Creates an interface to an environment.
pub(super) type Make = dyn FnMut() -> Result<Box<dyn EnvironmentInterface>, Broken>;

/// An environment under check that is accessed by names only.
pub(super) struct ByName {
    make: Box<Make>,
    parameters: BTreeMap<String, Parameter>,
    interface: Box<dyn EnvironmentInterface>,
}

impl ByName {
    pub(super) fn new(mut make: Box<Make>, parameters: BTreeMap<String, Parameter>) -> Result<Self, Broken> {
        let interface = make()?;
        Ok(Self { make, parameters, interface })
    }

    /// Begins another episode of the same environment, and removes the agents of the last one.
    fn reset(&mut self, seed: u64) -> Result<(), Error> {
        for agent in self.interface.agents() {
            self.interface.unregister_agent(&agent)?;
        }
        let parameters = self.parameters.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
        self.interface.manage(Command::Reset { parameters: Some(parameters), seed: Some(seed) })
    }
}

impl Subject for ByName {
    fn ontology(&self) -> &Ontology {
        self.interface.ontology()
    }

    fn begin(&mut self, seed: u64) -> Result<(), Broken> {
        let goes_on = matches!(self.interface.state(), State::Running | State::Paused);
        if !goes_on || self.reset(seed).is_err() {
            self.interface = (self.make)()?;
            self.interface.manage(Command::Init { parameters: self.parameters.clone(), seed })?;
        }
        Ok(self.interface.manage(Command::Start)?)
    }

    fn entities(&mut self) -> Result<Vec<Entity>, Broken> {
        entities(&mut *self.interface)
    }

    fn act(&mut self, entity: &str, action: &Action) -> Result<Acted, Broken> {
        act(&mut *self.interface, entity, action)
    }

    fn step(&mut self) -> Result<(), Broken> {
        Ok(self.interface.step()?)
    }

    fn join(&mut self, entity_type: &str) -> Result<bool, Broken> {
        join(&mut *self.interface, entity_type)
    }

    fn leave(&mut self, entity: &str) -> Result<(), Broken> {
        leave(&mut *self.interface, entity)
    }

    fn perceive(&mut self, entity: &str) -> Result<Perceived, Broken> {
        let agent = agent_of(&*self.interface, entity)?;
        let received = self.interface.perceive(&agent, &[entity], Form::Snapshot, Since::LastCall)?;
        let received = received.into_iter().next();
        Ok(received.map(|(_, received)| Perceived::without_sections(received.add, received.events)).unwrap_or_default())
    }

    fn scene(&mut self, viewer: Option<&str>) -> Result<Scene, Broken> {
        Ok(self.interface.scene(viewer)?)
    }

    fn ending(&mut self) -> Result<Option<Ending>, Broken> {
        Ok(self.interface.ending())
    }

    fn results(&mut self) -> Result<Vec<Measure>, Broken> {
        Ok(self.interface.outcome().map(|outcome| outcome.results).unwrap_or_default())
    }
}

/// Gives each free entity an agent, and returns the entities in order of creation.
pub(super) fn entities(interface: &mut dyn EnvironmentInterface) -> Result<Vec<Entity>, Broken> {
    for entity in interface.free_entities() {
        // The environment may delete an entity when another one is taken.
        if interface.entity_type(&entity).is_ok() {
            let agent = register(interface)?;
            interface.associate_entity(&agent, &entity)?;
        }
    }
    let entity = |name: EcoString| {
        let entity_type = interface.entity_type(&name)?.into();
        Ok(Entity { name, entity_type })
    };
    interface.entities().into_iter().map(entity).collect()
}

/// Executes an action through an entity.
pub(super) fn act(interface: &mut dyn EnvironmentInterface, entity: &str, action: &Action) -> Result<Acted, Broken> {
    let agent = agent_of(interface, entity)?;
    let results = match interface.perform_action(&agent, action, &[entity]) {
        Ok(results) => results,
        Err(error @ Error::NotSupportedByEnvironment { .. }) => return Ok(Acted::Forbidden(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    match results.into_iter().next() {
        Some((_, Ok(found))) => Ok(Acted::Done(found)),
        Some((_, Err(error @ Error::NotSupportedByType { .. }))) => Ok(Acted::Forbidden(error.to_string())),
        Some((_, Err(Error::Failure { reason, .. } | Error::NotSupportedByEntity { reason, .. }))) => {
            Ok(Acted::Refused(reason))
        }
        Some((_, Err(error))) => Err(error.into()),
        None => Err(Broken(format!("an action of `{entity}` has no result"))),
    }
}

/// Lets a new agent request an entity of this type. Returns whether it got one.
pub(super) fn join(interface: &mut dyn EnvironmentInterface, entity_type: &str) -> Result<bool, Broken> {
    let agent = register(interface)?;
    let given = interface.request_entity(&agent, entity_type, None).is_ok();
    if !given {
        interface.unregister_agent(&agent)?;
    }
    Ok(given)
}

/// Unregisters the agents of an entity.
pub(super) fn leave(interface: &mut dyn EnvironmentInterface, entity: &str) -> Result<(), Broken> {
    let agents = interface.associated_agents(entity)?;
    agents.iter().try_for_each(|agent| Ok(interface.unregister_agent(agent)?))
}

/// Registers an agent under a free name.
fn register(interface: &mut dyn EnvironmentInterface) -> Result<EcoString, Error> {
    let agents = interface.agents();
    let name = free_name("agent", |name| agents.iter().any(|agent| agent == name));
    interface.register_agent(&name)?;
    Ok(name)
}

fn agent_of(interface: &dyn EnvironmentInterface, entity: &str) -> Result<EcoString, Broken> {
    let agents = interface.associated_agents(entity)?;
    agents.into_iter().next().ok_or_else(|| Broken(format!("entity `{entity}` has lost its agent")))
}
