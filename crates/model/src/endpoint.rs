//! The endpoint of a model: one request for each answer, repeated while that can help.

use std::borrow::Cow;
use std::fmt;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use situated::reading;
use situated_tools::ActionTool;
use thiserror::Error;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::remarks::HIDDEN;

/// Maximum number of bytes of an answer.
const ANSWER_BYTES: u64 = 1024 * 1024;

/// Maximum number of characters of an answer that an error repeats.
const REPEATED: usize = 300;

/// Maximum number of characters of an answer that are kept.
const REMEMBERED: usize = 8192;

/// The pauses before a request is repeated.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// The longest pause that an endpoint can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A model behind an HTTP endpoint of the OpenAI kind. It needs no tokens of a session: each request carries the whole
/// conversation.
#[derive(Clone)]
pub struct Endpoint {
    client: ureq::Agent,
    address: String,
    model: String,
    key: Option<String>,
    temperature: Option<f64>,
}

/// The reason why a model gave no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoAnswer {
    /// The endpoint refuses such requests.
    #[error("{address} answered {status}: {text}{}", advice(*.status))]
    Refused {
        /// The address of the request.
        address: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of the answer.
        text: String,
    },
    /// The endpoint did not answer, or something was wrong with its answers, each time.
    #[error("{address} gave no usable answer to {} requests; the last time: {why}", PAUSES.len() + 1)]
    Unusable {
        /// The address of the request.
        address: String,
        /// The reason of the last time.
        why: String,
    },
    /// The endpoint answered with a page for people, as the addresses beside those of an interface do.
    #[error("{address} answered with HTML instead of JSON: {text}; check `base_url` in the team file")]
    Page {
        /// The address of the request.
        address: String,
        /// The beginning of the answer.
        text: String,
    },
    /// There is a limit of tokens, but the endpoint does not say how many an answer took.
    #[error(
        "{address} does not tell its tokens (`usage`), so `tokens` cannot limit them; give the model `calls` instead"
    )]
    Uncounted {
        /// The address of the request.
        address: String,
    },
}

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Completion {
    /// The message, which later requests repeat.
    pub(crate) message: Value,
    /// The tools that the model calls, in order.
    pub(crate) calls: Vec<ToolCall>,
    /// The tokens, unless the endpoint does not tell them.
    pub(crate) usage: Option<Usage>,
}

/// The tokens of a request and its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct ToolCall {
    /// Identifies the call in the conversation.
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) function: Called,
}

/// The tool and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Called {
    pub(crate) name: String,
    /// A JSON object as text, if the model makes no mistake.
    #[serde(default, deserialize_with = "as_text")]
    pub(crate) arguments: String,
}

#[derive(Deserialize)]
struct Answered {
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Value,
}

/// The result of one request.
enum Tried {
    Answered(Completion),
    /// Another request may help, after this pause if the endpoint asks for one.
    Again {
        why: String,
        pause: Option<Duration>,
    },
    /// Another request would not help.
    Failed(NoAnswer),
}

impl Endpoint {
    /// Creates the endpoint at `base_url`, such as `http://127.0.0.1:11434/v1`, for the model with this name. `key` is
    /// sent as a bearer token. A request that takes longer than `timeout` is given up.
    pub fn new(base_url: &str, model: &str, key: Option<String>, temperature: Option<f64>, timeout: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            // A redirect would send the key elsewhere.
            .max_redirects(0)
            .user_agent(concat!("situated/", env!("CARGO_PKG_VERSION")));
        let address = format!("{}/chat/completions", base_url.trim_end_matches('/'));
        Self { client: config.build().into(), address, model: model.into(), key, temperature }
    }

    /// The address of its requests.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The key, if the endpoint needs one.
    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Lets the model continue a conversation. Reports each request that fails and is repeated.
    ///
    /// # Errors
    /// Returns an error if the endpoint refuses the request, or if repeating it does not help.
    pub(crate) async fn complete(
        &self,
        messages: Vec<Value>,
        tools: &[Value],
        report: impl Fn(String),
    ) -> Result<Completion, NoAnswer> {
        let mut request = json!({ "model": self.model, "messages": messages, "tools": tools });
        if let Some(temperature) = self.temperature {
            request["temperature"] = json!(temperature);
        }
        let request = request.to_string();
        let mut pauses = PAUSES.into_iter();
        loop {
            let (endpoint, sent) = (self.clone(), request.clone());
            let (answer, answered) = oneshot::channel();
            // A runtime that ends would wait for a thread of its own, perhaps for minutes.
            thread::spawn(move || answer.send(endpoint.request(&sent)));
            let failed = |_| Tried::Again { why: "the request failed".into(), pause: None };
            let tried = answered.await.unwrap_or_else(failed);
            match tried {
                Tried::Answered(completion) => return Ok(completion),
                Tried::Failed(reason) => return Err(reason),
                Tried::Again { why, pause: asked } => {
                    let (address, left) = (self.address.clone(), pauses.len());
                    let Some(pause) = pauses.next() else { return Err(NoAnswer::Unusable { address, why }) };
                    let tries = if left == 1 { "try" } else { "tries" };
                    report(format!("{address} gave no usable answer: {why}; {left} {tries} left"));
                    sleep(asked.unwrap_or_default().clamp(pause, LONGEST_PAUSE)).await;
                }
            }
        }
    }

