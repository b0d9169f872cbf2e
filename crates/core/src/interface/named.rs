//! The interface to environments of any kind.

use std::collections::BTreeMap;

use super::input::{Effect, Input, ReadAction, Results, Time};
use super::{
    Bookkeeping, Command, EncodedView, EntityId, Error, EventsHeard, Form, Interface, Perception, Progress, Since,
    Version,
};
use crate::document::Examination;
use crate::environment::{Ending, Environment, Episode, Outcome};
use crate::host::HostRequests;
use crate::iil::{Action, EcoString, Parameter, Percept};
use crate::menu::{Menu, MenuRequest};
use crate::ontology::typed::{InitParameters, Mismatch, TypedAction, TypedPercept};
use crate::scene::Scene;

/// The check of an action for one entity, before it is performed.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The entity's number.
    pub id: EntityId,
    /// Its name.
    pub entity: EcoString,
    /// Whether entities of its type can do this, or the reason why not.
    pub verdict: Result<(), Error>,
}

/// The interface between agents and an environment of any kind (layer 4). Below it, environments differ; above it, no
/// code depends on how one is made. Agents and entities are known by name, and everything that changes the
/// environment is an [`Input`]. Methods by name for each input and lookup (`register_agent`, `perform_action`,
/// `entities`, ...) are methods of `dyn EnvironmentInterface`.
///
/// [`Interface`] implements it for an environment in Rust, and [`HostedInterface`](crate::hosted::HostedInterface)
/// for one that a host runs elsewhere or in this process. To connect environments of another kind, implement
/// [`Host`](crate::host::Host). Implement this trait to put something between an owner and an interface, for example
/// to count or delay inputs.
pub trait EnvironmentInterface: Send {
    /// Returns ontology, state, agents, entities and the relation between them.
    fn bookkeeping(&self) -> &Bookkeeping;

    /// Returns the current episode, for reading; `None` before init and after kill.
    fn episode(&self) -> Option<&dyn EpisodeView>;

    /// Returns the encoding of the environment; `None` if it has none, or runs elsewhere.
    fn encoded(&self) -> Option<&dyn EncodedView> {
        None
    }

    /// Gives the environment an input.
    ///
    /// # Errors
    /// Returns an error if the input is refused. A refused input changes nothing, except for what the environment
    /// itself did in an attempt.
    fn apply(&mut self, input: &Input, now: Time) -> Result<Effect, Error>;

    /// Lets an agent act through the entities that it names, in this order, or through all that it has, in order of
    /// creation. Returns a result for each, except where the environment is run elsewhere and its host has yet to
    /// answer.
    ///
    /// The provided method applies an [`Input::Act`].
    ///
    /// # Errors
    /// Returns an error if the environment is not running, the agent is not registered or has no entities, a named
    /// entity is not its own, or the environment has no such action.
    fn perform_action(&mut self, agent: &str, action: &Action, entities: &[&str]) -> Result<Results, Error> {
        let entities = entities.iter().map(|entity| EcoString::from(*entity)).collect();
        let input = Input::Act { agent: agent.into(), action: action.clone().into(), entities };
        let now = Time { wall: self.bookkeeping().now, ..Time::default() };
        match self.apply(&input, now)? {
            Effect::Results(results) | Effect::Acting { refused: results, .. } => Ok(results),
            _ => Ok(Results::new()),
        }
    }

    /// Reads an action, to check it and to [keep](super::InputAction::keep) it for the input.
    ///
    /// # Errors
    /// Returns an error if the environment has no such action.
    fn read(&self, action: &Action) -> Result<ReadAction, Mismatch>;

