//! An agent on a server, which acts, perceives and has beliefs about its entities.

mod memory;
mod percepts;

use std::sync::{Mutex, PoisonError};

use situated::iil::{Action, EcoString, Percept};
use situated::interface::{Form, Moment, Perception, Since};
use situated::menu::Menu;
use situated::ontology::typed::{TypedAction, TypedPercept};
use situated_acl::Message;
use situated_wire::methods::{
    Act, Associate, EntityResult, Free, GetMenu, Pass, Perceive, RequestEntity, Step, Turn, Unregister,
};
use situated_wire::{self as wire, Code, EntityPerception, Method, Name};

use crate::client::Client;
use crate::directory::Directory;
use crate::mail::{Correspondence, Mail};
use crate::{Answer, Error};

pub use memory::Heard;
use memory::Memory;
pub use percepts::Percepts;

/// An agent on a server. It uses the interface intermediate language or, made [`typed`](Self::typed), the actions `A` and
/// percepts `P` of an environment. When it is dropped, it is unregistered, at the latest at the end of the session.
///
/// It keeps its beliefs about each of its entities. It acknowledges the percepts that it has received, so that a lost
/// connection loses and repeats nothing: each perception has the changes since the previous one, and each event once.
pub struct Agent<A = Action, P = Percept> {
    registration: Registration,
    language: Language<A, P>,
    memory: Memory<P>,
    correspondence: Correspondence,
}

/// The name of an agent in an environment, as long as it is registered.
struct Registration {
    client: Client,
    environment: Name,
    agent: Name,
    /// The number of the last action. It is locked while an action is sent.
    number: Mutex<u64>,
    /// Whether the server knows that it has ended.
    has_ended: bool,
}

/// The conversion between terms and the types of an agent.
#[derive(Clone, Copy)]
struct Language<A, P> {
    write: fn(A) -> Action,
    /// Returns `None` for an unknown percept.
    read: fn(&Percept) -> Option<P>,
}

/// The perceptions of an agent's entities.
type Perceptions<P> = Vec<(EcoString, Perception<P>)>;

/// The results of an action, for each entity that acted.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "an action can fail for an entity although the call has succeeded"]
pub struct Acted<P = Percept> {
    /// The moment after the action.
    pub moment: Moment,
    /// The percepts that the action returned, or its error, by entity. In a step, entities without any are left out.
    pub results: Vec<(EcoString, Result<Vec<P>, wire::Error>)>,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped<P = Percept> {
    /// The results of the action; empty without one.
    pub acted: Acted<P>,
    /// The perceptions of the agent's entities.
    pub perceptions: Perceptions<P>,
}

impl Agent {
    pub(crate) fn new(client: Client, environment: Name, agent: Name, address: Option<Name>) -> Self {
        Self {
            correspondence: Correspondence::new(client.clone(), agent.clone(), address),
            registration: Registration { client, environment, agent, number: Mutex::new(0), has_ended: false },
            language: Language { write: |action| action, read: |percept| Some(percept.clone()) },
            memory: Memory::default(),
        }
    }

