//! The directory of a server. Descriptions are JSON, which `situated.remote` reads and writes.

use pyo3::prelude::*;
use pyo3::types::PyString;
use serde::Serialize;
use situated_client::directory::{self, Description};

use super::answers::promise;
use super::nothing;
use crate::terms::{json, read_json};

/// The directory of a server, asked by an agent.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Directory(pub(super) situated_client::Directory);

#[pymethods]
impl Directory {
    /// Registers the services of the agent; returns a future that completes then.
    fn register<'py>(&self, py: Python<'py>, description: &str) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.register(read_json::<Description>(description)?), nothing)
    }

    /// Removes the services of the agent; returns a future that completes then.
    fn deregister<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.deregister(), nothing)
    }

    /// Searches for agents, also in directories of other platforms; returns a future of their descriptions.
    fn search<'py>(&self, py: Python<'py>, template: &str, max_depth: u32) -> PyResult<Bound<'py, PyAny>> {
        let found = self.0.search_federated(read_json::<Description>(template)?, max_depth);
        promise(py, found, |py, found| listed(py, &found))
    }

    /// Returns a future of the names of all agents.
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.agents(), |py, found| listed(py, &found))
    }

    /// Subscribes to changes; returns a future that completes then.
    fn subscribe<'py>(&self, py: Python<'py>, conversation: &str, template: &str) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.subscribe(conversation, read_json::<Description>(template)?), nothing)
    }

    /// Ends a subscription; returns a future that completes then.
    fn cancel<'py>(&self, py: Python<'py>, conversation: &str) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.cancel(conversation), nothing)
    }
}

/// A list as JSON.
fn listed(py: Python<'_>, found: &impl Serialize) -> PyResult<Py<PyAny>> {
    Ok(PyString::new(py, &json(found)?).into_any().unbind())
}

/// Reads a message that may be a notification about changes; returns the descriptions if it is one.
#[pyfunction]
pub(crate) fn directory_changes(message: &str) -> PyResult<Option<String>> {
    let written: situated_wire::AclMessage = read_json(message)?;
    let changes = written.try_into().ok().and_then(|message| directory::changes(&message));
    changes.map(|changes| json(&changes)).transpose()
}
