//! Many episodes of one environment, for `situated.make_vec`.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use situated::encoding::{ElementType, Encoding};
use situated::environment::{Ending, Environment, Measure, Outcome};
use situated_registry::each_shipped;
use situated_vector::{Autoreset, Error, Seen, Settings, Table, Vector as Envs, vector};

use crate::arrays::{Arrays, Given, Shapes};
use crate::error::no_environment_of;
use crate::scene::Scene;
use crate::terms;

/// Many episodes of one environment that are stepped together, with the arrays of their results.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Vector(Mutex<Held>);

struct Held {
    envs: Box<dyn Envs>,
    shapes: Shapes,
    arrays: Arrays,
    /// Whether nothing has happened yet, so that a reset without a seed keeps the first episodes.
    fresh: bool,
    /// The actions of `run`.
    actions: Option<Py<PyAny>>,
}

#[pymethods]
impl Vector {
    #[new]
    #[pyo3(signature = (
        environment, envs, parameters, *, seed, threads=1, autoreset="next_step", max_steps=None, tables=true,
        outcomes=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is a setting of its own")]
    fn new(
        py: Python<'_>,
        environment: &str,
        envs: usize,
        parameters: &Bound<'_, PyDict>,
        seed: u64,
        threads: usize,
        autoreset: &str,
        max_steps: Option<u64>,
        tables: bool,
        outcomes: bool,
    ) -> PyResult<Self> {
        let settings = Settings {
            envs,
            threads,
            seed,
            autoreset: read_autoreset(autoreset)?,
            max_steps,
            parameters: terms::read_parameters(parameters)?,
            // A table knows the states that lead on, not what was counted.
            tables: tables && !outcomes,
            outcomes,
            failures: false,
        };
        let with_finals = settings.autoreset == Autoreset::SameStep;
        let envs = make(environment, settings)?;
        let shapes = shapes(&*envs, with_finals);
        let arrays = Arrays::new(py, &shapes);
        Ok(Self(Mutex::new(Held { envs, shapes, arrays, fresh: true, actions: None })))
    }

    /// The names of the agents of each env.
    fn agents(&self) -> PyResult<Vec<String>> {
        Ok(self.held()?.envs.agents().iter().map(|name| name.to_string()).collect())
    }

