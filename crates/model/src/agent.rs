//! An agent of a language model, whose tools are called by name.

mod calling;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use situated::environment::Outcome;
use situated::iil::{EcoString, Percept};
use situated::interface::{Moment, State};
use situated::names::{did_you_mean, nearest};
use situated::ontology::{Ontology, Restriction};
use situated::scene::Scene;
use situated_hub::{
    Associate, Describe, Entities, Error, GetOutcome, GetScene, Hub, ListEntities, LocalMail, LocalSession, Name,
    Register, Remark, Rights, Status, Subscribe, Topic, Wait,
};
use situated_tools::{Beliefs, check_percept, checked, ended, exists, introduction, visible_lines, with_article};
use tokio::sync::Mutex;
use tokio::time::Instant;

use self::calling::Standing;
use crate::mail;
use crate::remarks::Calls;
use crate::surroundings::Surroundings;
use crate::tools::send_mail;

/// The answer of a tool as text and as data, or an error that the model reads.
pub type ToolAnswer = Result<(String, Value), String>;

/// An agent with an entity that a language model controls by calling tools. It leaves the environment when it is
/// dropped.
pub struct ModelAgent {
    session: LocalSession,
    surroundings: Surroundings,
    name: Name,
    entity: Name,
    entity_type: Name,
    /// Locked during a call, so that the calls are done one after another.
    knowledge: Mutex<Knowledge>,
    calls: Calls,
    usage: parking_lot::Mutex<Usage>,
}

/// The calls in progress, and the end of the last one.
struct Usage {
    in_progress: usize,
    last: Instant,
}

/// A call in progress, until it is dropped: its caller may give it up.
struct InProgress<'a>(&'a ModelAgent);

/// The knowledge of the agent, and its action without an answer.
struct Knowledge {
    beliefs: Beliefs,
    mail: LocalMail,
    standing: Option<Standing>,
}

/// The reason why an agent cannot join an environment.
#[derive(Debug, thiserror::Error)]
pub enum CannotJoin {
    /// There is no such entity, or none at all.
    #[error("{0}")]
    NoEntity(String),
    /// The entity has an agent that does not share it, or all entities have agents.
    #[error("{0}")]
    Taken(String),
    /// The hub has refused.
    #[error(transparent)]
    Refused(#[from] Error),
}

impl ModelAgent {
    /// Registers an agent and associates it with an entity, the first free one without its name.
    ///
    /// # Errors
    /// Returns an error if there is no such entity, or if it has an agent that does not share it.
    pub async fn join(
        hub: &Arc<Hub>,
        surroundings: Surroundings,
        rights: Rights,
        entity: Option<&str>,
        name: EcoString,
    ) -> Result<Self, CannotJoin> {
        let name = Name(name);
        let (session, mail) = LocalSession::open_with_mail(hub, rights)?;
        let environment = &surroundings.environment;
        let listed = session.ask(ListEntities { environment: environment.clone() }).await?;
        let (entity, entity_type) = choose(&listed, entity, surroundings.ontology.relation)?;
        session.ask(Register { environment: environment.clone(), agent: name.clone() }).await?;
        let (at, by, to) = (environment.clone(), name.clone(), entity.clone());
        session.ask(Associate { environment: at, agent: by, entity: to }).await?;
        session.ask(Subscribe { to: Topic::Mail { agent: name.clone() } }).await?;
        let beliefs = Beliefs::of(&surroundings.ontology, &entity_type);
        let knowledge = Mutex::new(Knowledge { beliefs, mail, standing: None });
        let usage = parking_lot::Mutex::new(Usage { in_progress: 0, last: Instant::now() });
        Ok(Self { session, surroundings, name, entity, entity_type, knowledge, calls: Calls::default(), usage })
    }

    /// The name of the agent.
    pub fn name(&self) -> &EcoString {
        &self.name
    }

    /// The entity that it controls.
    pub fn entity(&self) -> &EcoString {
        &self.entity
    }

    /// The type of the entity.
    pub fn entity_type(&self) -> &EcoString {
        &self.entity_type
    }

