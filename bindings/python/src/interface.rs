//! An environment in the process of Python, by names and terms: what `situated.Environment` is made on.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyList, PyTuple};
use situated::hosted::LocalHosted;
use situated::iil::EcoString;
use situated::interface::{
    ActionResult, Command, EnvironmentInterface, Error, FIRST_SEED, Form, Observer, Perception, Since,
};

use crate::error::{no_such_environment, refused};
use crate::provider::{Provider, Raised};
use crate::scene::Scene;
use crate::terms::{self, Classes};

/// An environment in this process. Every method takes and returns names and terms; `situated.Environment` is the
/// pleasant face of it.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Interface {
    held: Mutex<Held>,
    /// The thread that uses it now.
    using: Mutex<Option<ThreadId>>,
}

/// An entity, what it found out, and why it was not done, if it was not.
type Acted<'py> = (String, Bound<'py, PyList>, Option<Py<PyAny>>);

/// An entity, whether all that was believed is void, what to add and delete, what has happened, how many events were lost.
type Told<'py> = (String, bool, Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyList>, u64);

struct Held {
    environment: Box<dyn EnvironmentInterface>,
    /// What an environment of Python has raised.
    raised: Raised,
    observer: Observer,
    classes: Classes,
}

#[pymethods]
impl Interface {
    #[new]
    fn new(environment: &str) -> PyResult<Self> {
        let shipped = situated_registry::shipped();
        let registered = shipped.find(environment).ok_or_else(|| no_such_environment(environment))?;
        Ok(Self::of((registered.interface)(), Raised::default()))
    }

    /// An interface to an environment of Python, which declares this ontology; `provider` performs its tasks.
    #[staticmethod]
    fn written(ontology: &str, provider: Py<PyAny>) -> PyResult<Self> {
        let ontology = serde_json::from_str(ontology).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let raised = Raised::default();
        let environment = LocalHosted::new(ontology, Provider::new(provider, raised.clone()));
        let environment = environment.map_err(|unsound| PyValueError::new_err(unsound.to_string()))?;
        Ok(Self::of(Box::new(environment), raised))
    }

    /// From now on, percepts of these names are told as values of these classes, which are called with the arguments.
    fn tell_as(&self, py: Python<'_>, classes: Classes) -> PyResult<()> {
        self.held(py)?.classes = classes;
        Ok(())
    }

    /// What the environment declares about itself, as JSON.
    fn ontology(&self, py: Python<'_>) -> PyResult<String> {
        json(self.held(py)?.environment.ontology())
    }