    /// The encoding.
    fn encoding<'py>(&self, py: Python<'py>) -> PyResult<Told<'py>> {
        tell(py, &*self.held()?.envs)
    }

    /// The number of states in the table that replaces the rules, if there is one.
    fn states(&self) -> PyResult<Option<usize>> {
        Ok(self.held()?.envs.table().map(|table| table.states()))
    }

    /// The table that replaces the rules, if there is one: by state and joint action, the number of the next state, the
    /// rewards, terminated and truncated; and by state, the observations and the masks. All arrays are flat.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.held()?.envs.table().map(|table| effects(py, table)).transpose()
    }

    /// The arrays: observations, rewards, terminated, truncated, masks, and final observations with their mask if there
    /// are any.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        arrays(py, &self.held()?.arrays)
    }

    /// Replaces the arrays, so that the caller can keep the present ones.
    fn renew(&self, py: Python<'_>) -> PyResult<()> {
        let held = &mut *self.held()?;
        held.arrays = Arrays::new(py, &held.shapes);
        Ok(())
    }

    /// Sets the arrays of results, and the actions of `run`.
    #[pyo3(signature = (*, actions, observations, rewards, terminated, truncated, masks=None))]
    fn bind(
        &self,
        actions: &Bound<'_, PyAny>,
        observations: &Bound<'_, PyAny>,
        rewards: &Bound<'_, PyAny>,
        terminated: &Bound<'_, PyAny>,
        truncated: &Bound<'_, PyAny>,
        masks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let held = &mut *self.held()?;
        let py = actions.py();
        Given::read(actions, &held.shapes.observations[..2])?;
        held.arrays = Arrays::given(py, &held.shapes, observations, rewards, terminated, truncated, masks)?;
        held.actions = Some(actions.clone().unbind());
        Ok(())
    }

    /// Begins new episodes in the envs that the mask chooses. With a seed, the episodes are counted from it again.
    #[pyo3(signature = (seed=None, mask=None))]
    fn reset(&self, py: Python<'_>, seed: Option<u64>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let held = &mut *self.held()?;
        let count = held.envs.envs();
        let mask = mask.map(|mask| read_mask(mask, count)).transpose()?;
        let Held { envs, arrays, fresh, .. } = held;
        let outputs = arrays.outputs(py)?;
        let keep = std::mem::take(fresh) && seed.is_none();
        py.detach(|| {
            if !keep {
                envs.reset(seed, mask.as_deref())?;
            }
            envs.observe(outputs.observations, outputs.masks)
        })
        .map_err(|error| refused(&error))
    }

    /// Executes the actions, an array `[env, agent]`, and writes the results.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.held()?.step(py, actions)
    }

    /// Executes the actions in the array of `bind`.
    fn run(&self, py: Python<'_>) -> PyResult<()> {
        let held = &mut *self.held()?;
        let actions = held.actions.as_ref().map(|actions| actions.clone_ref(py));
        let actions = actions.ok_or_else(|| PyRuntimeError::new_err("call `bind` with arrays first"))?;
        held.step(py, actions.bind(py))
    }

    /// The seed of the episode of an env.
    fn seed(&self, env: usize) -> PyResult<Option<u64>> {
        Ok(self.held()?.envs.seed(env))
    }

    /// The seeds of the episodes of all envs.
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let held = self.held()?;
        Ok(PyArray1::from_iter(py, (0..held.envs.envs()).map(|env| held.envs.seed(env).unwrap_or_default())))
    }

    /// The ending and the results of the episode of an env; of the one that the last step has ended, if it has ended
    /// one.
    fn outcome<'py>(&self, py: Python<'py>, env: usize) -> PyResult<(Option<&'static str>, Bound<'py, PyDict>)> {
        let outcome = self.held()?.envs.outcome(env).map_err(|error| refused(&error))?;
        Ok((ending(&outcome), results(py, &outcome.results)?))
    }

    /// The whole state of an env, or of all, as bytes.
    #[pyo3(signature = (env=None))]
    fn save<'py>(&self, py: Python<'py>, env: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        let held = self.held()?;
        let saved = env.map_or_else(|| held.envs.save_all(), |env| held.envs.save(env));
        Ok(PyBytes::new(py, &saved.map_err(|error| refused(&error))?))
    }

    /// Whether nothing has happened yet, so that a reset without a seed keeps the first episodes.
    fn is_fresh(&self) -> PyResult<bool> {
        Ok(self.held()?.fresh)
    }

    /// Restores the saved state of an env, or of all, which may be fresh, and writes its observations.
    #[pyo3(signature = (state, env=None, fresh=false))]
    fn load(&self, py: Python<'_>, state: &[u8], env: Option<usize>, fresh: bool) -> PyResult<()> {
        let held = &mut *self.held()?;
        let loaded = match env {
            Some(env) => held.envs.load(env, state),
            None => held.envs.load_all(state),
        };
        loaded.map_err(|error| refused(&error))?;
        held.fresh = fresh;
        let outputs = held.arrays.outputs(py)?;
        held.envs.observe(outputs.observations, outputs.masks).map_err(|error| refused(&error))
    }

    /// The scene of an env, as a whole or as an agent, by its place, may see it.
    #[pyo3(signature = (env, viewer=None))]
    fn scene(&self, env: usize, viewer: Option<usize>) -> PyResult<Scene> {
        self.held()?.envs.scene(env, viewer).map(Scene).map_err(|error| refused(&error))
    }
}

impl Vector {
    /// Locks the vector without waiting, since the thread that steps needs the interpreter to finish.
    fn held(&self) -> PyResult<MutexGuard<'_, Held>> {
        match self.0.try_lock() {
            Ok(held) => Ok(held),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err("another thread is stepping this vector")),
        }
    }
}

impl Held {
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = Given::read(actions, &self.shapes.observations[..2])?;
        let (actions, outputs) = (given.actions()?, self.arrays.outputs(py)?);
        let envs = &mut self.envs;
        py.detach(|| envs.step(actions, outputs)).map_err(|error| refused(&error))?;
        self.fresh = false;
        Ok(())
    }
}

/// Creates a vector of this environment.
pub(crate) fn make(environment: &str, settings: Settings) -> PyResult<Box<dyn Envs>> {
    let make =
        shipped().remove(environment).ok_or_else(|| PyValueError::new_err(no_environment_of(environment, &[])))?;
    make(settings).map_err(|error| refused(&error))
}

/// A function that makes a vector of one environment.
type MakeVector = fn(Settings) -> Result<Box<dyn Envs>, Error>;

/// What makes vectors of the environments that ship with the package, by the name of the environment.
pub(crate) fn shipped() -> BTreeMap<String, MakeVector> {
    let mut vectors = BTreeMap::new();
    macro_rules! add {
        ($environment:ty, $group:literal) => {
            vectors.insert(<$environment>::ontology().name, vector::<$environment> as MakeVector);
        };
    }
    each_shipped!(add);
    vectors
}

/// An error of a vector as an exception, which uses the names of arguments in Python.
pub(crate) fn refused(error: &Error) -> PyErr {
    PyValueError::new_err(match error {
        Error::NoSteps => "max_cycles must be at least 1, not 0; leave it out so that no episode is truncated".into(),
        Error::OutOfBounds { what: "envs", given, most } => format!("num_envs must be 1 to {most}, not {given}"),
        error => error.to_string(),
    })
}

/// How an episode has ended, if it has ended by itself.
pub(crate) fn ending(outcome: &Outcome) -> Option<&'static str> {
    outcome.ending.map(|ending| match ending {
        Ending::Terminated => "terminated",
        Ending::Truncated => "truncated",
    })
}

