//! Replays a recording, and compares the states.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use situated::interface::{EnvironmentInterface, Form, Since, State, Time};
use situated::random::GENERATOR;
use situated_runtime::{Effect, Input, what_panicked};

use crate::difference::Differences;
use crate::report::{Difference, Disagreement, Point, Report, Versions};
use crate::{Acted, Checkpoint, Crash, Entry, EpisodeBegun, EpisodeOutcome, InputGiven, Recording, RecordingError};

/// Runs a recording again in a fresh environment, and compares every state, every result and every outcome, up to the
/// first difference.
///
/// `make` creates an environment with this name that has had no inputs, or returns `None` if it does not know the
/// name. With a step, only the last episode is replayed, from its last checkpoint at or before that step. `progress`
/// is called at the beginning of each episode and after each step, with its number and the environment. If the
/// environment panicked in the recording, it panics again; the panic is caught.
///
/// # Errors
/// Returns an error if the recording cannot be read, contains nothing to replay, or its environment is unknown.
pub fn replay(
    recording: &mut Recording,
    mut make: impl FnMut(&str) -> Option<Box<dyn EnvironmentInterface>>,
    from: Option<u64>,
    mut progress: impl FnMut(u64, &dyn EnvironmentInterface),
) -> Result<Report, RecordingError> {
    let complete = recording.complete();
    let (mut replayer, begun, entries) = match from {
        None => {
            let begun = recording.beginning()?.ok_or(RecordingError::NoEpisode)?;
            (Replayer::new(&begun, complete, &mut make)?, Ok(()), recording.entries()?)
        }
        Some(step) => {
            let Some(start) = recording.resumption(step)? else {
                let episode = recording.beginning()?;
                return Err(episode.map_or(RecordingError::NoEpisode, |_| RecordingError::NoCheckpoint { step }));
            };
            let mut replayer = Replayer::new(&start.begun, complete, &mut make)?;
            let begun = replayer.resume(&start.checkpoint)?;
            (replayer, begun, recording.entries_from(start.place, start.channels)?)
        }
    };
    let mut compared = begun;
    for recorded in entries {
        if compared.is_err() {
            break;
        }
        compared = replayer.follow(recorded?.entry, &mut progress);
    }
    if let (Ok(()), Some(step)) = (&compared, from)
        && replayer.at.step < step
    {
        return Err(RecordingError::BeyondEnd { step, last: replayer.at.step });
    }
    let compared = compared.and_then(|()| replayer.end());
    replayer.report.difference = compared.err().map(|difference| *difference);
    Ok(replayer.report)
}

/// A replay in progress.
struct Replayer<'a> {
    environment: Box<dyn EnvironmentInterface>,
    make: &'a mut dyn FnMut(&str) -> Option<Box<dyn EnvironmentInterface>>,
    report: Report,
    at: Point,
    /// The place at which the states last agreed, and the number of inputs since then.
    agreed: Option<Point>,
    inputs: u64,
    /// The message of the crash. The environment is not used again.
    crashed: Option<String>,
}

/// The agreement, or the first difference.
type Comparison = Result<(), Box<Difference>>;

impl<'a> Replayer<'a> {
    fn new(
        begun: &EpisodeBegun,
        complete: bool,
        make: &'a mut dyn FnMut(&str) -> Option<Box<dyn EnvironmentInterface>>,
    ) -> Result<Self, RecordingError> {
        let name = &begun.environment;
        if begun.hosted {
            return Err(RecordingError::Hosted { environment: name.clone() });
        }
        let environment = make(name).ok_or_else(|| RecordingError::UnknownEnvironment { environment: name.clone() })?;
        let recorded = Versions {
            environment: name.clone(),
            version: begun.version.clone(),
            situated: begun.situated.clone(),
            generator: begun.generator.clone(),
        };
        let ontology = environment.ontology();
        let replayed = Versions {
            environment: ontology.name.clone(),
            version: ontology.version.clone(),
            situated: env!("CARGO_PKG_VERSION").into(),
            generator: GENERATOR.into(),
        };
        let report = Report { recorded, replayed, complete, ..Report::default() };
        let at = Point { episode: 0, step: 0 };
        Ok(Self { environment, make, report, at, agreed: None, inputs: 0, crashed: None })
    }

    /// Begins with a recorded state, and checks that its hash is the same again.
    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<Comparison, RecordingError> {
        let step = checkpoint.step;
        let loaded = self.environment.load(&checkpoint.state);
        loaded.map_err(|error| RecordingError::State { step, reason: Box::new(error) })?;
        self.report.from = Some(Point { episode: checkpoint.episode, step });
        self.report.episodes = 1;
        Ok(self.compare_checkpoint(checkpoint))
    }