    /// The state: "initializing", "paused", "running" or "killed".
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, |interface| interface.state().to_string())
    }

    /// Episode and step.
    fn moment(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let moment = self.look(py, |interface| interface.moment())?;
        Ok((moment.episode, moment.step))
    }

    /// Begins the first episode, paused.
    #[pyo3(signature = (parameters, seed=None))]
    fn init(&self, py: Python<'_>, parameters: &Bound<'_, PyDict>, seed: Option<u64>) -> PyResult<()> {
        let parameters = terms::read_parameters(parameters)?;
        self.manage(py, Command::Init { parameters, seed: seed.unwrap_or(FIRST_SEED) })
    }

    /// Lets time run.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        self.manage(py, Command::Start)
    }

    /// Stops time.
    fn pause(&self, py: Python<'_>) -> PyResult<()> {
        self.manage(py, Command::Pause)
    }

    /// Begins a new episode, paused; what is left out is as in the last, and the seed follows from it.
    #[pyo3(signature = (parameters=None, seed=None))]
    fn reset(&self, py: Python<'_>, parameters: Option<&Bound<'_, PyDict>>, seed: Option<u64>) -> PyResult<()> {
        let parameters = parameters.map(terms::read_parameters).transpose()?;
        self.manage(py, Command::Reset { parameters, seed })
    }

    /// Ends it for good.
    fn kill(&self, py: Python<'_>) -> PyResult<()> {
        self.manage(py, Command::Kill)
    }

    /// Time moves on by one step.
    fn step(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, |interface| interface.step())
    }

    /// Registers an agent.
    fn register(&self, py: Python<'_>, agent: &str) -> PyResult<()> {
        self.ask(py, |interface| interface.register_agent(agent))
    }

    /// Unregisters an agent.
    fn unregister(&self, py: Python<'_>, agent: &str) -> PyResult<()> {
        self.ask(py, |interface| interface.unregister_agent(agent))
    }

    /// The registered agents, in order of registration.
    fn agents(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.look(py, |interface| strings(interface.agents()))
    }

    /// The entities with their types, in order of creation.
    fn entities(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        self.look(py, |interface| {
            let typed = |name: String| {
                let of = interface.entity_type(&name).unwrap_or_default().to_owned();
                (name, of)
            };
            strings(interface.entities()).into_iter().map(typed).collect()
        })
    }

    /// The entities that have no agent.
    fn free_entities(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.look(py, |interface| strings(interface.free_entities()))
    }

    /// The entities of an agent, in order of creation.
    fn entities_of(&self, py: Python<'_>, agent: &str) -> PyResult<Vec<String>> {
        self.ask(py, |interface| interface.associated_entities(agent)).map(strings)
    }

    /// The agents of an entity, in order of registration.
    fn agents_of(&self, py: Python<'_>, entity: &str) -> PyResult<Vec<String>> {
        self.ask(py, |interface| interface.associated_agents(entity)).map(strings)
    }

    /// An agent takes an entity.
    fn associate(&self, py: Python<'_>, agent: &str, entity: &str) -> PyResult<()> {
        self.ask(py, |interface| interface.associate_entity(agent, entity))
    }

    /// An agent lets go of an entity, or of all of them.
    #[pyo3(signature = (agent, entity=None))]
    fn free(&self, py: Python<'_>, agent: &str, entity: Option<&str>) -> PyResult<()> {
        self.ask(py, |interface| match entity {
            Some(entity) => interface.free_pair(agent, entity),
            None => interface.free_agent(agent),
        })
    }

    /// An agent asks for a body of a type; its name.
    #[pyo3(signature = (agent, entity_type, name=None))]
    fn request_entity(&self, py: Python<'_>, agent: &str, entity_type: &str, name: Option<&str>) -> PyResult<String> {
        let given = self.ask(py, |interface| interface.request_entity(agent, entity_type, name))?;
        Ok(given.map(Into::into).unwrap_or_default())
    }

    /// An agent acts through these entities, or all that it has. For each of them its name, what it found out, and why it was
    /// not done, if it was not.
    fn act<'py>(
        &self,
        py: Python<'py>,
        agent: &str,
        name: &str,
        arguments: &Bound<'py, PyTuple>,
        entities: Vec<String>,
    ) -> PyResult<Vec<Acted<'py>>> {
        let action = terms::action(name, arguments)?;
        let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
        let held = &mut *self.held(py)?;
        let results = held.ask(py, |interface| interface.perform_action(agent, &action, &entities))?;
        let told = |(entity, result): (EcoString, ActionResult)| {
            let entity = String::from(entity);
            Ok(match result {
                Ok(found) => (entity, terms::percepts(py, &found, &held.classes)?, None),
                Err(error) => (entity, PyList::empty(py), Some(refused(py, &error).into_value(py).into_any())),
            })
        };
        results.into_iter().map(told).collect()
    }

    /// What is told to an agent through these entities, or all that it has: for each its name, whether all that was believed
    /// is void, what to add and delete, what has happened, and how many events were lost.
    fn perceive<'py>(
        &self,
        py: Python<'py>,
        agent: &str,
        entities: Vec<String>,
        form: &str,
    ) -> PyResult<Vec<Told<'py>>> {
        let form = read_form(form)?;
        let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
        let held = &mut *self.held(py)?;
        let told = held.ask(py, |interface| interface.perceive(agent, &entities, form, Since::LastCall))?;
        let told = told.into_iter().map(|(entity, perception)| {
            let Perception { resync, add, delete, events, lost, .. } = perception;
            let [add, delete, events] =
                [add, delete, events].map(|percepts| terms::percepts(py, &percepts, &held.classes));
            Ok((String::from(entity), resync, add?, delete?, events?, lost))
        });
        told.collect()
    }

    /// What has happened since this was last asked, in order, as JSON; at first how things stand.
    fn happenings(&self, py: Python<'_>) -> PyResult<String> {
        let Held { environment, observer, .. } = &mut *self.held(py)?;
        json(&environment.drain(observer).happenings)
    }

    /// The parameters of the episode, with their values.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(parameters) = self.look(py, |interface| interface.parameters())? else { return Ok(None) };
        let values = PyDict::new(py);
        for (name, value) in &parameters {
            values.set_item(name, terms::parameter(py, value)?)?;
        }
        Ok(Some(values))
    }

    /// The value of a property of the environment, or of an entity.
    #[pyo3(signature = (property, entity=None))]
    fn query<'py>(&self, py: Python<'py>, property: &str, entity: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.ask(py, |interface| match entity {
            Some(entity) => interface.query_entity_property(entity, property),
            None => Ok(interface.query_property(property)),
        })?;
        value.map(|value| terms::parameter(py, &value)).transpose()
    }

    /// How the episode stands, as JSON: whether and how it is over, and what has been achieved.
    fn outcome(&self, py: Python<'_>) -> PyResult<String> {
        json(&self.look(py, |interface| interface.outcome())?)
    }

    /// What the world looks like, as a whole or as an entity may see it.
    #[pyo3(signature = (viewer=None))]
    fn scene(&self, py: Python<'_>, viewer: Option<&str>) -> PyResult<Scene> {
        self.ask(py, |interface| interface.scene(viewer)).map(Scene)
    }
}

