//! Single episodes of an environment with an encoding: the buffers of one env, and the choices that were made, from
//! which the episode can be played again by the rules, for its results and for a recording.

use std::collections::BTreeMap;
use std::path::Path;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use situated::encoding::{ElementType, Encoding};
use situated::environment::Outcome;
use situated::iil::Parameter;
use situated::interface::{Command, EnvironmentInterface, Input};
use situated_recording::{McapRecorder, RecorderSettings};
use situated_runtime::{Clock, Recorder};
use situated_vector::{Actions, Autoreset, Error, Observations, Outputs, Settings, Vector as Envs};

use crate::error::{refused as refused_by_interface, with_shipped};
use crate::vector::{make, refused};

/// Maximum number of choices that are kept for an episode. Longer ones have no results and are not recorded.
const CHOICES: usize = 1 << 23;

/// One env and its buffers.
pub(crate) struct Stage {
    pub(crate) envs: Box<dyn Envs>,
    pub(crate) encoding: Encoding,
    pub(crate) actions: Vec<i64>,
    pub(crate) observations: Numbers,
    pub(crate) masks: Vec<bool>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) terminated: Vec<bool>,
    pub(crate) truncated: Vec<bool>,
}

/// Room for observations.
pub(crate) enum Numbers {
    U8(Vec<u8>),
    F32(Vec<f32>),
}

/// The choices of an episode. They can be played again.
pub(crate) struct Played {
    environment: String,
    parameters: BTreeMap<String, Parameter>,
    from: Beginning,
    chosen: Vec<u32>,
    complete: bool,
}

/// The beginning of what was played.
enum Beginning {
    Seed(u64),
    Saved(Vec<u8>),
}

impl Stage {
    pub(crate) fn new(environment: &str, settings: Settings) -> PyResult<Self> {
        let envs = make(environment, settings)?;
        let (count, encoding) = (envs.agents().len(), envs.encoding().clone());
        let room = count * encoding.size();
        Ok(Self {
            actions: vec![0; count],
            observations: match encoding.element {
                ElementType::U8 => Numbers::U8(vec![0; room]),
                ElementType::F32 => Numbers::F32(vec![0.0; room]),
            },
            masks: vec![true; count * encoding.actions.len()],
            rewards: vec![0.0; count],
            terminated: vec![false; count],
            truncated: vec![false; count],
            envs,
            encoding,
        })
    }

    /// Lets the agents do their actions.
    pub(crate) fn step(&mut self) -> Result<(), Error> {
        let outputs = Outputs {
            observations: self.observations.room(),
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            finals: None,
        };
        self.envs.step(Actions::I64(&self.actions), outputs)
    }

    pub(crate) fn observe(&mut self) -> Result<(), Error> {
        self.envs.observe(self.observations.room(), &mut self.masks)
    }
}

impl Numbers {
    fn room(&mut self) -> Observations<'_> {
        match self {
            Numbers::U8(numbers) => Observations::U8(numbers),
            Numbers::F32(numbers) => Observations::F32(numbers),
        }
    }
}

impl Played {
    pub(crate) fn new(environment: &str, parameters: BTreeMap<String, Parameter>, seed: u64) -> Self {
        let from = Beginning::Seed(seed);
        Self { environment: environment.into(), parameters, from, chosen: Vec::new(), complete: true }
    }

    /// Forgets what was played; the next episode has this seed.
    pub(crate) fn begin(&mut self, seed: u64) {
        (self.from, self.complete) = (Beginning::Seed(seed), true);
        self.chosen.clear();
    }

    /// Forgets what was played; the episode continues from this saved state.
    pub(crate) fn resume(&mut self, state: &[u8]) {
        (self.from, self.complete) = (Beginning::Saved(state.into()), true);
        self.chosen.clear();
    }

    pub(crate) fn add(&mut self, actions: &[i64]) {
        if self.chosen.len() < CHOICES {
            self.chosen.extend(actions.iter().map(|action| *action as u32));
        } else {
            self.complete = false;
        }
    }

    /// Returns how the episode has gone; `None` if it was too long.
    pub(crate) fn outcome(&self) -> PyResult<Option<Outcome>> {
        if !self.complete {
            return Ok(None);
        }
        let mut stage = self.stage()?;
        for actions in self.steps(stage.actions.len()) {
            stage.actions.copy_from_slice(&actions);
            stage.step().map_err(|error| refused(&error))?;
        }
        stage.envs.outcome(0).map(Some).map_err(|error| refused(&error))
    }

    /// Writes a recording of the episode to a new file, with an agent for each entity. Returns whether this is
    /// possible: an episode that continued from a saved state, or was too long, cannot be recorded.
    pub(crate) fn record(&self, py: Python<'_>, path: &Path, agents: &[String]) -> PyResult<bool> {
        let Beginning::Seed(seed) = self.from else { return Ok(false) };
        if !self.complete {
            return Ok(false);
        }
        let mut stage = self.stage()?;
        let mut interface = with_shipped(&self.environment, |registered| Ok((registered.interface)()))?;
        let failed = |error: String| PyOSError::new_err(error);
        let mut recorder =
            McapRecorder::create(path, RecorderSettings::default()).map_err(|error| failed(error.to_string()))?;
        let clock = Clock::new();
        let mut apply = |input: Input, interface: &mut dyn EnvironmentInterface| {
            recorder.before_input(&input, interface, clock.now());
            let effect = interface.apply(&input, clock.now());
            recorder.after_input(&input, &effect, interface, clock.now());
            effect.map_err(|error| refused_by_interface(py, &error))
        };
        let interface = &mut *interface;
        let parameters = self.parameters.clone();
        apply(Input::Manage(Command::Init { parameters, seed }), interface)?;
        let entities = stage.envs.agents().to_vec();
        for (agent, entity) in agents.iter().zip(&entities) {
            apply(Input::Register { agent: agent.into() }, interface)?;
            apply(Input::Associate { agent: agent.into(), entity: entity.clone() }, interface)?;
        }
        apply(Input::Manage(Command::Start), interface)?;
        for actions in self.steps(entities.len()) {
            let numbers: Vec<usize> = actions.iter().map(|action| *action as usize).collect();
            let terms = stage.envs.terms(0, &numbers).map_err(|error| refused(&error))?;
            for (agent, action) in agents.iter().zip(terms) {
                if let Some(action) = action {
                    // What the environment refuses has no effect, as in the episode.
                    let _ = apply(
                        Input::Act { agent: agent.into(), action: action.into(), entities: Vec::new() },
                        interface,
                    );
                }
            }
            apply(Input::Step, interface)?;
            stage.actions.copy_from_slice(&actions);
            stage.step().map_err(|error| refused(&error))?;
        }
        recorder.finish(interface, clock.now()).map_err(|error| failed(error.to_string()))?;
        Ok(true)
    }

    fn stage(&self) -> PyResult<Stage> {
        let seed = if let Beginning::Seed(seed) = self.from { seed } else { 0 };
        let parameters = self.parameters.clone();
        let autoreset = Autoreset::Disabled;
        let settings = Settings { seed, autoreset, parameters, tables: false, ..Settings::default() };
        let mut stage = Stage::new(&self.environment, settings)?;
        if let Beginning::Saved(state) = &self.from {
            stage.envs.load(0, state).map_err(|error| refused(&error))?;
        }
        Ok(stage)
    }

    fn steps(&self, agents: usize) -> impl Iterator<Item = Vec<i64>> {
        self.chosen.chunks_exact(agents).map(|actions| actions.iter().map(|action| i64::from(*action)).collect())
    }
}
