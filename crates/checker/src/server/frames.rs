//! Frames over TCP or a WebSocket, regardless of their contents.

use std::io;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::server::address::{Address, Transport};

/// A connection that carries frames.
pub(crate) enum Frames {
    Lines(BufReader<TcpStream>),
    WebSocket(Box<WebSocketStream<TcpStream>>),
}

impl Frames {
    /// Connects to a server.
    pub(crate) async fn open(address: &Address) -> io::Result<Self> {
        let stream = TcpStream::connect(&address.authority).await?;
        stream.set_nodelay(true)?;
        match address.transport {
            Transport::Lines => Ok(Frames::Lines(BufReader::new(stream))),
            Transport::WebSocket => {
                // No limit here, since the server must reject frames that are too long.
                let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
                let opened = client_async_with_config(address.to_string(), stream, Some(config)).await;
                let (socket, _) = opened.map_err(io::Error::other)?;
                Ok(Frames::WebSocket(Box::new(socket)))
            }
        }
    }

    /// Sends a frame.
    pub(crate) async fn send(&mut self, text: &str) -> io::Result<()> {
        match self {
            Frames::Lines(stream) => {
                let stream = stream.get_mut();
                stream.write_all(text.as_bytes()).await?;
                stream.write_all(b"\n").await
            }
            Frames::WebSocket(socket) => socket.send(Message::text(text)).await.map_err(io::Error::other),
        }
    }

    /// Sends a frame that is not text.
    pub(crate) async fn send_what_is_no_text(&mut self) -> io::Result<()> {
        match self {
            Frames::Lines(stream) => stream.get_mut().write_all(b"\xff\xfe\n").await,
            Frames::WebSocket(socket) => socket.send(Message::binary(vec![0xff, 0xfe])).await.map_err(io::Error::other),
        }
    }

    /// Waits for the next frame; `None` after the other side has closed the connection.
    pub(crate) async fn receive(&mut self) -> io::Result<Option<String>> {
        match self {
            Frames::Lines(stream) => {
                let mut line = String::new();
                match stream.read_line(&mut line).await? {
                    0 => Ok(None),
                    _ => Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned())),
                }
            }
            Frames::WebSocket(socket) => loop {
                match socket.next().await {
                    None | Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed | Error::AlreadyClosed)) => {
                        return Ok(None);
                    }
                    Some(Ok(Message::Text(text))) => return Ok(Some(text.as_str().to_owned())),
                    Some(Ok(Message::Binary(_))) => return Err(io::Error::other("a binary message came")),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(io::Error::other(error)),
                }
            },
        }
    }
}
