//! Environments that this process hosts.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use situated::host::{HostAnswer, HostReport, HostRequest, HostTask, HostUpdate};
use situated::interface::State;
use situated_client::{End, Error, ToHost};
use situated_wire::methods::{AnswerOfHost, CallToHost};

use super::answers::{Receiving, promise, wait};
use super::nothing;
use crate::error::raised;
use crate::provider::Reporter;
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

    /// Performs the requests of the server with a provider, in this thread, until the environment has ended. Raises
    /// exceptions of the environment, which end it.
    fn perform(&self, py: Python<'_>, provider: Py<PyAny>) -> PyResult<()> {
        let mut reporter = Reporter::new(provider);
        let mut answer = None;
        loop {
            match self.exchange(py, answer.take())? {
                ToHost::Call(HostRequest { number, task }) => {
                    let is_last = task == HostTask::Kill;
                    let (report, error) = match reporter.perform(py, task) {
                        Ok((answer, update)) => (HostReport::Answer { number, answer, update }, None),
                        Err(error) => {
                            let reason = format!("the environment has failed: {}", error.value(py).repr()?);
                            let (answer, update) = (HostAnswer::Failed { reason, tried: true }, HostUpdate::default());
                            (HostReport::Answer { number, answer, update }, Some(error))
                        }
                    };
                    if is_last || error.is_some() {
                        self.wait(py, |hosted| hosted.say(report))?;
                        return error.map_or(Ok(()), Err);
                    }
                    answer = Some(report);
                }
                // The server may have missed or refused an update.
                ToHost::Resumed | ToHost::Refused(_) => {
                    if !self.report_all(py, &mut reporter)? {
                        return Ok(());
                    }
                }
            }
        }
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

    /// Sends an answer, if there is one, and returns the next message of the server.
    fn exchange(&self, py: Python<'_>, answer: Option<HostReport>) -> PyResult<ToHost> {
        self.wait(py, |hosted| {
            let said = answer.map(|answer| hosted.say(answer));
            async move {
                if let Some(said) = said {
                    said.await?;
                }
                hosted.receive().await
            }
        })
    }

    /// Sends the whole state. Returns whether the environment still exists on the server.
    fn report_all(&self, py: Python<'_>, reporter: &mut Reporter) -> PyResult<bool> {
        loop {
            let standing = self.wait(py, |hosted| async move { hosted.standing().await })?;
            let Some(standing) = standing else { return Ok(false) };
            if standing.state == State::Initializing {
                return Ok(true);
            }
            let known = standing.entities.into_iter().map(|listed| listed.entity.to_string()).collect();
            let update = reporter.report_all(py, known)?;
            let told = self.wait(py, |hosted| {
                let told = hosted.tell(update);
                async move {
                    match told.await {
                        // The connection was lost again.
                        Err(Error::Uncertain { .. }) => Ok(false),
                        told => told.map(|()| true),
                    }
                }
            });
            if told? {
                return Ok(true);
            }
        }
    }

    /// Waits in this thread, which other Python threads do not wait for, until [`let_go`](Self::let_go).
    fn wait<R, F>(&self, py: Python<'_>, ask: impl FnOnce(Arc<situated_client::Hosted>) -> F) -> PyResult<R>
    where
        R: Send + 'static,
        F: Future<Output = Result<R, Error>> + Send + 'static,
    {
        let waiting = {
            // Only one of the two comes first: this task, or its end.
            let hosted = self.hosted();
            let hosted = hosted.clone().ok_or_else(|| raised(py, Error::Ended(End::Closed)))?;
            self.receiving.begin(py, ask(hosted))?
        };
        wait(py, waiting)
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
