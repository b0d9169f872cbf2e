//! Connecting to a server for the first time, and after a lost connection.

use std::any::Any;
use std::future::IntoFuture;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc as channel};
use std::thread;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use situated_wire::methods::{Greeting, Hello, Role};
use situated_wire::notifications::Notification;
use situated_wire::rpc::{self, Frame, Message};
use situated_wire::{Method, PROTOCOL};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::address::Address;
use crate::calls::call_line;
use crate::client::{Client, Shared};
use crate::link::{Link, SILENCE};
use crate::transport::{OnConnection, Transport};
use crate::{Answer, Error};

/// Time for connecting and for the greeting of the server.
const GREETING: Duration = Duration::from_secs(10);

/// Default time during which the client tries to reconnect.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The time in milliseconds within which the client promises to send something.
const HEARTBEAT_MS: u64 = 3 * SILENCE.as_millis() as u64;

/// A client that has not yet connected. In asynchronous code, `.await` it; the connection is then a task of this runtime of
/// tokio. In other code, [`wait`](Self::wait) for it; the connection then has its own thread. Connecting takes up to 10
/// seconds.
#[must_use = "the client connects when this is awaited"]
#[derive(Clone, Debug)]
pub struct Connect {
    pub(crate) address: String,
    hello: Hello,
    patience: Duration,
    trusted: Option<PathBuf>,
    on_connection: Option<OnConnection>,
}

impl Client {
    /// A client for a server at `ws://HOST:PORT`, `wss://HOST:PORT` (WebSocket), `tcp://HOST:PORT` or
    /// `tls://HOST:PORT` (lines of JSON); `wss` and `tls` are encrypted.
    pub fn connect(address: &str) -> Connect {
        Connect::new(address)
    }
}

impl Connect {
    pub(crate) fn new(address: &str) -> Self {
        let client = Some(concat!("situated-client ", env!("CARGO_PKG_VERSION")).into());
        let hello = Hello {
            protocol: PROTOCOL,
            role: Role::Agent,
            token: None,
            resume: None,
            client,
            heartbeat_ms: Some(HEARTBEAT_MS),
        };
        Self { address: address.into(), hello, patience: PATIENCE, trusted: None, on_connection: None }
    }

    /// Sets the role, by default a single agent.
    pub fn role(mut self, role: Role) -> Self {
        self.hello.role = role;
        self
    }

    /// Sets the token, if the server requires one.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.hello.token = Some(token.into());
        self
    }

    /// Sets the name of this program for the logs of the server.
    pub fn program(mut self, name: impl Into<String>) -> Self {
        self.hello.client = Some(name.into());
        self
    }

    /// Sets the time during which the client tries to reconnect, by default [`PATIENCE`].
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets a file with certificates (PEM) that are trusted besides those of the system, for example a self-signed one.
    pub fn trust(mut self, certificates: impl AsRef<Path>) -> Self {
        self.trusted = Some(certificates.as_ref().into());
        self
    }

    /// Calls this with each connection of the session: the first, and those after a lost connection. Its result is dropped
    /// when the connection is lost or closed.
    pub fn on_connection(mut self, call: impl Fn(&TcpStream) -> Box<dyn Any + Send> + Send + Sync + 'static) -> Self {
        self.on_connection = Some(OnConnection(Arc::new(call)));
        self
    }

    /// Connects, and blocks this thread until it is connected.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, or rejects this role and token.
    pub fn wait(self) -> Result<Client, Error> {
        let (sender, receiver) = channel::sync_channel(1);
        let no_thread = |error: std::io::Error| Error::Connect {
            address: self.address.clone(),
            reason: format!("the system cannot start a thread: {error}"),
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let this = self.clone();
        let task = move || {
            runtime.block_on(async {
                match this.open().await {
                    Ok((shared, link, transport)) => {
                        if sender.send(Ok(shared)).is_ok() {
                            link.run(transport).await;
                        }
                    }
                    // The waiting thread does not end before this.
                    Err(error) => drop(sender.send(Err(error))),
                }
            });
        };
        let thread = thread::Builder::new().name("situated-client".into()).spawn(task).map_err(no_thread)?;
        let mut shared = receiver.recv().expect("the thread answers")?;
        shared.set_thread(thread);
        Ok(Client::new(shared))
    }

    async fn open(self) -> Result<(Shared, Link, Transport), Error> {
        let Self { address, hello, patience, trusted, on_connection } = self;
        let endpoint = Endpoint { address: address.parse()?, hello, trusted, on_connection };
        let (transport, greeting) = endpoint.connect(None).await?;
        let (shared, link) = Shared::new(endpoint, greeting, patience);
        Ok((shared, link, transport))
    }
}

impl IntoFuture for Connect {
    type Output = Result<Client, Error>;
    type IntoFuture = Answer<'static, Client>;

    fn into_future(self) -> Self::IntoFuture {
        Answer::new(async {
            let (shared, link, transport) = self.open().await?;
            tokio::spawn(link.run(transport));
            Ok(Client::new(shared))
        })
    }
}

/// The address of a server, and the parameters of `hello` there.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    address: Address,
    hello: Hello,
    /// A file with certificates that are trusted besides those of the system.
    trusted: Option<PathBuf>,
    on_connection: Option<OnConnection>,
}

impl Endpoint {
    /// Connects and begins a session, or resumes that of a token.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if the server rejects this, and other errors if the server cannot be reached now.
    pub(crate) async fn connect(&self, resume: Option<&str>) -> Result<(Transport, Greeting), Error> {
        match timeout(GREETING, self.connect_and_greet(resume)).await {
            Ok(connected) => connected,
            Err(_) => Err(self.failed(&format!("no greeting within {} s", GREETING.as_secs()))),
        }
    }

    async fn connect_and_greet(&self, resume: Option<&str>) -> Result<(Transport, Greeting), Error> {
        let opened = Transport::open(&self.address, self.trusted.as_ref(), self.on_connection.as_ref()).await;
        let mut transport = opened.map_err(|error| self.failed(&error))?;
        let hello = Hello { resume: resume.map(str::to_owned), ..self.hello.clone() };
        let line = call_line(Some(0), &hello)?;
        transport.outgoing.send(line).await.map_err(|error| self.failed(&error))?;
        let answer = match transport.incoming.next().await {
            Some(answer) => answer.map_err(|error| self.failed(&error))?,
            None => return Err(self.failed(&"the server has closed the connection")),
        };
        Ok((transport, read_greeting(&answer)?))
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> Error {
        Error::Connect { address: self.address.to_string(), reason: reason.to_string() }
    }
}

fn read_greeting(frame: &str) -> Result<Greeting, Error> {
    let misunderstood = |reason: String| Error::Misunderstood { about: Hello::NAME, reason };
    match rpc::read(frame) {
        Ok(Frame::One(Ok(Message::Answer { answered, .. }))) => {
            serde_json::from_str(answered?.get()).map_err(|error| misunderstood(error.to_string()))
        }
        Ok(Frame::One(Ok(Message::Call { method, params, .. }))) => match Notification::read(&method, params) {
            Ok(Some(Notification::Closing(closing))) => Err(closing.reason.into()),
            _ => Err(misunderstood(format!("it sends `{method}` before its greeting"))),
        },
        Ok(Frame::One(Err(refused))) | Err(refused) => Err(misunderstood(refused.error.message)),
        Ok(Frame::Batch(_)) => Err(misunderstood("its greeting is a batch".into())),
    }
}
