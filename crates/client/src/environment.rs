//! An environment on a server.

use situated::interface::{Command, Moment};
use situated_wire::Name;
use situated_wire::methods::{
    Advance, CreateEnvironment, Describe, Description, Done, Entities, EnvironmentStatus, Free, GetScene, ListEntities,
    Manage, Property, Query, Register, RemoveEnvironment, SceneAnswer, SetSpeed, Status, Topic, Wait,
};
use situated_wire::notifications::{Activity, Happenings, SceneUpdate};

use crate::client::Client;
use crate::{Agent, Answer, Subscription};

/// A way to an environment on a server. It is cheap to clone, and can be used from any thread.
#[derive(Clone)]
pub struct Environment {
    client: Client,
    name: Name,
}

impl Client {
    /// The environment of this name, of which nothing is asked yet.
    pub fn environment(&self, name: &str) -> Environment {
        Environment::new(self.clone(), name.into())
    }

    /// Makes an environment.
    pub fn create(&self, environment: CreateEnvironment) -> Answer<'static, Environment> {
        let (client, asked) = (self.clone(), self.call(environment));
        Answer::new(async move { Ok(Environment::new(client, asked.await?.status.environment)) })
    }
}

impl Environment {
    fn new(client: Client, name: Name) -> Self {
        Self { client, name }
    }

    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Registers an agent, whose name nobody else on the server has. In the role of an agent, a client has one.
    pub fn register(&self, agent: &str) -> Answer<'static, Agent> {
        let asked = self.client.call(Register { environment: self.name.clone(), agent: agent.into() });
        let (client, environment, agent) = (self.client.clone(), self.name.clone(), agent.into());
        Answer::new(async move {
            asked.await?;
            Ok(Agent::new(client, environment, agent))
        })
    }

    /// What it declares about itself, and how it stands.
    pub fn describe(&self) -> Answer<'static, Description> {
        self.client.call(Describe { environment: self.name.clone() })
    }

    /// How it stands.
    pub fn status(&self) -> Answer<'static, EnvironmentStatus> {
        let asked = self.client.call(Status { environment: self.name.clone() });
        Answer::new(async { Ok(asked.await?.status) })
    }

    /// Its entities, the agents that they have, and all its agents.
    pub fn entities(&self) -> Answer<'static, Entities> {
        self.client.call(ListEntities { environment: self.name.clone() })
    }

    /// Frees an entity from all its agents. Needs the right to manage.
    pub fn free(&self, entity: &str) -> Answer<'static, ()> {
        let (environment, entity) = (self.name.clone(), Some(entity.into()));
        done(self.client.call(Free { environment, agent: None, entity }))
    }

    /// Inits, starts, pauses, resets or kills it. Needs the right to manage.
    pub fn manage(&self, command: Command) -> Answer<'static, ()> {
        done(self.client.call(Manage { environment: self.name.clone(), command }))
    }

    /// From pause, lets time run for so many steps; the answer comes when it is paused then. Needs the right to manage.
    pub fn advance(&self, steps: u64) -> Answer<'static, Moment> {
        moment(self.client.call(Advance { environment: self.name.clone(), steps }))
    }

    /// From now on, so many steps are made a second at the most; none means as many as possible. Needs the right to manage.
    pub fn set_speed(&self, speed: Option<f64>) -> Answer<'static, ()> {
        done(self.client.call(SetSpeed { environment: self.name.clone(), speed }))
    }

    /// Ends it for good and removes it. Needs the right to manage.
    pub fn remove(&self) -> Answer<'static, ()> {
        let asked = self.client.call(RemoveEnvironment { environment: self.name.clone() });
        Answer::new(async { asked.await.map(|_| ()) })
    }

    /// Is answered when the world is further than this.
    pub fn wait(&self, after: Moment) -> Answer<'static, Moment> {
        moment(self.client.call(Wait { environment: self.name.clone(), after }))
    }

    /// The value of a property of an entity, or of its own if none is named.
    pub fn query(&self, entity: Option<&str>, property: &str) -> Answer<'static, Property> {
        let (entity, property) = (entity.map(Name::from), property.into());
        self.client.call(Query { environment: self.name.clone(), entity, property })
    }

    /// What it looks like: as this entity may see it, or as a whole if none is named.
    pub fn scene(&self, viewer: Option<&str>) -> Answer<'static, SceneAnswer> {
        self.client.call(GetScene { environment: self.name.clone(), viewer: viewer.map(Name::from) })
    }

    /// From now on, tells what happens to it: its state, entities and agents that come and go, who has which, the end of an
    /// episode.
    pub fn happenings(&self) -> Answer<'static, Subscription<Happenings>> {
        self.client.subscribe(Topic::Happenings { environment: self.name.clone() })
    }

    /// From now on, tells how what it looks like changes, as in [`scene`](Self::scene).
    pub fn scenes(&self, viewer: Option<&str>) -> Answer<'static, Subscription<SceneUpdate>> {
        self.client.subscribe(Topic::Scene { environment: self.name.clone(), viewer: viewer.map(Name::from) })
    }

    /// From now on, tells what an entity perceives and does, or what all do if none is named. Needs the right to observe.
    pub fn activity(&self, entity: Option<&str>) -> Answer<'static, Subscription<Activity>> {
        self.client.subscribe(Topic::Activity { environment: self.name.clone(), entity: entity.map(Name::from) })
    }
}

fn done(asked: Answer<'static, Done>) -> Answer<'static, ()> {
    Answer::new(async { asked.await.map(|_| ()) })
}

fn moment(asked: Answer<'static, Done>) -> Answer<'static, Moment> {
    Answer::new(async { Ok(asked.await?.moment) })
}
