//! Environments that this process hosts, with futures of asyncio.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situated::host::{HostAnswer, HostReport, HostRequest, HostUpdate};
use situated_client::{End, Error, ToHost};
use situated_wire::methods::{AnswerOfHost, Call, CallToHost, Host};

use super::answers::{Receiving, promise};
use super::nothing;
use crate::error::raised;
use crate::terms::{json, read_json};

/// An environment that this process hosts.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Hosted {
    /// `None` after it was closed.
    hosted: Mutex<Option<Arc<situated_client::Hosted>>>,
    receiving: Receiving,
}

#[pymethods]
impl Hosted {
    /// Its name on the server.
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.get(py)?.name().to_owned())
    }

    /// Returns a future of the next message of the server: the number, method and parameters of a request, a refusal
    /// of an update, or None after a lost connection. Only one future is awaited at a time.
    fn receive<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let hosted = self.get(py)?;
        let name = hosted.name().into();
        self.receiving.promise(py, async move { hosted.receive().await }, |py, received| match received {
            ToHost::Call(HostRequest { number, task: call }) => {
                let (method, params) = CallToHost { environment: name, call }.to_rpc();
                Ok((number, method, json(&params)?).into_pyobject(py)?.into_any().unbind())
            }
            ToHost::Resumed => Ok(py.None()),
            ToHost::Refused(refusal) => Ok(raised(py, refusal.into()).into_value(py).into_any()),
        })
    }

    /// Answers a request, as the protocol writes answers of hosts.
    fn answer<'py>(&self, py: Python<'py>, number: u64, answer: &str) -> PyResult<Bound<'py, PyAny>> {
        let (answer, update) = read_json::<AnswerOfHost>(answer)?.into_parts();
        self.send(py, HostReport::Answer { number, answer, update })
    }

    /// Answers that a request has failed; if not `tried`, that the entity can never do so. The update contains the
    /// changes that were made before.
    fn fail<'py>(
        &self,
        py: Python<'py>,
        number: u64,
        reason: String,
        tried: bool,
        update: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (answer, update) = (HostAnswer::Failed { reason, tried }, read_json(update)?);
        self.send(py, HostReport::Answer { number, answer, update })
    }

    /// Sends an update.
    fn tell<'py>(&self, py: Python<'py>, update: &str) -> PyResult<Bound<'py, PyAny>> {
        self.send(py, HostReport::Update(read_json::<HostUpdate>(update)?))
    }

    /// Returns a future of the state of the environment on the server and its entities, or of None if it has ended.
    fn standing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let hosted = self.get(py)?;
        promise(py, async move { hosted.standing().await }, |py, standing| {
            let standing = standing.map(|standing| Ok::<_, PyErr>((json(&standing.state)?, json(&standing.entities)?)));
            Ok(standing.transpose()?.into_pyobject(py)?.unbind())
        })
    }

    /// Ends the environment.
    fn let_go(&self) {
        let mut hosted = self.hosted();
        hosted.take();
        self.receiving.stop();
    }
}

impl Hosted {
    pub(super) fn new(hosted: situated_client::Hosted) -> Self {
        Self { hosted: Mutex::new(Some(Arc::new(hosted))), receiving: Receiving::default() }
    }

    fn hosted(&self) -> MutexGuard<'_, Option<Arc<situated_client::Hosted>>> {
        self.hosted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, py: Python<'_>) -> PyResult<Arc<situated_client::Hosted>> {
        self.hosted().clone().ok_or_else(|| raised(py, Error::Ended(End::Closed)))
    }

    fn send<'py>(&self, py: Python<'py>, report: HostReport) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.get(py)?.say(report), nothing)
    }
}

/// Reads the parameters of `host`.
pub(super) fn read_announced(py: Python<'_>, announced: &str) -> PyResult<Host> {
    match Call::read(announced, "host", Some(read_json(announced)?)) {
        Ok(Call::Host(host)) => Ok(host),
        Ok(_) => Err(PyValueError::new_err("expected parameters of `host`")),
        Err(error) => Err(raised(py, error.into())),
    }
}
