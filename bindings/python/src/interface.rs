//! An environment in the process of Python, by names and terms, for `situated.Environment`.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList};
use situated::host::HostReport;
use situated::hosted::HostedInterface;
use situated::iil::{EcoString, Percept};
use situated::interface::{
    Command, EnvironmentInterface, Error, FIRST_SEED, Happening, Input, Observer, Perception, Since, State, Time,
};

use crate::error::{refused, with_shipped};
use crate::provider::Provider;
use crate::scene::Scene;
use crate::terms::{self, Classes, json, read_form, read_json};

/// An environment in this process. `situated.Environment` wraps it.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Interface {
    held: Mutex<Held>,
    /// The thread that currently uses it.
    using: Mutex<Option<ThreadId>>,
}

struct Held {
    environment: Box<dyn EnvironmentInterface>,
    /// The provider of an environment written in Python.
    provider: Option<Provider>,
    observer: Observer,
    classes: Classes,
}

#[pymethods]
impl Interface {
    #[new]
    fn new(environment: &str) -> PyResult<Self> {
        let interface = with_shipped(environment, |registered| Ok((registered.interface)()))?;
        Ok(Self::of(interface, None))
    }

    /// Creates an interface to an environment written in Python with this ontology. `provider` performs its tasks.
    #[staticmethod]
    fn written(ontology: &str, provider: Py<PyAny>) -> PyResult<Self> {
        let ontology = read_json(ontology)?;
        let provider = Provider::asked(provider);
        let environment = HostedInterface::local(ontology, provider.clone());
        let environment = environment.map_err(|unsound| PyValueError::new_err(unsound.to_string()))?;
        Ok(Self::of(Box::new(environment), Some(provider)))
    }

    /// Sets the classes of percepts with these names, which are called with the arguments.
    fn tell_as(&self, py: Python<'_>, classes: Classes) -> PyResult<()> {
        self.held(py)?.classes = classes;
        Ok(())
    }

    /// The ontology, as JSON.
    fn ontology(&self, py: Python<'_>) -> PyResult<String> {
        json(self.held(py)?.environment.ontology())
    }

