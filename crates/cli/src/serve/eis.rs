//! Environments in jars of the Environment Interface Standard (EIS), each in a Java process of its own.

mod keeper;
mod process;

use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use situated::host::{HostRequest, REQUESTS_OPEN};
use situated::ontology::{Field, NamedTypes, Ontology, Pace, Restriction, Type};
use situated::reading;
use situated_hub::{
    Answer, Error, Host, Hosting, Name, Notification, Receiver, ReplyToken, Right, Rights, SessionLimits, TooLarge,
};
use situated_server::Server;
use tokio::time::timeout;

use crate::parameters::value;
use keeper::Keeper;
use process::{FAREWELL, Launch};

/// Time for the beginning of an episode, with that for starting Java.
const BEGIN: Duration = Duration::from_secs(60);

/// Time for another task, after which agents get an error.
const ANSWER: Duration = Duration::from_secs(10);

/// An environment in a jar.
pub(super) struct Jar<'a> {
    pub(super) path: &'a PathBuf,
    /// The file with its ontology; without one, the ontology is learned.
    pub(super) ontology: Option<&'a PathBuf>,
    pub(super) parameters: &'a [(String, String)],
    pub(super) seed: Option<u64>,
    pub(super) paused: bool,
}

/// A message to the keeper of an environment.
enum Message {
    /// The environment has this name on the server.
    Named(Result<Name, Error>),
    Request(HostRequest),
    /// The server has taken or refused the answer to the task with this number.
    Answered(u64, Result<(), Error>),
    /// The process with this number has written a line.
    Line(u64, String),
    /// The process with this number has ended.
    Gone(u64),
    /// The session has ended, or should end.
    Closed,
}

/// Receives the requests of the hub.
struct Inbox(SyncSender<Message>);

/// The tokens of the request to host the environment, and of reports that do not answer a task. Those of answers are
/// the numbers of their tasks.
const NAMING: ReplyToken = ReplyToken(u64::MAX);
const REPORT: ReplyToken = ReplyToken(u64::MAX - 1);

impl Receiver for Inbox {
    fn answer(&self, token: ReplyToken, answer: Result<Answer, Error>) -> Option<TooLarge> {
        if token == NAMING {
            let hosting = answer.and_then(|answer| Hosting::try_from(answer).map_err(|_| Error::Unanswered));
            let _ = self.0.try_send(Message::Named(hosting.map(|hosting| hosting.environment)));
            return None;
        }
        match answer {
            Err(error) if token == REPORT => warn_of_discarded(&error),
            _ if token == REPORT => {}
            answer => drop(self.0.try_send(Message::Answered(token.0, answer.map(drop)))),
        }
        None
    }

    fn notify(&self, notification: Notification<'_>) -> Option<TooLarge> {
        if let Notification::HostRequest { number, task, .. } = notification {
            // If there is no room, the request times out.
            let _ = self.0.try_send(Message::Request(HostRequest { number, task }));
        }
        None
    }

    fn has_room(&self) -> bool {
        true
    }

    fn close(&self, _: Error) {
        let _ = self.0.try_send(Message::Closed);
    }
}

fn warn_of_discarded(error: &Error) {
    tracing::warn!(%error, "a report of an EIS environment was discarded");
}

/// An environment that is offered. Dropping this ends it with its process.
pub(super) struct Offered {
    keeper: SyncSender<Message>,
    /// Closed when the process has ended.
    ended: mpsc::Receiver<Infallible>,
}

impl Drop for Offered {
    fn drop(&mut self) {
        let _ = self.keeper.try_send(Message::Closed);
        // The keeper may be stuck in a process that reads no tasks.
        let _ = self.ended.recv_timeout(2 * FAREWELL);
    }
}

impl Jar<'_> {
    /// Offers the environment on a server under the name of the jar, and waits until its first episode has begun.
    pub(super) async fn offer(&self, server: &Server) -> anyhow::Result<Offered> {
        let launch = Launch::find(self.path, self.ontology)?;
        let (sender, inbox) = mpsc::sync_channel(3 * REQUESTS_OPEN);
        let hub = server.hub().clone();
        let rights = Rights::NONE.with(Right::Host).with(Right::Manage);
        let session = hub.open_session(rights, SessionLimits::default(), Arc::new(Inbox(sender.clone())))?;
        let (begun, mut beginning) = tokio::sync::mpsc::channel(1);
        let (ends, ended) = mpsc::channel();
        let offered = Offered { keeper: sender.clone(), ended };
        let keeper = Keeper::new(hub.clone(), session.clone(), launch, (sender, inbox), (self.paused, begun));
        thread::Builder::new().name("situated-eis".into()).spawn(move || {
            keeper.run();
            drop(ends);
        })?;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).ok();
        let host = Host {
            seed: self.seed,
            // The keeper starts it, since the hub would log a failed start as a warning.
            start: false,
            begin_timeout_ms: milliseconds(BEGIN),
            answer_timeout_ms: milliseconds(ANSWER),
            ..Host::new(self.ontology()?)
        };
        hub.submit(&session, NAMING, host);
        let name = self.path.display();
        match timeout(BEGIN + ANSWER, beginning.recv()).await {
            Ok(Some(begun)) => begun.map_err(|reason| anyhow!("{name}: the environment has not begun: {reason}"))?,
            Ok(None) | Err(_) => bail!(
                "{name}: the environment has not begun within {} s; if it waits for somebody at a window, give it the \
                 parameters that it asks for with --param",
                BEGIN.as_secs()
            ),
        }
        Ok(offered)
    }

    /// Returns the ontology in the file, or an open one without entities. The parameters of the command line are the
    /// defaults of all episodes.
    fn ontology(&self) -> anyhow::Result<Ontology> {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut ontology = match self.ontology {
            Some(file) => {
                let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
                reading::json(&text).with_context(|| format!("{} is no ontology in JSON", file.display()))?
            }
            None => Ontology {
                documentation: format!(
                    "An environment of EIS, from {name}.jar. What its entities can do is learned while it runs."
                ),
                name,
                version: "1".into(),
                revision: 0,
                pace: Pace::Own,
                relation: Restriction::default(),
                open: true,
                parameters: Vec::new(),
                properties: Vec::new(),
                entity_properties: Vec::new(),
                entity_types: Vec::new(),
                types: NamedTypes::new(),
            },
        };
        for (name, text) in self.parameters {
            ontology.parameters.retain(|field| field.name != *name);
            let (documentation, default) = ("As on the command line.", Some(value(text)));
            let field = Field { default, ..Field::new(name, documentation, Type::Any) };
            ontology.parameters.push(field);
        }
        Ok(ontology)
    }
}