    /// The same agent with the actions and percepts of an environment, as the enums of its crate. Unknown percepts are
    /// skipped.
    pub fn typed<A: TypedAction, P: TypedPercept>(self) -> Agent<A, P> {
        let language = Language { write: |action: A| action.to_iil(), read: |percept| P::from_iil(percept).ok() };
        let memory = self.memory.translate(language.read);
        Agent { registration: self.registration, language, memory, correspondence: self.correspondence }
    }
}

impl<A, P: Clone + PartialEq + Send + 'static> Agent<A, P> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.registration.agent
    }

    /// The name by which all agents of the server reach it: its own, or with that of its environment, such as `bob~game-2`,
    /// if an agent elsewhere has it.
    pub fn address(&self) -> &str {
        self.correspondence.address()
    }

    /// Takes an entity.
    pub fn associate(&mut self, entity: &str) -> Answer<'_, ()> {
        let entity = Name::from(entity);
        let taken = entity.clone();
        let asked = self.registration.call(|environment, agent| Associate { environment, agent, entity: taken });
        asked.map(move |_| self.memory.forget(Some(&entity)))
    }

    /// Requests an entity of a type from the environment, optionally with a name. The answer is the name of the
    /// entity.
    pub fn request_entity(&mut self, entity_type: &str, name: Option<&str>) -> Answer<'_, EcoString> {
        let (entity_type, name) = (entity_type.into(), name.map(Name::from));
        self.registration.call(|environment, agent| RequestEntity { environment, agent, entity_type, name }).map(
            |given| {
                let entity = given.entity.0;
                self.memory.forget(Some(&entity));
                entity
            },
        )
    }

    /// Frees an entity, or all of the agent.
    pub fn free(&mut self, entity: Option<&str>) -> Answer<'_, ()> {
        let entity = entity.map(Name::from);
        let freed = entity.clone();
        let free = |environment, agent| Free { environment, agent: Some(agent), entity: freed };
        self.registration.call(free).map(move |_| self.memory.forget(entity.as_ref().map(|entity| entity.as_str())))
    }

    /// Acts through all entities of the agent. The answer comes when the action is done: at once, in its turn, or at the end
    /// of the step in lockstep. The action runs once, even if the connection is lost.
    pub fn act(&self, action: A) -> Answer<'static, Acted<P>> {
        self.act_through(&[], action)
    }

    /// Acts through these of its entities.
    pub fn act_through(&self, entities: &[&str], action: A) -> Answer<'static, Acted<P>> {
        let (action, read) = ((self.language.write)(action), self.language.read);
        let entities = entities.iter().map(|entity| Name::from(*entity)).collect();
        let asked = self.registration.numbered(|number| {
            let number = Some(number);
            self.registration.call(|environment, agent| Act { environment, agent, action, entities, number })
        });
        asked.map(move |answer| Acted::new(answer.moment, answer.results, read))
    }

    /// Does nothing in this step of lockstep, so that no other agent waits. The answer comes at the end of the step. After a
    /// lost connection, it is an error.
    pub fn pass(&self) -> Answer<'static, ()> {
        let pass = |environment, agent| Pass { environment, agent, entities: Vec::new() };
        self.registration.call(pass).map(drop)
    }

    /// Perceives through all entities of the agent: changes and events since the last time, at first all percepts that hold.
    pub fn perceive(&mut self) -> Answer<'_, Perceptions<P>> {
        self.perceive_through(Vec::new())
    }

    /// Perceives through these entities, or all.
    fn perceive_through(&mut self, entities: Vec<Name>) -> Answer<'_, Perceptions<P>> {
        let (since, known) = (Since::Acknowledged, self.memory.heard.known());
        let perceive = |environment, agent| Perceive { entities, since, known, ..Perceive::new(environment, agent) };
        let asked = self.registration.call(perceive);
        asked.map(|answer| self.remember(answer.perceptions, answer.moment))
    }

    /// Acts, and perceives when the action is done, in one message in each direction. Without an action, it passes (lockstep)
    /// or only perceives; after a lost connection, that is an error. It is also an error if the environment ends after the
    /// action, so that the agent cannot perceive.
    pub fn step(&mut self, action: Option<A>) -> Answer<'_, Stepped<P>> {
        let Registration { client, environment, agent, .. } = &self.registration;
        let action = action.map(self.language.write);
        let known = self.memory.heard.known();
        let asked = self.registration.numbered(|number| {
            let number = action.is_some().then_some(number);
            let turn = Turn { number, known, ..Turn::new(agent.clone(), action) };
            let (form, since) = (Form::Update, Since::Acknowledged);
            let environment = environment.clone();
            client.call(Step { environment, agents: vec![turn], form, since, perceive: true })
        });
        Answer::new(async move {
            let mut answer = asked.await?;
            let turn = answer.agents.pop().ok_or_else(|| Error::Misunderstood {
                about: Step::NAME,
                reason: "it has no result for the agent".into(),
            })?;
            if let Some(error) = turn.error {
                return Err(Error::Refused(*error));
            }
            let acted = Acted::new(answer.moment, turn.results, self.language.read);
            Ok(Stepped { acted, perceptions: self.remember(turn.perceptions, answer.moment) })
        })
    }

    /// The choices of a person who acts through one of the entities, at a point of its scene or without one. The actions are
    /// terms.
    pub fn menu(&self, entity: &str, at: Option<(f64, f64)>) -> Answer<'static, Menu> {
        let menu = |environment, agent| GetMenu {
            environment,
            agent,
            entity: entity.into(),
            at,
            about: None,
            text: String::new(),
        };
        self.registration.call(menu).map(|answer| answer.menu)
    }

    /// Sends a message to other agents on the server, in any environment or none. The answer comes when it is in the
    /// mailboxes of all its receivers. The server sets the sender. For each receiver that does not exist, the agent gets a
    /// `failure` from the agent `ams`. The message is sent once, even if the connection is lost.
    pub fn send(&self, message: &Message<'_>) -> Answer<'static, ()> {
        self.correspondence.send(message)
    }

    /// Subscribes to the messages for the agent. Messages that came before are waiting.
    pub fn mail(&self) -> Answer<'static, Mail> {
        self.correspondence.mail()
    }

    /// The directory of the server, asked by the agent.
    pub fn directory(&self) -> Directory {
        self.correspondence.directory()
    }

    /// The percepts of an entity that held when it was last perceived.
    pub fn beliefs(&self, entity: &str) -> &[P] {
        self.memory.beliefs(entity)
    }

    /// Unregisters the agent and frees its entities, even if the connection is lost.
    pub fn unregister(self) -> Answer<'static, ()> {
        let asked = self.registration.call(|environment, agent| Unregister { environment, agent });
        let registration = self.registration;
        Answer::new(async move {
            let mut registration = registration;
            match asked.await {
                // After a lost connection, the call is repeated although it may have been done.
                Err(error) if error.code() != Some(Code::NotRegistered) => Err(error),
                _ => {
                    registration.has_ended = true;
                    Ok(())
                }
            }
        })
    }

    fn remember(&mut self, perceptions: Vec<EntityPerception>, moment: Moment) -> Perceptions<P> {
        let read = self.language.read;
        perceptions.into_iter().filter_map(|one| self.memory.take(one, moment, read)).collect()
    }
}