    /// Makes one request.
    fn request(&self, body: &str) -> Tried {
        let mut request = self.client.post(&self.address).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let again = |why: String| Tried::Again { why, pause: None };
        let mut response = match request.send(body) {
            Ok(response) => response,
            Err(error) => return again(error.to_string()),
        };
        let status = response.status().as_u16();
        let pause = response.headers().get("retry-after").and_then(|text| text.to_str().ok()?.parse().ok());
        let text = match response.body_mut().with_config().limit(ANSWER_BYTES).read_to_string() {
            Ok(text) => text,
            Err(error) => return again(error.to_string()),
        };
        let address = self.address.clone();
        match status {
            200..=299 if text.trim_start().starts_with('<') => {
                Tried::Failed(NoAnswer::Page { address, text: shortened(&self.without_key(&text)) })
            }
            200..=299 => {
                let read = read(&text).or_else(|_| read(&self.without_key(&text)));
                read.map_or_else(again, Tried::Answered)
            }
            408 | 409 | 429 | 500.. => Tried::Again {
                why: format!("it answered {status}: {}", shortened(&self.without_key(&text))),
                pause: pause.map(Duration::from_secs),
            },
            _ => Tried::Failed(NoAnswer::Refused { address, status, text: shortened(&self.without_key(&text)) }),
        }
    }

    /// What an endpoint says, for an error that people and logs see: some repeat the key that they refuse.
    fn without_key<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.key {
            Some(key) if !key.is_empty() && text.contains(key) => text.replace(key, HIDDEN).into(),
            _ => text.into(),
        }
    }
}

impl fmt::Debug for Endpoint {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("address", &self.address).field("model", &self.model).finish_non_exhaustive()
    }
}

/// Reads an answer, or says what is wrong with it.
fn read(text: &str) -> Result<Completion, String> {
    let Answered { choices, usage } =
        reading::json(text).map_err(|error| format!("it is no chat completion ({error}): {}", shortened(text)))?;
    let Some(Choice { message }) = choices.into_iter().next() else { return Err("it has no choices".into()) };
    if !message.is_object() {
        return Err("its message is no object".into());
    }
    let content =
        message.get("content").and_then(Value::as_str).map(|text| text.chars().take(REMEMBERED).collect::<String>());
    // Endpoints refuse keys that only others know.
    let mut remembered = json!({ "role": "assistant", "content": content });
    let calls = match message.get("tool_calls") {
        None | Some(Value::Null) => Vec::new(),
        Some(calls) => Vec::deserialize(calls).map_err(|error| format!("its tool calls are wrong: {error}"))?,
    };
    if let Some(Value::Array(made)) = message.get("tool_calls").filter(|_| !calls.is_empty()) {
        remembered["tool_calls"] = made.iter().map(with_sound_arguments).collect();
    }
    Ok(Completion { message: remembered, calls, usage })
}

/// Returns a call whose arguments are an object as text: endpoints refuse conversations with others, even their own.
fn with_sound_arguments(call: &Value) -> Value {
    let mut call = call.clone();
    let given = text_of(call["function"]["arguments"].take());
    let is_sound = serde_json::from_str::<Map<String, Value>>(&given).is_ok();
    call["function"]["arguments"] = if is_sound { json!(given) } else { json!("{}") };
    call
}

/// Reads the arguments of a call, which some endpoints send as an object instead of as text.
fn as_text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Value::deserialize(from).map(text_of)
}

fn text_of(arguments: Value) -> String {
    match arguments {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Returns a tool as the endpoint expects it.
pub(crate) fn function(tool: ActionTool) -> Value {
    let ActionTool { name, description, arguments } = tool;
    json!({ "type": "function", "function": { "name": name, "description": description, "parameters": arguments } })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(REPEATED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn advice(status: u16) -> &'static str {
    match status {
        401 | 403 => "; put a valid key into the variable that `key` names in the team file",
        404 => "; check `base_url` and `model` in the team file",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_message_calls_and_costs() {
        let text = r#"{ "id": "x", "choices": [{ "index": 0, "message": { "role": "assistant", "content": null,
            "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "goTo", "arguments": "{}" } }] } }],
            "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 } }"#;
        let answer = read(text).expect("an answer");
        assert_eq!(answer.usage, Some(Usage { prompt_tokens: 11, completion_tokens: 7 }));
        let function = Called { name: "goTo".into(), arguments: "{}".into() };
        assert_eq!(answer.calls, [ToolCall { id: "a".into(), function }]);
        assert_eq!(answer.message["role"], "assistant");
    }

    #[test]
    fn arguments_can_be_an_object() {
        for (given, expected) in [(json!({ "n": 1 }), r#"{"n":1}"#), (Value::Null, ""), (json!("{}"), "{}")] {
            let call = json!({ "id": "a", "type": "function", "function": { "name": "up", "arguments": given } });
            let text = json!({ "choices": [{ "message": { "tool_calls": [call] } }] }).to_string();
            let answer = read(&text).expect("an answer");
            assert_eq!(answer.calls[0].function.arguments, expected);
            let remembered = &answer.message["tool_calls"][0]["function"]["arguments"];
            assert_eq!(remembered, if expected.is_empty() { "{}" } else { expected });
        }
    }

    #[test]
    fn what_is_no_answer_says_why() {
        for (text, why) in [
            ("nothing", "it is no chat completion"),
            ("{}", "the key `choices` is missing"),
            (r#"{ "choices": [] }"#, "it has no choices"),
            (r#"{ "choices": [{ "message": 3 }] }"#, "its message is no object"),
            (r#"{ "choices": [{ "message": { "tool_calls": [3] } }] }"#, "its tool calls are wrong"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
        assert!(read(&"x".repeat(10_000)).expect_err("no JSON").len() < 600);
    }
}