impl Interface {
    fn of(environment: Box<dyn EnvironmentInterface>, raised: Raised) -> Self {
        let held = Held { environment, raised, observer: Observer::new(), classes: Classes::new() };
        Self { held: Mutex::new(held), using: Mutex::new(None) }
    }

    /// The world, for this thread alone. Whoever waits for it lets others run.
    fn held(&self, py: Python<'_>) -> PyResult<Using<'_>> {
        let this = thread::current().id();
        if *self.using() == Some(this) {
            return Err(PyRuntimeError::new_err("a world of Python cannot use its own interface while it is asked"));
        }
        let held = self.held.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        *self.using() = Some(this);
        Ok(Using { held, interface: self })
    }

    fn using(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.using.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<R>(&self, py: Python<'_>, look: impl FnOnce(&dyn EnvironmentInterface) -> R) -> PyResult<R> {
        Ok(look(&*self.held(py)?.environment))
    }

    fn manage(&self, py: Python<'_>, command: Command) -> PyResult<()> {
        self.ask(py, |interface| interface.manage(command))
    }

    fn ask<R>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut dyn EnvironmentInterface) -> Result<R, Error>,
    ) -> PyResult<R> {
        self.held(py)?.ask(py, ask)
    }
}

impl Held {
    /// Asks the environment something. An exception that it has raised meanwhile is the error.
    fn ask<R>(
        &mut self,
        py: Python<'_>,
        ask: impl FnOnce(&mut dyn EnvironmentInterface) -> Result<R, Error>,
    ) -> PyResult<R> {
        let asked = ask(&mut *self.environment);
        match self.raised.take() {
            Some(raised) => Err(raised),
            None => asked.map_err(|error| refused(py, &error)),
        }
    }
}

/// The world, as long as one thread uses it.
struct Using<'a> {
    held: MutexGuard<'a, Held>,
    interface: &'a Interface,
}

impl Deref for Using<'_> {
    type Target = Held;

    fn deref(&self) -> &Held {
        &self.held
    }
}

impl DerefMut for Using<'_> {
    fn deref_mut(&mut self) -> &mut Held {
        &mut self.held
    }
}

impl Drop for Using<'_> {
    fn drop(&mut self) {
        *self.interface.using() = None;
    }
}

fn read_form(form: &str) -> PyResult<Form> {
    Ok(match form {
        "snapshot" => Form::Snapshot,
        "update" => Form::Update,
        "telling" => Form::Telling,
        _ => return Err(PyValueError::new_err(format!("form {form:?} is none of snapshot, update, telling"))),
    })
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn strings(names: Vec<EcoString>) -> Vec<String> {
    names.into_iter().map(Into::into).collect()
}
