//! Environments of which the command performs the tasks, in a process that it has started.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use situated::host::{HostReport, HostRequest, HostUpdate};
use situated::ontology::OntologyAddition;

use crate::provider::Reporter;
use crate::terms::{json, read_json};

/// Performs tasks that are written as JSON with a provider.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Performer(Mutex<Reporter>);

#[pymethods]
impl Performer {
    #[new]
    fn new(provider: Py<PyAny>) -> Self {
        Self(Mutex::new(Reporter::new(provider)))
    }

    /// Performs a task, given as a `HostRequest`, and returns the `HostReport`. `addition` is an addition to the
    /// ontology, for the report. Raises any exception that is no `Failure`.
    #[pyo3(signature = (request, addition=None))]
    fn perform(&self, py: Python<'_>, request: &str, addition: Option<&str>) -> PyResult<String> {
        let HostRequest { number, task } = read_json(request)?;
        let ontology: Option<OntologyAddition> = addition.map(read_json).transpose()?;
        let (answer, update) = self.0.lock().unwrap_or_else(PoisonError::into_inner).perform(py, task)?;
        json(&HostReport::Answer { number, answer, update: HostUpdate { ontology, ..update } })
    }
}