    /// The environment.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Returns the time since the last call, which is zero during a call. If it is longer than `quiet`, a step in
    /// lockstep no longer waits for the agent without limit, until the next call.
    pub fn idle_time(&self, now: Instant, quiet: Duration) -> Duration {
        // Locked, so that a call that begins meanwhile makes steps wait again.
        let usage = self.usage.lock();
        if usage.in_progress > 0 {
            return Duration::ZERO;
        }
        let idle = now.saturating_duration_since(usage.last);
        if idle > quiet {
            self.session.set_attended(false);
        }
        idle
    }

    /// Notes that somebody waits for the entity, until the next call.
    pub fn want(&self) {
        self.session.set_wanted(true);
    }

    /// Returns whether somebody has asked for the entity since the last call.
    pub fn is_wanted(&self) -> bool {
        self.session.is_wanted()
    }

    fn begin_call(&self) -> InProgress<'_> {
        self.usage.lock().in_progress += 1;
        self.session.set_attended(true);
        self.session.set_wanted(false);
        InProgress(self)
    }

    /// Returns who the agent is, what it can perceive and do, and when time advances.
    pub fn introduction(&self) -> String {
        let Self { name, entity, entity_type, surroundings, .. } = self;
        let one = with_article(entity_type);
        let you = visible_lines(&format!("You are `{name}` and control `{entity}`, {one}."));
        let known = introduction(&surroundings.ontology, entity_type);
        format!("{you}\n{known}\n{}\n", surroundings.passing_of_time())
    }

    /// Returns everything that the entity perceives at first, which is no news. Calls are counted from now on.
    pub async fn begin(&self) -> ToolAnswer {
        self.calls.begin();
        let mut knowledge = self.knowledge.lock().await;
        let moment = self.perceive(&mut knowledge).await?;
        knowledge.beliefs.take_news(moment);
        let (text, holds) = knowledge.beliefs.all(None);
        let text = format!("Step {}.{text}{}", moment.step, self.ending().await);
        Ok((text, json!({ "step": moment.step, "holds": holds })))
    }

    /// Calls a tool: `look`, `wait_until`, `send_mail`, or an action. Observers see the call. Returns `None` if
    /// there is no such tool.
    pub async fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Option<ToolAnswer> {
        let (begun, _in_progress) = (Instant::now(), self.begin_call());
        let answer = self.answer(tool, arguments).await;
        if let Some(answer) = &answer {
            let told = answer.as_ref().map(|(text, _)| text.as_str()).map_err(String::as_str);
            self.note_call(tool, arguments.clone().into(), told, begun.elapsed());
        }
        answer
    }

    /// Shows a call that a caller has answered itself to observers, with what the model was told and how long it
    /// waited.
    pub fn note_call(&self, tool: &str, arguments: Value, told: Result<&str, &str>, took: Duration) {
        self.publish(self.calls.remark(tool, arguments, told, took));
    }

    /// Hides a secret, such as the key of an endpoint, in what observers see from now on.
    pub fn hide(&self, secret: &str) {
        self.calls.hide(secret);
    }

    async fn answer(&self, tool: &str, arguments: &Map<String, Value>) -> Option<ToolAnswer> {
        Some(match tool {
            "look" => self.look(arguments).await,
            "wait_until" => self.wait_until(arguments).await,
            mail::SEND => self.send_mail(arguments).await,
            _ => {
                let ontology = self.ontology_with(tool).await?;
                self.act(&ontology, tool, arguments).await
            }
        })
    }

    async fn send_mail(&self, arguments: &Map<String, Value>) -> ToolAnswer {
        let given = checked(&send_mail(), arguments)?;
        let sent = mail::send(&self.session, &self.name, &given).await;
        sent.map(|text| (text, json!({})))
    }

    /// Returns the ontology with this action, which a host may have added since the agent joined; `None` if no action
    /// has this name.
    async fn ontology_with(&self, tool: &str) -> Option<Arc<Ontology>> {
        let ontology = &self.surroundings.ontology;
        if exists(ontology, tool) {
            return Some(ontology.clone());
        }
        let now = self.ontology_now().await.ok()?;
        exists(&now, tool).then(|| Arc::new(now))
    }

    /// Returns the ontology with what the host of the environment may have added since the agent joined.
    async fn ontology_now(&self) -> Result<Ontology, Error> {
        Ok(self.session.ask(Describe { environment: self.surroundings.environment.clone() }).await?.ontology)
    }

