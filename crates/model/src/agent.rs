//! An agent of a language model, whose tools are called by name.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use situated::environment::Outcome;
use situated::iil::{Action, EcoString, Percept};
use situated::interface::{Form, Moment, Since, State};
use situated::ontology::{Ontology, Pace};
use situated::scene::Scene;
use situated_hub::{
    Acknowledge, Acknowledged, Answering, Associate, Describe, Entities, EntityPerception, Error, GetOutcome, GetScene,
    Hub, ListEntities, LocalMail, LocalSession, Name, Perceive, Perceived, Register, Remark, Rights, Status, Step,
    Stepped, Subscribe, Topic, Turn, Wait,
};
use situated_tools::{Beliefs, ended, exists, introduction, visible_lines, without_documentation};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::mail;
use crate::remarks::Calls;
use crate::tools::LONGEST_WAIT;

/// The longest time in which an action is answered. In lockstep, an action is done only when all agents have acted.
const LONGEST_ACTION: Duration = Duration::from_secs(30);

/// The answer to an action that is not done yet.
const STANDS: &str =
    "The others have not acted yet. Your action stands, and is done when they have: call `wait_until`.";

/// The answer of a tool as text and as data, or an error that the model reads.
pub type ToolAnswer = Result<(String, Value), String>;

/// An agent with an entity that a language model controls by calling tools. It leaves the environment when it is dropped.
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

/// An action or pass that the environment has not answered. In lockstep, it stands until all agents have acted, also when
/// the caller has given up waiting.
struct Standing {
    answer: Answering<Stepped>,
    /// Whether it is an action.
    acts: bool,
}

/// The end of an action or pass.
struct Settled {
    moment: Moment,
    /// The reason why it failed.
    failure: Option<String>,
}

/// The reason why an agent cannot join an environment.
#[derive(Debug, thiserror::Error)]
pub enum CannotJoin {
    /// The entity does not exist or has an agent, or there is no free one.
    #[error("{0}")]
    NoEntity(String),
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
        let (entity, entity_type) = choose(&listed, entity)?;
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

    /// Returns the time since the last call, which is zero during a call. If it is longer than `quiet`, a step in lockstep no
    /// longer waits for the agent without limit, until the next call.
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