    /// Perceives through the named entities of an agent, or through all of its entities.
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, the agent is not registered or has no
    /// entities, or does not control a named entity.
    fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
    ) -> Result<Vec<(EcoString, Perception)>, Error>;

    /// Reads the percepts of an entity without being its agent; see [`Interface::watch`].
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, or there is no such entity.
    fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error>;

    /// Notes that an agent has received the percepts of an entity up to a version.
    ///
    /// # Errors
    /// Returns an error if the agent does not control the entity, or the interface never returned the version.
    fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error>;

    /// Notes the version of an entity's percepts that an agent has; see [`Interface::know`].
    ///
    /// # Errors
    /// Returns an error if the agent does not control the entity.
    fn know(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error>;

    /// Returns the value of a property of an entity or of the environment; `None` if it has none at this time.
    ///
    /// # Errors
    /// Returns an error if there is no such entity, or that lists the properties if there is no such property.
    fn query(&self, entity: Option<&str>, property: &str) -> Result<Option<Parameter>, Error>;

    /// Returns the menu of a person who acts through an entity; see [`Interface::menu`].
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, or the agent does not control the entity.
    fn menu(&self, agent: &str, entity: &str, request: MenuRequest) -> Result<Menu, Error>;

    /// Returns the picture of the environment, as a whole or as an entity sees it; empty if there is no episode.
    ///
    /// # Errors
    /// Returns an error if there is no such entity.
    fn scene(&self, viewer: Option<&str>) -> Result<Scene, Error>;

    /// Examines a document, the value of the parameter with the name `document`; see [`Environment::examine`]. `None`
    /// if the environment has no such kind of documents, or runs elsewhere.
    ///
    /// # Errors
    /// Returns an error if a parameter is unknown, missing or of the wrong type.
    fn examine(
        &self,
        document: &str,
        parameters: &BTreeMap<String, Parameter>,
        seed: Option<u64>,
    ) -> Result<Option<Examination>, Error> {
        let _ = (document, parameters, seed);
        Ok(None)
    }

    /// Returns the whole state as bytes, from which the episode can continue.
    ///
    /// # Errors
    /// Returns an error if there is no episode, or the environment runs elsewhere.
    fn save(&self) -> Result<Vec<u8>, Error>;

    /// Replaces the current state by a saved one.
    ///
    /// # Errors
    /// Returns an error if the bytes were not saved by such an interface, or the environment runs elsewhere. The
    /// state is then unchanged.
    fn load(&mut self, saved: &[u8]) -> Result<(), Error>;

    /// Returns the progress of versions and events, which is not part of a saved state.
    fn progress(&self) -> Progress;

    /// Continues from the progress of another interface, whose state this one has loaded; see
    /// [`Interface::resume_progress`].
    fn resume_progress(&mut self, progress: &Progress);

    /// Sets how many events of an entity an agent knows, as another interface has noted it.
    ///
    /// # Errors
    /// Returns an error if the agent is not associated with the entity.
    fn set_heard(&mut self, agent: &str, entity: &str, heard: EventsHeard) -> Result<(), Error>;

    /// Notes that an agent has not received its last perception through an entity; see [`Interface::take_back`].
    /// Returns the events that it knows now.
    ///
    /// # Errors
    /// Returns an error if the agent is not associated with the entity.
    fn take_back(&mut self, agent: &str, entity: &str) -> Result<EventsHeard, Error>;

    /// Ends the environment for good without calling it again, because it has crashed.
    fn abandon(&mut self);

    /// Returns the number of bytes that the host makes the interface keep; 0 if the environment has no host.
    fn host_bytes(&self) -> usize {
        0
    }

    /// Limits the number of bytes that the host, if there is one, can make the interface keep. Reports beyond the limit
    /// are invalid.
    fn limit_host(&mut self, bytes: usize) {
        let _ = bytes;
    }

    /// Returns whether a host runs the environment, in this process or elsewhere. Its state cannot be saved then.
    fn is_hosted(&self) -> bool {
        false
    }

    /// Returns the requests to the host, if the environment runs elsewhere.
    fn host_requests(&self) -> Option<&HostRequests> {
        None
    }

    /// Mutable version of [`host_requests`](Self::host_requests).
    fn host_requests_mut(&mut self) -> Option<&mut HostRequests> {
        None
    }
}