    /// The state: "initializing", "paused", "running" or "killed".
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.held(py)?.environment.state().to_string())
    }

    /// Episode and step.
    fn moment(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let moment = self.held(py)?.environment.moment();
        Ok((moment.episode, moment.step))
    }

    /// The seed of the episode, if one has begun.
    fn seed(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.look(py, |interface| {
            let present = interface.drain(&mut Observer::new()).happenings;
            present.iter().find_map(|happening| match happening {
                Happening::Episode { seed, .. } => *seed,
                _ => None,
            })
        })
    }

    /// The whole state of an environment that ships with the package, as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = self.ask(py, |interface| interface.save())?;
        Ok(PyBytes::new(py, &saved))
    }

    /// Restores a saved state.
    fn load(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        self.ask(py, |interface| interface.load(state))
    }

    /// Begins the first episode, paused.
    #[pyo3(signature = (parameters, seed=None))]
    fn init(&self, py: Python<'_>, parameters: &Bound<'_, PyDict>, seed: Option<u64>) -> PyResult<()> {
        let parameters = terms::read_parameters(parameters)?;
        self.manage(py, Command::Init { parameters, seed: seed.unwrap_or(FIRST_SEED) })
    }

    /// Resumes time.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        self.manage(py, Command::Start)
    }

    /// Stops time.
    fn pause(&self, py: Python<'_>) -> PyResult<()> {
        self.manage(py, Command::Pause)
    }

    /// Begins a new episode, paused. Parameters that are not given are those of the last episode; one that is None gets
    /// its default. By default, the seed follows from that of the last episode.
    #[pyo3(signature = (parameters=None, seed=None))]
    fn reset(&self, py: Python<'_>, parameters: Option<&Bound<'_, PyDict>>, seed: Option<u64>) -> PyResult<()> {
        let parameters = parameters.map(terms::read_changes).transpose()?;
        self.ask(py, |interface| interface.manage(interface.completed(Command::Reset { parameters, seed })))
    }

    /// Ends the environment.
    fn kill(&self, py: Python<'_>) -> PyResult<()> {
        self.manage(py, Command::Kill)
    }

    /// Advances time by one step.
    fn step(&self, py: Python<'_>) -> PyResult<()> {
        self.held(py)?.ask(py, |interface| interface.step())
    }

    /// Registers an agent.
    fn register(&self, py: Python<'_>, agent: &str) -> PyResult<()> {
        self.ask(py, |interface| interface.register_agent(agent))
    }

    /// Unregisters an agent.
    fn unregister(&self, py: Python<'_>, agent: &str) -> PyResult<()> {
        self.ask(py, |interface| interface.unregister_agent(agent))
    }

    /// Returns the registered agents, in order of registration.
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

    /// An agent frees an entity, or all of its entities.
    #[pyo3(signature = (agent, entity=None))]
    fn free(&self, py: Python<'_>, agent: &str, entity: Option<&str>) -> PyResult<()> {
        self.ask(py, |interface| match entity {
            Some(entity) => interface.free_pair(agent, entity),
            None => interface.free_agent(agent),
        })
    }

    /// An agent requests an entity of a type; returns its name.
    #[pyo3(signature = (agent, entity_type, name=None))]
    fn request_entity(&self, py: Python<'_>, agent: &str, entity_type: &str, name: Option<&str>) -> PyResult<String> {
        let given = self.ask(py, |interface| interface.request_entity(agent, entity_type, name))?;
        Ok(given.map(Into::into).unwrap_or_default())
    }

    /// Raises an error for an action that the ontology does not declare.
    fn check_action(&self, py: Python<'_>, action: &Bound<'_, PyAny>) -> PyResult<()> {
        let read = self.held(py)?.environment.read(&terms::read_action(action)?);
        read.map(drop).map_err(|mismatch| PyValueError::new_err(mismatch.to_string()))
    }

    /// An agent acts through these entities, or all of its entities. Returns the percepts that the action returned, by
    /// entity. Raises the first error.
    fn act<'py>(
        &self,
        py: Python<'py>,
        agent: &str,
        action: &Bound<'py, PyAny>,
        entities: Vec<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let term = terms::read_action(action)?;
        let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
        let held = &mut *self.held(py)?;
        held.set_action(Some(action));
        let results = held.ask(py, |interface| interface.perform_action(agent, &term, &entities));
        held.set_action(None);
        let all = PyDict::new(py);
        for (entity, result) in results? {
            let found = result.map_err(|error| refused(py, &error))?;
            all.set_item(&*entity, terms::percepts(py, &found, &held.classes)?)?;
        }
        Ok(all)
    }

    /// An agent perceives through these entities, or all of its entities. Returns perceptions by entity.
    fn perceive<'py>(
        &self,
        py: Python<'py>,
        agent: &str,
        entities: Vec<String>,
        form: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        let form = read_form(form)?;
        let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
        let held = &mut *self.held(py)?;
        held.catch_up(py, false)?;
        let told = held.ask(py, |interface| interface.perceive(agent, &entities, form, Since::LastCall))?;
        let moment = terms::moment(py, held.environment.moment())?;
        let all = PyDict::new(py);
        for (entity, Perception { resync, add, delete, events, lost, .. }) in told {
            let [add, delete, events] = [add, delete, events].map(|percepts| held.told(py, &percepts));
            all.set_item(&*entity, terms::perception(add?, delete?, events?, resync, lost, &moment)?)?;
        }
        Ok(all)
    }

    /// The changes since the last call, in order, as JSON; at first the present state.
    fn happenings(&self, py: Python<'_>) -> PyResult<String> {
        let held = &mut *self.held(py)?;
        held.catch_up(py, true)?;
        let Held { environment, observer, .. } = held;
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

    /// The value of a property of the environment, or of an entity; None if it has none at this time.
    #[pyo3(signature = (property, entity=None))]
    fn query<'py>(&self, py: Python<'py>, property: &str, entity: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.ask(py, |interface| match entity {
            Some(entity) => interface.query_entity_property(entity, property),
            None => interface.query_property(property),
        })?;
        value.map(|value| terms::parameter(py, &value)).transpose()
    }

    /// The results of the episode, and its ending if it is over, as JSON.
    fn outcome(&self, py: Python<'_>) -> PyResult<String> {
        json(&self.look(py, |interface| interface.outcome())?)
    }

    /// The scene, as a whole or as an entity may see it.
    #[pyo3(signature = (viewer=None))]
    fn scene(&self, py: Python<'_>, viewer: Option<&str>) -> PyResult<Scene> {
        self.ask(py, |interface| interface.scene(viewer)).map(Scene)
    }
}

