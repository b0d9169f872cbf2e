//! A connection: frames come in and are dispatched, and what waits in the outbox goes out. It is the same for all
//! transports.

pub(crate) mod lines;
pub(crate) mod websocket;

mod pacing;

use std::future::Future;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use memchr::memchr;
use serde::Serialize;
use serde_json::value::RawValue;
use situated_wire::methods::Right;
use situated_wire::notifications::{Closing, Notify as _};
use situated_wire::rpc::{self, Frame, Id, Message, Refused};
use situated_wire::{Call, Code, Error};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::caller::{Batch, Caller};
use crate::dispatch::dispatch;
use crate::hub::{Hub, shutting_down, wall_clock};
use crate::instance::Job;
use crate::outbox::{Lagging, Taken};
use crate::session::Session;
use pacing::Pacing;

/// How many bytes are sent at once, if there is no longer frame among them.
const PIECE: usize = 64 << 10;

/// How long it is waited until the other side has gone as well.
const PARTING: Duration = Duration::from_secs(1);

/// How frames travel.
pub(crate) trait Transport: Send {
    /// The next frame. It can be dropped and asked for again without loss.
    fn receive(&mut self) -> impl Future<Output = Result<Received<'_>, io::Error>> + Send;

    /// Whether the next frame is here already.
    fn has_frame(&self) -> bool;

    /// Sends frames, each ended by a newline.
    fn send(&mut self, frames: &[u8]) -> impl Future<Output = io::Result<()>> + Send;

    /// Nothing more is said; what still comes is thrown away until the other side has gone, since what was said last can
    /// get lost if a connection is closed before everything was read.
    fn part(&mut self) -> impl Future<Output = io::Result<()>> + Send;
}

/// What has come in.
pub(crate) enum Received<'a> {
    /// A frame.
    Frame(&'a str),
    /// A frame that is refused.
    Refused(Error),
    /// The other side has gone.
    Gone,
}

/// Serves a connection until it ends.
pub(crate) async fn serve(hub: Arc<Hub>, transport: impl Transport) {
    let number = hub.next_connection();
    hub.metrics.connections.inc();
    hub.metrics.connections_begun.inc();
    let mut connection = Connection {
        number,
        bell: Arc::new(Notify::new()),
        session: None,
        outgoing: Vec::new(),
        pacing: Pacing::new(hub.settings.limits.calls_per_second),
        hub,
        transport,
    };
    let end = connection.run().await;
    let Connection { hub, session, transport, .. } = connection;
    drop(transport);
    hub.metrics.connections.dec();
    let session_number = session.as_ref().map(|session| session.number);
    tracing::info!(connection = number, session = session_number, end = ?end, "closed");
    if let Some(session) = session {
        hub.lose(session, number);
    }
}

struct Connection<T> {
    number: u64,
    hub: Arc<Hub>,
    transport: T,
    /// Rings when something waits in the outbox.
    bell: Arc<Notify>,
    session: Option<Arc<Session>>,
    outgoing: Vec<u8>,
    pacing: Pacing,
}

