//! A model that plays an entity.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use situated::environment::Measure;
use situated::iil::EcoString;
use situated::interface::State;
use situated::reading;
use tokio::time::sleep;

use crate::agent::ModelAgent;
use crate::conversation::Conversation;
use crate::endpoint::{Completion, Endpoint, NoAnswer, ToolCall, Usage, function};
use crate::mail::SEND;
use crate::tools::tools;

/// Maximum number of calls of tools in one answer. The others are not made.
const CALLS_AT_ONCE: usize = 8;

/// The number of answers in a row without a call after which the model passes a turn.
const IDLE_ANSWERS: u32 = 3;

/// The time after which a model that waits for a paused environment looks again.
const WHILE_PAUSED: Duration = Duration::from_millis(200);

/// The message to a model that calls no tool.
const CALL_A_TOOL: &str = "Nothing has happened, because you called no tool. Call one of your tools.";

/// How a model plays.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The model.
    pub endpoint: Endpoint,
    /// The description of its task, which comes before the rules of the environment.
    pub prompt: Option<String>,
    /// Maximum number of requests in an episode; `None` means no limit.
    pub calls: Option<u64>,
    /// Maximum number of tokens in an episode, of requests and answers; `None` means no limit.
    pub tokens: Option<u64>,
    /// Names of tools that the model does not get.
    pub without: Vec<String>,
    /// The number of its last answers that the model remembers, with their results.
    pub memory: usize,
}

/// The costs of a model in the current episode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Requests that were answered.
    pub calls: u64,
    /// Tokens of the requests.
    pub prompt_tokens: u64,
    /// Tokens of the answers.
    pub completion_tokens: u64,
    /// Calls of tools that failed.
    pub wrong_calls: u64,
    /// Messages that it sent to other agents of the server.
    pub messages: u64,
    /// The time in which the model thought.
    pub thinking: Duration,
    /// Whether the budget is used up, so that the model has left.
    pub is_used_up: bool,
}

/// A model that controls an agent.
pub struct Player {
    agent: ModelAgent,
    settings: Settings,
    spent: Arc<Mutex<Spent>>,
    trouble: Arc<Mutex<Option<String>>>,
}

impl Spent {
    /// Returns the costs as results of an episode.
    pub fn measures(&self, entity: &EcoString) -> Vec<Measure> {
        let counted = |name, count: u64| Measure::new(entity.clone(), name, count);
        vec![
            counted("model calls", self.calls),
            counted("wrong tool calls", self.wrong_calls),
            counted("messages of the model", self.messages),
            counted("prompt tokens", self.prompt_tokens),
            counted("completion tokens", self.completion_tokens),
            Measure::new(entity.clone(), "seconds of thinking", self.thinking.as_secs_f64()),
            Measure::new(entity.clone(), "budget used up", self.is_used_up),
        ]
    }
}

impl Player {
    /// Creates a player that controls an agent.
    pub fn new(agent: ModelAgent, settings: Settings) -> Self {
        if let Some(key) = settings.endpoint.key() {
            agent.hide(key);
        }
        Self { agent, settings, spent: Arc::default(), trouble: Arc::default() }
    }

    /// The entity that the model controls.
    pub fn entity(&self) -> &EcoString {
        self.agent.entity()
    }

    /// Returns its costs, which change while it plays.
    pub fn spent(&self) -> Arc<Mutex<Spent>> {
        self.spent.clone()
    }

    /// Returns the reason why the endpoint does not answer at the moment, which changes while it plays.
    pub fn trouble(&self) -> Arc<Mutex<Option<String>>> {
        self.trouble.clone()
    }

