//! The environment as its owner has it: the one place that all inputs pass, in order. Here they are recorded, and here it
//! ends if the environment panics.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use situated::iil::EcoString;
use situated::interface::{self, Command, EnvironmentInterface, Form, Moment, Perception, Since, State, Version};
use situated::mirror::Call;
use situated::ontology::Ontology;

use crate::error::Error;
use crate::hosting::{CALLS_OPEN, Host};
use crate::input::{Effect, Input};
use crate::panic::what_panicked;
use crate::recorder::Recorder;
use crate::spectacle::Spectacle;
use crate::time::Time;

/// An environment that may break down without harm to anybody else.
pub(crate) struct World {
    interface: Box<dyn EnvironmentInterface>,
    /// Who runs it, if that is somebody else.
    pub(crate) host: Option<Box<Host>>,
    pub(crate) recorder: Option<Box<dyn Recorder>>,
    /// Why it has broken down.
    pub(crate) crash: Option<String>,
    /// Whether there may be something to follow.
    pub(crate) has_changed: bool,
    /// How often it may have changed: by each input, and by breaking down.
    pub(crate) changes: u64,
    /// What is done, if somebody watches.
    pub(crate) spectacle: Option<Spectacle>,
    /// When something was last asked of it.
    now: Time,
}

impl World {
    pub(crate) fn new(interface: Box<dyn EnvironmentInterface>) -> Self {
        Self {
            interface,
            host: None,
            recorder: None,
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
        self.now = now;
        self.has_changed = true;
        self.changes += 1;
        self.check_host(input)?;
        let mut host = self.host.take();
        let effect = self.guard(Some(input), |interface, recorder| {
            interface.set_time(now.wall);
            let Some(recorder) = recorder else { return give(input, host.as_deref_mut(), interface, now) };
            let breaks_off = host.as_ref().is_some_and(|host| host.breaks_off(input));
            recorder.before_input(input, breaks_off, interface, now);
            let effect = give(input, host.as_deref_mut(), interface, now);
            recorder.after_input(input, &effect, interface, now);
            effect
        });
        self.host = host;
        let effect = effect??;
        if let Some(spectacle) = &mut self.spectacle {
            spectacle.note(input, &effect, self.interface.moment());
        }
        Ok(effect)
    }

    /// An agent perceives.
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

    /// Somebody watches an entity without being its agent.
    pub(crate) fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        self.guard(None, |interface, _| interface.watch(entity, since))?.map_err(Error::Interface)
    }

    /// Asks the environment something that does not change it.
    pub(crate) fn look<R>(&mut self, look: impl FnOnce(&dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        self.guard(None, |interface, _| look(interface))
    }

    /// The same even of what is left of a broken environment: whoever observes it hears of its end.
    pub(crate) fn observe<R>(&mut self, look: impl FnOnce(&dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        self.catch(None, |interface, _| look(interface))
    }

    /// An agent has received what it was told: that is part of the interface, not of the environment, and no input.
    pub(crate) fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        self.guard(None, |interface, _| interface.acknowledge(agent, entity, version))?.map_err(Error::Interface)
    }

    /// Why nothing is possible any more.
    pub(crate) fn ended(&self, what: &'static str) -> Error {
        match &self.crash {
            Some(reason) => Error::Crashed { environment: self.ontology().name.clone(), reason: reason.clone() },
            None => interface::Error::WrongState { what, state: State::Killed }.into(),
        }
    }

    /// The host is gone, and the world with it.
    pub(crate) fn lose_host(&mut self, reason: &str, now: Time) {
        self.now = now;
        if self.host.is_some() && self.state() != State::Killed {
            self.break_down(None, format!("its host is gone: {reason}"));
        }
    }

    /// The host has not answered a call.
    pub(crate) fn late(&self, call: &Call) -> Error {
        let limit = self.host.as_ref().map(|host| host.patience(call)).unwrap_or_default();
        Error::HostTimeout { environment: self.ontology().name.clone(), what: call.what(), limit }
    }

    /// Whether the host, if there is one, may be called for more.
    fn check_host(&self, input: &Input) -> Result<(), Error> {
        let Some(host) = &self.host else { return Ok(()) };
        match input {
            Input::Host(_) | Input::Register { .. } | Input::Manage(Command::Kill) => Ok(()),
            _ if host.is_full() => {
                Err(Error::Busy { what: "the host has too many calls before it", limit: CALLS_OPEN })
            }
            Input::Manage(_) if host.owes(Call::is_management) => {
                Err(Error::Busy { what: "the host is being asked to change its state", limit: 1 })
            }
            _ => Ok(()),
        }
    }

    /// Ends the recording with how things stand, if there is one.
    pub(crate) fn finish_recording(&mut self, now: Time) -> io::Result<()> {
        let Some(mut recorder) = self.recorder.take() else { return Ok(()) };
        // What it writes last may be what the environment breaks down over.
        if let Err(Error::Crashed { reason, .. }) = self.look(|interface| drop((interface.outcome(), interface.save())))
        {
            recorder.crashed(None, &reason, now);
        }
        recorder.finish(&*self.interface, now)
    }

    /// Whatever is asked of a broken environment is refused.
    fn guard<R>(
        &mut self,
        input: Option<&Input>,
        ask: impl FnOnce(&mut dyn EnvironmentInterface, Option<&mut (dyn Recorder + 'static)>) -> R,
    ) -> Result<R, Error> {
        if self.crash.is_some() { Err(self.ended("anything")) } else { self.catch(input, ask) }
    }

    /// An environment that breaks down now, perhaps over an input, is killed.
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
        // The world's own destructor may panic as well.
        let interface = &mut *self.interface;
        let _ = catch_unwind(AssertUnwindSafe(|| interface.abandon()));
        if let Some(recorder) = &mut self.recorder {
            recorder.crashed(input, &reason, self.now);
        }
        self.crash = Some(reason);
        self.has_changed = true;
        self.changes += 1;
    }
}

/// Gives an input to an environment, which somebody else may run.
fn give(
    input: &Input,
    host: Option<&mut Host>,
    interface: &mut dyn EnvironmentInterface,
    now: Time,
) -> Result<Effect, interface::Error> {
    match host {
        Some(host) => host.give(input, interface, now),
        None => input.apply(interface),
    }
}
