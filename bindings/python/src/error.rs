//! What the core refuses, as exceptions of Python.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use situated::interface::Error;
use situated::names::{did_you_mean, nearest};

create_exception!(
    situated,
    InterfaceError,
    PyException,
    "What was asked for is refused; `kind` says which kind of refusal it is, by the names that the wire protocol has for them."
);

/// An error of the interface, as an exception.
pub(crate) fn refused(py: Python<'_>, error: &Error) -> PyErr {
    let exception = InterfaceError::new_err(error.to_string());
    // An exception that cannot carry its kind still says what is wrong.
    let _ = exception.value(py).setattr("kind", kind(error));
    exception
}

/// There is no environment of this name.
pub(crate) fn no_such_environment(name: &str) -> PyErr {
    PyValueError::new_err(no_environment_of(name, &[]))
}

/// The error message for an unknown name; `others` are the names of environments that do not ship.
pub(crate) fn no_environment_of(name: &str, others: &[String]) -> String {
    let shipped = situated_registry::shipped();
    let names = shipped.environments().map(|one| one.ontology.name.as_str());
    let near = did_you_mean(nearest(name, names.chain(others.iter().map(String::as_str))));
    format!("there is no environment {name:?}{near}")
}

/// `notRegistered`.
fn kind(error: &Error) -> String {
    let kind = format!("{:?}", error.kind());
    kind[..1].to_lowercase() + &kind[1..]
}
