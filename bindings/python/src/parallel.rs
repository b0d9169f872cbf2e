//! One episode after another, for agents with names: for `situated.parallel_env` and `situated.aec_env`.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyString};
use situated::environment::Outcome;
use situated_vector::{Autoreset, Settings};

use crate::episode::{Numbers, Played, Stage};
use crate::scene::Scene;
use crate::terms;
use crate::vector::{Told, ending, refused, results, tell};

/// One episode after another of an environment.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Parallel(Mutex<Held>);

struct Held {
    stage: Stage,
    agents: Vec<Py<PyString>>,
    played: Played,
    /// The sum of the rewards of each agent, and the number of steps of the episode.
    returns: Vec<f64>,
    steps: u64,
    /// Whether no episode was begun by a reset, so that the next one is the first.
    fresh: bool,
    /// Whether the episode continues.
    goes_on: bool,
}

/// Observations, rewards, terminations, truncations, infos.
type Stepped<'py> =
    (Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>);

#[pymethods]
impl Parallel {
    #[new]
    #[pyo3(signature = (environment, parameters, *, seed, max_steps=None))]
    fn new(
        py: Python<'_>,
        environment: &str,
        parameters: &Bound<'_, PyDict>,
        seed: u64,
        max_steps: Option<u64>,
    ) -> PyResult<Self> {
        let parameters = terms::read_parameters(parameters)?;
        let autoreset = Autoreset::Disabled;
        let settings = Settings {
            seed,
            autoreset,
            max_steps,
            parameters: parameters.clone(),
            failures: true,
            ..Settings::default()
        };
        let stage = Stage::new(environment, settings)?;
        let name = |place: usize| PyString::intern(py, &format!("agent_{place}")).unbind();
        let agents: Vec<Py<PyString>> = (0..stage.envs.agents().len()).map(name).collect();
        Ok(Self(Mutex::new(Held {
            returns: vec![0.0; agents.len()],
            played: Played::new(environment, parameters, seed),
            steps: 0,
            fresh: true,
            goes_on: false,
            stage,
            agents,
        })))
    }

    /// The names of the entities of the agents.
    fn entities(&self, py: Python<'_>) -> Vec<String> {
        self.held(py).stage.envs.agents().iter().map(|name| name.to_string()).collect()
    }

    /// The names of the agents in the style of PettingZoo: `agent_0`.
    fn possible_agents(&self, py: Python<'_>) -> Vec<Py<PyString>> {
        self.held(py).agents.iter().map(|name| name.clone_ref(py)).collect()
    }

