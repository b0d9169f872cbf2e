//! The link: the task that owns the connection. It sends calls, passes on the messages of the server, and reconnects.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::{Arc, OnceLock};
use std::task::ready;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use situated_wire::methods::{Bye, Hosting, Ping, Subscribed, Unsubscribe};
use situated_wire::notifications::{Closing, Ended, Notify as _};
use situated_wire::rpc::{self, Frame, Id, Message, Refused};
use situated_wire::{Code, Error as Refusal, Name};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::calls::{CALLS_WAITING, Calls, Listener, Order, Taker, call_line};
use crate::endpoint::Endpoint;
use crate::inbox::{Line, ToHost, read_call};
use crate::transport::{Outgoing, Transport};
use crate::{End, Error};

/// Time without messages after which the client sends a ping, and time for its answer before the connection counts as lost.
pub const SILENCE: Duration = Duration::from_secs(4);

/// Time for ending a session.
const FAREWELL: Duration = Duration::from_secs(1);

/// Minimum and maximum pause before the next attempt to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Number of bytes waiting to be sent above which the link takes no more calls.
const ROOM: usize = 64 << 10;

/// The task that owns the connection.
pub(crate) struct Link {
    pub(crate) endpoint: Endpoint,
    pub(crate) resume: String,
    /// The interval within which the server expects a message.
    pub(crate) heartbeat: Option<Duration>,
    /// The time for reconnecting.
    pub(crate) patience: Duration,
    pub(crate) orders: mpsc::Receiver<Order>,
    /// Notified when the session should end.
    pub(crate) leave: Arc<Notify>,
    pub(crate) end: Arc<OnceLock<End>>,
    pub(crate) calls: Calls,
    pub(crate) listeners: BTreeMap<u64, Listener>,
    /// The hosts of the environments that were announced.
    pub(crate) hosts: BTreeMap<Name, Line>,
    /// Lines that wait to be sent.
    pub(crate) lines: String,
    /// The pause before the next attempt to connect.
    pub(crate) pause: Duration,
}

/// The reason for the end of a connection.
enum Cut {
    /// The link reconnects.
    Lost(String),
    /// The session has ended.
    Over(End),
}

/// The subscription of a notification.
#[derive(Deserialize)]
struct About {
    subscription: u64,
}

impl Link {
    /// Serves connections until the session ends.
    pub(crate) async fn run(mut self, mut transport: Transport) {
        let end = loop {
            let reason = match self.serve(&mut transport).await {
                Cut::Over(end) => break end,
                Cut::Lost(reason) => reason,
            };
            drop(transport);
            self.calls.interrupt(&reason);
            self.lines.clear();
            transport = match self.return_to_session().await {
                Ok(transport) => transport,
                Err(end) => break end,
            };
            self.lines = self.calls.repeat();
            self.notify_hosts(&ToHost::Resumed);
        };
        // From here on no call can be added, and the current ones fail.
        let end = self.end.get_or_init(|| end).clone();
        self.orders.close();
        self.calls.end(&end);
        while let Ok(order) = self.orders.try_recv() {
            if let Some(call) = order.call {
                let _ = call.answer.send(Err(Error::Ended(end.clone())));
            }
        }
    }

    /// Serves a connection until it is lost or the session ends.
    async fn serve(&mut self, transport: &mut Transport) -> Cut {
        let Transport { incoming, outgoing, .. } = transport;
        let mut flushed = false;
        let mut silences = 0;
        let pace = self.heartbeat.map_or(SILENCE, |heartbeat| (heartbeat / 3).min(SILENCE));
        let mut clock = interval(pace);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        clock.reset();
        loop {
            tokio::select! {
                frame = incoming.next() => {
                    silences = 0;
                    let received = match frame {
                        Some(Ok(frame)) => self.receive(&frame),
                        Some(Err(error)) => Err(Cut::Lost(error.to_string())),
                        None => Err(Cut::Lost("the server has closed the connection".into())),
                    };
                    if let Err(cut) = received {
                        return cut;
                    }
                }
                order = self.orders.recv(), if self.lines.len() < ROOM => match order {
                    Some(order) => self.take(order),
                    None => return self.send_bye(transport).await,
                },
                sent = send(outgoing, &mut self.lines), if !flushed || !self.lines.is_empty() => match sent {
                    Ok(()) => flushed = true,
                    Err(error) => return Cut::Lost(error.to_string()),
                },
                _ = clock.tick() => {
                    silences += 1;
                    if (silences - 1) * pace >= SILENCE {
                        return Cut::Lost(format!("the server has not answered for {} s", SILENCE.as_secs()));
                    }
                    self.lines.extend(call_line(Some(0), &Ping {}));
                }
                () = self.leave.notified() => return self.send_bye(transport).await,
            }
            flushed &= self.lines.is_empty();
        }
    }