/// An episode, for reading.
pub trait EpisodeView {
    /// Returns the parameters with their values.
    fn parameters(&self) -> BTreeMap<String, Parameter>;

    /// Returns how the episode ended, or `None` if it continues.
    fn ending(&self) -> Option<Ending>;

    /// Returns the outcome of the episode.
    fn outcome(&self) -> Outcome;

    /// Returns the hash of the state, as far as it is known here.
    fn hash(&self) -> u64;

    /// Returns the state as JSON, for people and for comparisons.
    fn inspect(&self) -> serde_json::Value;

    /// Returns the state as bytes for a recording, as far as it is known here, with the agents and the relation.
    fn snapshot(&self) -> Vec<u8>;

    /// A sentence for a percept, if the environment has one; see [`Environment::in_words`].
    fn in_words(&self, percept: &Percept) -> Option<String> {
        let _ = percept;
        None
    }
}

impl<E: Environment> EpisodeView for Interface<E> {
    fn parameters(&self) -> BTreeMap<String, Parameter> {
        Interface::parameters(self).map(E::Parameters::to_iil).unwrap_or_default()
    }

    fn ending(&self) -> Option<Ending> {
        Interface::episode(self)?.ending()
    }

    fn outcome(&self) -> Outcome {
        Interface::outcome(self).unwrap_or_default()
    }

    fn hash(&self) -> u64 {
        Interface::episode(self).map(Episode::hash).unwrap_or_default()
    }

    fn inspect(&self) -> serde_json::Value {
        Interface::episode(self).map(Episode::inspect).unwrap_or_default()
    }

    fn snapshot(&self) -> Vec<u8> {
        Interface::save(self).unwrap_or_default()
    }

    fn in_words(&self, percept: &Percept) -> Option<String> {
        E::in_words(percept)
    }
}

impl<E: Environment> EnvironmentInterface for Interface<E> {
    fn bookkeeping(&self) -> &Bookkeeping {
        &self.books
    }

    fn episode(&self) -> Option<&dyn EpisodeView> {
        Interface::episode(self).map(|_| self as &dyn EpisodeView)
    }

    fn encoded(&self) -> Option<&dyn EncodedView> {
        self.has_encoder().then_some(self as &dyn EncodedView)
    }

    fn apply(&mut self, input: &Input, now: Time) -> Result<Effect, Error> {
        self.set_time(now.wall);
        match input {
            Input::Manage(command) => self.manage(command.clone())?,
            Input::Register { agent } => drop(self.register(agent)?),
            Input::Unregister { agent } => self.unregister(self.find_agent(agent)?)?,
            Input::Associate { agent, entity } => self.associate(self.find_agent(agent)?, self.find_entity(entity)?)?,
            Input::FreePair { agent, entity } => self.free_pair(self.find_agent(agent)?, self.find_entity(entity)?)?,
            Input::FreeEntity { entity } => self.free_entity(self.find_entity(entity)?)?,
            Input::FreeAgent { agent } => self.free_agent(self.find_agent(agent)?)?,
            Input::RequestEntity { agent, entity_type, name } => {
                let given = self.request(self.find_agent(agent)?, entity_type, name.as_deref())?;
                return Ok(Effect::Entity(self.entity_name(given)));
            }
            Input::Act { agent, action, entities } => {
                let read = action.read_as(self.ontology().revision);
                return self.act_by_name(agent, &action.term, read, entities).map(Effect::Results);
            }
            Input::ActByDefault { entity } => {
                let acted = self.act_by_default(self.find_entity(entity)?)?;
                return Ok(if acted { Effect::Done } else { Effect::Nothing });
            }
            Input::Step => self.step()?,
            Input::Host(_) => return Err(Error::NoHost { environment: self.ontology().name.clone() }),
        }
        Ok(Effect::Done)
    }

    fn perform_action(&mut self, agent: &str, action: &Action, entities: &[&str]) -> Result<Results, Error> {
        self.act_by_name(agent, action, None, entities)
    }