/// Why a connection has ended.
#[derive(Debug)]
enum End {
    /// The other side has gone.
    Gone,
    /// The connection broke.
    Broken(#[expect(dead_code, reason = "it is written to the log")] io::ErrorKind),
    /// It was closed, for this reason.
    Closed(#[expect(dead_code, reason = "it is written to the log")] Code),
}

impl<T: Transport> Connection<T> {
    async fn run(&mut self) -> End {
        if let Err(end) = self.greet().await {
            return end;
        }
        loop {
            if let Err(end) = self.send_what_waits().await {
                return end;
            }
            tokio::select! {
                received = self.transport.receive() => {
                    let step = match received {
                        Err(error) => return End::Broken(error.kind()),
                        Ok(Received::Gone) => return End::Gone,
                        Ok(Received::Refused(error)) => Err(error),
                        Ok(Received::Frame(text)) => Ok(take(&self.hub, self.session.as_ref(), self.number, text)),
                    };
                    match step {
                        Ok(calls) => self.pacing.count(calls).await,
                        Err(error) => return self.close(error).await,
                    }
                }
                () = self.bell.notified() => {}
            }
            // What has come together is answered together.
            while self.transport.has_frame() && !self.pacing.is_exhausted() {
                match self.transport.receive().await {
                    Ok(Received::Frame(text)) => {
                        let calls = take(&self.hub, self.session.as_ref(), self.number, text);
                        self.pacing.count(calls).await;
                    }
                    Ok(Received::Refused(error)) => return self.close(error).await,
                    Ok(Received::Gone) => return End::Gone,
                    Err(error) => return End::Broken(error.kind()),
                }
                if self.session.as_ref().is_some_and(|session| session.outbox().is_full()) {
                    break;
                }
            }
        }
    }

    /// The first thing that is said is hello. Whatever else is said closes the connection.
    async fn greet(&mut self) -> Result<(), End> {
        let patience = self.hub.settings.greeting;
        let closed = self.hub.closed();
        let received = tokio::select! {
            received = timeout(patience, self.transport.receive()) => received,
            () = closed => return Err(self.close(shutting_down()).await),
        };
        let text = match received {
            Err(_) => {
                let message = format!("you have not said hello within {} s", patience.as_secs());
                return Err(self.close(Error::new(Code::NotGreeted, message)).await);
            }
            Ok(Err(error)) => return Err(End::Broken(error.kind())),
            Ok(Ok(Received::Gone)) => return Err(End::Gone),
            Ok(Ok(Received::Refused(error))) => return Err(self.close(error).await),
            Ok(Ok(Received::Frame(text))) => text.to_owned(),
        };
        self.hub.metrics.received_bytes.inc_by(text.len() as u64);
        let (id, hello) = match rpc::read(&text) {
            Ok(Frame::One(Ok(Message::Call { id, method, params }))) => (id, Call::read(&method, params)),
            Ok(Frame::One(Err(Refused { id, error }))) | Err(Refused { id, error }) => (id, Err(error)),
            Ok(_) => (None, Err(Error::new(Code::NotGreeted, "the first thing to say is `hello`, alone"))),
        };
        let greeted = hello.and_then(|call| match call {
            Call::Hello(hello) => {
                self.hub.metrics.count_call(&Call::Hello(hello.clone()));
                self.hub.greet(hello, self.number)
            }
            _ => Err(Error::new(Code::NotGreeted, "the first thing to say is `hello`")),
        });
        match greeted {
            Ok((session, greeting)) => {
                // Whatever goes on in a world, the greeting comes first.
                session.outbox().attach(self.number, self.bell.clone(), &answer(id.as_ref(), &greeting));
                if greeting.resumed {
                    self.hub.resume(&session);
                }
                self.session = Some(session);
                Ok(())
            }
            Err(error) => {
                self.hub.metrics.count_error(&error);
                let mut frame = Vec::new();
                if rpc::write_error(&mut frame, id.as_ref(), &error).is_ok() {
                    frame.push(b'\n');
                    let _ = self.send(&frame).await;
                }
                Err(self.close(error).await)
            }
        }
    }

    /// Sends what waits, and asks for more from those who have waited for room.
    async fn send_what_waits(&mut self) -> Result<(), End> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        loop {
            match session.outbox().take(self.number, &mut self.outgoing) {
                Taken::Frames => {
                    let outgoing = std::mem::take(&mut self.outgoing);
                    self.send(&outgoing).await?;
                    self.outgoing = outgoing;
                }
                Taken::Close(reason) => return Err(self.close(reason).await),
                Taken::Room(lagging) if lagging.is_empty() => {
                    shrink(&mut self.outgoing);
                    return Ok(());
                }
                Taken::Room(lagging) => {
                    for one in lagging {
                        match one {
                            Lagging::Instance(instance) => instance.submit(Job::Room { session: session.number }),
                            Lagging::Server => self.hub.tell_session_of_environments(&session),
                        }
                    }
                }
            }
        }
    }

    /// Sends frames, unless the other side takes nothing for too long. Who takes them slowly is not cut off.
    async fn send(&mut self, mut frames: &[u8]) -> Result<(), End> {
        let patience = Duration::from_millis(self.hub.settings.limits.reading_ms);
        while !frames.is_empty() {
            let least = frames.len().min(PIECE);
            let end = memchr(b'\n', &frames[least - 1..]).map_or(frames.len(), |more| least + more);
            let (piece, rest) = frames.split_at(end);
            match timeout(patience, self.transport.send(piece)).await {
                Ok(Ok(())) => self.hub.metrics.sent_bytes.inc_by(piece.len() as u64),
                Ok(Err(error)) => return Err(End::Broken(error.kind())),
                Err(_) => return Err(End::Closed(Code::Limit)),
            };
            frames = rest;
        }
        Ok(())
    }

    /// Says why the connection is closed, after what waits, if that can be said quickly.
    async fn close(&mut self, reason: Error) -> End {
        let code = reason.code().unwrap_or(Code::Internal);
        if let Some(session) = self.session.clone()
            && let Taken::Frames = session.outbox().take(self.number, &mut self.outgoing)
        {
            let waiting = std::mem::take(&mut self.outgoing);
            let _ = self.send(&waiting).await;
        }
        let mut frame = Vec::new();
        let closing = Closing { reason, time: wall_clock() };
        if rpc::write_call(&mut frame, None, Closing::NAME, &closing).is_ok() {
            frame.push(b'\n');
            let _ = self.send(&frame).await;
        }
        let _ = timeout(PARTING, self.transport.part()).await;
        End::Closed(code)
    }
}

/// The frame that answers a call; empty if no answer is wanted.
fn answer(id: Option<&Id>, result: &impl Serialize) -> Vec<u8> {
    let mut frame = Vec::new();
    if let Some(id) = id
        && rpc::write_answer(&mut frame, id, result).is_ok()
    {
        frame.push(b'\n');
    }
    frame
}

/// Takes a frame; how many calls there were in it.
fn take(hub: &Arc<Hub>, session: Option<&Arc<Session>>, connection: u64, text: &str) -> usize {
    let Some(session) = session else { return 1 };
    hub.metrics.received_bytes.inc_by(text.len() as u64);
    match rpc::read(text) {
        Err(refused) => {
            refuse(session, connection, &refused, None);
            1
        }
        Ok(Frame::One(message)) => {
            take_message(hub, session, connection, message, None);
            1
        }
        Ok(Frame::Batch(messages)) => {
            let (count, batch) = (messages.len(), Batch::new(messages.len()));
            for (place, message) in messages.into_iter().enumerate() {
                take_message(hub, session, connection, message, Some((batch.clone(), place)));
            }
            count
        }
    }
}

fn take_message(
    hub: &Arc<Hub>,
    session: &Arc<Session>,
    connection: u64,
    message: Result<Message<'_>, Refused>,
    batch: Option<(Arc<Batch>, usize)>,
) {
    match message {
        Ok(Message::Call { id, method, params }) => {
            let full = session.check_calls(connection);
            let caller = Caller::new(session.clone(), connection, id, batch);
            match full.and_then(|()| Call::read(&method, params)) {
                Ok(call) => {
                    hub.metrics.count_call(&call);
                    dispatch(hub, caller, call);
                }
                Err(error) => caller.refuse(&error),
            }
        }
        Ok(Message::Answer { id: Some(Id::Text(call)), answered }) if session.may(Right::Host) => {
            if let Err(error) = take_answer(hub, session, &call, answered) {
                refuse(session, connection, &Refused { id: None, error }, batch);
            } else if let Some(frame) = batch.and_then(|(batch, _)| batch.close_one()) {
                session.outbox().write(Some(connection), |out| out.write_all(&frame));
            }
        }
        Ok(Message::Answer { id, .. }) => {
            let what = id.map_or_else(|| "without an id".to_owned(), |id| format!("to {id}"));
            let error =
                Error::new(Code::InvalidRequest, format!("the server has called nothing that is answered {what}"));
            refuse(session, connection, &Refused { id: None, error }, batch);
        }
        Err(refused) => refuse(session, connection, &refused, batch),
    }
}

/// Takes the answer of a host to a call of the server: `ENVIRONMENT/NUMBER`.
fn take_answer(hub: &Arc<Hub>, session: &Session, call: &str, answered: Result<&RawValue, Error>) -> Result<(), Error> {
    let unknown = || Error::new(Code::Host, "the server has called nothing that is answered so");
    let (environment, number) = call.rsplit_once('/').ok_or_else(unknown)?;
    let number = number.parse().map_err(|_| unknown())?;
    let instance = hub.find(environment)?;
    let answered = match answered.map(|result| serde_json::from_str(result.get())) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => {
            let message = format!("the answer to call {call} is none: {error}");
            // Whoever waits for it is told, and so is the host.
            let told = Err(Error::new(Code::Host, "its host has answered what cannot be understood"));
            instance.submit(Job::HostAnswered { session: session.number, number, answered: told });
            return Err(Error::new(Code::Host, message));
        }
        Err(error) => Err(error),
    };
    instance.submit(Job::HostAnswered { session: session.number, number, answered });
    Ok(())
}

/// Refuses something that was no call.
fn refuse(session: &Session, connection: u64, refused: &Refused, batch: Option<(Arc<Batch>, usize)>) {
    let Refused { id, error } = refused;
    session.count_error(error);
    let frame = match batch {
        Some((batch, place)) => batch.refuse(place, id.as_ref(), error),
        None => {
            let mut frame = Vec::new();
            rpc::write_error(&mut frame, id.as_ref(), error).is_ok().then_some(frame)
        }
    };
    if let Some(frame) = frame {
        session.outbox().write(Some(connection), |out| out.write_all(&frame));
    }
}

/// What was once a large frame is not kept for ever.
fn shrink(buffer: &mut Vec<u8>) {
    const KEPT: usize = 64 << 10;
    if buffer.capacity() > KEPT {
        *buffer = Vec::new();
    }
}
