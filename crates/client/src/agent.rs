//! An agent on a server: it acts, perceives, and remembers what it believes.

mod acted;
mod memory;
mod percepts;

use std::sync::{Mutex, PoisonError};

use situated::iil::{Action, EcoString, Percept};
use situated::interface::{Form, Moment, Perception, Since};
use situated::menu::Menu;
use situated::ontology::typed::{TypedAction, TypedPercept};
use situated_wire::methods::{
    Acknowledge, Act, Associate, Free, GetMenu, Pass, Perceive, RequestEntity, Step, Stepped as Answered, Turn,
    Unregister,
};
use situated_wire::{EntityPerception, Name};

use crate::client::Client;
use crate::{Answer, Error};

pub use acted::{Acted, Stepped};
pub use memory::Heard;
use memory::Memory;
pub use percepts::Percepts;

/// An agent on a server. It speaks the interface intermediate language, or, made [`typed`](Self::typed), the actions `A` and
/// percepts `P` of an environment. When it is dropped, it is unregistered, at the latest when the session ends.
///
/// It remembers what it believes of each of its entities, and what it has heard. What it is told is acknowledged, so that
/// nothing is lost with a connection, and nothing is told twice: of each entity the changes since it was last told, and each
/// event once.
pub struct Agent<A = Action, P = Percept> {
    registration: Registration,
    language: Language<A, P>,
    memory: Memory<P>,
}

/// An agent's name in an environment, for as long as it is registered.
struct Registration {
    client: Client,
    environment: Name,
    agent: Name,
    /// The number of the last action. Who holds it asks.
    number: Mutex<u64>,
}

/// How actions and percepts of an agent are put into words.
#[derive(Clone, Copy)]
struct Language<A, P> {
    say: fn(A) -> Action,
    /// None if it does not understand it.
    understand: fn(&Percept) -> Option<P>,
}

/// What an agent is told about its entities.
type Perceptions<P> = Vec<(EcoString, Perception<P>)>;

impl Agent {
    pub(crate) fn new(client: Client, environment: Name, agent: Name) -> Self {
        Self {
            registration: Registration { client, environment, agent, number: Mutex::new(0) },
            language: Language { say: |action| action, understand: |percept| Some(percept.clone()) },
            memory: Memory::default(),
        }
    }

    /// The same agent with the actions and percepts of an environment, as the enums of its crate. It passes over percepts that
    /// it does not understand.
    pub fn typed<A: TypedAction, P: TypedPercept>(self) -> Agent<A, P> {
        let language = Language { say: |action: A| action.to_iil(), understand: |percept| P::from_iil(percept).ok() };
        let memory = self.memory.translate(language.understand);
        Agent { registration: self.registration, language, memory }
    }
}