    fn read(&self, action: &Action) -> Result<ReadAction, Mismatch> {
        let action = E::Action::read(action, self.ontology())?;
        let variant = action.variant();
        Ok(ReadAction::new(action, variant, self.ontology().revision))
    }

    fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        self.check_perceiving()?;
        let id = self.find_agent(agent)?;
        let targets = self.books.targets(id, entities)?;
        let perceive = |entity| {
            let name = self.entity_name(entity);
            Ok((name, self.list(id, entity, since)?.tell(form, E::Percept::to_iil)))
        };
        targets.into_iter().map(perceive).collect()
    }

    fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        let entity = self.find_entity(entity)?;
        Interface::watch(self, entity, since).map(|perception| perception.to_iil())
    }

    fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        let (agent, entity) = (self.find_agent(agent)?, self.find_entity(entity)?);
        Interface::acknowledge(self, agent, entity, version)
    }

    fn know(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        let (agent, entity) = (self.find_agent(agent)?, self.find_entity(entity)?);
        Interface::know(self, agent, entity, version)
    }

    fn query(&self, entity: Option<&str>, property: &str) -> Result<Option<Parameter>, Error> {
        match entity {
            Some(entity) => self.query_entity(self.find_entity(entity)?, property),
            None => Interface::query(self, property),
        }
    }

    fn menu(&self, agent: &str, entity: &str, request: MenuRequest) -> Result<Menu, Error> {
        let (agent, entity) = (self.find_agent(agent)?, self.find_entity(entity)?);
        Interface::menu(self, agent, entity, request).map(Menu::to_iil)
    }

    fn scene(&self, viewer: Option<&str>) -> Result<Scene, Error> {
        let viewer = viewer.map(|entity| self.find_entity(entity)).transpose()?;
        Ok(Interface::episode(self).map(|episode| episode.scene(viewer)).unwrap_or_default())
    }

    fn examine(
        &self,
        document: &str,
        parameters: &BTreeMap<String, Parameter>,
        seed: Option<u64>,
    ) -> Result<Option<Examination>, Error> {
        Ok(E::examine(document, &E::Parameters::read(parameters, self.ontology())?, seed))
    }

    fn save(&self) -> Result<Vec<u8>, Error> {
        Interface::save(self)
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), Error> {
        Interface::load(self, saved)
    }

    fn progress(&self) -> Progress {
        Interface::progress(self)
    }

    fn resume_progress(&mut self, progress: &Progress) {
        Interface::resume_progress(self, progress);
    }

    fn set_heard(&mut self, agent: &str, entity: &str, heard: EventsHeard) -> Result<(), Error> {
        Interface::set_heard(self, agent, entity, heard)
    }

    fn take_back(&mut self, agent: &str, entity: &str) -> Result<EventsHeard, Error> {
        Interface::take_back(self, agent, entity)
    }

    fn abandon(&mut self) {
        Interface::abandon(self);
    }
}

impl<E: Environment> Interface<E> {
    /// Returns the interface by name.
    pub fn by_name(&mut self) -> &mut dyn EnvironmentInterface {
        self
    }

    /// Inits, starts, pauses, resets or kills the environment, with exactly these parameters: missing ones have their
    /// defaults. An owner completes the command before.
    ///
    /// # Errors
    /// Returns an error if the state does not allow it, or parameters are invalid.
    pub fn manage(&mut self, command: Command) -> Result<(), Error> {
        match command {
            Command::Init { parameters, seed } => {
                self.check_init()?;
                self.init(E::Parameters::read(&parameters, self.ontology())?, seed)
            }
            Command::Start => self.start(),
            Command::Pause => self.pause(),
            Command::Reset { parameters, seed } => {
                self.check_reset()?;
                let ontology = self.ontology();
                let read = |given| E::Parameters::read(&ontology.with_values(&given)?, ontology);
                self.reset(parameters.map(read).transpose()?, seed)
            }
            Command::Kill => self.kill(),
        }
    }
}