impl Registration {
    /// Calls a method for this environment and agent.
    fn call<M: Method>(&self, method: impl FnOnce(Name, Name) -> M) -> Answer<'static, M::Answer> {
        self.client.call(method(self.environment.clone(), self.agent.clone()))
    }

    /// Sends an action with the next number. Actions are sent in the order of their numbers.
    fn numbered<R>(&self, send: impl FnOnce(u64) -> R) -> R {
        let mut last = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        send(*last)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        // If too many messages wait, it is unregistered at the end of the session.
        let _ = self.client.notify(&Unregister { environment: self.environment.clone(), agent: self.agent.clone() });
    }
}

impl<P> Acted<P> {
    fn new(moment: Moment, results: Vec<EntityResult>, read: fn(&Percept) -> Option<P>) -> Self {
        let result = |result: EntityResult| {
            let found = match result.error {
                Some(error) => Err(*error),
                None => Ok(result.percepts.iter().filter_map(read).collect()),
            };
            (result.entity.0, found)
        };
        Self { moment, results: results.into_iter().map(result).collect() }
    }

    /// The percepts that the action returned for all entities.
    ///
    /// # Errors
    /// Returns the error of the first entity for which the action failed.
    pub fn check(self) -> Result<Vec<P>, Error> {
        let mut found = Vec::new();
        for (_, result) in self.results {
            found.extend(result?);
        }
        Ok(found)
    }
}
