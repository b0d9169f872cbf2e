//! How a client connects.

use std::future::IntoFuture;
use std::path::{Path, PathBuf};
use std::sync::mpsc as channel;
use std::thread;
use std::time::Duration;

use situated_wire::PROTOCOL;
use situated_wire::methods::{Hello, Role};
use tokio::runtime::Builder;

use crate::client::{Client, Shared};
use crate::door::Door;
use crate::link::Link;
use crate::transport::Transport;
use crate::{Answer, Error};

/// For how long it is tried to make a lost connection again if nothing else is said.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A client that is about to connect: `.await` it in asynchronous code with a runtime of tokio, on which it then lives, or
/// [`wait`](Self::wait) for it, and it lives on a thread of its own. It takes 10 seconds at the most.
#[must_use = "it connects when it is awaited"]
#[derive(Clone, Debug)]
pub struct Connect {
    pub(crate) address: String,
    hello: Hello,
    patience: Duration,
    trusted: Option<PathBuf>,
}

impl Client {
    /// A client that is about to connect to a server, at `ws://HOST:PORT`, `wss://HOST:PORT` (WebSocket), `tcp://HOST:PORT` or
    /// `tls://HOST:PORT` (lines of JSON); `wss` and `tls` are encrypted.
    pub fn connect(address: &str) -> Connect {
        Connect::new(address)
    }
}

impl Connect {
    pub(crate) fn new(address: &str) -> Self {
        let client = Some(concat!("situated-client ", env!("CARGO_PKG_VERSION")).into());
        let hello = Hello { protocol: PROTOCOL, role: Role::Agent, token: None, resume: None, client };
        Self { address: address.into(), hello, patience: PATIENCE, trusted: None }
    }

    /// As what it comes; by default as a single agent.
    pub fn role(mut self, role: Role) -> Self {
        self.hello.role = role;
        self
    }

    /// The token that the server wants.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.hello.token = Some(token.into());
        self
    }

    /// What program this is, for the logs of the server.
    pub fn program(mut self, name: impl Into<String>) -> Self {
        self.hello.client = Some(name.into());
        self
    }

    /// For how long it is tried to make a lost connection again; by default for [`PATIENCE`].
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// A file with certificates (PEM) that are trusted beside those that the system trusts: that of a server which has signed
    /// its own.
    pub fn trust(mut self, certificates: impl AsRef<Path>) -> Self {
        self.trusted = Some(certificates.as_ref().into());
        self
    }

    /// Connects, and waits for it on this thread.
    ///
    /// # Errors
    /// When the server cannot be reached, or lets nobody in with this role and token.
    pub fn wait(self) -> Result<Client, Error> {
        let (sender, receiver) = channel::sync_channel(1);
        let no_thread = |error: std::io::Error| Error::Connect {
            address: self.address.clone(),
            reason: format!("the system gives no thread: {error}"),
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
                    // Whoever waits here does not go away.
                    Err(error) => drop(sender.send(Err(error))),
                }
            });
        };
        let thread = thread::Builder::new().name("situated-client".into()).spawn(task).map_err(no_thread)?;
        let mut shared = receiver.recv().expect("the thread answers")?;
        shared.live_on(thread);
        Ok(Client::new(shared))
    }

    async fn open(self) -> Result<(Shared, Link, Transport), Error> {
        let Self { address, hello, patience, trusted } = self;
        let door = Door { address: address.parse()?, hello, trusted };
        let (transport, greeting) = door.enter(None).await?;
        let (shared, link) = Shared::new(door, greeting, patience);
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
