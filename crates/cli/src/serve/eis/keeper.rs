//! Keeps the process of an EIS environment: each episode has a new one, and no task waits for one that hangs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use situated::host::{HostAnswer, HostReport, HostRequest, HostTask, HostUpdate};
use situated::interface::{Command, State};
use situated::reading;
use situated_hub::{AnswerHostRequest, Hub, Manage, Name, ReplyToken, Session, UpdateHosted};

use super::process::{JavaProcess, Launch};
use super::{BEGIN, Message, REPORT, warn_of_discarded};

/// Time for a task, after which the process is ended. The deadlines of the server are shorter.
const HANG: Duration = Duration::from_secs(30);

/// Time without tasks after which the keeper looks at the clock anyway.
const IDLE: Duration = Duration::from_secs(3600);

/// Takes the result of beginning the first episode.
type Beginning = tokio::sync::mpsc::Sender<Result<(), String>>;

/// Passes tasks on to the process of an environment, and its reports to the hub.
pub(super) struct Keeper {
    hub: Arc<Hub>,
    session: Arc<Session>,
    /// The name of the environment; empty until the hub has said it.
    environment: Name,
    launch: Launch,
    sender: SyncSender<Message>,
    inbox: Receiver<Message>,
    process: Option<JavaProcess>,
    /// The number of processes so far.
    processes: u64,
    /// The tasks without an answer, with the time at which the process counts as hung.
    open: BTreeMap<u64, Instant>,
    /// The number of the task that began the last episode.
    beginning: u64,
    /// The number of the task that completes the first beginning, if it has been sent.
    first: Option<u64>,
    paused: bool,
    /// `None` once it has begun.
    begun: Option<Beginning>,
}

impl Keeper {
    pub(super) fn new(
        hub: Arc<Hub>,
        session: Arc<Session>,
        launch: Launch,
        (sender, inbox): (SyncSender<Message>, Receiver<Message>),
        (paused, begun): (bool, Beginning),
    ) -> Self {
        let (process, open) = (None, BTreeMap::new());
        let environment = Name::default();
        Self {
            hub,
            session,
            environment,
            launch,
            sender,
            inbox,
            process,
            processes: 0,
            open,
            beginning: 0,
            first: None,
            paused,
            begun: Some(begun),
        }
    }

    /// Works until the session ends, the environment is killed, or the first episode could not begin.
    pub(super) fn run(mut self) {
        while self.next().is_continue() {}
    }

    fn next(&mut self) -> ControlFlow<()> {
        let due = self.open.values().min();
        let wait = due.map_or(IDLE, |due| due.saturating_duration_since(Instant::now()));
        match self.inbox.recv_timeout(wait) {
            Ok(Message::Named(Ok(name))) => self.environment = name,
            Ok(Message::Named(Err(error))) => return self.fail_to_begin(&error.to_string()),
            Ok(Message::Request(request)) => return self.perform(request),
            Ok(Message::Answered(number, Ok(()))) => {
                if number == self.beginning && self.begun.is_some() && !self.paused {
                    let (environment, command) = (self.environment.clone(), Command::Start);
                    self.hub.submit(&self.session, REPORT, Manage { environment, command });
                }
                if let Some(begun) = self.begun.take_if(|_| self.first == Some(number)) {
                    let _ = begun.try_send(Ok(()));
                }
            }
            Ok(Message::Answered(number, Err(error))) => {
                self.fail_to_begin(&error.to_string())?;
                warn_of_discarded(&error);
                return self.fail(number, &error.to_string(), HostUpdate::default());
            }
            Ok(Message::Line(process, line)) if process == self.processes => return self.report(&line),
            Ok(Message::Gone(process)) if process == self.processes && self.process.is_some() => {
                return self.lose("its process has ended");
            }
            Ok(Message::Line(..) | Message::Gone(_)) => {}
            Ok(Message::Closed) | Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(()),
            Err(RecvTimeoutError::Timeout) if self.open.is_empty() => {}
            Err(RecvTimeoutError::Timeout) => return self.lose("it did not answer and was ended"),
        }
        ControlFlow::Continue(())
    }

