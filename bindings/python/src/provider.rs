//! Environments written in Python, whose host in this process is a `situated.authoring.provider.Provider`.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use situated::host::{Host, HostAnswer, HostTask, HostUpdate};
use situated_wire::methods::{AnswerOfHost, CallToHost};

static FAILURE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The last unexpected exception of an environment, until it is taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// A provider, which performs the tasks of a host. An exception that is neither a `Failure` nor a `NotImplementedError`
/// ends its environment.
pub(crate) struct Provider {
    provider: Py<PyAny>,
    raised: Raised,
}

impl Provider {
    pub(crate) fn new(provider: Py<PyAny>, raised: Raised) -> Self {
        Self { provider, raised }
    }
}

impl Host for Provider {
    fn perform(&mut self, task: HostTask) -> Result<(HostAnswer, HostUpdate), String> {
        Python::attach(|py| {
            perform(self.provider.bind(py), task).map_err(|error| {
                let reason = error.to_string();
                self.raised.put(error);
                reason
            })
        })
    }
}

fn perform(provider: &Bound<'_, PyAny>, task: HostTask) -> PyResult<(HostAnswer, HostUpdate)> {
    let py = provider.py();
    let is_act = matches!(task, HostTask::Act { .. });
    let (method, params) = CallToHost { environment: "".into(), call: task }.to_rpc();
    let params = serde_json::Value::Object(params).to_string();
    match provider.call_method1("answer_json", (method, params)) {
        Ok(answer) => read(&answer),
        Err(error) => {
            let is_failure = error.is_instance(py, FAILURE.import(py, "situated.authoring", "Failure")?);
            if !is_failure && !error.is_instance_of::<PyNotImplementedError>(py) {
                return Err(error);
            }
            let reason = error.value(py).to_string();
            // An action that fails should change nothing. If it does, the update reports it.
            let update = if is_act { read(&provider.call_method0("update_json")?)?.1 } else { HostUpdate::default() };
            Ok((HostAnswer::Failed { reason, tried: is_failure }, update))
        }
    }
}

fn read(answer: &Bound<'_, PyAny>) -> PyResult<(HostAnswer, HostUpdate)> {
    let answer: AnswerOfHost = serde_json::from_str(answer.extract()?)
        .map_err(|error| PyValueError::new_err(format!("the environment sent an invalid answer: {error}")))?;
    Ok(answer.into_parts())
}