    /// Checks that the entity can perceive a percept: one with this name, or exactly this one.
    async fn check_percept(&self, percept: &Percept) -> Result<(), String> {
        let known = check_percept(&self.surroundings.ontology, &self.entity_type, percept);
        if known.is_ok() {
            return known;
        }
        match self.ontology_now().await {
            // The error of the other ontology has no texts of hosts that are not trusted.
            Ok(now) => check_percept(&now, &self.entity_type, percept).or(known),
            Err(_) => known,
        }
    }

    /// Returns the moment of the environment, and whether time runs, is paused, or has ended.
    ///
    /// # Errors
    /// Returns an error if the environment was removed.
    pub async fn moment_and_state(&self) -> Result<(Moment, State), Error> {
        let asked = self.session.ask(Status { environment: self.surroundings.environment.clone() });
        let status = asked.await?.status;
        Ok((status.moment, status.state))
    }

    /// Waits until the environment is later than a moment.
    ///
    /// # Errors
    /// Returns an error if the environment has ended.
    pub async fn wait(&self, after: Moment) -> Result<Moment, Error> {
        Ok(self.session.ask(Wait { environment: self.surroundings.environment.clone(), after }).await?.moment)
    }

    /// Shows a remark of the agent to observers, and records it if the environment is recorded. Secrets are
    /// [hidden](Self::hide), and characters that people do not see become codes.
    pub fn remark(&self, remark: Value) {
        self.publish(self.calls.readable(remark));
    }

    fn publish(&self, remark: Value) {
        let (environment, agent) = (self.surroundings.environment.clone(), self.name.clone());
        drop(self.session.ask(Remark { environment, agent, remark }));
    }

    /// Returns the outcome of the episode if it has ended.
    pub async fn outcome(&self) -> Option<Outcome> {
        let asked = self.session.ask(GetOutcome { environment: self.surroundings.environment.clone() }).await;
        asked.ok()?.outcome.filter(|outcome| outcome.ending.is_some())
    }

    /// Returns the scene that the entity may see; empty if there is nothing to see.
    ///
    /// # Errors
    /// Returns an error if the environment was removed.
    pub async fn scene(&self) -> Result<Scene, Error> {
        let (environment, viewer) = (self.surroundings.environment.clone(), Some(self.entity.clone()));
        Ok(self.session.ask(GetScene { environment, viewer }).await?.scene)
    }

    /// Returns how the episode ended; empty if it continues.
    async fn ending(&self) -> String {
        self.outcome().await.and_then(|outcome| ended(&outcome)).unwrap_or_default()
    }
}

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        let mut usage = self.0.usage.lock();
        usage.in_progress -= 1;
        usage.last = Instant::now();
    }
}

/// Chooses the wanted entity or the first free one.
fn choose(listed: &Entities, wanted: Option<&str>, restriction: Restriction) -> Result<(Name, Name), CannotJoin> {
    let mut free = listed.entities.iter().filter(|entity| entity.agents.is_empty());
    let found = match wanted {
        Some(name) => listed.entities.iter().find(|listed| listed.entity.as_str() == name),
        None => free.next(),
    };
    let all = names(listed.entities.iter().map(|listed| &listed.entity));
    match (found, wanted) {
        (Some(entity), _) if restriction.one_agent_per_entity && !entity.agents.is_empty() => {
            let agents = names(&entity.agents);
            Err(CannotJoin::Taken(format!("entity `{}` has at most one agent, and it has {agents}", entity.entity)))
        }
        (Some(entity), _) => Ok((entity.entity.clone(), entity.entity_type.clone())),
        (None, _) if all.is_empty() => {
            Err(CannotJoin::NoEntity("the environment has no entities yet; wait until it has begun".into()))
        }
        (None, Some(name)) => {
            let meant = did_you_mean(nearest(name, listed.entities.iter().map(|listed| listed.entity.as_str())));
            Err(CannotJoin::NoEntity(format!("there is no entity `{name}`; the entities are {all}{meant}")))
        }
        (None, None) => Err(CannotJoin::Taken(format!("all entities have agents: {all}"))),
    }
}

fn names<'a>(all: impl IntoIterator<Item = &'a Name>) -> String {
    let all: Vec<&str> = all.into_iter().map(|name| name.as_str()).collect();
    all.join(", ")
}
