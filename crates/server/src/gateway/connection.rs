//! A connection: the client sends `hello`, then frames arrive and the frames of the outbox are sent. It works the
//! same for all transports.

pub(crate) mod lines;
pub(crate) mod websocket;

mod incoming;
mod pacing;

use std::future::{Future, ready};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use memchr::memchr;
use serde::Serialize;
use situated_runtime::wall_clock;
use situated_wire::methods::Hello;
use situated_wire::notifications::{Closing, Notify as _};
use situated_wire::rpc::{self, Frame, Id, Message, Refused};
use situated_wire::{Call, Code, Error};
use tokio::time::timeout;

use super::outbox::Taken;
use super::{Client, Gateway};
use crate::peer::Peer;
use incoming::Incoming;
use pacing::Pacing;

/// Number of bytes that are sent at once, unless one frame is longer.
const PIECE: usize = 64 << 10;

/// Maximum time to wait until the other side has closed the connection.
const PARTING: Duration = Duration::from_secs(1);

/// Time for sending the reason to a client whose connection the server closes.
const LEAVING: Duration = Duration::from_millis(100);

/// A way to transport frames.
pub(crate) trait Transport: Send {
    /// Receives the next frame. Dropping the future loses nothing.
    fn receive(&mut self) -> impl Future<Output = Result<Received<'_>, io::Error>> + Send;

    /// Whether the next frame has already arrived.
    fn has_frame(&self) -> bool;

    /// Sends frames, each ended by a newline.
    fn send(&mut self, frames: &[u8]) -> impl Future<Output = io::Result<()>> + Send;

    /// Ends sending, and discards incoming data until the other side closes: if a connection is closed with unread
    /// data, what was sent last can get lost.
    fn part(&mut self) -> impl Future<Output = io::Result<()>> + Send;
}

/// Received data.
pub(crate) enum Received<'a> {
    /// A frame.
    Frame(&'a str),
    /// A frame that the server rejects.
    Refused(Error),
    /// The other side has closed the connection.
    Gone,
}

/// Serves a connection until it ends.
pub(crate) async fn serve(gateway: Arc<Gateway>, transport: impl Transport, peer: Arc<Peer>) {
    let number = gateway.next_connection.fetch_add(1, Ordering::Relaxed);
    gateway.metrics.connections.inc();
    gateway.metrics.connections_begun.inc();
    let mut connection = Connection { number, gateway, transport, peer, outgoing: Vec::new() };
    let (client, end) = match connection.greet().await {
        Ok(client) => (Some(client.clone()), connection.run(client).await),
        Err(end) => (None, end),
    };
    let Connection { gateway, transport, peer, .. } = connection;
    drop(transport);
    gateway.metrics.connections.dec();
    let session_number = client.as_ref().map(|client| client.session.number());
    let address = peer.place.peer();
    tracing::info!(connection = number, peer = %address, session = session_number, end = ?end, "closed");
    if let Some(client) = client {
        gateway.hub.disconnect_session(&client.session, || client.outbox.detach(number));
    }
}

struct Connection<T> {
    number: u64,
    gateway: Arc<Gateway>,
    transport: T,
    peer: Arc<Peer>,
    outgoing: Vec<u8>,
}

