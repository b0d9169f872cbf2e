//! Incoming frames. The connection parses them and submits their calls to the hub.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use situated::host::{HostAnswer, HostUpdate};
use situated::iil::EcoString;
use situated::interface::NAME_LENGTH;
use situated::reading;
use situated_hub::ReplyToken;
use situated_wire::methods::{AnswerHostRequest, AnswerOfHost};
use situated_wire::rpc::{self, Frame, Id, Message, Refused};
use situated_wire::{Call, Code, Error, Right};
use tokio::task::yield_now;

use crate::gateway::outbox::{InBatch, Sender};
use crate::gateway::{Client, Gateway};

/// Time that the calls of a connection take in a row, after which other connections are served.
const IN_A_ROW: Duration = Duration::from_micros(200);

/// Handles the frames that arrive over a connection.
pub(super) struct Incoming {
    gateway: Arc<Gateway>,
    client: Client,
    connection: u64,
    /// Whether a call was left to another thread.
    has_left: bool,
    /// Time that calls have taken since other connections were served.
    took: Duration,
}

impl Incoming {
    pub(super) fn new(gateway: Arc<Gateway>, client: Client, connection: u64) -> Self {
        Self { gateway, client, connection, has_left: false, took: Duration::ZERO }
    }

    /// Handles a frame and returns the number of its messages. Other connections are served after costly calls.
    pub(super) async fn take(&mut self, text: &str) -> usize {
        self.gateway.metrics.received_bytes.inc_by(text.len() as u64);
        let begin = Instant::now();
        match rpc::read(text) {
            Err(refused) => self.refuse(&refused, None),
            Ok(Frame::One(message)) => self.take_message(text, message, None),
            Ok(Frame::Batch(messages)) => return self.take_batch(text, messages, begin).await,
        }
        self.rest(begin).await;
        1
    }

    async fn take_batch(
        &mut self,
        frame: &str,
        messages: Vec<Result<Message<'_>, Refused>>,
        mut begin: Instant,
    ) -> usize {
        let (count, batch) = (messages.len(), self.client.outbox.begin_batch(self.connection, messages.len()));
        for (place, message) in messages.into_iter().enumerate() {
            self.take_message(frame, message, Some(InBatch { batch, place }));
            self.rest(begin).await;
            begin = Instant::now();
        }
        count
    }

    /// Lets other connections go first if the calls of this one have taken long enough, counting one that began then.
    async fn rest(&mut self, begin: Instant) {
        self.took += begin.elapsed();
        if self.took >= IN_A_ROW {
            self.took = Duration::ZERO;
            yield_now().await;
        }
    }

    /// Returns whether calls were left to other threads since it was asked last. They will be answered soon.
    pub(super) fn take_left(&mut self) -> bool {
        std::mem::take(&mut self.has_left)
    }

    /// Handles a message of the frame.
    fn take_message(&mut self, frame: &str, message: Result<Message<'_>, Refused>, batch: Option<InBatch>) {
        match message {
            Ok(Message::Call { id, method, params }) => {
                let bytes = params.map_or(0, |params| params.get().len());
                self.take_call(id, Call::read(frame, &method, params), bytes, batch);
            }
            Ok(Message::Answer { id: Some(Id::Text(call)), answered })
                if self.client.session.rights().contains(Right::Host) =>
            {
                self.take_answer(frame, &call, answered, batch);
            }
            Ok(Message::Answer { id, .. }) => {
                let what = id.map_or_else(|| "without an id".to_owned(), |id| format!("id {id}"));
                let message = format!("the server has made no call that this answers ({what})");
                self.refuse(&Refused { id: None, error: Error::new(Code::InvalidRequest, message) }, batch);
            }
            Err(refused) => self.refuse(&refused, batch),
        }
    }

    fn take_call(&mut self, id: Option<Id>, call: Result<Call, Error>, bytes: usize, batch: Option<InBatch>) {
        let Client { outbox, .. } = &self.client;
        let limit = self.gateway.settings.limits.pending_requests;
        let environment = call.as_ref().ok().and_then(|call| {
            self.gateway.metrics.count_call(call);
            // No environment has a longer name.
            call.subject().environment().filter(|name| name.len() <= NAME_LENGTH).map(EcoString::from)
        });
        // If another connection has resumed the session, late calls over this one are dropped.
        let Some((token, pending)) = outbox.begin(self.connection, Sender::Client(id), bytes, batch, environment)
        else {
            return;
        };
        if pending >= limit {
            let message = format!("{limit} of your calls are already waiting; wait for some answers first");
            return outbox.write_error(token, &Error::new(Code::Limit, message));
        }
        match call {
            Ok(call) => self.submit(token, call),
            Err(error) => outbox.write_error(token, &error),
        }
    }

    fn submit(&mut self, token: ReplyToken, call: Call) {
        let Client { session, outbox, .. } = &self.client;
        if call.only_reads() && self.gateway.hub.check_data().is_err() {
            outbox.note_reading(token);
        }
        self.has_left |= self.gateway.hub.submit(session, token, call);
    }

    /// Handles the answer of a host to a request of the server.
    fn take_answer(&mut self, frame: &str, id: &str, answered: Result<&RawValue, Error>, batch: Option<InBatch>) {
        let Client { session, outbox, .. } = &self.client;
        let read =
            answered.map(|result| reading::json_in::<AnswerOfHost>(frame, result.get()).map(AnswerOfHost::into_parts));
        let (answer, update, fault) = match read {
            Ok(Ok((answer, update))) => (answer, update, None),
            Ok(Err(error)) => {
                let message = format!("the answer to call {id} is invalid: {error}");
                // The agent that waits for the answer and the host both get an error.
                let reason = "its host sent an answer that cannot be parsed".into();
                let fault = Error::new(Code::InvalidHost, message);
                (HostAnswer::Failed { tried: true, reason }, HostUpdate::default(), Some(fault))
            }
            Err(error) => (HostAnswer::from(error), HostUpdate::default(), None),
        };
        match host_answer(id, answer, update) {
            Err(error) => self.refuse(&Refused { id: None, error }, batch),
            Ok(request) => {
                let batch = if let Some(error) = fault {
                    self.refuse(&Refused { id: None, error }, batch);
                    None
                } else {
                    batch
                };
                if let Some((token, _)) = outbox.begin(self.connection, Sender::Host, 0, batch, None) {
                    self.has_left |= self.gateway.hub.submit(session, token, request);
                }
            }
        }
    }

    /// Rejects a message that is not a call.
    fn refuse(&self, refused: &Refused, batch: Option<InBatch>) {
        self.client.outbox.refuse(self.connection, refused.id.as_ref(), &refused.error, batch);
    }
}

/// Returns the answer of a host to the call with this id, which is `ENVIRONMENT/NUMBER`.
fn host_answer(id: &str, answer: HostAnswer, update: HostUpdate) -> Result<AnswerHostRequest, Error> {
    let unknown = || Error::new(Code::InvalidHost, "the server has made no call that this answers");
    let (environment, number) = id.rsplit_once('/').ok_or_else(unknown)?;
    let number = number.parse().map_err(|_| unknown())?;
    Ok(AnswerHostRequest { environment: environment.into(), number, answer, update: Box::new(update) })
}
