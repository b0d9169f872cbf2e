//! Checks of environments, for `situated.check_environment`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use situated::hosted::HostedInterface;
use situated::interface::EnvironmentInterface;
use situated::ontology::Ontology;
use situated::reading;
use situated_checker::{Broken, Report, Settings};

use crate::error::with_shipped;
use crate::provider::Provider;
use crate::terms;

/// Checks an environment that ships with the package. Returns whether it has passed, and the report.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    environment: &str,
    parameters: &Bound<'_, PyDict>,
    seeds: (u64, u64),
    steps: u64,
) -> PyResult<(bool, String)> {
    let settings = settings(parameters, seeds, steps)?;
    let checked = with_shipped(environment, |registered| Ok(py.detach(|| (registered.check)(&settings))))?;
    checked.map(told).map_err(|Broken(why)| PyValueError::new_err(why))
}

/// Checks an environment written in Python with this ontology. `make` returns a provider of it, and is called again if
/// the environment has failed.
#[pyfunction]
pub(crate) fn check_written(
    ontology: &str,
    make: Py<PyAny>,
    parameters: &Bound<'_, PyDict>,
    seeds: (u64, u64),
    steps: u64,
) -> PyResult<(bool, String)> {
    let settings = settings(parameters, seeds, steps)?;
    let ontology: Ontology = reading::json(ontology).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let complete = ontology.complete_parameters(&settings.parameters);
    complete.map_err(|mismatch| PyValueError::new_err(mismatch.to_string()))?;
    let make = move || {
        let provider = Python::attach(|py| make.call0(py))?;
        let hosted = HostedInterface::local(ontology.clone(), Provider::new(provider))?;
        Ok(Box::new(hosted) as Box<dyn EnvironmentInterface>)
    };
    settings.check_by_name(make).map(told).map_err(|Broken(why)| PyValueError::new_err(why))
}

fn settings(parameters: &Bound<'_, PyDict>, (first, last): (u64, u64), steps: u64) -> PyResult<Settings> {
    Ok(Settings { parameters: terms::read_parameters(parameters)?, seeds: first..=last, steps, time_limit: None })
}

fn told(report: Report) -> (bool, String) {
    (report.passed(), report.to_string())
}