    /// The encoding.
    fn encoding<'py>(&self, py: Python<'py>) -> PyResult<Told<'py>> {
        tell(py, &*self.held(py).stage.envs)
    }

    /// Whether the episode continues.
    fn goes_on(&self, py: Python<'_>) -> bool {
        self.held(py).goes_on
    }

    /// The seed of the episode.
    fn seed(&self, py: Python<'_>) -> Option<u64> {
        self.held(py).stage.envs.seed(0)
    }

    /// Begins a new episode with this seed or the next. Returns observations and infos.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&self, py: Python<'py>, seed: Option<u64>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let held = &mut *self.held(py);
        if seed.is_some() || !held.fresh {
            held.stage.envs.reset(seed, None).map_err(|error| refused(&error))?;
        }
        let seed = held.stage.envs.seed(0).unwrap_or_default();
        held.played.begin(seed);
        held.begin()?;
        let infos = held.infos(py)?;
        for agent in &held.agents {
            if let Some(info) = infos.get_item(agent.bind(py))? {
                info.set_item("seed", seed)?;
            }
        }
        Ok((held.observation_dict(py)?, infos))
    }

    /// Lets all agents act. The info of an agent whose action was not possible has the reason as its `failure`. The
    /// infos of the last step have the ending, the results, the returns and the steps.
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyDict>) -> PyResult<Stepped<'py>> {
        let held = &mut *self.held(py);
        held.read_actions(actions)?;
        let impossible = held.impossible();
        held.step()?;
        let observations = held.observation_dict(py)?;
        let [rewards, terminated, truncated] = [(); 3].map(|()| PyDict::new(py));
        for (place, agent) in held.agents.iter().enumerate() {
            let agent = agent.bind(py);
            rewards.set_item(agent, PyFloat::new(py, held.stage.rewards[place].into()))?;
            terminated.set_item(agent, PyBool::new(py, held.stage.terminated[place]))?;
            truncated.set_item(agent, PyBool::new(py, held.stage.truncated[place]))?;
        }
        let infos = held.infos(py)?;
        held.tell_failures(py, impossible, &infos)?;
        if !held.goes_on {
            held.tell_end(py, &infos)?;
        }
        Ok((observations, rewards, terminated, truncated, infos))
    }

    /// Whether each action of an agent, by its place, is possible now.
    fn mask<'py>(&self, py: Python<'py>, agent: usize) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held(py);
        let count = held.stage.encoding.actions.len();
        let mask = held.stage.masks.chunks(count).nth(agent);
        array(py, mask.ok_or_else(|| PyValueError::new_err("there is no such agent"))?, &[count])
    }

    /// Writes a recording of the episode so far to a new file. Returns whether this is possible.
    fn record(&self, py: Python<'_>, path: PathBuf) -> PyResult<bool> {
        let held = &*self.held(py);
        let agents: Vec<String> = held.agents.iter().map(|name| name.bind(py).to_string()).collect();
        held.played.record(py, &path, &agents)
    }

    /// The observations of all agents, with the shape [agent, ...]. Those of three dimensions or more are joined along
    /// their first one, since a state has at most three.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held(py);
        let (agents, of_one) = (held.agents.len(), &held.stage.encoding.shape[..]);
        let shape = match of_one {
            [first, rest @ ..] if rest.len() >= 2 => [&[agents * first], rest].concat(),
            all => [&[agents], all].concat(),
        };
        match &held.stage.observations {
            Numbers::U8(numbers) => array(py, numbers, &shape),
            Numbers::F32(numbers) => array(py, numbers, &shape),
        }
    }

    /// The whole state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.held(py).stage.envs.save(0).map_err(|error| refused(&error))?))
    }

    /// Whether no episode was begun by a reset, so that the next one is the first.
    fn is_fresh(&self, py: Python<'_>) -> bool {
        self.held(py).fresh
    }

    /// Restores a saved state, which may be fresh.
    #[pyo3(signature = (state, fresh=false))]
    fn load(&self, py: Python<'_>, state: &[u8], fresh: bool) -> PyResult<()> {
        let held = &mut *self.held(py);
        held.stage.envs.load(0, state).map_err(|error| refused(&error))?;
        held.played.resume(state);
        held.begin()?;
        held.fresh = fresh;
        held.goes_on &= !fresh;
        Ok(())
    }

    /// The scene, as a whole or as an agent, by its place, may see it.
    #[pyo3(signature = (viewer=None))]
    fn scene(&self, py: Python<'_>, viewer: Option<usize>) -> PyResult<Scene> {
        self.held(py).stage.envs.scene(0, viewer).map(Scene).map_err(|error| refused(&error))
    }
}

