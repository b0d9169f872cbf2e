//! An environment on a server.

use situated::interface::{Command, Moment};
use situated_wire::methods::{
    Advance, CreateEnvironment, Describe, Description, Entities, EnvironmentStatus, Free, GetScene, ListEntities,
    Manage, Property, Query, Register, RemoveEnvironment, SceneAnswer, SetSpeed, Status, Topic, Wait,
};
use situated_wire::notifications::{Activity, Happenings, SceneUpdate};
use situated_wire::{Method, Name};

use crate::client::Client;
use crate::{Agent, Answer, Subscription};

/// An environment on a server. It is cheap to clone, and can be used from any thread.
#[derive(Clone)]
pub struct Environment {
    client: Client,
    name: Name,
}

impl Client {
    /// Returns a handle for the environment of this name, without a call.
    pub fn environment(&self, name: &str) -> Environment {
        Environment { client: self.clone(), name: name.into() }
    }

    /// Creates an environment.
    pub fn create(&self, environment: CreateEnvironment) -> Answer<'static, Environment> {
        let client = self.clone();
        self.call(environment).map(|created| Environment { client, name: created.status.environment })
    }
}

impl Environment {
    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Registers an agent. Its name is unique in the environment. A client with the role of an agent has one agent.
    pub fn register(&self, agent: &str) -> Answer<'static, Agent> {
        let (client, name, agent) = (self.client.clone(), self.name.clone(), Name::from(agent));
        self.call(|environment| Register { environment, agent: agent.clone() })
            .map(|registered| Agent::new(client, name, agent, registered.address))
    }

    /// The ontology, the status, and the parameters of the episode.
    pub fn describe(&self) -> Answer<'static, Description> {
        self.call(|environment| Describe { environment })
    }

    /// Its status.
    pub fn status(&self) -> Answer<'static, EnvironmentStatus> {
        self.call(|environment| Status { environment }).map(|answer| answer.status)
    }

    /// Its entities with their agents, and all its agents.
    pub fn entities(&self) -> Answer<'static, Entities> {
        self.call(|environment| ListEntities { environment })
    }

    /// Frees an entity from all its agents. Needs the right to manage.
    pub fn free(&self, entity: &str) -> Answer<'static, ()> {
        self.call(|environment| Free { environment, agent: None, entity: Some(entity.into()) }).map(drop)
    }

    /// Inits, starts, pauses, resets or kills the environment. Needs the right to manage.
    pub fn manage(&self, command: Command) -> Answer<'static, ()> {
        self.call(|environment| Manage { environment, command }).map(drop)
    }

    /// Runs a paused environment for a number of steps, at its speed. The answer comes when it is paused again. Needs
    /// the right to manage.
    pub fn advance(&self, steps: u64) -> Answer<'static, Moment> {
        self.call(|environment| Advance { environment, steps, at_once: false }).map(|done| done.moment)
    }

    /// Like [`advance`](Self::advance), but as fast as possible, regardless of the speed.
    pub fn advance_at_once(&self, steps: u64) -> Answer<'static, Moment> {
        self.call(|environment| Advance { environment, steps, at_once: true }).map(|done| done.moment)
    }

    /// Sets the maximum number of steps per second; `None` means no limit. Needs the right to manage.
    pub fn set_speed(&self, speed: Option<f64>) -> Answer<'static, ()> {
        self.call(|environment| SetSpeed { environment, speed }).map(drop)
    }

    /// Ends the environment and removes it. Needs the right to manage.
    pub fn remove(&self) -> Answer<'static, ()> {
        self.call(|environment| RemoveEnvironment { environment }).map(drop)
    }

    /// Waits until the moment of the environment is later than this one.
    pub fn wait(&self, after: Moment) -> Answer<'static, Moment> {
        self.call(|environment| Wait { environment, after }).map(|done| done.moment)
    }

    /// Asks for the value of a property of an entity, or of the environment.
    pub fn query(&self, entity: Option<&str>, property: &str) -> Answer<'static, Property> {
        self.call(|environment| Query { environment, entity: entity.map(Name::from), property: property.into() })
    }

    /// Asks for the scene, as an entity may see it or as a whole.
    pub fn scene(&self, viewer: Option<&str>) -> Answer<'static, SceneAnswer> {
        self.call(|environment| GetScene { environment, viewer: viewer.map(Name::from) })
    }

    /// Subscribes to changes of the state, the entities, the agents and the relation, and to the ends of episodes.
    pub fn happenings(&self) -> Answer<'static, Subscription<Happenings>> {
        self.client.subscribe(Topic::Happenings { environment: self.name.clone() })
    }

    /// Subscribes to the scene, as in [`scene`](Self::scene).
    pub fn scenes(&self, viewer: Option<&str>) -> Answer<'static, Subscription<SceneUpdate>> {
        self.client.subscribe(Topic::Scene { environment: self.name.clone(), viewer: viewer.map(Name::from) })
    }

    /// Subscribes to the percepts and actions of an entity, or the actions of all. Needs the right to observe.
    pub fn activity(&self, entity: Option<&str>) -> Answer<'static, Subscription<Activity>> {
        self.client.subscribe(Topic::Activity { environment: self.name.clone(), entity: entity.map(Name::from) })
    }

    fn call<M: Method>(&self, method: impl FnOnce(Name) -> M) -> Answer<'static, M::Answer> {
        self.client.call(method(self.name.clone()))
    }
}