    /// Repeats or compares the contents of a message.
    fn follow(&mut self, entry: Entry, progress: &mut impl FnMut(u64, &dyn EnvironmentInterface)) -> Comparison {
        if self.report.crash.is_some() {
            return Ok(());
        }
        if let Some(reason) = &self.crashed
            && !matches!(entry, Entry::Crash(_))
        {
            return self.differ(Disagreement::Crash { recorded: None, replayed: Some(reason.clone()) });
        }
        match entry {
            Entry::Episode(begun) => {
                self.report.episodes += 1;
                self.attempt(|environment| progress(begun.step, environment));
            }
            Entry::Input(given) => {
                self.at = Point { episode: given.episode, step: given.step };
                self.give(&given)?;
                if given.input == Input::Step {
                    self.attempt(|environment| progress(given.step, environment));
                }
            }
            Entry::Percepts(_) | Entry::Remark(_) | Entry::Scene(_) => {}
            Entry::Message(sent) => {
                self.report.messages += 1;
                self.report.violations += sent.violations.len() as u64;
            }
            Entry::Checkpoint(checkpoint) => self.compare_checkpoint(&checkpoint)?,
            Entry::Outcome(outcome) => self.compare_outcome(&outcome)?,
            Entry::Crash(crash) => self.compare_crash(crash)?,
        }
        Ok(())
    }

    /// Handles the end of the messages.
    fn end(&mut self) -> Comparison {
        match self.crashed.take() {
            Some(reason) => self.differ(Disagreement::Crash { recorded: None, replayed: Some(reason) }),
            None => Ok(()),
        }
    }

    fn give(&mut self, given: &InputGiven) -> Comparison {
        self.report.inputs += 1;
        self.report.steps += u64::from(given.input == Input::Step);
        self.inputs += 1;
        let Some(effect) =
            self.attempt(|environment| environment.apply(&given.input, Time { wall: given.time, ..Time::default() }))
        else {
            return Ok(());
        };
        match (effect, &given.error) {
            (Err(_), Some(_)) => Ok(()),
            (Ok(_), Some(reason)) => {
                let (input, reason) = (written(&given.input), reason.clone());
                self.differ(Disagreement::Taken { input, reason })
            }
            (Err(error), None) => {
                let (input, reason) = (written(&given.input), error.to_string());
                self.differ(Disagreement::Refused { input, reason })
            }
            (Ok(effect), None) => self.compare_effect(given, effect),
        }
    }

    fn compare_effect(&mut self, given: &InputGiven, effect: Effect) -> Comparison {
        match effect {
            Effect::Done | Effect::Nothing => Ok(()),
            // An environment that is replayed has no host.
            Effect::Requested(_) | Effect::Acting { .. } | Effect::Answered { .. } => Ok(()),
            Effect::Entity(entity) => self.compare_entity(given, entity.as_str()),
            Effect::Results(results) => {
                let acted = results.into_iter().map(|(entity, result)| match result {
                    Ok(found) => Acted { entity, found: Some(found), error: None },
                    Err(error) => Acted { entity, found: None, error: Some(error.to_string()) },
                });
                self.compare_results(given, acted.collect())
            }
        }
    }

    fn compare_entity(&mut self, given: &InputGiven, entity: &str) -> Comparison {
        // None is recorded if the environment crashed over it.
        match (&given.input, &given.entity) {
            (Input::RequestEntity { agent, .. }, Some(recorded)) if recorded != entity => {
                let (recorded, replayed) = (Some(recorded.clone()), Some(entity.into()));
                self.differ(Disagreement::Entity { agent: agent.clone(), recorded, replayed })
            }
            _ => Ok(()),
        }
    }

    fn compare_results(&mut self, given: &InputGiven, acted: Vec<Acted>) -> Comparison {
        // None are recorded if the environment crashed over it.
        let (Input::Act { agent, action, .. }, Some(recorded)) = (&given.input, &given.results) else { return Ok(()) };
        self.report.results += acted.len() as u64;
        let first = (0..recorded.len().max(acted.len())).find(|place| recorded.get(*place) != acted.get(*place));
        let Some(first) = first else { return Ok(()) };
        let (agent, action) = (agent.clone(), action.to_string());
        let (recorded, replayed) = (recorded.get(first).cloned(), acted.get(first).cloned());
        self.differ(Disagreement::Results { agent, action, recorded, replayed })
    }