impl Interface {
    fn of(environment: Box<dyn EnvironmentInterface>, provider: Option<Provider>) -> Self {
        let held = Held { environment, provider, observer: Observer::new(), classes: Classes::new() };
        Self { held: Mutex::new(held), using: Mutex::new(None) }
    }

    /// Locks the environment for this thread. Other Python threads run while it waits.
    fn held(&self, py: Python<'_>) -> PyResult<Using<'_>> {
        let this = thread::current().id();
        if *self.using() == Some(this) {
            return Err(PyRuntimeError::new_err("an environment cannot call its own interface from its methods"));
        }
        let held = self.held.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        *self.using() = Some(this);
        Ok(Using { held, interface: self })
    }

    fn using(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.using.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn look<R>(&self, py: Python<'_>, look: impl FnOnce(&dyn EnvironmentInterface) -> R) -> PyResult<R> {
        let held = &mut *self.held(py)?;
        held.catch_up(py, true)?;
        Ok(look(&*held.environment))
    }

    fn manage(&self, py: Python<'_>, command: Command) -> PyResult<()> {
        self.ask(py, |interface| interface.manage(command))
    }

    pub(crate) fn ask<R>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut dyn EnvironmentInterface) -> Result<R, Error>,
    ) -> PyResult<R> {
        let held = &mut *self.held(py)?;
        held.catch_up(py, true)?;
        held.ask(py, ask)
    }
}

impl Held {
    /// Calls the environment. An exception that it has raised meanwhile is the error.
    fn ask<R>(
        &mut self,
        py: Python<'_>,
        ask: impl FnOnce(&mut dyn EnvironmentInterface) -> Result<R, Error>,
    ) -> PyResult<R> {
        let asked = ask(&mut *self.environment);
        match self.provider.as_ref().and_then(|provider| provider.get().take_raised()) {
            Some(raised) => Err(raised),
            None => asked.map_err(|error| refused(py, &error)),
        }
    }

    /// Lets an environment written in Python report what actions and steps have changed: percepts, or everything. A
    /// report that is invalid, or an exception, ends it.
    fn catch_up(&mut self, py: Python<'_>, with_outcome: bool) -> PyResult<()> {
        let Some(provider) = &self.provider else { return Ok(()) };
        if self.environment.state() == State::Killed {
            return Ok(());
        }
        let report = provider.get().catch_up(py, with_outcome);
        let followed = report.and_then(|update| {
            let Some(update) = update else { return Ok(()) };
            let report = Input::Host(HostReport::Update(update).into());
            self.environment.apply(&report, Time::default()).map(drop).map_err(|error| refused(py, &error))
        });
        if followed.is_err() {
            // It may have ended already.
            let _ = self.environment.manage(Command::Kill);
        }
        followed
    }

    /// Sets the action that an environment written in Python executes, as the agent has made it.
    fn set_action(&self, action: Option<&Bound<'_, PyAny>>) {
        if let Some(provider) = &self.provider {
            provider.get().set_action(action.map(|action| action.clone().unbind()));
        }
    }

    fn told<'py>(&self, py: Python<'py>, percepts: &[Percept]) -> PyResult<Bound<'py, PyList>> {
        match &self.provider {
            Some(provider) => provider.get().told(py, percepts, &self.classes),
            None => terms::percepts(py, percepts, &self.classes),
        }
    }
}

/// The environment, while one thread uses it.
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

fn strings(names: Vec<EcoString>) -> Vec<String> {
    names.into_iter().map(Into::into).collect()
}
