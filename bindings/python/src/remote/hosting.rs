//! Environments of which one thread performs the requests of the server. It drives their connection itself.

use std::future::{Future, IntoFuture};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use situated::host::{HostAnswer, HostReport, HostRequest, HostTask, HostUpdate};
use situated::interface::State;
use situated_client::{Client, Connect, End, Error, Hosted, ToHost};
use situated_wire::methods::Host;
use tokio::sync::watch;
use tokio::task::yield_now;

use super::answers::promise;
use super::driven::Driven;
use super::hosted::read_announced;
use super::{Connecting, nothing};
use crate::error::{raised, refused};
use crate::provider::Reporter;

/// Time after which another thread drives the connection of an environment that performs a request.
const LONG: Duration = Duration::from_millis(250);

/// An environment that this process hosts in a session of its own.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Hosting {
    connect: Connect,
    announced: Host,
    stopped: watch::Sender<bool>,
    begun: OnceLock<(Arc<Driven>, Client)>,
}

#[pymethods]
impl Hosting {
    /// An environment with the parameters of `host`, as JSON.
    #[new]
    fn new(py: Python<'_>, connecting: &Connecting, announced: &str) -> PyResult<Self> {
        let (connect, announced) = (connecting.0.clone(), read_announced(py, announced)?);
        Ok(Self { connect, announced, stopped: watch::Sender::new(false), begun: OnceLock::new() })
    }

    /// Connects, announces the environment, and performs the requests of the server with a provider, in this thread,
    /// until the environment has ended. Raises exceptions of the environment, which end it, and what prevents a first
    /// episode that should start.
    fn perform(&self, py: Python<'_>, provider: Py<PyAny>) -> PyResult<()> {
        let Host { ontology, parameters, start, .. } = &self.announced;
        // The server does not tell the host about them.
        let fit = if *start { ontology.complete_parameters(parameters).map(drop) } else { Ok(()) };
        fit.map_err(|mismatch| refused(py, &mismatch.into()))?;
        let driven = Driven::start("situated host", LONG);
        let driven = Arc::new(driven.map_err(|error| PyOSError::new_err(format!("the system cannot host: {error}")))?);
        let client = self.wait(py, &driven, self.connect.clone().into_future())?;
        let _ = self.begun.set((driven.clone(), client.clone()));
        // Nothing is announced after `close`.
        let hosted = self.wait(py, &driven, async { client.host(self.announced.clone()).await });
        let performed = hosted.and_then(|hosted| {
            let reporter = if self.announced.start { Reporter::begins(provider) } else { Reporter::new(provider) };
            Performing { hosting: self, driven: &driven, hosted, reporter }.run(py)
        });
        // Afterwards, the server removes the environment.
        let closed = py.detach(|| driven.wait(client.close()));
        performed.and(closed.map_err(|error| raised(py, error)))
    }

    /// Makes [`perform`](Self::perform) end the environment and return, after the request that it performs.
    fn stop(&self) {
        self.stopped.send_replace(true);
    }

    /// Ends the environment, also while it performs a request. Returns a future that completes when the session has
    /// ended.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.stop();
        let begun = self.begun.get().cloned();
        let closed = async move {
            let Some((driven, client)) = begun else { return Ok(()) };
            driven.hurry();
            client.close().await
        };
        promise(py, closed, nothing)
    }
}

impl Hosting {
    /// Waits in this thread, which other Python threads do not wait for, until [`close`](Self::close).
    fn wait<R: Send>(
        &self,
        py: Python<'_>,
        driven: &Driven,
        answer: impl Future<Output = Result<R, Error>> + Send,
    ) -> PyResult<R> {
        let mut stopped = self.stopped.subscribe();
        let answer = async {
            tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => Err(Error::Ended(End::Closed)),
                answer = answer => answer,
            }
        };
        py.detach(|| driven.wait(answer)).map_err(|error| raised(py, error))
    }
}

/// An environment whose requests are performed.
struct Performing<'a> {
    hosting: &'a Hosting,
    driven: &'a Driven,
    hosted: Hosted,
    reporter: Reporter,
}

impl Performing<'_> {
    /// Performs requests until the environment has ended.
    fn run(&mut self, py: Python<'_>) -> PyResult<()> {
        let (mut answer, mut last) = (None, 0);
        loop {
            match self.exchange(py, answer.take())? {
                ToHost::Call(HostRequest { number, task }) => {
                    let is_last = task == HostTask::Kill;
                    let report = match self.reporter.perform(py, task) {
                        Ok((answer, update)) => HostReport::Answer { number, answer, update },
                        Err(error) => return self.fail(py, number, error),
                    };
                    if is_last {
                        return self.wait(py, self.hosted.say(report));
                    }
                    (answer, last) = (Some(report), number);
                }
                // The server may have missed an update.
                ToHost::Resumed => {
                    if !self.report_all(py)? {
                        return Ok(());
                    }
                }
                // The environment has reported something invalid, unless the server has ended it before the report.
                ToHost::Refused(refusal) => {
                    return match self.wait(py, self.hosted.standing())? {
                        Some(_) => self.fail(py, last, raised(py, refusal.into())),
                        None => Ok(()),
                    };
                }
            }
        }
    }

    /// Answers a request, which is still open, with the exception that ends the environment.
    fn fail(&self, py: Python<'_>, number: u64, error: PyErr) -> PyResult<()> {
        let shown = error.value(py).repr().map_or_else(|_| error.to_string(), |text| text.to_string());
        let reason = format!("the environment has failed: {shown}");
        let (answer, update) = (HostAnswer::Failed { reason, tried: true }, HostUpdate::default());
        // The exception of the environment is the more useful one.
        let _ = self.wait(py, self.hosted.say(HostReport::Answer { number, answer, update }));
        Err(error)
    }

    /// Sends an answer, if there is one, and returns the next message of the server.
    fn exchange(&self, py: Python<'_>, answer: Option<HostReport>) -> PyResult<ToHost> {
        let said = answer.map(|answer| self.hosted.say(answer));
        self.wait(py, async {
            if let Some(said) = said {
                said.await?;
            }
            // Lets the connection send the answer, also when the next request is here already and takes long.
            yield_now().await;
            self.hosted.receive().await
        })
    }

    /// Sends the whole state. Returns whether the environment still exists on the server.
    fn report_all(&mut self, py: Python<'_>) -> PyResult<bool> {
        loop {
            let Some(standing) = self.wait(py, self.hosted.standing())? else { return Ok(false) };
            if standing.state == State::Initializing {
                return Ok(true);
            }
            let known = standing.entities.into_iter().map(|listed| listed.entity.to_string()).collect();
            let update = self.reporter.report_all(py, known)?;
            let told = self.hosted.tell(update);
            let told = self.wait(py, async {
                match told.await {
                    // The connection was lost again.
                    Err(Error::Uncertain { .. }) => Ok(false),
                    told => told.map(|()| true),
                }
            });
            if told? {
                return Ok(true);
            }
        }
    }

    fn wait<R: Send>(&self, py: Python<'_>, answer: impl Future<Output = Result<R, Error>> + Send) -> PyResult<R> {
        self.hosting.wait(py, self.driven, answer)
    }
}
