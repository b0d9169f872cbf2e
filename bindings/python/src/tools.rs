//! The tools of an entity for language models, for `situated.tools`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use situated::iil::Percept;
use situated::interface::{Form, Since};
use situated::ontology::Ontology;
use situated_tools::{Beliefs, action, ended, introduction, of_entity_type};

use crate::interface::Interface;
use crate::terms::{json, read_json};

/// The actions of the one entity of an agent as tools, and its percepts in words. `situated.tools` wraps it.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Tools {
    interface: Py<Interface>,
    agent: String,
    entity_type: String,
    ontology: Ontology,
    beliefs: Mutex<Beliefs>,
}

#[pymethods]
impl Tools {
    /// Creates the tools of an agent that is registered and controls an entity of this type.
    #[new]
    fn new(py: Python<'_>, interface: Py<Interface>, agent: String, entity_type: String) -> PyResult<Self> {
        let ontology = interface.get().look(py, |interface| interface.ontology().clone())?;
        let beliefs = Mutex::new(Beliefs::of(&ontology, &entity_type));
        Ok(Self { interface, agent, entity_type, ontology, beliefs })
    }

    /// The actions as JSON: a list of objects with `name`, `description` and `inputSchema`.
    fn actions(&self) -> PyResult<String> {
        let tools = of_entity_type(&self.ontology, &self.entity_type).into_iter();
        let tools = tools
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.arguments }));
        json(&tools.collect::<Vec<Value>>())
    }

    /// Describes the entity, its percepts and its tools.
    fn introduction(&self) -> String {
        introduction(&self.ontology, &self.entity_type)
    }

    /// Acts by a tool, with arguments as JSON. Raises `ValueError` if the arguments do not fit, and `InterfaceError` if
    /// the action failed.
    fn act(&self, py: Python<'_>, tool: &str, arguments: &str) -> PyResult<()> {
        let arguments: Map<String, Value> = read_json(arguments)?;
        let action = action(&self.ontology, &self.entity_type, tool, &arguments).map_err(PyValueError::new_err)?;
        let acted = self.interface.get().ask(py, |interface| interface.perform_action(&self.agent, &action, &[]))?;
        for (_, result) in acted {
            let found = result.map_err(|error| crate::error::refused(py, &error))?;
            self.beliefs().find_out(found);
        }
        Ok(())
    }

    /// Perceives what has changed.
    fn perceive(&self, py: Python<'_>) -> PyResult<()> {
        let (form, since) = (Form::Update, Since::LastCall);
        let perceived = self.interface.get().ask(py, |interface| interface.perceive(&self.agent, &[], form, since))?;
        perceived.into_iter().for_each(|(_, perception)| self.beliefs().update(perception));
        Ok(())
    }

    /// Returns whether a percept holds or has happened since the last answer: one with this name, or exactly this one.
    /// Without one, returns whether anything has changed.
    #[pyo3(signature = (percept=None))]
    fn has(&self, percept: Option<&str>) -> PyResult<bool> {
        let Some(percept) = percept else { return Ok(self.beliefs().has_news()) };
        let wanted = percept.parse::<Percept>().map_err(|error| {
            PyValueError::new_err(format!("`percept` is not a percept, such as `at` or `at(roomA)`: {error}"))
        })?;
        Ok(self.beliefs().contains(&wanted))
    }

    /// Returns the changes since the last answer, as text and as JSON.
    fn news(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let moment = self.interface.get().look(py, |interface| interface.moment())?;
        let (text, data) = self.beliefs().take_news(moment);
        Ok((text, json(&data)?))
    }

    /// Returns everything that holds, or only percepts with a name, as text and as JSON.
    #[pyo3(signature = (about=None))]
    fn holding(&self, about: Option<&str>) -> PyResult<(String, String)> {
        let (text, data) = self.beliefs().all(about);
        Ok((text, json(&data)?))
    }

    /// Returns how the episode ended; None while it continues.
    fn ended(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let outcome = self.interface.get().look(py, |interface| interface.outcome())?;
        Ok(outcome.and_then(|outcome| ended(&outcome)))
    }
}

impl Tools {
    fn beliefs(&self) -> MutexGuard<'_, Beliefs> {
        self.beliefs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
