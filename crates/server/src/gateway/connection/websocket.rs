//! Frames as messages of a WebSocket.

use std::io;
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use situated_wire::{Code, Error};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};

use super::{Received, Transport};
use crate::peer::Peer;

/// Size of a read, of what the library collects before it writes, and of one part of a long message. The library zeroes this
/// many bytes before each read, and keeps buffers of about this size for each connection, so its default of 128 KiB would be
/// too much.
const BUFFER: usize = 4 << 10;

/// Number of bytes of a client's short frame without the payload: two, and four of the mask.
const FRAME_HEADER: usize = 6;

/// A WebSocket, each of whose text messages is a frame.
pub(crate) struct Messages<S> {
    socket: WebSocketStream<S>,
    /// The last message that was handed out.
    message: Utf8Bytes,
    peer: Arc<Peer>,
    /// Whether a ping arrived whose pong may still wait to be sent.
    owes_pong: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Messages<S> {
    /// Creates the server's side of a WebSocket with this peer, for messages of at most `longest` bytes.
    pub(crate) async fn new(stream: S, peer: Arc<Peer>, longest: usize) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER)
            .write_buffer_size(BUFFER)
            .max_write_buffer_size(3 * BUFFER)
            .max_message_size(Some(longest))
            .max_frame_size(Some(longest));
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        Self { socket, message: Utf8Bytes::default(), peer, owes_pong: false }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Transport for Messages<S> {
    async fn receive(&mut self) -> io::Result<Received<'_>> {
        // Drop the last message, so that the library can reuse its memory.
        self.message = Utf8Bytes::default();
        loop {
            // The library creates a pong for each ping, whether or not earlier pongs could be sent.
            if self.owes_pong {
                self.socket.flush().await.map_err(io::Error::other)?;
                self.owes_pong = false;
            }
            match self.socket.next().await {
                None => return Ok(Received::Gone),
                Some(Err(error)) => return refused_or_broken(error),
                Some(Ok(Message::Text(text))) => {
                    self.message = text;
                    self.peer.finish(0);
                    return Ok(Received::Frame(&self.message));
                }
                Some(Ok(Message::Binary(_) | Message::Frame(_))) => {
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
        for frame in frames.split(|byte| *byte == b'\n') {
            let mut kind = Data::Text;
            let mut parts = frame.chunks(BUFFER).peekable();
            while let Some(part) = parts.next() {
                let is_last = parts.peek().is_none();
                let part = Frame::message(part.to_vec(), OpCode::Data(kind), is_last);
                self.socket.feed(Message::Frame(part)).await.map_err(io::Error::other)?;
                kind = Data::Continue;
            }
        }
        self.socket.flush().await.map_err(io::Error::other)
    }

    async fn part(&mut self) -> io::Result<()> {
        self.socket.send(Message::Close(None)).await.map_err(io::Error::other)?;
        while let Some(received) = self.socket.next().await {
            received.map_err(io::Error::other)?;
        }
        Ok(())
    }
}

/// Returns a rejected frame if the message is too long or invalid, and otherwise the error of a broken connection.
fn refused_or_broken<'a>(error: tungstenite::Error) -> io::Result<Received<'a>> {
    match error {
        tungstenite::Error::Capacity(error) => {
            Ok(Received::Refused(Error::new(Code::Limit, format!("the frame is rejected: {error}"))))
        }
        tungstenite::Error::Utf8(_) => Ok(Received::Refused(Error::new(Code::Parse, "a frame must be UTF-8 text"))),
        error => Err(io::Error::other(error)),
    }
}
