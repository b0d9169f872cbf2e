//! Records what an owner does to its environment, and replays it on a second environment.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use serde_json::value::RawValue;
use situated::interface::{self, EnvironmentInterface, Interface, Perception, State, Time};
use situated_runtime::{Effect, Input, Recorder};

use situated_toys::mill::Mill;

/// An input that the owner has given to the environment.
pub(super) struct Record {
    pub(super) input: Input,
    /// The state of the environment before the input.
    pub(super) state: State,
    now: Time,
    /// None if the environment has crashed over the input.
    pub(super) effect: Option<Result<Effect, interface::Error>>,
}

/// A recorder that only keeps the inputs and their effects.
#[derive(Clone, Default)]
pub(super) struct Tape(Arc<Mutex<Vec<Record>>>);

impl Tape {
    /// Returns the records since the last call.
    pub(super) fn take(&self) -> Vec<Record> {
        std::mem::take(&mut *self.0.lock().expect("no recorder has panicked"))
    }

    fn push(&self, record: Record) {
        self.0.lock().expect("no recorder has panicked").push(record);
    }
}

impl Recorder for Tape {
    fn message_sent(&mut self, _: &RawValue, _: &[String], _: &dyn EnvironmentInterface, _: Time) {}

    fn before_input(&mut self, input: &Input, environment: &dyn EnvironmentInterface, now: Time) {
        self.push(Record { input: input.clone(), state: environment.state(), now, effect: None });
    }

    fn after_input(
        &mut self,
        _: &Input,
        effect: &Result<Effect, interface::Error>,
        _: &dyn EnvironmentInterface,
        _: Time,
    ) {
        let mut records = self.0.lock().expect("no recorder has panicked");
        records.last_mut().expect("every input is reported before").effect = Some(effect.clone());
    }

    fn perceived(&mut self, _: &str, _: &str, _: &Perception, _: Time) {}

    fn remarked(&mut self, _: &str, _: &Value, _: &dyn EnvironmentInterface, _: Time) {}

    fn crashed(&mut self, _: Option<&Input>, _: &str, _: Time) {}

    fn finish(&mut self, _: &dyn EnvironmentInterface, _: Time) -> io::Result<()> {
        Ok(())
    }
}

/// A separate environment that gets the recorded inputs.
#[derive(Default)]
pub(super) struct Replay(Interface<Mill>);

impl Replay {
    /// Gives a recorded input to the environment, which must have the recorded effect.
    pub(super) fn repeat(&mut self, Record { input, now, effect, .. }: &Record) {
        let applied = catch_unwind(AssertUnwindSafe(|| EnvironmentInterface::apply(&mut self.0, input, *now)));
        assert_eq!(&applied.ok(), effect, "of {input:?} in the replay");
    }

    pub(super) fn hash(&self) -> Option<u64> {
        let interface: &dyn EnvironmentInterface = &self.0;
        interface.hash()
    }
}