    fn compare_checkpoint(&mut self, checkpoint: &Checkpoint) -> Comparison {
        self.at = Point { episode: checkpoint.episode, step: checkpoint.step };
        if self.environment.state() == State::Initializing {
            // The recording begins in the middle of an episode.
            if let Err(error) = self.environment.load(&checkpoint.state) {
                return self.differ(Disagreement::Refused { input: "a state".into(), reason: error.to_string() });
            }
        }
        let Some(hash) = self.attempt(|environment| environment.hash()) else { return Ok(()) };
        self.report.hashes += 1;
        if hash == Some(checkpoint.hash) {
            return self.agree();
        }
        let differences = self.differences(checkpoint);
        self.differ(states_differ(checkpoint.hash, hash, differences))
    }

    fn compare_outcome(&mut self, recorded: &EpisodeOutcome) -> Comparison {
        self.at = Point { episode: recorded.episode, step: recorded.step };
        let Some((outcome, hash)) = self.attempt(|environment| (environment.outcome(), environment.hash())) else {
            return Ok(());
        };
        self.report.outcomes += 1;
        let (replayed_ending, replayed) = match outcome {
            Some(outcome) => (outcome.ending, outcome.results),
            None => (None, Vec::new()),
        };
        if (replayed_ending, &replayed) != (recorded.ending, &recorded.results) {
            let (recorded_ending, recorded) = (recorded.ending, recorded.results.clone());
            return self.differ(Disagreement::Outcome { recorded_ending, recorded, replayed_ending, replayed });
        }
        if hash == Some(recorded.hash) {
            return self.agree();
        }
        self.differ(states_differ(recorded.hash, hash, Err("the state is recorded in checkpoints only".into())))
    }

    fn compare_crash(&mut self, recorded: Crash) -> Comparison {
        if self.crashed.is_none() {
            // It may have crashed while it was read.
            self.attempt(look_at_all);
        }
        match self.crashed.take() {
            Some(reason) => {
                self.report.crash = Some(reason);
                Ok(())
            }
            None => self.differ(Disagreement::Crash { recorded: Some(recorded.reason), replayed: None }),
        }
    }

    /// Returns the differences between the current state and a recorded one, or the reason why they are unknown.
    fn differences(&mut self, checkpoint: &Checkpoint) -> Result<Differences, String> {
        let mut second = (self.make)(&self.report.recorded.environment).ok_or("there is no second environment")?;
        let compare = |present: &mut dyn EnvironmentInterface| {
            second.load(&checkpoint.state).map_err(|error| error.to_string())?;
            let (recorded, replayed) = (second.episode(), present.episode());
            let both = recorded.zip(replayed).map(|(recorded, replayed)| (recorded.inspect(), replayed.inspect()));
            both.ok_or_else(|| "there is no episode".to_owned())
        };
        let compared = self.attempt(compare).ok_or("the environment crashes when it is read")?;
        compared.map(|(recorded, replayed)| Differences::between(&recorded, &replayed))
    }

    fn agree(&mut self) -> Comparison {
        self.agreed = Some(self.at);
        self.inputs = 0;
        Ok(())
    }

    fn differ(&self, what: Disagreement) -> Comparison {
        Err(Box::new(Difference { at: self.at, since: self.agreed, inputs: self.inputs, what }))
    }

    /// Does something with the environment; none if it panics.
    fn attempt<T>(&mut self, act: impl FnOnce(&mut dyn EnvironmentInterface) -> T) -> Option<T> {
        // The environment is not used after a panic.
        let attempted = catch_unwind(AssertUnwindSafe(|| act(&mut *self.environment)));
        attempted.map_err(|panic| self.abandon(&*panic)).ok()
    }

    /// Drops a broken environment, whose destructor may panic as well.
    fn abandon(&mut self, panic: &(dyn Any + Send)) {
        self.crashed = Some(what_panicked(panic));
        let _ = catch_unwind(AssertUnwindSafe(|| self.environment.abandon()));
    }
}

/// Makes all calls that an owner may make between two inputs.
fn look_at_all(environment: &mut dyn EnvironmentInterface) {
    let _ = (environment.outcome(), environment.save(), environment.hash(), environment.scene(None));
    for agent in environment.agents() {
        let _ = environment.perceive(&agent, &[], Form::Snapshot, Since::LastCall);
    }
}

/// Returns an input as in the recording.
fn written(input: &Input) -> String {
    serde_json::to_string(input).unwrap_or_default()
}

fn states_differ(recorded: u64, replayed: Option<u64>, differences: Result<Differences, String>) -> Disagreement {
    let replayed = replayed.map_or_else(|| "none".into(), |hash| format!("{hash:016x}"));
    let (differences, unclear) = match differences {
        Ok(differences) => (Some(differences), None),
        Err(reason) => (None, Some(reason)),
    };
    Disagreement::State { recorded: format!("{recorded:016x}"), replayed, differences, unclear }
}