/// The reason why a connection has ended.
#[derive(Debug)]
enum End {
    /// The other side has closed it.
    Gone,
    /// The connection broke.
    Broken(#[expect(dead_code, reason = "it is written to the log")] io::ErrorKind),
    /// The server has closed it, for this reason.
    Closed(#[expect(dead_code, reason = "it is written to the log")] Code),
}

impl<T: Transport> Connection<T> {
    /// Waits for the first message, which must be `hello`. The server closes the connection on any other message.
    async fn greet(&mut self) -> Result<Client, End> {
        let patience = self.gateway.settings.greeting;
        let closed = self.gateway.closed();
        let received = tokio::select! {
            received = timeout(patience, self.transport.receive()) => received,
            () = closed => return Err(self.close(Error::from(&situated_hub::Error::ShuttingDown)).await),
            reason = self.peer.place.dismissed() => return Err(self.leave(reason).await),
        };
        let text = match received {
            Err(_) => {
                let message = format!("you have not sent `hello` within {} s", patience.as_secs());
                return Err(self.close(Error::new(Code::HelloRequired, message)).await);
            }
            Ok(Err(error)) => return Err(End::Broken(error.kind())),
            Ok(Ok(Received::Gone)) => return Err(End::Gone),
            Ok(Ok(Received::Refused(error))) => return Err(self.close(error).await),
            Ok(Ok(Received::Frame(text))) => text,
        };
        self.gateway.metrics.received_bytes.inc_by(text.len() as u64);
        let (id, hello) = read_hello(text);
        let granted = match &hello {
            Ok(hello) => {
                self.gateway.metrics.count_call(&Call::Hello(hello.clone()));
                tokio::select! {
                    granted = self.gateway.admit(hello, self.peer.place.peer()) => granted,
                    reason = self.peer.place.dismissed() => return Err(self.leave(reason).await),
                }
            }
            Err(error) => Err(error.clone()),
        };
        let greeted = hello.and_then(|hello| {
            let from = (self.number, self.peer.place.peer());
            self.gateway.greet(hello, granted?, from, |outbox, greeting| {
                // The greeting comes before anything that happens in an environment.
                self.peer.expect_heartbeat(greeting.heartbeat_ms.map(Duration::from_millis));
                outbox.attach(self.number, self.peer.clone(), &answer(id.as_ref(), greeting));
            })
        });
        match greeted {
            Ok(client) => {
                self.peer.place.greet();
                Ok(client)
            }
            Err(error) => {
                self.gateway.metrics.count_error(&error);
                let mut frame = Vec::new();
                if rpc::write_error(&mut frame, id.as_ref(), &error).is_ok() {
                    frame.push(b'\n');
                    let _ = self.send(&frame).await;
                }
                Err(self.close(error).await)
            }
        }
    }

    /// Handles incoming frames and sends waiting ones until the connection ends.
    async fn run(&mut self, client: Client) -> End {
        let mut pacing = Pacing::new(self.gateway.settings.limits.requests_per_second);
        let mut incoming = Incoming::new(self.gateway.clone(), client.clone(), self.number);
        loop {
            let has_more = match self.send_waiting(&client).await {
                Ok(has_more) => has_more,
                Err(end) => return end,
            };
            let mut next = tokio::select! {
                biased;
                received = self.transport.receive() => Some(received),
                () = ready(()), if has_more => None,
                () = self.peer.place.bell().notified() => None,
            };
            if let Some(reason) = self.peer.place.dismissal() {
                return self.leave(reason.clone()).await;
            }
            while let Some(received) = next {
                match received {
                    Ok(Received::Frame(text)) => {
                        let calls = incoming.take(text).await;
                        pacing.count(calls).await;
                    }
                    Ok(Received::Refused(error)) => return self.part_from(&client, error).await,
                    Ok(Received::Gone) => return End::Gone,
                    Err(error) => return End::Broken(error.kind()),
                }
                // Responses to requests that arrived together are sent together.
                let goes_on = self.transport.has_frame() && !pacing.is_exhausted() && !client.outbox.is_full();
                next = if goes_on { Some(self.transport.receive().await) } else { None };
            }
            // Another thread is about to answer. Yield instead of sleeping, which would cost more.
            if incoming.take_left() {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Sends waiting frames, and asks sources that waited for room to continue. Returns whether more frames may wait.
    /// Meanwhile a client that reads slowly can still send.
    async fn send_waiting(&mut self, client: &Client) -> Result<bool, End> {
        for _ in 0..3 {
            match client.outbox.take(self.number, &mut self.outgoing) {
                Taken::Unwritten(mark) => {
                    if !self.gateway.settle(mark, &self.peer).await {
                        return Ok(false);
                    }
                }
                Taken::Frames => {
                    let outgoing = std::mem::take(&mut self.outgoing);
                    self.send(&outgoing).await?;
                    self.outgoing = outgoing;
                }
                Taken::Close(reason) => return Err(self.part_from(client, reason).await),
                Taken::Nothing { is_room_awaited: false } => {
                    shrink(&mut self.outgoing);
                    return Ok(false);
                }
                Taken::Nothing { is_room_awaited: true } => client.session.continue_notifications(),
            }
        }
        Ok(true)
    }

    /// Sends frames, until the connection breaks or the server closes it.
    async fn send(&mut self, mut frames: &[u8]) -> Result<(), End> {
        while !frames.is_empty() {
            let least = frames.len().min(PIECE);
            let end = memchr(b'\n', &frames[least - 1..]).map_or(frames.len(), |more| least + more);
            let (piece, rest) = frames.split_at(end);
            let sent = tokio::select! {
                biased;
                sent = self.transport.send(piece) => sent,
                // A part of a frame may have been sent, so no further frame can follow.
                _ = self.peer.place.dismissed() => return Err(End::Closed(Code::Limit)),
            };
            match sent {
                Ok(()) => self.gateway.metrics.sent_bytes.inc_by(piece.len() as u64),
                Err(error) => return Err(End::Broken(error.kind())),
            };
            frames = rest;
        }
        Ok(())
    }

    /// Closes the connection after the waiting frames, if they can be sent quickly.
    async fn part_from(&mut self, client: &Client, reason: Error) -> End {
        let mut taken = client.outbox.take(self.number, &mut self.outgoing);
        if let Taken::Unwritten(mark) = taken
            && self.gateway.settle(mark, &self.peer).await
        {
            taken = client.outbox.take(self.number, &mut self.outgoing);
        }
        if let Taken::Frames = taken {
            let waiting = std::mem::take(&mut self.outgoing);
            let _ = self.send(&waiting).await;
        }
        self.close(reason).await
    }

    /// Closes a connection that the admission has closed. Sends the reason if that is possible at once.
    async fn leave(&mut self, reason: Error) -> End {
        let code = reason.code().unwrap_or(Code::Internal);
        let _ = timeout(LEAVING, async {
            self.transport.send(&closing(reason)).await?;
            self.transport.part().await
        })
        .await;
        End::Closed(code)
    }

    /// Sends the reason and closes the connection.
    async fn close(&mut self, reason: Error) -> End {
        let code = reason.code().unwrap_or(Code::Internal);
        let _ = self.send(&closing(reason)).await;
        let _ = timeout(PARTING, self.transport.part()).await;
        End::Closed(code)
    }
}

/// The frame with the reason why the server closes a connection.
pub(crate) fn closing(reason: Error) -> Vec<u8> {
    let mut frame = Vec::new();
    let closing = Closing { reason, time: wall_clock() };
    if rpc::write_call(&mut frame, None, Closing::NAME, &closing).is_ok() {
        frame.push(b'\n');
    }
    frame
}

/// Reads the first frame, which must be a hello.
fn read_hello(text: &str) -> (Option<Id>, Result<Hello, Error>) {
    let (id, call) = match rpc::read(text) {
        Ok(Frame::One(Ok(Message::Call { id, method, params }))) => (id, Call::read(text, &method, params)),
        Ok(Frame::One(Err(Refused { id, error }))) | Err(Refused { id, error }) => (id, Err(error)),
        Ok(_) => (None, Err(Error::new(Code::HelloRequired, "the first message must be `hello`, and not in a batch"))),
    };
    let hello = call.and_then(|call| match call {
        Call::Hello(hello) => Ok(hello),
        _ => Err(Error::new(Code::HelloRequired, "the first message must be `hello`")),
    });
    (id, hello)
}

/// The response to a call; empty if the client wants none.
fn answer(id: Option<&Id>, result: &impl Serialize) -> Vec<u8> {
    let mut frame = Vec::new();
    if let Some(id) = id
        && rpc::write_answer(&mut frame, id, result).is_ok()
    {
        frame.push(b'\n');
    }
    frame
}

/// Frees the buffer of a large frame: thousands of connections may each have had one.
fn shrink(buffer: &mut Vec<u8>) {
    const KEPT: usize = 4 << 10;
    if buffer.capacity() > KEPT {
        *buffer = Vec::new();
    }
}
