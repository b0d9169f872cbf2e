//! One episode after another, for agents with names: for `situated.parallel_env` and `situated.aec_env`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyString};
use situated::encoding::{ElementType, Encoding};
use situated_vector::{Actions, Autoreset, Observations, Outputs, Seen, Settings, Vector as Envs};

use crate::scene::Scene;
use crate::terms;
use crate::vector::{Told, make, refused, tell};

/// One episode after another of an environment.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Parallel(Mutex<Held>);

struct Held {
    envs: Box<dyn Envs>,
    encoding: Encoding,
    agents: Vec<Py<PyString>>,
    actions: Vec<i64>,
    observations: Numbers,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    /// Read-only observations of the agents in each state of the table, created when they are first needed.
    seen: Vec<Option<Vec<Py<PyAny>>>>,
    /// Whether the episode continues.
    goes_on: bool,
}

/// Room for observations.
enum Numbers {
    U8(Vec<u8>),
    F32(Vec<f32>),
}

/// Observations, rewards, terminations, truncations, infos.
type Stepped<'py> =
    (Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>);

#[pymethods]
impl Parallel {
    #[new]
    #[pyo3(signature = (environment, parameters, *, seed=None, max_steps=None))]
    fn new(
        py: Python<'_>,
        environment: &str,
        parameters: &Bound<'_, PyDict>,
        seed: Option<u64>,
        max_steps: Option<u64>,
    ) -> PyResult<Self> {
        let settings = Settings {
            seed: seed.unwrap_or(Settings::default().seed),
            autoreset: Autoreset::Disabled,
            max_steps,
            parameters: terms::read_parameters(parameters)?,
            ..Settings::default()
        };
        let envs = make(environment, settings)?;
        let name = |place: usize| PyString::intern(py, &format!("agent_{place}")).unbind();
        let agents: Vec<Py<PyString>> = (0..envs.agents().len()).map(name).collect();
        let (count, encoding) = (agents.len(), envs.encoding().clone());
        let room = count * encoding.size();
        Ok(Self(Mutex::new(Held {
            actions: vec![0; count],
            observations: match encoding.element {
                ElementType::U8 => Numbers::U8(vec![0; room]),
                ElementType::F32 => Numbers::F32(vec![0.0; room]),
            },
            masks: vec![true; count * encoding.actions.len()],
            rewards: vec![0.0; count],
            terminated: vec![false; count],
            truncated: vec![false; count],
            seen: Vec::new(),
            goes_on: false,
            envs,
            encoding,
            agents,
        })))
    }

    /// The names of the entities of the agents.
    fn entities(&self) -> Vec<String> {
        self.held().envs.agents().iter().map(|name| name.to_string()).collect()
    }

    /// The names of the agents in the style of PettingZoo: `agent_0`.
    fn possible_agents(&self, py: Python<'_>) -> Vec<Py<PyString>> {
        self.held().agents.iter().map(|name| name.clone_ref(py)).collect()
    }

    /// The encoding: shape, dtype, minimum, maximum, and the names of the actions.
    fn encoding(&self) -> Told {
        tell(&self.held().encoding)
    }

    /// Whether the episode continues.
    fn goes_on(&self) -> bool {
        self.held().goes_on
    }

    /// Begins a new episode with this seed or the next. Returns observations and infos.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&self, py: Python<'py>, seed: Option<u64>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let held = &mut *self.held();
        held.envs.reset(seed, None).map_err(|error| refused(&error))?;
        held.goes_on = true;
        held.observe()?;
        Ok((held.observation_dict(py)?, held.infos(py)?))
    }

    /// Lets all agents act.
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyDict>) -> PyResult<Stepped<'py>> {
        let held = &mut *self.held();
        held.read_actions(actions)?;
        held.step()?;
        let observations = held.observation_dict(py)?;
        let [rewards, terminated, truncated] = [(); 3].map(|()| PyDict::new(py));
        for (place, agent) in held.agents.iter().enumerate() {
            let agent = agent.bind(py);
            rewards.set_item(agent, PyFloat::new(py, held.rewards[place].into()))?;
            terminated.set_item(agent, PyBool::new(py, held.terminated[place]))?;
            truncated.set_item(agent, PyBool::new(py, held.truncated[place]))?;
        }
        Ok((observations, rewards, terminated, truncated, held.infos(py)?))
    }

    /// The observations of all agents, with the shape [agent, ...].
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held();
        let shape: Vec<usize> = [held.agents.len()].into_iter().chain(held.encoding.shape.iter().copied()).collect();
        match &held.observations {
            Numbers::U8(numbers) => array(py, numbers, &shape),
            Numbers::F32(numbers) => array(py, numbers, &shape),
        }
    }

    /// The whole state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.held().envs.save(0).map_err(|error| refused(&error))?))
    }

    /// Restores a saved state.
    fn load(&self, state: &[u8]) -> PyResult<()> {
        let held = &mut *self.held();
        held.envs.load(0, state).map_err(|error| refused(&error))?;
        held.goes_on = !held.envs.is_over(0);
        held.observe()
    }

    /// The scene, as a whole or as an agent, by its place, may see it.
    #[pyo3(signature = (viewer=None))]
    fn scene(&self, viewer: Option<usize>) -> PyResult<Scene> {
        self.held().envs.scene(0, viewer).map(Scene).map_err(|error| refused(&error))
    }
}

