//! Connecting to a server for the first time.

use std::any::Any;
use std::future::IntoFuture;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc as channel};
use std::thread;
use std::time::Duration;

use situated_wire::PROTOCOL;
use situated_wire::methods::{Hello, Role};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use crate::client::{Client, Shared};
use crate::endpoint::Endpoint;
use crate::link::{Link, SILENCE};
use crate::transport::{OnConnection, Transport};
use crate::{Answer, Error};

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
