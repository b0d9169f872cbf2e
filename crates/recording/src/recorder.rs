//! Writing a recording: the contents, and the times of writing.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use situated::iil::EcoString;
use situated::interface::{ActionResult, Command, EnvironmentInterface, Error, Happening, Observer, Perception, State};
use situated::random::GENERATOR;
use situated_runtime::{Effect, Input, Recorder, Time, may_have_changed};

use crate::channel::Channel;
use crate::output::{Output, SharedOutput};
use crate::scenes::{Scenes, update_of_host, without_scene};
use crate::{
    Acted, Checkpoint, Crash, EpisodeBegun, EpisodeOutcome, InputGiven, MessageSent, PerceptsTold, RecordingError,
    RemarkMade,
};

/// Writes a recording as an MCAP file.
///
/// Writing stops at the first error, which [`error`](Recorder::error) returns; the environment continues. A recorder
/// that is dropped without [`finish`](Recorder::finish) leaves a readable recording that is marked as incomplete.
pub struct McapRecorder {
    settings: RecorderSettings,
    output: SharedOutput,
    episode: Episode,
    scenes: Scenes,
    /// The state of the episode before an input that ends it early.
    farewell: Option<Farewell>,
    /// Whether the recorder itself is reading the environment because of an input. If the environment crashes now,
    /// the input did not cause it and is not written.
    noting: bool,
    crashed: bool,
}

/// Settings of a recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecorderSettings {
    /// Whether to record percepts. Replays do not need them.
    pub percepts: bool,
    /// Number of steps between two checkpoints.
    pub checkpoint_every: NonZeroU64,
}

impl Default for RecorderSettings {
    fn default() -> Self {
        Self { percepts: true, checkpoint_every: NonZeroU64::new(100).unwrap_or(NonZeroU64::MIN) }
    }
}

/// The recorded part of the current episode.
#[derive(Clone, Copy, Debug, Default)]
struct Episode {
    number: u64,
    step: u64,
    /// Whether its outcome is recorded.
    over: bool,
    /// Whether there were inputs since its state was recorded.
    changed: bool,
}

/// The last entries of an episode.
struct Farewell {
    checkpoint: Option<Checkpoint>,
    outcome: Option<EpisodeOutcome>,
}

impl McapRecorder {
    /// Records to any writer. The caller must flush at the [`deadline`](Recorder::deadline) at the latest.
    ///
    /// # Errors
    /// Returns an error if the beginning cannot be written.
    pub fn new(out: impl Write + Send + 'static, settings: RecorderSettings) -> Result<Self, RecordingError> {
        Ok(Self {
            settings,
            output: SharedOutput::new(Output::begin(Box::new(out))?),
            episode: Episode::default(),
            scenes: Scenes::default(),
            farewell: None,
            noting: false,
            crashed: false,
        })
    }

    /// Creates a file. A thread flushes the recording, so that the file lacks at most the last second, even during a
    /// long step.
    ///
    /// # Errors
    /// Returns an error if the file exists or cannot be written.
    pub fn create(path: &Path, settings: RecorderSettings) -> Result<Self, RecordingError> {
        let file =
            OpenOptions::new().write(true).create_new(true).open(path).map_err(|reason| match reason.kind() {
                io::ErrorKind::AlreadyExists => RecordingError::Exists { path: path.into() },
                _ => RecordingError::Open { path: path.into(), reason },
            })?;
        let watched = |recorder: Self| {
            recorder.output.watch().map_err(|reason| RecordingError::Open { path: path.into(), reason })?;
            Ok(recorder)
        };
        Self::new(BufWriter::new(file), settings).and_then(watched).inspect_err(|_| {
            // The file has no recording and would prevent the next attempt.
            let _ = fs::remove_file(path);
        })
    }
}

impl Recorder for McapRecorder {
    fn before_input(&mut self, input: &Input, environment: &dyn EnvironmentInterface, now: Time) {
        self.farewell = None;
        if !self.is_recording() {
            return;
        }
        self.noting = true;
        // The environment may already be in the middle of an episode.
        self.follow_episode(environment, now);
        if ends_episode(input, environment) {
            self.farewell = Some(self.take_leave(environment, now));
        }
        self.noting = false;
    }

