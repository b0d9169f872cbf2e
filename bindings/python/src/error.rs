//! Errors as exceptions of Python.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use situated::interface;
use situated::names::{did_you_mean, nearest};
use situated_client::{End, Error};
use situated_registry::Registered;
use situated_wire as wire;

use crate::terms::json;

create_exception!(
    situated,
    InterfaceError,
    PyException,
    "An error of the interface; `kind` is its kind by its name in the wire protocol."
);

/// An error of the interface, as an exception.
pub(crate) fn refused(py: Python<'_>, error: &interface::Error) -> PyErr {
    let exception = InterfaceError::new_err(match error {
        // Here the host is the environment itself.
        interface::Error::Refused { environment, what, reason } => {
            format!("environment `{environment}` refuses to {what}: {reason}")
        }
        interface::Error::Host { environment, reason } => {
            format!("environment `{environment}` has reported something invalid: {reason}")
        }
        interface::Error::HostGone { environment, reason } => {
            format!("environment `{environment}` has failed: {reason}; it has ended, so create a new one")
        }
        error => error.to_string(),
    });
    // `NotRegistered` is `notRegistered`.
    let kind = format!("{:?}", error.kind());
    let kind = kind[..1].to_lowercase() + &kind[1..];
    // An exception without its kind still has its message.
    let _ = exception.value(py).setattr("kind", kind);
    exception
}

/// Does something with an environment that ships with the package, or raises the error for an unknown name.
pub(crate) fn with_shipped<R>(name: &str, act: impl FnOnce(&Registered) -> PyResult<R>) -> PyResult<R> {
    match situated_registry::shipped().find(name) {
        Some(registered) => act(registered),
        None => Err(PyValueError::new_err(no_environment_of(name, &[]))),
    }
}

/// The error message for an unknown name; `others` are the names of environments that do not ship.
pub(crate) fn no_environment_of(name: &str, others: &[String]) -> String {
    let shipped = situated_registry::shipped();
    let names = shipped.environments().map(|one| one.ontology.name.as_str());
    let near = did_you_mean(nearest(name, names.chain(others.iter().map(String::as_str))));
    format!("there is no environment {name:?}{near}")
}

/// An error of a client, as an exception of `situated.remote`.
pub(crate) fn raised(py: Python<'_>, error: Error) -> PyErr {
    exception(py, &error).map_or_else(|raised| raised, PyErr::from_value)
}

fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let errors = py.import("situated.remote.errors")?;
    let refused = |refusal: &wire::Error| {
        let data = py.import("json")?.call_method1("loads", (json(refusal)?,))?;
        errors.getattr("Refused")?.call_method1("read", (data,))
    };
    let (class, method) = match error {
        Error::Refused(refusal) => return refused(refusal),
        Error::Address { .. } => ("AddressError", None),
        Error::Connect { .. } => ("ConnectError", None),
        Error::Declined(_) => ("Declined", None),
        Error::Uncertain { method, .. } => ("Uncertain", Some(method)),
        Error::Busy { method, .. } => ("Busy", Some(method)),
        Error::TooLong { method, .. } => ("TooLong", Some(method)),
        Error::Ended(_) => ("Ended", None),
        Error::Misunderstood { .. } => ("Misunderstood", None),
        Error::Panicked { .. } => ("RemoteError", None),
    };
    let raised = errors.getattr(class)?.call1((error.to_string(),))?;
    if let Some(method) = method {
        raised.setattr("method", method)?;
    }
    if let Error::Declined(declined) = error {
        raised.setattr("act", declined.act.name())?;
        raised.setattr("reason", &declined.reason)?;
    }
    if let Error::Ended(end) = error {
        raised.setattr("is_closed_here", *end == End::Closed)?;
        if let End::Refused(refusal) = end {
            let refusal = refused(refusal)?;
            raised.setattr("code", refusal.getattr("code")?)?;
            raised.setattr("kind", refusal.getattr("kind")?)?;
        }
    }
    Ok(raised)
}