    /// Plays episode after episode, until the environment is removed or the budget of an episode is spent. Its
    /// agent leaves when it is dropped.
    ///
    /// # Errors
    /// Returns an error if the model gives no answer.
    pub async fn play(&self) -> Result<(), NoAnswer> {
        let all = tools(&self.agent.surroundings().ontology, Some(self.agent.entity_type()));
        let offered = all.into_iter().filter(|tool| !self.settings.without.contains(&tool.name));
        let functions: Vec<Value> = offered.map(function).collect();
        // The environment is gone when it has no moment.
        while let Ok((mut moment, _)) = self.agent.moment_and_state().await {
            *self.spent.lock() = Spent::default();
            if !self.play_episode(moment.episode, &functions).await? {
                return Ok(());
            }
            let episode = moment.episode;
            while moment.episode == episode {
                match self.agent.wait(moment).await {
                    Ok(later) => moment = later,
                    Err(_) => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Plays until the episode is over. Returns whether there is budget left.
    async fn play_episode(&self, episode: u64, functions: &[Value]) -> Result<bool, NoAnswer> {
        let mut conversation = Conversation::new(&self.system(), self.settings.memory);
        let Ok((beginning, _)) = self.agent.begin().await else { return Ok(true) };
        conversation.tell(&beginning);
        let mut idle = 0;
        while let Some(runs) = self.runs(episode).await {
            if !runs {
                // A model that cannot act must not spend its budget.
                sleep(WHILE_PAUSED).await;
                continue;
            }
            if let Some(limit) = self.reached() {
                self.spent.lock().is_used_up = true;
                let (entity, model) = (self.entity().as_str(), self.settings.endpoint.model());
                tracing::warn!(entity, model, limit, "the model has used up its budget, and leaves");
                self.agent.remark(json!({ "left": format!("the model has used up its budget of {limit}") }));
                return Ok(false);
            }
            let answer = self.think(&mut conversation, functions).await?;
            let calls = answer.calls;
            conversation.answer(answer.message);
            if !calls.is_empty() {
                idle = 0;
                self.call_all(&mut conversation, &calls, episode).await;
                continue;
            }
            idle += 1;
            conversation.tell(CALL_A_TOOL);
            if idle % IDLE_ANSWERS == 0 {
                // The others do not wait for a model that only talks.
                let (text, _) = self.call("wait_until", Map::from_iter([("seconds".to_owned(), json!(1))])).await;
                conversation.tell(&text);
            }
        }
        Ok(true)
    }

    /// Returns whether time runs; `None` if the episode is over.
    async fn runs(&self, episode: u64) -> Option<bool> {
        let (_, state) = self.agent.moment_and_state().await.ok().filter(|(moment, _)| moment.episode == episode)?;
        self.agent.outcome().await.is_none().then_some(state == State::Running)
    }

    /// Returns the limit that is reached.
    fn reached(&self) -> Option<String> {
        let Spent { calls, prompt_tokens, completion_tokens, .. } = *self.spent.lock();
        let (requests, tokens) = (self.settings.calls, self.settings.tokens);
        let requests = requests.filter(|limit| calls >= *limit).map(|limit| counted(limit, "request"));
        let tokens = tokens.filter(|limit| prompt_tokens + completion_tokens >= *limit);
        requests.or(tokens.map(|limit| counted(limit, "token")))
    }

    /// Notes that a request was not answered, and is repeated.
    fn note_trouble(&self, why: String) {
        let (entity, model) = (self.entity().as_str(), self.settings.endpoint.model());
        tracing::warn!(entity, model, why, "the model gave no answer, and is asked again");
        self.agent.remark(json!({ "error": why }));
        *self.trouble.lock() = Some(why);
    }

    /// Asks the model, and records the new messages, its answer and the costs.
    async fn think(&self, conversation: &mut Conversation, functions: &[Value]) -> Result<Completion, NoAnswer> {
        let begun = Instant::now();
        let endpoint = &self.settings.endpoint;
        let report = |why| self.note_trouble(why);
        let mut answered = endpoint.complete(conversation.messages(), functions, report).await;
        *self.trouble.lock() = None;
        if self.settings.tokens.is_some() && answered.as_ref().is_ok_and(|answer| answer.usage.is_none()) {
            answered = Err(NoAnswer::Uncounted { address: endpoint.address().to_owned() });
        }
        let took = begun.elapsed();
        let received = conversation.take_new();
        let mut remark = json!({ "received": received, "seconds": took.as_secs_f64() });
        match &answered {
            Ok(answer) => {
                let Usage { prompt_tokens, completion_tokens } = answer.usage.unwrap_or_default();
                remark["answered"] = answer.message.clone();
                remark["promptTokens"] = json!(prompt_tokens);
                remark["completionTokens"] = json!(completion_tokens);
                let mut spent = self.spent.lock();
                spent.calls += 1;
                spent.prompt_tokens += prompt_tokens;
                spent.completion_tokens += completion_tokens;
                spent.thinking += took;
                remark["soFar"] = json!({
                    "requests": spent.calls, "promptTokens": spent.prompt_tokens,
                    "completionTokens": spent.completion_tokens, "seconds": spent.thinking.as_secs_f64(),
                });
            }
            Err(error) => remark["error"] = json!(error.to_string()),
        }
        self.agent.remark(remark);
        answered
    }

    /// Makes the calls of an answer, until the episode for which they are meant has ended.
    async fn call_all(&self, conversation: &mut Conversation, calls: &[ToolCall], episode: u64) {
        for (number, call) in calls.iter().enumerate() {
            if self.runs(episode).await.is_none() {
                return;
            }
            let (text, is_wrong) = if number < CALLS_AT_ONCE {
                match arguments(&call.function.arguments) {
                    Ok(arguments) => self.call(&call.function.name, arguments).await,
                    Err(why) => self.not_done(call, why),
                }
            } else {
                self.not_done(call, format!("not done: an answer can call {CALLS_AT_ONCE} tools at most"))
            };
            self.spent.lock().wrong_calls += u64::from(is_wrong);
            conversation.result(call, &text);
        }
    }

    /// Notes a call that cannot be made. Returns what to tell the model, and that the call was wrong.
    fn not_done(&self, call: &ToolCall, why: String) -> (String, bool) {
        let ToolCall { function, .. } = call;
        self.agent.note_call(&function.name, function.arguments.as_str().into(), Err(&why), Duration::ZERO);
        (why, true)
    }

    /// Calls a tool. Returns what to tell the model, and whether the call was wrong.
    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> (String, bool) {
        let offered = !self.settings.without.iter().any(|name| name == tool);
        let called = if offered { self.agent.call(tool, &arguments).await } else { None };
        match called {
            Some(Ok((text, _))) => {
                self.spent.lock().messages += u64::from(tool == SEND);
                (text, false)
            }
            Some(Err(error)) => (error, true),
            None => {
                let why = format!("there is no tool `{tool}`; call one of those that you were given");
                self.agent.note_call(tool, arguments.into(), Err(&why), Duration::ZERO);
                (why, true)
            }
        }
    }

    /// Returns the first message: the task, the rules, and the abilities of the entity.
    fn system(&self) -> String {
        let rules = self.agent.surroundings().rules();
        let introduction = self.agent.introduction();
        match &self.settings.prompt {
            Some(prompt) => format!("{prompt}\n\n{rules}\n\n{introduction}"),
            None => format!("You are an agent in an environment. Act by calling tools.\n\n{rules}\n\n{introduction}"),
        }
    }
}

fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Reads the arguments of a call.
fn arguments(text: &str) -> Result<Map<String, Value>, String> {
    // Some endpoints send nothing for a tool without arguments.
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    reading::json(text).map_err(|error| format!("not done: the arguments are no JSON object: {error}"))
}