/// Results as a dictionary for each subject.
pub(crate) fn results<'py>(py: Python<'py>, measures: &[Measure]) -> PyResult<Bound<'py, PyDict>> {
    let results = PyDict::new(py);
    for Measure { of, name, value } in measures {
        let of = of.as_str();
        let values = match results.get_item(of)? {
            Some(values) => values,
            None => {
                results.set_item(of, PyDict::new(py))?;
                results.get_item(of)?.ok_or_else(|| PyRuntimeError::new_err("a result has vanished"))?
            }
        };
        values.set_item(name.as_str(), terms::parameter(py, value)?)?;
    }
    Ok(results)
}

/// An encoding: shape, dtype, minimum, maximum, the names of the actions, and the meanings of the numbers.
pub(crate) type Told<'py> = (Bound<'py, PyTuple>, &'static str, f64, f64, Bound<'py, PyTuple>, Bound<'py, PyTuple>);

/// Converts an encoding.
pub(crate) fn tell<'py>(py: Python<'py>, envs: &dyn Envs) -> PyResult<Told<'py>> {
    let Encoding { shape, element, low, high, actions } = envs.encoding().clone();
    let dtype = match element {
        ElementType::U8 => "uint8",
        ElementType::F32 => "float32",
    };
    let words = |words: &[String]| PyTuple::new(py, words);
    Ok((PyTuple::new(py, shape)?, dtype, low, high, words(&actions)?, words(envs.meanings())?))
}

fn shapes(envs: &dyn Envs, with_finals: bool) -> Shapes {
    let (encoding, leading) = (envs.encoding(), [envs.envs(), envs.agents().len()]);
    Shapes {
        element: encoding.element,
        observations: leading.iter().chain(&encoding.shape).copied().collect(),
        masks: leading.iter().copied().chain([encoding.actions.len()]).collect(),
        with_finals,
    }
}

/// The effects of the rules in every state, as arrays.
fn effects<'py>(py: Python<'py>, table: Table<'_>) -> PyResult<Bound<'py, PyTuple>> {
    let (mut next, mut rewards) = (Vec::new(), Vec::<f32>::new());
    let (mut terminated, mut truncated) = (Vec::<bool>::new(), Vec::<bool>::new());
    let rows = (0..table.states()).flat_map(|state| (0..table.joint_actions()).map(move |joint| (state, joint)));
    for effect in rows.filter_map(|(state, joint)| table.transition(state, joint)) {
        next.push(effect.next as u32);
        rewards.extend(effect.rewards);
        terminated.extend(effect.terminated);
        truncated.extend(effect.truncated);
    }
    let observations = match table.observations() {
        Seen::U8(numbers) => PyArray1::from_slice(py, numbers).into_any(),
        Seen::F32(numbers) => PyArray1::from_slice(py, numbers).into_any(),
    };
    let all = [
        PyArray1::from_vec(py, next).into_any(),
        PyArray1::from_vec(py, rewards).into_any(),
        PyArray1::from_vec(py, terminated).into_any(),
        PyArray1::from_vec(py, truncated).into_any(),
        observations,
        PyArray1::from_slice(py, table.masks()).into_any(),
    ];
    PyTuple::new(py, all)
}

fn arrays<'py>(py: Python<'py>, arrays: &Arrays) -> PyResult<Bound<'py, PyTuple>> {
    let Arrays { observations, masks, rewards, terminated, truncated, finals } = arrays;
    let (final_observations, final_mask) = match finals {
        Some((room, mask)) => (room.bind(py).clone(), mask.bind(py).clone().into_any()),
        None => (py.None().into_bound(py), py.None().into_bound(py)),
    };
    let all = [
        observations.bind(py).clone(),
        rewards.bind(py).clone().into_any(),
        terminated.bind(py).clone().into_any(),
        truncated.bind(py).clone().into_any(),
        masks.bind(py).clone().into_any(),
        final_observations,
        final_mask,
    ];
    PyTuple::new(py, all)
}

fn read_autoreset(mode: &str) -> PyResult<Autoreset> {
    Ok(match mode {
        "next_step" => Autoreset::NextStep,
        "same_step" => Autoreset::SameStep,
        "disabled" => Autoreset::Disabled,
        _ => {
            let message = format!("unknown autoreset {mode:?}; use next_step, same_step or disabled");
            return Err(PyValueError::new_err(message));
        }
    })
}

fn read_mask(mask: &Bound<'_, PyAny>, envs: usize) -> PyResult<Vec<bool>> {
    let array = mask.cast::<PyArray1<bool>>().map_err(|_| {
        PyValueError::new_err(format!("mask must be an array of bool of shape [{envs}], not {}", mask.get_type()))
    })?;
    if array.len() != envs {
        return Err(PyValueError::new_err(format!("mask must have the shape [{envs}], not [{}]", array.len())));
    }
    Ok(array.to_vec()?)
}
