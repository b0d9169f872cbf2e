//! The clients of the measurement, which do as little work as possible.

use std::fmt::Write as _;
use std::future::Future;
use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// A client that makes requests and waits for the answers.
pub(super) trait Client: Send + 'static {
    /// Makes one request.
    fn trip(&mut self) -> impl Future<Output = ()> + Send;

    /// Closes the connection.
    fn leave(self) -> impl Future<Output = ()> + Send;
}

/// Sends 64 bytes and receives them back.
pub(super) struct Echo(TcpStream);

/// Agents over lines.
pub(super) struct Lines {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

/// Agents over a WebSocket.
pub(super) struct WebSocket {
    socket: WebSocketStream<TcpStream>,
    request: Bytes,
}

impl Echo {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        Self(stream(address).await)
    }
}

impl Client for Echo {
    async fn trip(&mut self) {
        let mut bytes = [7; 64];
        self.0.write_all(&bytes).await.expect("the server listens");
        self.0.read_exact(&mut bytes).await.expect("the server answers");
    }

    async fn leave(self) {}
}

impl Lines {
    pub(super) async fn connect(address: SocketAddr, number: usize, agents: usize) -> Self {
        let mut client = Self { stream: stream(address).await, request: Vec::new(), answer: Vec::new() };
        for call in greeting(number, agents) {
            client.request = (call + "\n").into_bytes();
            client.ask().await;
        }
        client.request = (step(number, agents) + "\n").into_bytes();
        client
    }

    /// A client that calls `ping` instead.
    pub(super) async fn to_ping(address: SocketAddr, number: usize) -> Self {
        Self { request: [PING, "\n"].concat().into_bytes(), ..Self::connect(address, number, 1).await }
    }

    /// The lengths of a request and of its response, in bytes.
    pub(super) async fn sizes(mut self) -> (usize, usize) {
        self.ask().await;
        let sizes = (self.request.len(), self.answer.len());
        self.leave().await;
        sizes
    }

    async fn ask(&mut self) {
        self.stream.write_all(&self.request).await.expect("the server listens");
        self.answer.clear();
        while self.answer.last() != Some(&b'\n') {
            assert_ne!(self.stream.read_buf(&mut self.answer).await.expect("the server answers"), 0);
        }
        check(&self.answer);
    }
}

impl Client for Lines {
    async fn trip(&mut self) {
        self.ask().await;
    }

    async fn leave(mut self) {
        self.request = BYE.as_bytes().to_vec();
        self.request.push(b'\n');
        self.ask().await;
    }
}

impl WebSocket {
    pub(super) async fn connect(address: SocketAddr, number: usize, agents: usize) -> Self {
        // The library zeroes a buffer of this size before each read; its default is 128 KiB.
        let config = WebSocketConfig::default().read_buffer_size(if agents == 1 { 1 << 10 } else { 16 << 10 });
        let url = format!("ws://{address}/ws");
        let (socket, _) =
            client_async_with_config(url, stream(address).await, Some(config)).await.expect("it is a WebSocket");
        let mut client = Self { socket, request: Bytes::new() };
        for call in greeting(number, agents) {
            client.request = call.into();
            client.ask().await;
        }
        client.request = step(number, agents).into();
        client
    }

    async fn ask(&mut self) {
        let request = Utf8Bytes::try_from(self.request.clone()).expect("it is text");
        self.socket.send(Message::Text(request)).await.expect("the server listens");
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => check(text.as_bytes()),
            other => panic!("{other:?}"),
        }
    }
}

impl Client for WebSocket {
    async fn trip(&mut self) {
        self.ask().await;
    }

    async fn leave(mut self) {
        self.request = Bytes::from_static(BYE.as_bytes());
        self.ask().await;
    }
}

const BYE: &str = r#"{"jsonrpc":"2.0","id":9,"method":"bye","params":{}}"#;

const PING: &str = r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{}}"#;

async fn stream(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("it is open");
    stream
}

/// The first calls of agents: `hello`, then for each agent its registration and its entity.
fn greeting(number: usize, agents: usize) -> Vec<String> {
    let mut calls =
        vec![r#"{"jsonrpc":"2.0","id":0,"method":"hello","params":{"protocol":2,"role":"platform"}}"#.to_owned()];
    for agent in number..number + agents {
        calls.push(format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"register","params":{{"environment":"field","agent":"agent{agent}"}}}}"#
        ));
        calls.push(format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"associate","params":{{"environment":"field","agent":"agent{agent}","entity":"entity{agent}"}}}}"#
        ));
    }
    calls
}

/// The calls of one round trip: each agent acts once and perceives.
fn step(number: usize, agents: usize) -> String {
    let mut turns = String::new();
    for agent in number..number + agents {
        let separator = if turns.is_empty() { "" } else { "," };
        write!(turns, r#"{separator}{{"agent":"agent{agent}","action":{{"name":"walk","args":[1]}}}}"#)
            .expect("memory takes all");
    }
    format!(r#"{{"jsonrpc":"2.0","id":3,"method":"step","params":{{"environment":"field","agents":[{turns}]}}}}"#)
}

fn check(answer: &[u8]) {
    assert!(memchr::memmem::find(answer, b"\"error\"").is_none(), "{}", String::from_utf8_lossy(answer));
}