impl Parallel {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        for (agent, place) in self.agents.iter().zip(&mut self.actions) {
            let name = agent.bind(py);
            let action = actions
                .get_item(name)?
                .ok_or_else(|| PyValueError::new_err(format!("there is no action for agent {name}")))?;
            *place = action.extract().map_err(|_| {
                PyValueError::new_err(format!("the action of agent {name} must be a whole number, not {action}"))
            })?;
        }
        Ok(())
    }

    fn step(&mut self) -> PyResult<()> {
        let outputs = Outputs {
            observations: self.observations.room(),
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            finals: None,
        };
        self.envs.step(Actions::I64(&self.actions), outputs).map_err(|error| refused(&error))?;
        self.goes_on = !self.envs.is_over(0);
        Ok(())
    }

    fn observe(&mut self) -> PyResult<()> {
        self.envs.observe(self.observations.room(), &mut self.masks).map_err(|error| refused(&error))
    }

    fn observation_dict<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let Some(state) = self.envs.state(0) else {
            for (place, agent) in self.agents.iter().enumerate() {
                dict.set_item(agent.bind(py), self.observation(py, place)?)?;
            }
            return Ok(dict);
        };
        if self.seen.is_empty() {
            let states = self.envs.table().map_or(0, |table| table.states());
            self.seen.resize_with(states, || None);
        }
        if self.seen[state].is_none() {
            self.seen[state] = Some(self.seen_in(py, state)?);
        }
        for (agent, observation) in self.agents.iter().zip(self.seen[state].iter().flatten()) {
            dict.set_item(agent.bind(py), observation.bind(py))?;
        }
        Ok(dict)
    }

    /// Observations of the agents in a state of the table.
    fn seen_in(&self, py: Python<'_>, state: usize) -> PyResult<Vec<Py<PyAny>>> {
        let size = self.encoding.size();
        let observations = self.envs.table().map(|table| table.observations());
        let observe = |place: usize| {
            let begin = (state * self.agents.len() + place) * size;
            let array = match observations {
                Some(Seen::U8(all)) => array(py, &all[begin..begin + size], &self.encoding.shape)?,
                Some(Seen::F32(all)) => array(py, &all[begin..begin + size], &self.encoding.shape)?,
                None => self.observation(py, place)?,
            };
            array.call_method1("setflags", (false,))?;
            Ok(array.unbind())
        };
        (0..self.agents.len()).map(observe).collect()
    }

    fn observation<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let row = place * self.encoding.size()..(place + 1) * self.encoding.size();
        match &self.observations {
            Numbers::U8(numbers) => array(py, &numbers[row], &self.encoding.shape),
            Numbers::F32(numbers) => array(py, &numbers[row], &self.encoding.shape),
        }
    }

    /// The info of each agent, which has the mask of its actions if some are not possible.
    fn infos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let infos = PyDict::new(py);
        for (agent, mask) in self.agents.iter().zip(self.masks.chunks(self.encoding.actions.len())) {
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

impl Numbers {
    fn room(&mut self) -> Observations<'_> {
        match self {
            Numbers::U8(numbers) => Observations::U8(numbers),
            Numbers::F32(numbers) => Observations::F32(numbers),
        }
    }
}

fn array<'py, T: numpy::Element + Copy>(
    py: Python<'py>,
    numbers: &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let array: Bound<'py, PyArrayDyn<T>> = numpy::PyArray1::from_slice(py, numbers).reshape(shape)?;
    Ok(array.into_any())
}