impl Parallel {
    /// Lets other Python threads run while this one waits: the one that has the lock may run Python to read an action.
    fn held(&self, py: Python<'_>) -> MutexGuard<'_, Held> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn read_actions(&mut self, actions: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = actions.py();
        if !self.goes_on {
            return Err(PyValueError::new_err("the episode is over, or has not begun; call reset()"));
        }
        if actions.len() != self.agents.len() {
            let names: Vec<String> = self.agents.iter().map(|name| name.bind(py).to_string()).collect();
            return Err(PyValueError::new_err(format!("there must be an action for each of {}", names.join(", "))));
        }
        let count = self.stage.encoding.actions.len();
        for (agent, place) in self.agents.iter().zip(&mut self.stage.actions) {
            let name = agent.bind(py);
            let action = actions
                .get_item(name)?
                .ok_or_else(|| PyValueError::new_err(format!("there is no action for agent {name}")))?;
            *place = action.extract().map_err(|_| {
                PyValueError::new_err(format!("the action of agent {name} must be a whole number, not {action}"))
            })?;
            if usize::try_from(*place).ok().is_none_or(|number| number >= count) {
                let last = count - 1;
                let message = format!("{place} is not an action of agent {name}; its actions are 0 to {last}");
                return Err(PyValueError::new_err(message));
            }
        }
        Ok(())
    }

    fn step(&mut self) -> PyResult<()> {
        self.stage.step().map_err(|error| refused(&error))?;
        self.played.add(&self.stage.actions);
        self.steps += 1;
        for (sum, reward) in self.returns.iter_mut().zip(&self.stage.rewards) {
            *sum += f64::from(*reward);
        }
        self.goes_on = !self.stage.envs.is_over(0);
        Ok(())
    }

    /// Shows the beginning of an episode, or of the rest of one.
    fn begin(&mut self) -> PyResult<()> {
        self.fresh = false;
        self.returns.fill(0.0);
        self.steps = 0;
        self.goes_on = !self.stage.envs.is_over(0);
        self.stage.observe().map_err(|error| refused(&error))
    }

    /// The agents whose chosen actions are not possible, by their places.
    fn impossible(&self) -> Vec<usize> {
        let masks = self.stage.masks.chunks(self.stage.encoding.actions.len());
        let chosen = masks.zip(&self.stage.actions).enumerate();
        chosen.filter(|(_, (mask, action))| !mask[**action as usize]).map(|(place, _)| place).collect()
    }

    /// Adds to the infos of agents why the last step has ignored their actions.
    fn tell_failures(&self, py: Python<'_>, impossible: Vec<usize>, infos: &Bound<'_, PyDict>) -> PyResult<()> {
        let tell = |place: usize, reason: &str| match infos.get_item(self.agents[place].bind(py))? {
            Some(info) => info.set_item("failure", reason),
            None => Ok(()),
        };
        for place in impossible {
            let action = &self.stage.encoding.actions[self.stage.actions[place] as usize];
            tell(place, &format!("`{action}` is not possible now"))?;
        }
        for (place, failure) in self.stage.envs.failures(0) {
            tell(*place, &failure.reason)?;
        }
        Ok(())
    }

    /// Adds to the infos how the episode has gone.
    fn tell_end(&self, py: Python<'_>, infos: &Bound<'_, PyDict>) -> PyResult<()> {
        // A table knows the states that lead on, not what was counted.
        let outcome = match self.stage.envs.table() {
            Some(_) => self.played.outcome()?,
            None => Some(self.stage.envs.outcome(0).map_err(|error| refused(&error))?),
        };
        for (place, agent) in self.agents.iter().enumerate() {
            let Some(info) = infos.get_item(agent.bind(py))? else { continue };
            let by_rules = outcome.as_ref().and_then(ending);
            let ending = if self.stage.terminated[place] { "terminated" } else { "truncated" };
            info.set_item("ending", by_rules.unwrap_or(ending))?;
            if let Some(Outcome { results: measures, .. }) = &outcome {
                info.set_item("results", results(py, measures)?)?;
            }
            info.set_item("return", self.returns[place])?;
            info.set_item("steps", self.steps)?;
        }
        Ok(())
    }

    fn observation_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (place, agent) in self.agents.iter().enumerate() {
            dict.set_item(agent.bind(py), self.observation(py, place)?)?;
        }
        Ok(dict)
    }

    fn observation<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let row = place * self.stage.encoding.size()..(place + 1) * self.stage.encoding.size();
        match &self.stage.observations {
            Numbers::U8(numbers) => array(py, &numbers[row], &self.stage.encoding.shape),
            Numbers::F32(numbers) => array(py, &numbers[row], &self.stage.encoding.shape),
        }
    }

    /// The info of each agent, which has the mask of its actions if some are not possible.
    fn infos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let infos = PyDict::new(py);
        for (agent, mask) in self.agents.iter().zip(self.stage.masks.chunks(self.stage.encoding.actions.len())) {
            let info = PyDict::new(py);
            if mask.contains(&false) {
                let mask: Vec<i8> = mask.iter().map(|allowed| i8::from(*allowed)).collect();
                info.set_item("action_mask", array(py, &mask, &[mask.len()])?)?;
            }
            infos.set_item(agent.bind(py), info)?;
        }
        Ok(infos)
    }
}

fn array<'py, T: numpy::Element + Copy>(
    py: Python<'py>,
    numbers: &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let row = PyArray1::from_slice(py, numbers);
    if shape.len() == 1 {
        return Ok(row.into_any());
    }
    Ok(row.reshape(shape)?.into_any())
}
