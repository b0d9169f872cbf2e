//! A client that trusts nothing: it checks every incoming frame against the rules for all frames.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use situated::reading;
use situated_wire::Code;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;

use crate::server::frames::Frames;
use crate::server::stop::{Checked, Stop, ensure};

/// A client. The check and the stage share it.
#[derive(Clone)]
pub(crate) struct Client(Arc<Mutex<Connection>>);

struct Connection {
    number: u32,
    /// `None` after the connection is closed.
    frames: Option<Frames>,
    exchange: Exchange,
    patience: Duration,
    next_id: i64,
    waiting: BTreeSet<i64>,
    answers: BTreeMap<i64, Answered>,
    notifications: VecDeque<(String, Value)>,
    greeted: bool,
}

/// The response to a request: a result, or an error.
pub(crate) type Answered = Result<Value, Value>;

impl Client {
    /// Creates a client for a connection on which nothing has been sent.
    pub(crate) fn new(number: u32, frames: Frames, exchange: Exchange, patience: Duration) -> Self {
        Self(Arc::new(Mutex::new(Connection {
            number,
            frames: Some(frames),
            exchange,
            patience,
            next_id: 1,
            waiting: BTreeSet::new(),
            answers: BTreeMap::new(),
            notifications: VecDeque::new(),
            greeted: false,
        })))
    }

