//! The endpoint of a client: it connects to the server and begins or resumes a session.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use situated::reading::{self, Unreadable};
use situated_wire::Method;
use situated_wire::methods::{Greeting, Hello};
use situated_wire::notifications::Notification;
use situated_wire::rpc::{self, Frame, Message};
use tokio::time::timeout;

use crate::Error;
use crate::address::Address;
use crate::calls::call_line;
use crate::transport::{OnConnection, Transport};

/// Time for connecting and for the greeting of the server.
const GREETING: Duration = Duration::from_secs(10);

/// The address of a server, and the parameters of `hello` there.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) address: Address,
    pub(crate) hello: Hello,
    /// A file with certificates that are trusted besides those of the system.
    pub(crate) trusted: Option<PathBuf>,
    pub(crate) on_connection: Option<OnConnection>,
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
            reading::json_in(frame, answered?.get()).map_err(|error: Unreadable| misunderstood(error.to_string()))
        }
        Ok(Frame::One(Ok(Message::Call { method, params, .. }))) => match Notification::read(&method, params) {
            Ok(Some(Notification::Closing(closing))) => Err(closing.reason.into()),
            _ => Err(misunderstood(format!("it sends `{method}` before its greeting"))),
        },
        Ok(Frame::One(Err(refused))) | Err(refused) => Err(misunderstood(refused.error.message)),
        Ok(Frame::Batch(_)) => Err(misunderstood("its greeting is a batch".into())),
    }
}
