//! Acting and perceiving.

use super::relation::unknown_entity;
use super::{AgentId, Drained, EntityId, Error, Form, Interface, Observer, Perception, Since, State, Version};
use crate::environment::{Environment, Episode, Failure, Outcome};
use crate::iil::Parameter;
use crate::ontology::typed::TypedAction;

impl<E: Environment> Interface<E> {
    /// An agent acts through one of its entities. What the action finds out is returned.
    ///
    /// # Errors
    /// When the environment is not running, the entity is not the agent's, it cannot do this, or it fails.
    pub fn act(&mut self, agent: AgentId, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Error> {
        self.check_running("acting")?;
        self.link_of(agent, entity)?;
        self.act_through(entity, action)
    }

    /// Time moves on by one step.
    ///
    /// # Errors
    /// When the environment is not running.
    pub fn step(&mut self) -> Result<(), Error> {
        self.check_running("a step")?;
        if let Some(episode) = &mut self.episode {
            episode.step();
            self.follow_world();
        }
        Ok(())
    }

    /// An agent perceives through one of its entities. Where nothing has changed, nothing is allocated.
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or the entity is not the agent's.
    pub fn perceive(
        &mut self,
        agent: AgentId,
        entity: EntityId,
        form: Form,
        since: Since,
    ) -> Result<Perception<E::Percept>, Error> {
        let moment = self.moment();
        self.check_perceiving()?;
        self.link_of(agent, entity)?;
        let (Some(episode), Some(registered), Some(body)) =
            (&self.episode, self.agents.get_mut(agent), self.bodies.get_mut(entity))
        else {
            return Err(unknown_entity(entity));
        };
        let cursor = registered.entities.get_mut(entity).ok_or_else(|| unknown_entity(entity))?;
        if since == Since::LastCall {
            cursor.acknowledged = cursor.told;
        }
        let since = cursor.acknowledged;
        let environment = episode.environment();
        body.log.list(self.changes, |percepts| environment.percepts(entity, percepts));
        cursor.told = body.log.version();
        let told = body.log.tell(since, form);
        let perception = Perception::new(moment, cursor.told, told);
        if body.log.is_full() {
            self.trim(entity);
        }
        Ok(perception)
    }

    /// An agent has received what it was told up to this version.
    ///
    /// # Errors
    /// When the entity is not the agent's, or the version was never told.
    pub fn acknowledge(&mut self, agent: AgentId, entity: EntityId, version: Version) -> Result<(), Error> {
        self.link_of(agent, entity)?;
        let registered = self.agents.get_mut(agent);
        let cursor = registered.and_then(|registered| registered.entities.get_mut(entity));
        let Some(cursor) = cursor else { return Err(unknown_entity(entity)) };
        let told = cursor.told;
        if version.changes > told.changes || version.events > told.events {
            let (agent, entity) = (self.agent_name(agent).into(), self.entity_name(entity).into());
            return Err(Error::NeverTold { agent, entity, version, told });
        }
        let acknowledged = &mut cursor.acknowledged;
        acknowledged.changes = acknowledged.changes.max(version.changes);
        acknowledged.events = acknowledged.events.max(version.events);
        Ok(())
    }

    /// A property of the environment. Beside those of the world there are `name`, `version` and `requiredVersion`,
    /// the version of `situated` that it was built for.
    pub fn query(&self, property: &str) -> Option<Parameter> {
        match property {
            "name" => Some(self.ontology.name.as_str().into()),
            "version" => Some(self.ontology.version.as_str().into()),
            "requiredVersion" => Some(env!("CARGO_PKG_VERSION").into()),
            _ => self.episode.as_ref()?.environment().query(property),
        }
    }

    /// A property of an entity. Beside those of the world there is `type`.
    ///
    /// # Errors
    /// When the entity does not exist.
    pub fn query_entity(&self, entity: EntityId, property: &str) -> Result<Option<Parameter>, Error> {
        let entity_type = self.entity_type(entity)?;
        if property == "type" {
            return Ok(Some(entity_type.into()));
        }
        let environment = self.episode.as_ref().map(Episode::environment);
        Ok(environment.and_then(|environment| environment.query_entity(entity, property)))
    }

    /// What an observer has not heard yet.
    pub fn drain(&self, observer: &mut Observer) -> Drained {
        self.happenings.drain(observer, || self.present())
    }

    /// How the episode stands; none before init and after kill.
    pub fn outcome(&self) -> Option<Outcome> {
        self.episode.as_ref().map(Episode::outcome)
    }
}

/// The parts of the above.
impl<E: Environment> Interface<E> {
    pub(super) fn check_running(&self, what: &'static str) -> Result<(), Error> {
        match self.state {
            State::Running => Ok(()),
            state => Err(Error::WrongState { what, state }),
        }
    }

    pub(super) fn check_perceiving(&self) -> Result<(), Error> {
        match self.state {
            State::Running | State::Paused => Ok(()),
            state => Err(Error::WrongState { what: "perceiving", state }),
        }
    }

    /// The entity is one of an agent's, and the environment is running.
    fn act_through(&mut self, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Error> {
        let (Some(body), Some(episode)) = (self.bodies.get(entity), &mut self.episode) else {
            return Err(unknown_entity(entity));
        };
        if !self.abilities[body.entity_type][action.variant()] {
            return Err(self.not_supported_by_type(entity, body.entity_type, action));
        }
        let result = episode.act(entity, action);
        self.follow_world();
        result.map_err(|failure| self.action_failed(entity, action, failure))
    }

    fn not_supported_by_type(&self, entity: EntityId, entity_type: usize, action: &E::Action) -> Error {
        let of = &self.ontology.entity_types[entity_type];
        let can: Vec<String> = of.actions.iter().map(ToString::to_string).collect();
        Error::NotSupportedByType {
            entity: self.entity_name(entity).into(),
            entity_type: of.name.clone(),
            action: action.to_iil().to_string(),
            can: can.join(", "),
        }
    }

    fn action_failed(&self, entity: EntityId, action: &E::Action, failure: Failure) -> Error {
        let (entity, action) = (self.entity_name(entity).into(), action.to_iil().to_string());
        let Failure { reason, tried } = failure;
        if tried {
            Error::Failure { entity, action, reason }
        } else {
            Error::NotSupportedByEntity { entity, action, reason }
        }
    }

    /// Lets the log of an entity forget what all its agents have acknowledged.
    fn trim(&mut self, entity: EntityId) {
        let Some(body) = self.bodies.get_mut(entity) else { return };
        let mut oldest = body.log.version();
        for agent in body.agents.keys() {
            let registered = self.agents.get_mut(agent);
            if let Some(cursor) = registered.and_then(|agent| agent.entities.get_mut(entity)) {
                let needed = cursor.needed();
                oldest.changes = oldest.changes.min(needed.changes);
                oldest.events = oldest.events.min(needed.events);
            }
        }
        body.log.trim(oldest);
    }
}