    async fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().await
    }

    /// Sends a frame unchanged.
    pub(crate) async fn send(&self, frame: &Value) -> Checked {
        self.send_text(&frame.to_string()).await
    }

    /// Sends text as a frame.
    pub(crate) async fn send_text(&self, text: &str) -> Checked {
        self.lock().await.send(text).await
    }

    /// Sends a frame that is not text.
    pub(crate) async fn send_what_is_no_text(&self) -> Checked {
        let mut connection = self.lock().await;
        connection.exchange.said(connection.number, "(bytes that are not text)");
        Ok(connection.open()?.send_what_is_no_text().await?)
    }

    /// Waits for the next frame of any kind.
    pub(crate) async fn frame(&self) -> Checked<Value> {
        self.lock().await.frame().await
    }

    /// Makes a call without waiting for the answer. Returns the id.
    pub(crate) async fn begin(&self, method: &str, params: Value) -> Checked<i64> {
        self.lock().await.begin(method, params).await
    }

    /// Waits for the answer to a call.
    pub(crate) async fn answer(&self, id: i64) -> Checked<Answered> {
        let mut connection = self.lock().await;
        while !connection.answers.contains_key(&id) {
            connection.take().await?;
        }
        connection.answers.remove(&id).ok_or_else(|| Stop::failed("an answer", "none"))
    }

    /// Whether the answer to a call has arrived. Considers everything that the server sent before it handles this
    /// question.
    pub(crate) async fn has_answer(&self, id: i64) -> Checked<bool> {
        self.settle().await?;
        Ok(self.lock().await.answers.contains_key(&id))
    }

    /// Makes a call and waits for the answer.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Checked<Answered> {
        let id = self.begin(method, params).await?;
        let answered = self.answer(id).await?;
        if method == "hello" && answered.is_ok() {
            self.lock().await.greeted = true;
        }
        Ok(answered)
    }

    /// Makes a call that must succeed.
    pub(crate) async fn get(&self, method: &str, params: Value) -> Checked<Value> {
        let answered = self.call(method, params).await?;
        answered.map_err(|error| Stop::failed(format!("`{method}` succeeds"), error))
    }

    /// Makes a call that must fail with this code. Returns the error.
    pub(crate) async fn refused(&self, method: &str, params: Value, code: Code) -> Checked<Value> {
        let expected = format!("`{method}` fails with {} (`{}`)", code as i32, code.kind());
        match self.call(method, params).await? {
            Err(error) if error["code"] == code as i32 => Ok(error),
            Err(other) => Err(Stop::failed(expected, other)),
            Ok(result) => Err(Stop::failed(expected, result)),
        }
    }

    /// Sends a notification.
    pub(crate) async fn notify(&self, method: &str, params: Value) -> Checked {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await
    }

    /// Subscribes; returns the number of the subscription.
    pub(crate) async fn subscribe(&self, to: Value) -> Checked<u64> {
        let answer = self.get("subscribe", json!({ "to": to })).await?;
        answer["subscription"].as_u64().ok_or_else(|| Stop::failed("the number of the subscription", answer))
    }

    /// Waits for the next notification of a subscription.
    pub(crate) async fn notification(&self, subscription: u64) -> Checked<Value> {
        let mut connection = self.lock().await;
        loop {
            let of_it = |(_, params): &(String, Value)| params["subscription"] == subscription;
            if let Some(place) = connection.notifications.iter().position(of_it)
                && let Some((_, params)) = connection.notifications.remove(place)
            {
                return Ok(params);
            }
            connection.take().await?;
        }
    }

    /// The notifications of a subscription that have arrived so far.
    pub(crate) async fn told_already(&self, subscription: u64) -> Checked<Vec<Value>> {
        self.settle().await?;
        let mut connection = self.lock().await;
        let all = std::mem::take(&mut connection.notifications);
        let (of_it, others) = all.into_iter().partition(|(_, params)| params["subscription"] == subscription);
        connection.notifications = others;
        let of_it: VecDeque<(String, Value)> = of_it;
        Ok(of_it.into_iter().map(|(_, params)| params).collect())
    }

    /// Checks that the server announces this reason and closes the connection.
    pub(crate) async fn closed(&self, code: Code) -> Checked {
        let mut connection = self.lock().await;
        let reason = loop {
            let closing = connection.notifications.iter().find(|(name, _)| name == "closing");
            if let Some((_, params)) = closing {
                break params["reason"].clone();
            }
            connection.take().await?;
        };
        check_error(&reason)?;
        ensure(reason["code"] == code as i32, format!("`closing` with the reason `{}`", code.kind()), &reason)?;
        connection.gone().await
    }

    /// Drops the connection without `bye`.
    pub(crate) async fn drop_connection(&self) {
        self.lock().await.frames = None;
    }

    /// Whether it has sent `hello` and believes to be connected.
    pub(crate) async fn is_greeted(&self) -> bool {
        let connection = self.lock().await;
        connection.greeted && connection.frames.is_some()
    }

    /// Receives everything that the server has sent so far.
    pub(crate) async fn settle(&self) -> Checked {
        self.get("ping", json!({})).await.map(drop)
    }
}

impl Connection {
    fn open(&mut self) -> Checked<&mut Frames> {
        self.frames.as_mut().ok_or_else(|| Stop::failed("an open connection", "the server has closed it"))
    }

    async fn send(&mut self, text: &str) -> Checked {
        self.exchange.said(self.number, text);
        let patience = self.patience;
        match timeout(patience, self.open()?.send(text)).await {
            Ok(sent) => Ok(sent?),
            Err(_) => Err(Stop::failed("the server reads", "it does not")),
        }
    }