    fn begin_call(&self) -> InProgress<'_> {
        self.usage.lock().in_progress += 1;
        self.session.set_attended(true);
        InProgress(self)
    }

    /// Returns who the agent is, what it can perceive and do, and when time advances.
    pub fn introduction(&self) -> String {
        let Self { name, entity, entity_type, surroundings, .. } = self;
        let you = visible_lines(&format!("You are `{name}` and control `{entity}`, a {entity_type}."));
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

    /// Calls a tool: `look`, `wait_until`, `send_message`, or an action. Observers see the call. Returns `None` if there is
    /// no such tool.
    pub async fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Option<ToolAnswer> {
        let (begun, _in_progress) = (Instant::now(), self.begin_call());
        let answer = self.answer(tool, arguments).await;
        if let Some(answer) = &answer {
            let told = answer.as_ref().map(|(text, _)| text.as_str()).map_err(String::as_str);
            self.note_call(tool, arguments.clone().into(), told, begun.elapsed());
        }
        answer
    }

    /// Shows a call that a caller has answered itself to observers, with what the model was told and how long it waited.
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
            mail::SEND => {
                let sent = mail::send(&self.session, &self.name, arguments).await;
                sent.map(|text| (text, json!({})))
            }
            _ => {
                let ontology = self.ontology_with(tool).await?;
                self.act(&ontology, tool, arguments).await
            }
        })
    }

    /// Returns the ontology with this action, which a host may have added since the agent joined; `None` if no action
    /// has this name.
    async fn ontology_with(&self, tool: &str) -> Option<Arc<Ontology>> {
        let Surroundings { environment, ontology, .. } = &self.surroundings;
        if exists(ontology, tool) {
            return Some(ontology.clone());
        }
        let described = self.session.ask(Describe { environment: environment.clone() }).await.ok()?;
        exists(&described.ontology, tool).then(|| Arc::new(described.ontology))
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

    async fn look(&self, arguments: &Map<String, Value>) -> ToolAnswer {
        let about = arguments.get("about").and_then(Value::as_str);
        let mut knowledge = self.knowledge.lock().await;
        let moment = self.perceive(&mut knowledge).await?;
        let (mut text, mut data) = knowledge.beliefs.take_news(moment);
        let (holding, all) = knowledge.beliefs.all(about);
        text += &holding;
        data["holds"] = all;
        text += &self.ending().await;
        Ok((text, data))
    }

    async fn act(&self, ontology: &Ontology, tool: &str, arguments: &Map<String, Value>) -> ToolAnswer {
        let action = situated_tools::action(ontology, &self.entity_type, tool, arguments)?;
        let (mut knowledge, deadline) = (self.knowledge.lock().await, Instant::now() + LONGEST_ACTION);
        let mut earlier = String::new();
        if let Some(Standing { acts, .. }) = knowledge.standing {
            let Some(settled) = self.settle(&mut knowledge, deadline).await else {
                let stands = if acts { "your earlier action stands" } else { "you have passed this turn" };
                return Err(format!("not done: {stands}, until the others have acted; call `wait_until`"));
            };
            if let (true, Ok(Settled { failure: Some(failure), .. })) = (acts, settled) {
                earlier = format!("Your earlier action failed: {failure}\n");
            }
        }
        knowledge.standing = Some(Standing { answer: self.step(Some(action)), acts: true });
        let told = match self.settle(&mut knowledge, deadline).await {
            Some(settled) => self.tell_result(&mut knowledge, settled).await,
            None => self.tell_news(&mut knowledge).await,
        };
        told.map(|(text, data)| (format!("{earlier}{text}"), data)).map_err(|error| format!("{earlier}{error}"))
    }

    async fn wait_until(&self, arguments: &Map<String, Value>) -> ToolAnswer {
        let seconds = arguments.get("seconds").and_then(Value::as_f64).unwrap_or(10.0).clamp(0.0, LONGEST_WAIT as f64);
        let deadline = Instant::now() + Duration::from_secs_f64(seconds);
        let wanted = arguments.get("percept").and_then(Value::as_str).map(str::parse::<Percept>).transpose();
        let wanted =
            wanted.map_err(|error| format!("`percept` is not a percept, such as `at` or `at(RoomC1)`: {error}"))?;
        let mut knowledge = self.knowledge.lock().await;
        if let Some(Standing { acts: true, .. }) = knowledge.standing {
            let Some(settled) = self.settle(&mut knowledge, deadline).await else {
                let (text, mut data) = self.tell_news(&mut knowledge).await?;
                data["met"] = json!(false);
                return Ok((text, data));
            };
            let is_met = wanted.is_none_or(|wanted| knowledge.beliefs.contains(&wanted));
            let (text, mut data) = self.tell_result(&mut knowledge, settled).await?;
            data["met"] = json!(is_met);
            return Ok((text, data));
        }
        loop {
            let moment = self.perceive(&mut knowledge).await?;
            let is_met = match &wanted {
                Some(wanted) => knowledge.beliefs.contains(wanted),
                None => knowledge.beliefs.has_news(),
            };
            if is_met {
                return Ok(self.waited(&mut knowledge, moment, "").await);
            }
            let is_late = self.let_time_pass(&mut knowledge, moment, deadline).await?;
            if is_late || !self.ending().await.is_empty() {
                return Ok(self.waited(&mut knowledge, moment, "It did not happen in this time. ").await);
            }
        }
    }

    /// Waits until the environment is later than a moment, or a message arrives. Returns whether the deadline came first.
    async fn let_time_pass(&self, knowledge: &mut Knowledge, after: Moment, deadline: Instant) -> Result<bool, String> {
        if self.surroundings.pace == Pace::Lockstep {
            knowledge.standing.get_or_insert_with(|| Standing { answer: self.step(None), acts: false });
            let Some(settled) = self.settle(knowledge, deadline).await else { return Ok(true) };
            if settled.map_err(|error| error.to_string())?.failure.is_none() {
                return Ok(Instant::now() >= deadline);
            }
        }
        tokio::select! {
            later = timeout_at(deadline, self.wait(after)) => Ok(later.is_err()),
            Some(letter) = knowledge.mail.next() => {
                mail::read(&self.session, &self.name, &letter, &mut knowledge.beliefs);
                Ok(false)
            }
        }
    }

    /// Waits for the answer to the action or pass that stands, and adds what the agent learns by it. Returns `None` if the
    /// deadline comes first.
    async fn settle(&self, knowledge: &mut Knowledge, deadline: Instant) -> Option<Result<Settled, Error>> {
        let Standing { answer, .. } = knowledge.standing.as_mut()?;
        let answered = timeout_at(deadline, answer).await.ok()?;
        knowledge.standing = None;
        Some(answered.map(|Stepped { moment, agents }| {
            let mut failure = None;
            for turn in agents {
                failure = turn.error.map(|error| error.to_string()).or(failure);
                for result in turn.results {
                    // The percepts that an action returns are reported once, as events are.
                    knowledge.beliefs.find_out(result.percepts);
                    failure = result.error.map(|error| error.to_string()).or(failure);
                }
                self.receive(&mut knowledge.beliefs, turn.perceptions, moment);
            }
            Settled { moment, failure }
        }))
    }

    /// Returns the result of an action, and the news.
    async fn tell_result(&self, knowledge: &mut Knowledge, settled: Result<Settled, Error>) -> ToolAnswer {
        let ending = self.ending().await;
        let Settled { moment, failure } = settled.map_err(|error| format!("{error}{ending}"))?;
        self.read_mail(knowledge);
        let (news, data) = knowledge.beliefs.take_news(moment);
        match failure {
            Some(failure) => Err(format!("{failure}\n{news}{ending}")),
            None => Ok((format!("Done. {news}{ending}"), data)),
        }
    }

    /// Returns the news while an action stands.
    async fn tell_news(&self, knowledge: &mut Knowledge) -> ToolAnswer {
        let moment = self.perceive(knowledge).await?;
        let (news, data) = knowledge.beliefs.take_news(moment);
        Ok((format!("{STANDS} {news}"), data))
    }

    /// Adds the messages that have arrived to the beliefs.
    fn read_mail(&self, knowledge: &mut Knowledge) {
        while let Some(letter) = knowledge.mail.next_now() {
            mail::read(&self.session, &self.name, &letter, &mut knowledge.beliefs);
        }
    }

    async fn waited(&self, knowledge: &mut Knowledge, moment: Moment, how: &str) -> (String, Value) {
        let (news, mut data) = knowledge.beliefs.take_news(moment);
        data["met"] = json!(how.is_empty());
        (format!("{how}{news}{}", self.ending().await), data)
    }

    /// Acts and perceives. In lockstep, the answer comes when all agents have acted.
    fn step(&self, action: Option<Action>) -> Answering<Stepped> {
        let turn = Turn::new(self.name.clone(), action);
        let (environment, form, since) = (self.surroundings.environment.clone(), Form::Update, Since::Acknowledged);
        self.session.ask(Step { environment, agents: vec![turn], form, since, perceive: true })
    }

    /// Perceives what has changed, and reads the messages that have arrived.
    async fn perceive(&self, knowledge: &mut Knowledge) -> Result<Moment, String> {
        let (environment, agent) = (self.surroundings.environment.clone(), self.name.clone());
        let asked = self.session.ask(Perceive { since: Since::Acknowledged, ..Perceive::new(environment, agent) });
        let Perceived { moment, perceptions } = asked.await.map_err(|error| error.to_string())?;
        self.receive(&mut knowledge.beliefs, perceptions, moment);
        self.read_mail(knowledge);
        Ok(moment)
    }

    /// Adds perceptions to the beliefs, and acknowledges them. Perceptions of a call that its caller has given up come
    /// again with the next one.
    fn receive(&self, beliefs: &mut Beliefs, perceptions: Vec<EntityPerception>, moment: Moment) {
        let known = |one: &EntityPerception| Acknowledged { entity: one.entity.clone(), version: one.version };
        let versions = perceptions.iter().map(known).collect();
        perceptions.into_iter().for_each(|one| beliefs.update(one.into_perception(moment)));
        let (environment, agent) = (self.surroundings.environment.clone(), self.name.clone());
        drop(self.session.ask(Acknowledge { environment, agent, versions }));
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
fn choose(listed: &Entities, wanted: Option<&str>) -> Result<(Name, Name), CannotJoin> {
    let mut free = listed.entities.iter().filter(|entity| entity.agents.is_empty());
    let found = match wanted {
        Some(name) => listed.entities.iter().find(|listed| listed.entity.as_str() == name),
        None => free.next(),
    };
    if let Some(entity) = found {
        return Ok((entity.entity.clone(), entity.entity_type.clone()));
    }
    let all: Vec<&str> = listed.entities.iter().map(|listed| listed.entity.as_str()).collect();
    Err(CannotJoin::NoEntity(match (wanted, all.is_empty()) {
        (_, true) => "the environment has no entities yet; wait until it has begun".into(),
        (Some(name), _) => format!("there is no entity `{name}`; the entities are {}", all.join(", ")),
        (None, _) => format!("all entities have agents: {}; join again when one is free", all.join(", ")),
    }))
}

/// An environment as models get to know it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The name of the environment.
    pub environment: Name,
    /// Its ontology. If its host is not trusted, the documentation is left out.
    pub ontology: Arc<Ontology>,
    /// What advances its time.
    pub pace: Pace,
}

impl Surroundings {
    /// Asks for an environment. Models read the documentation of a hosted one only if hosts are trusted.
    ///
    /// # Errors
    /// Returns an error if there is no such environment.
    pub async fn of(session: &LocalSession, environment: &str, trust_hosts: bool) -> Result<Self, Error> {
        let environment = Name::from(environment);
        let described = session.ask(Describe { environment: environment.clone() }).await?;
        let is_trusted = trust_hosts || !described.status.hosted;
        let all = described.ontology;
        let ontology = Arc::new(if is_trusted { all } else { without_documentation(&all) });
        Ok(Self { environment, ontology, pace: described.status.pace })
    }

    /// Returns the rules of the environment.
    pub fn rules(&self) -> String {
        visible_lines(&self.ontology.documentation)
    }

    /// Returns when time advances.
    pub(crate) fn passing_of_time(&self) -> &'static str {
        match self.pace {
            Pace::Lockstep => "Time advances by a step when all agents have acted. `wait_until` passes your turns.",
            Pace::Reactive => "Time advances by a step with each action.",
            Pace::RealTime { .. } | Pace::Own => {
                "Time passes while you think. After an action that takes time, call `wait_until`."
            }
        }
    }
}