    /// Adds a call or notification.
    fn take(&mut self, order: Order) {
        let Order { lines, call } = order;
        let Some(call) = call else { return self.lines.push_str(&lines) };
        if self.calls.len() >= CALLS_WAITING {
            let _ = call.answer.send(Err(Error::Busy { method: call.method, limit: CALLS_WAITING }));
            return;
        }
        self.lines.push_str(&lines);
        self.calls.begin(call, lines);
    }

    /// Handles a frame of the server.
    fn receive(&mut self, frame: &str) -> Result<(), Cut> {
        let messages = match rpc::read(frame) {
            Ok(Frame::One(message)) => vec![message],
            Ok(Frame::Batch(messages)) => messages,
            Err(refused) => vec![Err(refused)],
        };
        for message in messages {
            match message {
                Ok(Message::Answer { id: Some(Id::Number(number)), answered }) => self.on_answer(number, answered),
                Ok(Message::Answer { id: None, answered: Err(error) }) => self.on_refusal(error)?,
                Ok(Message::Call { id: None, method, params }) if method == Closing::NAME => {
                    return Err(closed(params.map_or("", |params| params.get())));
                }
                Ok(Message::Call { id: None, method, params: Some(params) }) if method == Ended::NAME => {
                    self.on_ended(params);
                }
                Ok(Message::Call { id: None, params: Some(params), .. }) => self.on_notification(params),
                Ok(Message::Call { id: Some(id), method, params }) => self.on_call(&id, &method, params),
                Ok(Message::Answer { .. } | Message::Call { .. }) => {}
                Err(Refused { error, .. }) => return Err(Cut::Lost(error.message)),
            }
        }
        Ok(())
    }

    fn on_answer(&mut self, number: i64, answered: Result<&RawValue, Refusal>) {
        // After a working connection, the next attempt comes at once.
        self.pause = Duration::ZERO;
        match self.calls.answer(number, answered) {
            Some((result, Taker::Listener(listener))) => {
                if let Ok(Subscribed { subscription, .. }) = serde_json::from_str(result.get()) {
                    self.listeners.insert(subscription, listener);
                }
            }
            Some((result, Taker::Host(line))) => {
                if let Ok(Hosting { environment, .. }) = serde_json::from_str(result.get()) {
                    self.hosts.insert(environment, line);
                }
            }
            None => {}
        }
    }

    /// Handles an error without an id. The server rejected an update of a host, or a message that it could not parse
    /// and will never answer.
    fn on_refusal(&mut self, error: Refusal) -> Result<(), Cut> {
        let concerns_environments = error.code > 0;
        if self.hosts.is_empty() || !concerns_environments {
            return Err(Cut::Lost(error.message));
        }
        self.notify_hosts(&ToHost::Refused(error));
        Ok(())
    }

    fn notify_hosts(&mut self, notice: &ToHost) {
        self.hosts.retain(|_, line| line.notify(notice.clone()));
    }

    /// Handles a request of the server to a host.
    fn on_call(&mut self, id: &Id, method: &str, params: Option<&RawValue>) {
        let passed = read_call(id, method, params).and_then(|(environment, call)| match self.hosts.get(&environment) {
            Some(line) => line.call(call),
            None => {
                let message = format!("this client does not host environment `{environment}`");
                Err(Refusal::new(Code::NoSuchEnvironment, message))
            }
        });
        if let Err(error) = passed {
            self.refuse(id, &error);
        }
    }