    async fn begin(&mut self, method: &str, params: Value) -> Checked<i64> {
        let id = self.next_id;
        self.next_id += 1;
        self.waiting.insert(id);
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&call.to_string()).await?;
        Ok(id)
    }

    async fn frame(&mut self) -> Checked<Value> {
        let patience = self.patience;
        let Ok(received) = timeout(patience, self.open()?.receive()).await else {
            return Err(Stop::failed("a frame", format!("nothing for {} ms", patience.as_millis())));
        };
        let Some(text) = received? else {
            self.frames = None;
            return Err(Stop::failed("a frame", "the server has closed the connection"));
        };
        self.exchange.heard(self.number, &text);
        reading::json(&text).map_err(|error| Stop::failed("a frame of JSON", error))
    }

    /// Stores the next frame by its kind.
    async fn take(&mut self) -> Checked {
        let frame = self.frame().await?;
        check_message(&frame)?;
        if let Some(method) = frame["method"].as_str() {
            self.notifications.push_back((method.to_owned(), frame["params"].clone()));
            return Ok(());
        }
        let id = frame["id"].as_i64().filter(|id| self.waiting.remove(id));
        let Some(id) = id else {
            return Err(Stop::failed("one answer for each call", &frame));
        };
        let answered = if frame["error"].is_null() { Ok(frame["result"].clone()) } else { Err(frame["error"].clone()) };
        self.answers.insert(id, answered);
        Ok(())
    }

    async fn gone(&mut self) -> Checked {
        let Some(mut frames) = self.frames.take() else { return Ok(()) };
        match timeout(self.patience, frames.receive()).await {
            Ok(Ok(None) | Err(_)) => Ok(()),
            Ok(Ok(Some(frame))) => Err(Stop::failed("nothing after `closing`", frame)),
            Err(_) => Err(Stop::failed("the connection is closed", "it is still open")),
        }
    }
}

/// Checks the properties of every message of a server: its form, the code and kind of an error, and its time.
pub(crate) fn check_message(message: &Value) -> Checked {
    ensure(message["jsonrpc"] == "2.0", "`\"jsonrpc\": \"2.0\"`", message)?;
    if message.get("method").is_some() {
        ensure(
            message["method"].is_string() && message.get("id").is_none(),
            "a notification without an `id`",
            message,
        )?;
        return check_time(&message["params"]);
    }
    ensure(message.get("id").is_some(), "a response needs the `id` of its request", message)?;
    match (message.get("result"), message.get("error")) {
        (Some(result), None) => check_time(result),
        (None, Some(error)) => check_error(error),
        _ => Err(Stop::failed("either `result` or `error`", message)),
    }
}

/// Checks that an error has a message, a stable code, and the name of the code.
pub(crate) fn check_error(error: &Value) -> Checked {
    ensure(error["message"].as_str().is_some_and(|text| !text.is_empty()), "an error has a `message`", error)?;
    let known = Code::ALL.iter().find(|code| error["code"] == **code as i32);
    let named = known.is_some_and(|code| error["data"]["kind"] == code.kind());
    ensure(named, "an error has a known `code`, and its name in `data.kind`", error)
}

fn check_time(said: &Value) -> Checked {
    let moment = |moment: &Value| ["episode", "step", "time"].iter().all(|part| moment[part].is_u64());
    let says = said["time"].is_u64() || moment(&said["moment"]) || moment(&said["status"]["moment"]);
    ensure(says, "a `time`, or a moment with `episode`, `step` and `time`", said)
}

/// Number of last frames that are shown.
const SHOWN: usize = 24;

/// Maximum number of characters of a frame that are shown.
const LENGTH: usize = 600;

/// The frames of all connections of a check.
#[derive(Clone, Default)]
pub(crate) struct Exchange(Arc<SyncMutex<VecDeque<String>>>);

impl Exchange {
    /// Notes a frame that was sent on a connection.
    pub(crate) fn said(&self, connection: u32, frame: &str) {
        self.note(connection, '→', frame);
    }

    /// Notes a frame that was received.
    pub(crate) fn heard(&self, connection: u32, frame: &str) {
        self.note(connection, '←', frame);
    }

    /// The frames that are remembered.
    pub(crate) fn frames(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn note(&self, connection: u32, way: char, frame: &str) {
        let mut shown: String = frame.chars().take(LENGTH).collect();
        if shown.len() < frame.len() {
            shown += &format!("… ({} bytes)", frame.len());
        }
        let mut frames = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if frames.len() == SHOWN {
            frames.pop_front();
        }
        frames.push_back(format!("{connection} {way} {shown}"));
    }
}
