//! How a session is entered: a connection is made, and hello is said on it, at first and whenever it goes on.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Serialize;
use situated_wire::methods::{Greeting, Hello};
use situated_wire::notifications::Notification;
use situated_wire::rpc::{self, Frame, Id, Message};
use situated_wire::{self as wire, Method};
use tokio::time::timeout;

use crate::Error;
use crate::address::Address;
use crate::transport::Transport;

/// How long it may take until a connection is made and the server has greeted.
const GREETING: Duration = Duration::from_secs(10);

/// Where a server is, and what is said to enter.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    pub(crate) address: Address,
    pub(crate) hello: Hello,
    /// Certificates that are trusted beside those that the system trusts.
    pub(crate) trusted: Option<PathBuf>,
}

impl Door {
    /// Begins a session, or goes on with that of a resume token.
    ///
    /// # Errors
    /// [`Error::Refused`] if the server lets nobody in who says this, others if the server cannot be reached now.
    pub(crate) async fn enter(&self, resume: Option<&str>) -> Result<(Transport, Greeting), Error> {
        match timeout(GREETING, self.connect_and_greet(resume)).await {
            Ok(entered) => entered,
            Err(_) => Err(self.closed(&format!("no greeting within {} s", GREETING.as_secs()))),
        }
    }

    async fn connect_and_greet(&self, resume: Option<&str>) -> Result<(Transport, Greeting), Error> {
        let opened = Transport::open(&self.address, self.trusted.as_ref()).await;
        let mut transport = opened.map_err(|error| self.closed(&error))?;
        let hello = Hello { resume: resume.map(str::to_owned), ..self.hello.clone() };
        let line = call_line(Some(0), &hello)?;
        transport.outgoing.send(line).await.map_err(|error| self.closed(&error))?;
        let answer = match transport.incoming.next().await {
            Some(answer) => answer.map_err(|error| self.closed(&error))?,
            None => return Err(self.closed(&"the server has closed the connection")),
        };
        Ok((transport, read_greeting(&answer)?))
    }

    fn closed(&self, reason: &dyn std::fmt::Display) -> Error {
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
            _ => Err(misunderstood(format!("it says `{method}` before it greets"))),
        },
        Ok(Frame::One(Err(refused))) | Err(refused) => Err(misunderstood(refused.error.message)),
        Ok(Frame::Batch(_)) => Err(misunderstood("it says several things at once".into())),
    }
}

/// The line of a call; without a number, of one to which no answer is wanted.
pub(crate) fn call_line<M: Method>(number: Option<i64>, call: &M) -> Result<String, Error> {
    line(number, M::NAME, call)
}

/// The line of a call of this method.
pub(crate) fn line(number: Option<i64>, method: &str, params: &impl Serialize) -> Result<String, Error> {
    let mut line = Vec::new();
    let written = rpc::write_call(&mut line, number.map(Id::Number).as_ref(), method, params);
    line.push(b'\n');
    let line = written.map_err(|error| error.to_string()).and_then(|()| {
        // It is JSON.
        String::from_utf8(line).map_err(|error| error.to_string())
    });
    line.map_err(|reason| {
        wire::Error::new(wire::Code::InvalidParameters, format!("`{method}` cannot be written: {reason}")).into()
    })
}