    /// Passes a notification to its subscription. If the subscription is missing or full, the link cancels it. A full
    /// one then subscribes again, which begins with the current state.
    fn on_notification(&mut self, params: &RawValue) {
        let Ok(About { subscription }) = serde_json::from_str(params.get()) else { return };
        let listener = self.listeners.get(&subscription);
        if listener.is_none_or(|listener| listener.try_send(params.to_owned()).is_err()) {
            self.listeners.remove(&subscription);
            self.lines.extend(call_line(None, &Unsubscribe { subscription }));
        }
    }

    /// Handles the end of a subscription. The subscription subscribes again to get the reason.
    fn on_ended(&mut self, params: &RawValue) {
        if let Ok(About { subscription }) = serde_json::from_str(params.get()) {
            self.listeners.remove(&subscription);
        }
    }

    fn refuse(&mut self, id: &Id, error: &Refusal) {
        let mut line = Vec::new();
        if rpc::write_error(&mut line, Some(id), error).is_ok() {
            self.lines.push_str(&String::from_utf8_lossy(&line));
            self.lines.push('\n');
        }
    }

    /// Sends the remaining messages and ends the session.
    async fn send_bye(&mut self, transport: &mut Transport) -> Cut {
        while let Ok(order) = self.orders.try_recv() {
            self.take(order);
        }
        self.lines.extend(call_line(Some(0), &Bye {}));
        let lines = std::mem::take(&mut self.lines);
        let _ = timeout(FAREWELL, async {
            transport.outgoing.send(lines).await?;
            // The server closes the connection afterwards.
            while let Some(Ok(frame)) = transport.incoming.next().await {
                if self.receive(&frame).is_err() {
                    break;
                }
            }
            io::Result::Ok(())
        })
        .await;
        Cut::Over(End::Closed)
    }

    /// Reconnects and resumes the session.
    async fn return_to_session(&mut self) -> Result<Transport, End> {
        let begin = Instant::now();
        loop {
            let attempt = async {
                tokio::time::sleep(varied(self.pause)).await;
                self.endpoint.connect(Some(&self.resume)).await
            };
            let entered = tokio::select! {
                entered = attempt => entered,
                () = self.leave.notified() => return Err(End::Closed),
            };
            match entered {
                Ok((transport, _)) => return Ok(transport),
                // A server without room may have room later.
                Err(Error::Refused(refusal)) if refusal.code() != Some(Code::Limit) => {
                    return Err(End::Refused(refusal));
                }
                Err(error) if begin.elapsed() > self.patience => {
                    let reason = match error {
                        Error::Connect { address, reason } => format!("cannot connect to {address}: {reason}"),
                        error => error.to_string(),
                    };
                    return Err(End::Lost { patience: self.patience, reason });
                }
                Err(_) => {}
            }
            self.pause = (2 * self.pause).clamp(PAUSES.0, PAUSES.1);
        }
    }
}

/// Sends lines. Dropping this future loses none.
async fn send(outgoing: &mut Outgoing, lines: &mut String) -> io::Result<()> {
    poll_fn(|context| {
        if !lines.is_empty() {
            ready!(outgoing.as_mut().poll_ready(context))?;
            outgoing.as_mut().start_send(std::mem::take(lines))?;
        }
        outgoing.as_mut().poll_flush(context)
    })
    .await
}

/// Parses the reason for which the server has closed the connection.
fn closed(params: &str) -> Cut {
    let reason = match serde_json::from_str::<Closing>(params) {
        Ok(closing) => closing.reason,
        Err(error) => return Cut::Lost(error.to_string()),
    };
    match reason.code() {
        Some(Code::TakenOver | Code::SessionEnded | Code::ShuttingDown) => Cut::Over(End::Refused(reason)),
        _ => Cut::Lost(reason.message),
    }
}

/// Returns a random duration of up to 1.5 times the pause, so that clients do not all reconnect at once.
fn varied(pause: Duration) -> Duration {
    let chance = RandomState::new().hash_one(()) % 1024;
    pause + pause.mul_f64(chance as f64 / 2048.0)
}
