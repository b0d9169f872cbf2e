//! The environment of an owner: the single place that all inputs pass, in order. It records them, and catches panics
//! of the environment.

use std::borrow::Cow;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use serde_json::value::RawValue;
use situated::host::{HostRequests, HostTask, REQUEST_BYTES, REQUESTS_OPEN};
use situated::iil::EcoString;
use situated::interface::{
    self, Command, Effect, EnvironmentInterface, Form, Input, Moment, Perception, Since, State, Time, Version,
};
use situated::ontology::Ontology;

use crate::error::Error;
use crate::error::what_panicked;
use crate::journal::{Journal, Record, may_have_changed};
use crate::recorder::Recorder;
use crate::spectacle::Spectacle;

/// An environment whose panics are caught here.
pub(crate) struct GuardedEnvironment {
    interface: Box<dyn EnvironmentInterface>,
    pub(crate) recorder: Option<Box<dyn Recorder>>,
    pub(crate) journal: Option<Box<dyn Journal>>,
    /// The reason of the crash.
    pub(crate) crash: Option<String>,
    /// Whether there may be changes to follow.
    pub(crate) has_changed: bool,
    /// Number of possible changes: each input, and a crash.
    pub(crate) changes: u64,
    /// The log of actions, if there are observers of actions.
    pub(crate) spectacle: Option<Spectacle>,
    /// The time of the last input or request.
    now: Time,
}

impl GuardedEnvironment {
    pub(crate) fn new(interface: Box<dyn EnvironmentInterface>) -> Self {
        Self {
            interface,
            recorder: None,
            journal: None,
            crash: None,
            has_changed: false,
            changes: 0,
            spectacle: None,
            now: Time::default(),
        }
    }

    pub(crate) fn ontology(&self) -> &Ontology {
        self.interface.ontology()
    }

    pub(crate) fn state(&self) -> State {
        self.interface.state()
    }

    pub(crate) fn moment(&self) -> Moment {
        self.interface.moment()
    }

    /// Gives the environment an input, and records it.
    pub(crate) fn apply(&mut self, input: &Input, now: Time) -> Result<Effect, Error> {
        self.check_kept(input)?;
        self.now = now;
        self.has_changed = true;
        self.changes += 1;
        self.check_host(input)?;
        let (before, state) = (self.interface.moment(), self.state());
        let effect = self.guard(Some(input), |interface, recorder| {
            let Some(recorder) = recorder else { return interface.apply(input, now) };
            recorder.before_input(input, interface, now);
            let effect = interface.apply(input, now);
            recorder.after_input(input, &effect, interface, now);
            effect
        })?;
        if let Some(journal) = &mut self.journal
            && may_have_changed(input, &effect)
        {
            journal.note(&Record::Input { input: Cow::Borrowed(input), time: now.wall });
        }
        if let Err(error) = &effect
            && state != State::Killed
            && self.state() == State::Killed
        {
            // Its host in this process has failed, which ends it.
            let reason = match error {
                interface::Error::HostGone { reason, .. } => reason.clone(),
                error => error.to_string(),
            };
            self.break_down(Some(input), reason);
            return Err(self.ended("anything"));
        }
        let effect = effect?;
        if let Some(spectacle) = &mut self.spectacle {
            spectacle.note(input, &effect, before);
        }
        Ok(effect)
    }

