//! The interface to a world in this process, which is made of Rust, or of Python.
//!
//! A world of Python is one that is run elsewhere: it is found out what it is to be called for, and what it then says is
//! taken over. If it raises what it should not, or says what cannot be, it is over.

use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use situated::iil::{Action, EcoString};
use situated::interface::{ActionResult, Command, Completed, EnvironmentInterface, Error, Interface};
use situated::mirror::{Call, HostAnswer, HostUpdate, Mirror};
use situated::ontology::Ontology;
use situated_wire::methods::{AnswerOfHost, CallToHost};

use crate::error::refused;

static FAILURE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A world behind its interface.
pub(crate) enum World {
    /// It is made of Rust.
    Built(Box<dyn EnvironmentInterface>),
    /// It is made of Python: a `situated.authoring.provider.Provider` does what it is called for.
    Written { interface: Box<Interface<Mirror>>, provider: Py<PyAny> },
}

impl World {
    /// A world of Python that declares this.
    pub(crate) fn written(ontology: Ontology, provider: Py<PyAny>) -> PyResult<Self> {
        let interface = Interface::hosted(ontology).map_err(|unsound| PyValueError::new_err(unsound.to_string()))?;
        Ok(Self::Written { interface: interface.into(), provider })
    }

    /// Asks something that changes no world.
    pub(crate) fn look(&mut self) -> &mut dyn EnvironmentInterface {
        match self {
            Self::Built(interface) => &mut **interface,
            Self::Written { interface, .. } => &mut **interface,
        }
    }

    /// Changes what is associated with what; the world hears of it.
    pub(crate) fn relate<R>(
        &mut self,
        py: Python<'_>,
        relate: impl FnOnce(&mut dyn EnvironmentInterface) -> Result<R, Error>,
    ) -> PyResult<R> {
        let related = relate(self.look()).map_err(|error| refused(py, &error))?;
        self.tell_news(py)?;
        Ok(related)
    }

    pub(crate) fn manage(&mut self, py: Python<'_>, command: Command) -> PyResult<()> {
        let done = match self {
            Self::Built(interface) => interface.manage(command),
            Self::Written { .. } => self.call_for(py, |world| world.call_for_command(&command))?.map(drop),
        };
        done.map_err(|error| refused(py, &error))
    }

    pub(crate) fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        let done = match self {
            Self::Built(interface) => interface.step(),
            Self::Written { .. } => self.call_for(py, |world| world.call_for_step())?.map(drop),
        };
        done.map_err(|error| refused(py, &error))
    }

    pub(crate) fn act(
        &mut self,
        py: Python<'_>,
        agent: &str,
        action: &Action,
        entities: &[&str],
    ) -> PyResult<Vec<(EcoString, ActionResult)>> {
        let calls = match self {
            Self::Built(interface) => {
                return interface.perform_action(agent, action, entities).map_err(|error| refused(py, &error));
            }
            Self::Written { interface, .. } => interface.calls_for_action(agent, action, entities),
        };
        let calls = calls.map_err(|error| refused(py, &error))?.into_iter();
        let done = calls.map(|(entity, call)| {
            let completed = call.map_or_else(|error| Ok(Err(error)), |call| self.call(py, &call))?;
            let found = |answer| if let HostAnswer::Found(found) = answer { found } else { Vec::new() };
            Ok((entity, completed.map(found)))
        });
        done.collect()
    }

    pub(crate) fn request_entity(
        &mut self,
        py: Python<'_>,
        agent: &str,
        entity_type: &str,
        name: Option<&str>,
    ) -> PyResult<EcoString> {
        let given = match self {
            Self::Built(interface) => interface.request_entity(agent, entity_type, name),
            Self::Written { .. } => {
                let completed = self.call_for(py, |world| world.call_for_body(agent, entity_type, name))?;
                completed.map(|answer| if let HostAnswer::Entity(name) = answer { name } else { EcoString::new() })
            }
        };
        given.map_err(|error| refused(py, &error))
    }

    /// Calls a world of Python for what is to be found out first.
    fn call_for(
        &mut self,
        py: Python<'_>,
        find: impl FnOnce(&Interface<Mirror>) -> Result<Call, Error>,
    ) -> PyResult<Completed> {
        match self {
            Self::Written { interface, .. } => match find(interface) {
                Ok(call) => self.call(py, &call),
                Err(error) => Ok(Err(error)),
            },
            Self::Built(_) => Ok(Ok(HostAnswer::Done)),
        }
    }

    /// Calls a world of Python for this, and then for what follows from it.
    fn call(&mut self, py: Python<'_>, call: &Call) -> PyResult<Completed> {
        let Self::Written { interface, provider } = self else { return Ok(Ok(HostAnswer::Done)) };
        let said = ask(provider.bind(py), call)
            .and_then(|(answer, update)| interface.complete(call, answer, update).map_err(|error| refused(py, &error)));
        if said.is_err() || *call == Call::Kill {
            // It may be over already, and then nothing is left to be done.
            let _ = interface.kill();
        }
        let completed = said?;
        self.tell_news(py)?;
        Ok(completed)
    }

    /// A world of Python hears what there is to be heard.
    fn tell_news(&mut self, py: Python<'_>) -> PyResult<()> {
        let Self::Written { interface, .. } = self else { return Ok(()) };
        for call in interface.take_calls() {
            // News cannot be refused.
            let _ = self.call(py, &call)?;
        }
        Ok(())
    }
}

/// What the provider says when it is called for this.
fn ask(provider: &Bound<'_, PyAny>, call: &Call) -> PyResult<(HostAnswer, HostUpdate)> {
    let py = provider.py();
    let (method, params) = CallToHost { environment: "".into(), call: call.clone() }.to_rpc();
    let params = serde_json::Value::Object(params).to_string();
    match provider.call_method1("answer_json", (method, params)) {
        Ok(answer) => {
            let answer: AnswerOfHost = serde_json::from_str(answer.extract()?)
                .map_err(|error| PyValueError::new_err(format!("the world has said what cannot be: {error}")))?;
            Ok(answer.into_parts())
        }
        Err(error) => {
            let is_failure = error.is_instance(py, FAILURE.import(py, "situated.authoring", "Failure")?);
            if !is_failure && !error.is_instance_of::<PyNotImplementedError>(py) {
                return Err(error);
            }
            let reason = error.value(py).to_string();
            Ok((HostAnswer::Failed { reason, tried: is_failure }, HostUpdate::default()))
        }
    }
}