    /// Writes the input, unless it changed nothing: it had no effect, or was rejected before it reached the
    /// environment.
    fn after_input(
        &mut self,
        input: &Input,
        effect: &Result<Effect, Error>,
        environment: &dyn EnvironmentInterface,
        now: Time,
    ) {
        if !self.is_recording() || !may_have_changed(input, effect) {
            return;
        }
        if let Some(farewell) = self.farewell.take() {
            self.write_farewell(&farewell, now);
        }
        self.episode.changed = true;
        self.write_input(input, Some(effect), at(environment, self.episode), now);
        self.noting = true;
        let (before, every) = (self.episode, self.settings.checkpoint_every);
        self.follow_episode(environment, now);
        // The reports of a host in this process are no inputs.
        let is_here = environment.is_hosted() && environment.host_requests().is_none();
        if is_here || update_of_host(input).is_some_and(|update| update.scene.is_some()) {
            self.note_scene(environment, now);
        }
        // A host may report several steps at once.
        if self.episode.number == before.number && self.episode.step / every > before.step / every {
            self.note_checkpoint(environment, now);
        }
        if !self.episode.over && environment.ending().is_some() {
            let farewell = self.take_leave(environment, now);
            self.write_farewell(&farewell, now);
        }
        self.noting = false;
    }

    fn perceived(&mut self, agent: &str, entity: &str, perception: &Perception, now: Time) {
        // A resync voids earlier percepts, even if there are no new ones.
        if !self.settings.percepts || (perception.is_empty() && !perception.resync) {
            return;
        }
        let (episode, step) = (perception.moment.episode, perception.moment.step);
        let told = PerceptsTold { episode, step, time: now.wall, agent, entity, perception };
        self.output.lock().write(Channel::Percepts, &told, now);
    }

    fn remarked(&mut self, agent: &str, remark: &Value, environment: &dyn EnvironmentInterface, now: Time) {
        let (episode, step) = at(environment, self.episode);
        let made = RemarkMade { episode, step, time: now.wall, agent, remark };
        self.output.lock().write(Channel::Remarks, &made, now);
    }

    fn message_sent(
        &mut self,
        message: &RawValue,
        violations: &[String],
        environment: &dyn EnvironmentInterface,
        now: Time,
    ) {
        let (episode, step) = at(environment, self.episode);
        let sent = MessageSent { episode, step, time: now.wall, message, violations };
        self.output.lock().write(Channel::Messages, &sent, now);
    }

    fn crashed(&mut self, input: Option<&Input>, reason: &str, now: Time) {
        if self.crashed {
            return;
        }
        if let Some(input) = input
            && !self.noting
        {
            let Episode { number, step, .. } = self.episode;
            self.write_input(input, None, (number, step), now);
        }
        let Episode { number: episode, step, .. } = self.episode;
        self.output.lock().write(Channel::Crash, &Crash { episode, step, time: now.wall, reason: reason.into() }, now);
        self.output.lock().flush();
        self.crashed = true;
    }

    /// Returns the time half a second after the first unflushed entry.
    fn deadline(&self) -> Option<Duration> {
        self.output.lock().deadline()
    }

    /// Flushes written entries if they are due.
    fn advance(&mut self, now: Time) {
        self.output.lock().flush_if_due(now);
    }

    fn error(&self) -> Option<String> {
        self.output.lock().error().map(ToString::to_string)
    }

    /// Ends the recording with the current state of the episode.
    fn finish(&mut self, environment: &dyn EnvironmentInterface, now: Time) -> io::Result<()> {
        if self.is_recording() {
            let farewell = self.take_leave(environment, now);
            self.write_farewell(&farewell, now);
        }
        self.output.lock().finish().map_err(io::Error::other)
    }
}

impl McapRecorder {
    fn is_recording(&self) -> bool {
        !self.crashed && self.output.lock().error().is_none()
    }

    /// Records a new episode, if there is one.
    fn follow_episode(&mut self, environment: &dyn EnvironmentInterface, now: Time) {
        let (episode, step) = at(environment, self.episode);
        self.episode.step = step;
        if episode == self.episode.number {
            return;
        }
        self.episode = Episode { number: episode, step, over: false, changed: true };
        self.scenes = Scenes::default();
        let ontology = environment.ontology();
        let begun = EpisodeBegun {
            episode,
            step,
            time: now.wall,
            environment: ontology.name.clone(),
            version: ontology.version.clone(),
            situated: env!("CARGO_PKG_VERSION").into(),
            parameters: environment.parameters().unwrap_or_default(),
            seed: seed(environment),
            generator: GENERATOR.into(),
            pace: ontology.pace,
            hosted: environment.is_hosted(),
        };
        self.output.lock().write(Channel::Episode, &begun, now);
        self.note_checkpoint(environment, now);
        self.note_scene(environment, now);
    }

