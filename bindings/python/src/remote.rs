//! Sessions with servers: the Rust client, with futures of asyncio. Parameters and answers of most methods are JSON, which
//! `situated.remote` reads and writes.

mod agent;
mod answers;
mod directory;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::value::RawValue;
use situated::host::{HostAnswer, HostReport, HostRequest, HostUpdate};
use situated_client::{Address, Client, Connect, End, Error, ToHost};
use situated_wire::methods::{AnswerOfHost, Call, CallToHost};

use crate::error::raised;
use crate::terms::{json, read_json};
pub(crate) use agent::Agent;
pub(crate) use answers::Answer;
use answers::{Receiving, promise};
pub(crate) use directory::{Directory, directory_changes};

/// A client that has not yet connected.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Connecting(Connect);

#[pymethods]
impl Connecting {
    #[new]
    fn new(
        py: Python<'_>,
        address: &str,
        role: &str,
        token: Option<String>,
        trust: Option<PathBuf>,
        patience: f64,
    ) -> PyResult<Self> {
        let address: Address = address.parse().map_err(|error| raised(py, error))?;
        let role = serde_json::from_value(role.into()).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let endless = if patience > 0.0 { Duration::MAX } else { Duration::ZERO };
        let patience = Duration::try_from_secs_f64(patience).unwrap_or(endless);
        let mut connect =
            Client::connect(&address.to_string()).role(role).program("situated for Python").patience(patience);
        if let Some(token) = token {
            connect = connect.token(token);
        }
        if let Some(trust) = trust {
            connect = connect.trust(trust);
        }
        Ok(Self(connect))
    }

    /// Connects; returns a future of the session.
    fn open<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.clone().into_future(), |py, client| Ok(Py::new(py, Session(client))?.into_any()))
    }
}

/// A session with a server.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Session(Client);

#[pymethods]
impl Session {
    /// The greeting of the server, as JSON.
    fn greeting(&self) -> PyResult<String> {
        json(self.0.greeting())
    }

    /// Calls a method; returns a future of its answer.
    fn call<'py>(&self, py: Python<'py>, method: &str, params: &str) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.call_by_name(method, read_json(params)?), text)
    }

    /// The directory of the server, asked by an agent.
    fn directory(&self, agent: &str) -> Directory {
        Directory(self.0.directory(agent))
    }

    /// An agent that is registered with an environment.
    fn agent(&self, environment: &str, name: &str) -> Agent {
        Agent::new(self.0.clone(), environment, name)
    }

    /// A subscription to a topic, which begins when the first notification is awaited.
    fn subscription(&self, topic: &str) -> Subscription {
        Subscription {
            client: self.0.clone(),
            topic: topic.to_owned(),
            notifications: Arc::default(),
            receiving: Receiving::default(),
        }
    }

    /// Announces an environment, with the parameters of `host`; returns a future of its host.
    fn host<'py>(&self, py: Python<'py>, announced: &str) -> PyResult<Bound<'py, PyAny>> {
        let host = match Call::read("host", Some(read_json(announced)?)) {
            Ok(Call::Host(host)) => host,
            Ok(_) => return Err(PyValueError::new_err("expected parameters of `host`")),
            Err(error) => return Err(raised(py, error.into())),
        };
        promise(py, self.0.host(host), |py, hosted| {
            let hosted = Hosted { hosted: Mutex::new(Some(Arc::new(hosted))), receiving: Receiving::default() };
            Ok(Py::new(py, hosted)?.into_any())
        })
    }

    /// Ends the session; returns a future that completes then.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.clone().close(), nothing)
    }
}

/// Notifications about a topic.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Subscription {
    client: Client,
    topic: String,
    notifications: Arc<tokio::sync::Mutex<Option<situated_client::Subscription<Box<RawValue>>>>>,
    receiving: Receiving,
}

#[pymethods]
impl Subscription {
    /// Returns a future of the next notification. Only one future is awaited at a time.
    fn receive<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let notifications = self.notifications.clone();
        // It is sent now, so that requests keep their order.
        let begin = match notifications.try_lock() {
            Ok(begun) if begun.is_none() => Some(self.client.subscribe(read_json(&self.topic)?)),
            _ => None,
        };
        let received = async move {
            let mut notifications = notifications.lock().await;
            if let Some(begin) = begin {
                *notifications = Some(begin.await?);
            }
            match &mut *notifications {
                Some(notifications) => notifications.receive().await,
                None => Err(Error::Ended(End::Closed)),
            }
        };
        self.receiving.promise(py, received, text)
    }
}

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
        self.hosted.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.receiving.stop();
    }
}

impl Hosted {
    fn get(&self, py: Python<'_>) -> PyResult<Arc<situated_client::Hosted>> {
        let hosted = self.hosted.lock().unwrap_or_else(PoisonError::into_inner);
        hosted.clone().ok_or_else(|| raised(py, Error::Ended(End::Closed)))
    }

    fn send<'py>(&self, py: Python<'py>, report: HostReport) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.get(py)?.say(report), nothing)
    }
}

fn text(py: Python<'_>, answer: Box<RawValue>) -> PyResult<Py<PyAny>> {
    Ok(PyString::new(py, &Box::<str>::from(answer)).into_any().unbind())
}

fn nothing(py: Python<'_>, (): ()) -> PyResult<Py<PyAny>> {
    Ok(py.None())
}