    fn perform(&mut self, request: HostRequest) -> ControlFlow<()> {
        let HostRequest { number, task } = &request;
        let number = *number;
        let begins = matches!(task, HostTask::Init { .. } | HostTask::Reset { .. });
        if begins {
            self.process = None;
            self.open.clear();
            self.processes += 1;
            self.beginning = number;
            match JavaProcess::start(&self.launch, self.processes, self.sender.clone()) {
                Ok(process) => self.process = Some(process),
                Err(error) => return self.fail(number, &format!("{error:#}"), HostUpdate::default()),
            }
        }
        let Some(process) = &mut self.process else {
            return self.fail(number, "its process has ended; reset the environment", HostUpdate::default());
        };
        if matches!(task, HostTask::Init { .. }) && self.paused || *task == HostTask::Start {
            self.first.get_or_insert(number);
        }
        process.send(&request);
        if *task == HostTask::Kill {
            return ControlFlow::Break(());
        }
        self.open.insert(number, Instant::now() + if begins { BEGIN } else { HANG });
        ControlFlow::Continue(())
    }

    /// Passes a report on to the hub.
    fn report(&mut self, line: &str) -> ControlFlow<()> {
        match reading::json(line) {
            Ok(HostReport::Answer { number, answer, update }) => return self.answer(number, answer, update),
            Ok(HostReport::Update(update)) => self.update(update),
            Err(error) => {
                tracing::warn!(environment = self.environment.as_str(), %error, "an invalid report was discarded")
            }
        }
        ControlFlow::Continue(())
    }

    fn answer(&mut self, number: u64, answer: HostAnswer, mut update: HostUpdate) -> ControlFlow<()> {
        self.open.remove(&number);
        let mut token = ReplyToken(number);
        if let HostAnswer::Failed { reason, .. } = &answer {
            // The failure for which a refused answer is replaced is the last word.
            token = REPORT;
            self.fail_to_begin(reason)?;
            if number == self.beginning {
                self.process = None;
                update = self.loss();
            }
        }
        let (environment, update) = (self.environment.clone(), Box::new(update));
        self.hub.submit(&self.session, token, AnswerHostRequest { environment, number, answer, update });
        ControlFlow::Continue(())
    }

    fn update(&self, update: HostUpdate) {
        let (environment, update) = (self.environment.clone(), update);
        self.hub.submit(&self.session, REPORT, UpdateHosted { environment, update });
    }

    fn fail(&mut self, number: u64, reason: &str, update: HostUpdate) -> ControlFlow<()> {
        let answer = HostAnswer::Failed { reason: reason.into(), tried: true };
        self.answer(number, answer, update)
    }

    /// Ends the process, and with it the entities. A reset starts another.
    fn lose(&mut self, why: &str) -> ControlFlow<()> {
        self.fail_to_begin(why)?;
        tracing::warn!(environment = self.environment.as_str(), why, "an EIS environment has stopped; reset it");
        self.process = None;
        let reason = format!("{why}; reset the environment");
        let mut open = std::mem::take(&mut self.open);
        let last = open.pop_last();
        for number in open.into_keys() {
            self.fail(number, &reason, HostUpdate::default())?;
        }
        // The last answer brings the loss, so that whoever gets it finds the entities gone.
        if let Some((number, _)) = last {
            self.fail(number, &reason, self.loss())?;
        }
        // There may be no answer, or one that is too late to count.
        self.update(self.loss());
        ControlFlow::Continue(())
    }

    /// Returns the changes at the end of the process: no entities, and an environment that ran is paused.
    fn loss(&self) -> HostUpdate {
        let Ok(environment) = self.hub.environment(&self.environment) else { return HostUpdate::default() };
        let deleted = environment.entities().into_iter().map(|(entity, _)| entity).collect();
        let has_run = environment.read(|interface| interface.state() == State::Running).unwrap_or(false);
        HostUpdate { deleted, state: has_run.then_some(State::Paused), ..HostUpdate::default() }
    }

    /// Reports to the command why the first episode could not begin. The command and the keeper end then.
    fn fail_to_begin(&self, reason: &str) -> ControlFlow<()> {
        let Some(begun) = &self.begun else { return ControlFlow::Continue(()) };
        let _ = begun.try_send(Err(reason.into()));
        ControlFlow::Break(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.hub.end_session(&self.session, situated_hub::Error::SessionEnded);
    }
}