    /// Records the scene of an environment that a host runs. Others are drawn by replaying them.
    fn note_scene(&mut self, environment: &dyn EnvironmentInterface, now: Time) {
        if environment.is_hosted()
            && let Ok(scene) = environment.scene(None)
        {
            let Episode { number, step, .. } = self.episode;
            self.scenes.note(scene, (number, step), &mut self.output.lock(), now);
        }
    }

    fn note_checkpoint(&mut self, environment: &dyn EnvironmentInterface, now: Time) {
        if let Some(checkpoint) = self.checkpoint(environment, now) {
            self.output.lock().write(Channel::Checkpoints, &checkpoint, now);
            self.episode.changed = false;
        }
    }

    fn checkpoint(&self, environment: &dyn EnvironmentInterface, now: Time) -> Option<Checkpoint> {
        let Episode { number: episode, step, .. } = self.episode;
        let present = environment.episode()?;
        let (hash, state, results) = (present.hash(), present.snapshot(), present.outcome().results);
        Some(Checkpoint { episode, step, time: now.wall, hash, state, results })
    }

    /// Returns the last entries of the episode, if it ended.
    fn take_leave(&self, environment: &dyn EnvironmentInterface, now: Time) -> Farewell {
        let Episode { number: episode, step, over, changed } = self.episode;
        let checkpoint = if changed { self.checkpoint(environment, now) } else { None };
        let outcome = environment.outcome().zip(environment.hash()).filter(|_| !over).map(|(outcome, hash)| {
            let (ending, results) = (outcome.ending, outcome.results);
            EpisodeOutcome { episode, step, time: now.wall, ending, results, hash }
        });
        Farewell { checkpoint, outcome }
    }

    fn write_farewell(&mut self, farewell: &Farewell, now: Time) {
        if let Some(checkpoint) = &farewell.checkpoint {
            self.output.lock().write(Channel::Checkpoints, checkpoint, now);
            self.episode.changed = false;
        }
        if let Some(outcome) = &farewell.outcome {
            self.output.lock().write(Channel::Outcome, outcome, now);
            self.episode.over = true;
        }
    }

    /// Writes an input and its effect, unless the environment crashed because of it.
    fn write_input(
        &mut self,
        input: &Input,
        effect: Option<&Result<Effect, Error>>,
        (episode, step): (u64, u64),
        now: Time,
    ) {
        // The response of a host is the result of the input that needed the host.
        let effect = match effect {
            Some(Ok(Effect::Answered { outcome, .. })) => Some(&**outcome),
            effect => effect,
        };
        let (results, entity) = match effect {
            Some(Ok(Effect::Results(results))) => (Some(Results(results)), None),
            Some(Ok(Effect::Entity(entity))) => (None, Some(entity)),
            _ => (None, None),
        };
        let error = effect.and_then(|effect| effect.as_ref().err()).map(Reason);
        let input = without_scene(input);
        let given = InputGiven { episode, step, time: now.wall, input, results, entity, error };
        self.output.lock().write(Channel::Inputs, &given, now);
    }
}

/// Returns the results of an action in serialised form.
struct Results<'a>(&'a [(EcoString, ActionResult)]);

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(entity, result)| {
            let (found, error) = (result.as_ref().ok(), result.as_ref().err().map(Reason));
            Acted { entity, found, error }
        }))
    }
}

struct Reason<'a>(&'a Error);

impl Serialize for Reason<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// Returns whether an input ends the episode. A host is only asked for a reset, but may kill its environment itself.
fn ends_episode(input: &Input, environment: &dyn EnvironmentInterface) -> bool {
    match input {
        Input::Manage(Command::Kill) => true,
        Input::Manage(Command::Reset { .. }) => environment.host_requests().is_none(),
        Input::Host(report) => {
            let is_reset = environment.host_requests().is_some_and(|requests| requests.is_reset_by(report));
            is_reset || update_of_host(input).is_some_and(|update| update.state == Some(State::Killed))
        }
        _ => false,
    }
}

/// Returns the current episode and step; after a kill, those before it.
fn at(environment: &dyn EnvironmentInterface, last: Episode) -> (u64, u64) {
    if environment.state() == State::Killed {
        return (last.number, last.step);
    }
    let moment = environment.moment();
    (moment.episode, moment.step)
}

/// Returns the seed of the current episode, as a new observer receives it.
fn seed(environment: &dyn EnvironmentInterface) -> u64 {
    let happenings = environment.drain(&mut Observer::new()).happenings;
    let seed = happenings.iter().find_map(|happening| match happening {
        Happening::Episode { seed, .. } => *seed,
        _ => None,
    });
    seed.unwrap_or_default()
}
