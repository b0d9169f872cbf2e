//! Errors of clients, as the exceptions of `situated.remote`.

use pyo3::prelude::*;
use situated_client::{End, Error};
use situated_wire as wire;

/// An error as an exception.
pub(super) fn raised(py: Python<'_>, error: Error) -> PyErr {
    exception(py, &error).map_or_else(|raised| raised, PyErr::from_value)
}

fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let errors = py.import("situated.remote.errors")?;
    let named = |class: &str| errors.getattr(class)?.call1((error.to_string(),));
    let of_method = |class: &str, method: &str| {
        let raised = named(class)?;
        raised.setattr("method", method)?;
        Ok(raised)
    };
    match error {
        Error::Refused(refusal) => refused(&errors, refusal),
        Error::Address { .. } => named("AddressError"),
        Error::Connect { .. } => named("ConnectError"),
        Error::Uncertain { method, .. } => of_method("Uncertain", method),
        Error::Busy { method, .. } => of_method("Busy", method),
        Error::TooLong { method, .. } => of_method("TooLong", method),
        Error::Ended(end) => {
            let raised = named("Ended")?;
            raised.setattr("is_closed_here", *end == End::Closed)?;
            if let End::Refused(refusal) = end {
                let refusal = refused(&errors, refusal)?;
                raised.setattr("code", refusal.getattr("code")?)?;
                raised.setattr("kind", refusal.getattr("kind")?)?;
            }
            Ok(raised)
        }
        Error::Misunderstood { .. } => named("Misunderstood"),
        Error::Panicked { .. } => named("RemoteError"),
    }
}

fn refused<'py>(errors: &Bound<'py, PyModule>, refusal: &wire::Error) -> PyResult<Bound<'py, PyAny>> {
    let data = errors.py().import("json")?.call_method1("loads", (super::json(refusal)?,))?;
    errors.getattr("Refused")?.call_method1("read", (data,))
}
