//! The tools of an agent: looking, acting and waiting.

use std::time::Duration;

use serde_json::{Map, Value, json};
use situated::iil::{Action, Percept};
use situated::interface::{Form, Moment, Since};
use situated::ontology::{Ontology, Pace};
use situated_hub::{
    Acknowledge, Acknowledged, Answering, EntityPerception, Error, Perceive, Perceived, Step, Stepped, Turn,
};
use situated_tools::{Beliefs, checked};
use tokio::time::{Instant, timeout_at};

use super::{Knowledge, ModelAgent, ToolAnswer};
use crate::{mail, tools};

/// The longest time in which an action is answered. In lockstep, an action is done only when all agents have acted.
const LONGEST_ACTION: Duration = Duration::from_secs(30);

/// The answer to an action that is not done yet.
const STANDS: &str =
    "The others have not acted yet. Your action stands, and is done when they have: call `wait_until`.";

/// An action or pass that the environment has not answered. In lockstep, it stands until all agents have acted, also
/// when the caller has given up waiting.
pub(super) struct Standing {
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

impl ModelAgent {
    /// Answers `look`: the news, and what the entity perceives now.
    pub(super) async fn look(&self, arguments: &Map<String, Value>) -> ToolAnswer {
        let given = checked(&tools::look(), arguments)?;
        let about = given.get("about").and_then(Value::as_str);
        if let Some(name) = about {
            self.check_percept(&Percept::new(name, [])).await?;
        }
        let mut knowledge = self.knowledge.lock().await;
        let moment = self.perceive(&mut knowledge).await?;
        let (mut text, mut data) = knowledge.beliefs.take_news(moment);
        let (holding, all) = knowledge.beliefs.all(about);
        text += &holding;
        data["holds"] = all;
        text += &self.ending().await;
        Ok((text, data))
    }

    /// Answers the tool of an action: acts, and waits for the result for as long as an action can take.
    pub(super) async fn act(&self, ontology: &Ontology, tool: &str, arguments: &Map<String, Value>) -> ToolAnswer {
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

    /// Answers `wait_until`.
    pub(super) async fn wait_until(&self, arguments: &Map<String, Value>) -> ToolAnswer {
        let given = checked(&tools::wait_until(), arguments)?;
        let seconds = given.get("seconds").and_then(Value::as_f64).unwrap_or(10.0);
        let deadline = Instant::now() + Duration::from_secs_f64(seconds);
        let wanted = given.get("percept").and_then(Value::as_str).map(str::parse::<Percept>).transpose();
        let wanted =
            wanted.map_err(|error| format!("`percept` is not a percept, such as `at` or `at(RoomC1)`: {error}"))?;
        if let Some(percept) = &wanted {
            self.check_percept(percept).await?;
        }
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

    /// Waits until the environment is later than a moment, or a message arrives. Returns whether the deadline came
    /// first.
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

    /// Waits for the answer to the action or pass that stands, and adds what the agent learns by it. Returns `None` if
    /// the deadline comes first.
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
    pub(super) async fn perceive(&self, knowledge: &mut Knowledge) -> Result<Moment, String> {
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
}
