//! What comes in over a connection: frames are read, and calls dispatched.

use std::sync::Arc;

use serde_json::value::RawValue;
use situated_wire::methods::Right;
use situated_wire::rpc::{self, Frame, Id, Message, Refused};
use situated_wire::{Call, Code, Error};

use crate::batch::Batch;
use crate::caller::{Caller, Waiting};
use crate::dispatch::dispatch;
use crate::hub::Hub;
use crate::instance::Job;
use crate::session::Session;

/// Takes what comes in over a connection.
pub(super) struct Incoming {
    hub: Arc<Hub>,
    session: Arc<Session>,
    connection: u64,
    /// Every call that waits for its answer has one of these.
    waiting: Waiting,
}

/// Where the answer to a message goes, if it came in a batch.
type InBatch = Option<(Arc<Batch>, usize)>;

impl Incoming {
    pub(super) fn new(hub: Arc<Hub>, session: Arc<Session>, connection: u64) -> Self {
        Self { hub, session, connection, waiting: Waiting::default() }
    }

    /// Takes a frame; how many calls there were in it.
    pub(super) fn take(&self, text: &str) -> usize {
        self.hub.metrics.received_bytes.inc_by(text.len() as u64);
        match rpc::read(text) {
            Err(refused) => {
                self.refuse(&refused, None);
                1
            }
            Ok(Frame::One(message)) => {
                self.take_message(message, None);
                1
            }
            Ok(Frame::Batch(messages)) => {
                let (count, batch) =
                    (messages.len(), Batch::new(self.session.clone(), self.connection, messages.len()));
                for (place, message) in messages.into_iter().enumerate() {
                    self.take_message(message, Some((batch.clone(), place)));
                }
                count
            }
        }
    }

    fn take_message(&self, message: Result<Message<'_>, Refused>, batch: InBatch) {
        match message {
            Ok(Message::Call { id, method, params }) => {
                let place = self.check_waiting();
                let caller = Caller::new(self.session.clone(), self.connection, id, batch, self.waiting.clone());
                match place.and_then(|()| Call::read(&method, params)) {
                    Ok(call) => {
                        self.hub.metrics.count_call(&call);
                        dispatch(&self.hub, caller, call);
                    }
                    Err(error) => caller.refuse(&error),
                }
            }
            Ok(Message::Answer { id: Some(Id::Text(call)), answered }) if self.session.may(Right::Host) => {
                if let Err(error) = self.take_answer(&call, answered) {
                    self.refuse(&Refused { id: None, error }, batch);
                } else if let Some((batch, _)) = batch {
                    batch.close_one();
                }
            }
            Ok(Message::Answer { id, .. }) => {
                let what = id.map_or_else(|| "without an id".to_owned(), |id| format!("to {id}"));
                let message = format!("the server has called nothing that is answered {what}");
                self.refuse(&Refused { id: None, error: Error::new(Code::InvalidRequest, message) }, batch);
            }
            Err(refused) => self.refuse(&refused, batch),
        }
    }

    /// Whether calls wait for their answers.
    pub(super) fn is_waiting(&self) -> bool {
        Arc::strong_count(&self.waiting) > 1
    }

    /// Refuses a call if too many wait already.
    fn check_waiting(&self) -> Result<(), Error> {
        let limit = self.session.limits.pending_requests;
        if Arc::strong_count(&self.waiting) <= limit {
            return Ok(());
        }
        Err(Error::new(Code::Limit, format!("{limit} of your calls wait already; await some answers first")))
    }

    /// Takes the answer of a host to a call of the server: `ENVIRONMENT/NUMBER`.
    fn take_answer(&self, call: &str, answered: Result<&RawValue, Error>) -> Result<(), Error> {
        let unknown = || Error::new(Code::InvalidHost, "the server has called nothing that is answered so");
        let (environment, number) = call.rsplit_once('/').ok_or_else(unknown)?;
        let number = number.parse().map_err(|_| unknown())?;
        let instance = self.hub.find(environment)?;
        let session = self.session.number;
        let answered = match answered.map(|result| serde_json::from_str(result.get())) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                let message = format!("the answer to call {call} is none: {error}");
                // Whoever waits for it is told, and so is the host.
                let told = Err(Error::new(Code::InvalidHost, "its host has answered what cannot be understood"));
                instance.submit(Job::HostAnswered { session, number, answered: told });
                return Err(Error::new(Code::InvalidHost, message));
            }
            Err(error) => Err(error),
        };
        instance.submit(Job::HostAnswered { session, number, answered });
        Ok(())
    }

    /// Refuses something that was no call.
    fn refuse(&self, refused: &Refused, batch: InBatch) {
        let Refused { id, error } = refused;
        self.session.count_error(error);
        let write = |out: &mut Vec<u8>| rpc::write_error(out, id.as_ref(), error);
        match batch {
            None => self.session.outbox().write(Some(self.connection), write),
            Some((batch, place)) => {
                batch.answer(place, write);
                batch.close_one();
            }
        }
    }
}