impl<A, P: Clone + PartialEq + Send + 'static> Agent<A, P> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.registration.agent
    }

    /// Takes an entity.
    pub fn associate(&mut self, entity: &str) -> Answer<'_, ()> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let entity = Name::from(entity);
        let asked =
            client.call(Associate { environment: environment.clone(), agent: agent.clone(), entity: entity.clone() });
        Answer::new(async move {
            asked.await?;
            self.memory.forget(Some(&entity));
            Ok(())
        })
    }

    /// Asks the environment for a body of a type, perhaps under a name; the name that it has is the answer.
    pub fn request_entity(&mut self, entity_type: &str, name: Option<&str>) -> Answer<'_, EcoString> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let asked = client.call(RequestEntity {
            environment: environment.clone(),
            agent: agent.clone(),
            entity_type: entity_type.into(),
            name: name.map(Name::from),
        });
        Answer::new(async move {
            let entity = asked.await?.entity.0;
            self.memory.forget(Some(&entity));
            Ok(entity)
        })
    }

    /// Gives back an entity, or all that it has if none is named.
    pub fn free(&mut self, entity: Option<&str>) -> Answer<'_, ()> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let (entity, agent) = (entity.map(Name::from), Some(agent.clone()));
        let asked = client.call(Free { environment: environment.clone(), agent, entity: entity.clone() });
        Answer::new(async move {
            asked.await?;
            self.memory.forget(entity.as_ref().map(|entity| entity.as_str()));
            Ok(())
        })
    }

    /// Acts through all of its entities. The answer comes when the action is done: at once, in its turn, or, where all act
    /// together (lockstep), when the step is over. It is done once, even if the connection is lost over it.
    pub fn act(&self, action: A) -> Answer<'static, Acted<P>> {
        self.act_through(&[], action)
    }

    /// Acts through these of its entities.
    pub fn act_through(&self, entities: &[&str], action: A) -> Answer<'static, Acted<P>> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let action = (self.language.say)(action);
        let asked = self.registration.numbered(|number| {
            client.call(Act {
                environment: environment.clone(),
                agent: agent.clone(),
                action,
                entities: names(entities),
                number: Some(number),
            })
        });
        let understand = self.language.understand;
        Answer::new(async move {
            let answered = asked.await?;
            Ok(Acted::new(answered.moment, answered.results, understand))
        })
    }

    /// Does nothing in this step, so that nobody waits for it (lockstep). The answer comes when the step is over. It has no
    /// number: if the connection is lost over it, that is an error.
    pub fn pass(&self) -> Answer<'static, ()> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let asked = client.call(Pass { environment: environment.clone(), agent: agent.clone(), entities: Vec::new() });
        Answer::new(async { asked.await.map(|_| ()) })
    }

    /// Perceives through all of its entities: what has changed since it was last told, and what has happened. The first time
    /// it is told all that holds.
    pub fn perceive(&mut self) -> Answer<'_, Perceptions<P>> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let perceive = Perceive {
            environment: environment.clone(),
            agent: agent.clone(),
            entities: Vec::new(),
            form: Form::Update,
            since: Since::Acknowledged,
        };
        let asked = client.call_after(&perceive, &self.acknowledgements());
        Answer::new(async move {
            let answered = asked.await?;
            Ok(self.remember(answered.perceptions, answered.moment))
        })
    }

    /// Acts, and perceives when the action is done: one frame there and one back. Without an action it passes (lockstep), or
    /// only perceives; that has no number, as in [`pass`](Self::pass). If it has acted and then cannot perceive, since the world
    /// is over, that is an error.
    pub fn step(&mut self, action: Option<A>) -> Answer<'_, Stepped<P>> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let action = action.map(self.language.say);
        let before = self.acknowledgements();
        let asked = self.registration.numbered(|number| {
            let number = action.is_some().then_some(number);
            let turn = Turn { agent: agent.clone(), action, entities: Vec::new(), number };
            let (form, since) = (Form::Update, Since::Acknowledged);
            let environment = environment.clone();
            client.call_after(&Step { environment, agents: vec![turn], form, since, perceive: true }, &before)
        });
        Answer::new(async move {
            let Answered { moment, mut agents } = asked.await?;
            let turn = agents.pop().ok_or_else(|| Error::Misunderstood {
                about: "step",
                reason: "it does not say what has come of it".into(),
            })?;
            if let Some(error) = turn.error {
                return Err(Error::Refused(*error));
            }
            let acted = Acted::new(moment, turn.results, self.language.understand);
            Ok(Stepped { acted, perceptions: self.remember(turn.perceptions, moment) })
        })
    }

    /// What a person can choose who acts through one of its entities: where they point in its scene, or without pointing.
    /// The actions are terms, as people see them.
    pub fn menu(&self, entity: &str, at: Option<(f64, f64)>) -> Answer<'static, Menu> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let (environment, agent) = (environment.clone(), agent.clone());
        let asked = client.call(GetMenu { environment, agent, entity: entity.into(), at });
        Answer::new(async { asked.await.map(|answered| answered.menu) })
    }

    /// From now on it is told what it perceives, without asking.
    pub fn percepts(&mut self) -> Answer<'_, Percepts<'_, A, P>> {
        Percepts::begin(self)
    }

    /// What it believes of an entity: what held for it when it was last told.
    pub fn beliefs(&self, entity: &str) -> &[P] {
        self.memory.beliefs(entity)
    }

    /// Unregisters it; its entities are free then.
    pub fn unregister(self) -> Answer<'static, ()> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let asked = client.call(Unregister { environment: environment.clone(), agent: agent.clone() });
        Answer::new(async move {
            let answered = asked.await;
            drop(self.registration);
            answered.map(|_| ())
        })
    }

    /// What acknowledges what it was told: one for each entity, so that one which it no longer has is in nobody's way.
    fn acknowledgements(&self) -> Vec<Acknowledge> {
        let Registration { environment, agent, .. } = &self.registration;
        let acknowledge =
            |known| Acknowledge { environment: environment.clone(), agent: agent.clone(), versions: vec![known] };
        self.memory.heard.unacknowledged().map(acknowledge).collect()
    }

    fn remember(&mut self, told: Vec<EntityPerception>, moment: Moment) -> Perceptions<P> {
        let understand = self.language.understand;
        told.into_iter().map(|told| self.memory.take(told, moment, understand)).collect()
    }
}

impl Registration {
    /// Asks for something with the next number. Numbers are asked for in their order.
    fn numbered<R>(&self, ask: impl FnOnce(u64) -> R) -> R {
        let mut last = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        ask(*last)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // If there is no room to say so, it is unregistered when the session ends.
        let _ = self.client.say(&Unregister { environment: self.environment.clone(), agent: self.agent.clone() });
    }
}

fn names(entities: &[&str]) -> Vec<Name> {
    entities.iter().map(|entity| Name::from(*entity)).collect()
}