    /// Perceives for an agent.
    pub(crate) fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
        now: Time,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        self.now = now;
        let told = self.guard(None, |interface, recorder| {
            let told = interface.perceive(agent, entities, form, since)?;
            if let Some(recorder) = recorder {
                told.iter().for_each(|(entity, perception)| recorder.perceived(agent, entity, perception, now));
            }
            Ok(told)
        })?;
        told.map_err(Error::Interface)
    }

    /// Records a remark of an agent.
    pub(crate) fn remark(&mut self, agent: &str, remark: &Value, now: Time) -> Result<(), Error> {
        self.now = now;
        self.guard(None, |interface, recorder| {
            if let Some(recorder) = recorder {
                recorder.remarked(agent, remark, interface, now);
            }
        })
    }

    /// Records a message of an agent.
    pub(crate) fn note_message(&mut self, message: &RawValue, violations: &[String], now: Time) -> Result<(), Error> {
        self.now = now;
        self.guard(None, |interface, recorder| {
            if let Some(recorder) = recorder {
                recorder.message_sent(message, violations, interface, now);
            }
        })
    }

    /// Perceives for an observer of an entity.
    pub(crate) fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        self.guard(None, |interface, _| interface.watch(entity, since))?.map_err(Error::Interface)
    }

    /// Reads something from the environment.
    pub(crate) fn read<R>(&mut self, read: impl FnOnce(&dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        self.guard(None, |interface, _| read(interface))
    }

    /// Reads something, even from a crashed environment, so that observers learn about its end.
    pub(crate) fn observe<R>(&mut self, read: impl FnOnce(&dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        self.catch(None, |interface, _| read(interface))
    }

    /// Notes that an agent has received percepts. The interface keeps this, not the environment, so it is not an
    /// input.
    pub(crate) fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        self.guard(None, |interface, _| interface.acknowledge(agent, entity, version))?.map_err(Error::Interface)
    }

    /// Returns the reason why nothing is possible any more.
    pub(crate) fn ended(&self, what: &'static str) -> Error {
        match &self.crash {
            Some(reason) => Error::Crashed { environment: self.ontology().name.clone(), reason: reason.clone() },
            None => interface::Error::WrongState { what: what.into(), state: State::Killed }.into(),
        }
    }

    /// Ends the environment, because its host has disconnected.
    pub(crate) fn lose_host(&mut self, reason: &str, now: Time) {
        self.now = now;
        if self.host().is_some() && self.state() != State::Killed {
            self.break_down(None, format!("its host has disconnected: {reason}"));
        }
    }

    /// Returns the requests to the host, if the environment runs elsewhere.
    pub(crate) fn host(&self) -> Option<&HostRequests> {
        self.interface.host_requests()
    }

    /// Mutable version of [`host`](Self::host).
    pub(crate) fn host_mut(&mut self) -> Option<&mut HostRequests> {
        self.interface.host_requests_mut()
    }

    /// The number of bytes that the host makes the interface keep.
    pub(crate) fn host_bytes(&self) -> usize {
        self.interface.host_bytes()
    }

    /// Limits these bytes.
    pub(crate) fn limit_host(&mut self, bytes: usize) {
        self.interface.limit_host(bytes);
    }

    /// Returns the error for a task that the host did not perform in time.
    pub(crate) fn late(&self, task: &HostTask) -> Error {
        let limit = self.host().map(|host| host.time_limit(task)).unwrap_or_default();
        Error::HostTimeout { environment: self.ontology().name.clone(), what: task.what(), limit }
    }

    /// Repeats an input that another process has recorded.
    pub(crate) fn repeat(&mut self, input: &Input, now: Time) -> Result<Effect, Error> {
        self.guard(None, |interface, _| interface.apply(input, now))?.map_err(Error::Interface)
    }

    /// Calls a function with mutable access to the interface, for everything but inputs.
    pub(crate) fn change<R>(&mut self, change: impl FnOnce(&mut dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        self.guard(None, |interface, _| change(interface))
    }

    /// Puts another interface in the place of this one.
    pub(crate) fn replace(&mut self, interface: Box<dyn EnvironmentInterface>) {
        self.interface = interface;
    }

    /// Notes that the environment has crashed in another process.
    pub(crate) fn repeat_crash(&mut self, reason: String) {
        self.break_down(None, reason);
    }

    /// Notes a record, if there is a journal.
    pub(crate) fn note(&mut self, record: &Record<'_>) {
        if let Some(journal) = &mut self.journal {
            journal.note(record);
        }
    }

    /// Returns the reason why the journal, if there is one, cannot be written at present.
    pub(crate) fn refusal(&self) -> Option<Error> {
        let reason = self.journal.as_ref()?.refusal()?;
        Some(Error::NotKept { environment: self.ontology().name.clone(), reason })
    }

    /// Returns an error if this input cannot be written to the journal. A kill is always possible.
    fn check_kept(&self, input: &Input) -> Result<(), Error> {
        match self.refusal() {
            Some(error) if !matches!(input, Input::Manage(Command::Kill)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Checks whether the host, if there is one, can get more requests.
    fn check_host(&self, input: &Input) -> Result<(), Error> {
        let Some(host) = self.host() else { return Ok(()) };
        match input {
            Input::Host(_) | Input::Register { .. } | Input::Manage(Command::Kill) => Ok(()),
            // Its session may have ended, so nobody could try again. It makes no more requests than there are agents.
            Input::Unregister { .. } => Ok(()),
            _ if host.is_full() => {
                Err(Error::Busy { what: "too many requests to the host are open", limit: REQUESTS_OPEN })
            }
            _ if host.is_full_of_bytes() => {
                Err(Error::Busy { what: "bytes of open requests to the host", limit: REQUEST_BYTES })
            }
            Input::Manage(_) if host.owes_management() => {
                Err(Error::Busy { what: "the host has not finished the last change of state", limit: 1 })
            }
            _ => Ok(()),
        }
    }

    /// Ends the recording, if there is one, with the outcome.
    pub(crate) fn finish_recording(&mut self, now: Time) -> io::Result<()> {
        let Some(mut recorder) = self.recorder.take() else { return Ok(()) };
        // Saving the last state may crash the environment.
        if let Err(Error::Crashed { reason, .. }) = self.read(|interface| {
            interface.episode().map(|episode| (episode.outcome(), episode.snapshot()));
        }) {
            recorder.crashed(None, &reason, now);
        }
        recorder.finish(&*self.interface, now)
    }

    /// Refuses requests to a crashed environment.
    fn guard<R>(
        &mut self,
        input: Option<&Input>,
        ask: impl FnOnce(&mut dyn EnvironmentInterface, Option<&mut (dyn Recorder + 'static)>) -> R,
    ) -> Result<R, Error> {
        if self.crash.is_some() { Err(self.ended("anything")) } else { self.catch(input, ask) }
    }

    /// Kills an environment that crashes, perhaps over an input.
    fn catch<R>(
        &mut self,
        input: Option<&Input>,
        ask: impl FnOnce(&mut dyn EnvironmentInterface, Option<&mut (dyn Recorder + 'static)>) -> R,
    ) -> Result<R, Error> {
        let (interface, recorder) = (&mut *self.interface, self.recorder.as_deref_mut());
        catch_unwind(AssertUnwindSafe(|| ask(interface, recorder))).map_err(|panic| {
            self.break_down(input, what_panicked(&*panic));
            self.ended("anything")
        })
    }

    fn break_down(&mut self, input: Option<&Input>, reason: String) {
        if self.crash.is_some() {
            return;
        }
        // The environment's own destructor may panic, too.
        let interface = &mut *self.interface;
        let _ = catch_unwind(AssertUnwindSafe(|| interface.abandon()));
        if let Some(recorder) = &mut self.recorder {
            recorder.crashed(input, &reason, self.now);
        }
        self.note(&Record::Crashed { reason: reason.clone() });
        self.crash = Some(reason);
        self.has_changed = true;
        self.changes += 1;
    }
}
