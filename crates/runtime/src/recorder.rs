//! The trait through which an owner reports everything that happens, so that it can be recorded.

use std::io;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use situated::interface::{self, Effect, EnvironmentInterface, Input, Perception, Time};

/// Receives all inputs of an environment and their effects, in order, and the percepts of agents.
///
/// The owner reports every input twice: before it is applied and afterwards. In both reports the recorder can read
/// the environment, which may panic. The owner then calls [`crashed`](Self::crashed), and reports nothing more.
pub trait Recorder: Send {
    /// An input is about to be applied.
    fn before_input(&mut self, input: &Input, environment: &dyn EnvironmentInterface, now: Time);

    /// An input was applied, with this effect.
    fn after_input(
        &mut self,
        input: &Input,
        effect: &Result<Effect, interface::Error>,
        environment: &dyn EnvironmentInterface,
        now: Time,
    );

    /// An agent perceived through an entity.
    fn perceived(&mut self, agent: &str, entity: &str, perception: &Perception, now: Time);

    /// An agent has made a remark about itself, such as how it came to its action.
    fn remarked(&mut self, agent: &str, remark: &Value, environment: &dyn EnvironmentInterface, now: Time);

    /// An agent has sent this message, which is JSON, and which breaks these rules of its interaction protocol.
    fn message_sent(
        &mut self,
        message: &RawValue,
        violations: &[String],
        environment: &dyn EnvironmentInterface,
        now: Time,
    );

    /// The environment panicked over this input, or while something read it if the input is `None`.
    fn crashed(&mut self, input: Option<&Input>, reason: &str, now: Time);

    /// The monotonic time at which the owner calls [`advance`](Self::advance); `None` if nothing is due.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    /// Does the work that is due.
    fn advance(&mut self, now: Time) {
        let _ = now;
    }

    /// The reason why recording stopped.
    fn error(&self) -> Option<String> {
        None
    }

    /// Ends the recording; the owner reports nothing afterwards.
    ///
    /// # Errors
    /// Returns an error if something could not be recorded, now or earlier.
    fn finish(&mut self, environment: &dyn EnvironmentInterface, now: Time) -> io::Result<()>;
}
