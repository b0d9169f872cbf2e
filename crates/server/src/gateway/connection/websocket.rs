//! Frames as messages of a WebSocket.

use std::io;
use std::sync::Arc;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::SinkExt;
use memchr::memchr;
use situated_wire::{Code, Error};

use super::{Received, Transport};
use crate::peer::Peer;

/// A WebSocket, each of whose text messages is a frame.
pub(crate) struct Messages {
    socket: WebSocket,
    /// The last message that was handed out.
    message: Utf8Bytes,
    peer: Arc<Peer>,
    /// Whether a ping arrived whose pong may still wait to be sent.
    owes_pong: bool,
}

/// Number of bytes of a client's short frame without the payload: two, and four of the mask.
const FRAME_HEADER: usize = 6;

impl Messages {
    pub(crate) fn new(socket: WebSocket, peer: Arc<Peer>) -> Self {
        Self { socket, message: Utf8Bytes::default(), peer, owes_pong: false }
    }
}

impl Transport for Messages {
    async fn receive(&mut self) -> io::Result<Received<'_>> {
        // Drop the last message, so that the library can reuse its memory.
        self.message = Utf8Bytes::default();
        loop {
            // The library creates a pong for each ping, whether or not earlier pongs could be sent.
            if self.owes_pong {
                self.socket.flush().await.map_err(io::Error::other)?;
                self.owes_pong = false;
            }
            match self.socket.recv().await {
                None => return Ok(Received::Gone),
                Some(Err(error)) => return refused_or_broken(error),
                Some(Ok(Message::Text(text))) => {
                    self.message = text;
                    self.peer.finish(0);
                    return Ok(Received::Frame(&self.message));
                }
                Some(Ok(Message::Binary(_))) => {
                    return Ok(Received::Refused(Error::new(
                        Code::Parse,
                        "a frame must be a text message, not a binary one",
                    )));
                }
                Some(Ok(Message::Close(_))) => return Ok(Received::Gone),
                // They may arrive between the parts of a frame.
                Some(Ok(Message::Ping(payload) | Message::Pong(payload))) => {
                    self.peer.leave_out(payload.len() + FRAME_HEADER);
                    self.owes_pong = true;
                }
            }
        }
    }

    fn has_frame(&self) -> bool {
        // Only the library knows what has arrived, and `receive` returns it.
        false
    }

    async fn send(&mut self, frames: &[u8]) -> io::Result<()> {
        let mut rest = frames;
        while let Some(end) = memchr(b'\n', rest) {
            let frame = str::from_utf8(&rest[..end]).map_err(io::Error::other)?;
            self.socket.feed(Message::Text(frame.into())).await.map_err(io::Error::other)?;
            rest = &rest[end + 1..];
        }
        self.socket.flush().await.map_err(io::Error::other)
    }

    async fn part(&mut self) -> io::Result<()> {
        self.socket.send(Message::Close(None)).await.map_err(io::Error::other)?;
        while let Some(received) = self.socket.recv().await {
            received.map_err(io::Error::other)?;
        }
        Ok(())
    }
}

/// Returns a rejected frame if the message is too long or invalid, and otherwise the error of a broken connection.
fn refused_or_broken<'a>(error: axum::Error) -> io::Result<Received<'a>> {
    let text = error.to_string();
    if text.contains("too long") || text.contains("too big") {
        return Ok(Received::Refused(Error::new(Code::Limit, format!("the frame is rejected: {text}"))));
    }
    if text.contains("UTF-8") {
        return Ok(Received::Refused(Error::new(Code::Parse, "a frame must be UTF-8 text")));
    }
    Err(io::Error::other(error))
}
