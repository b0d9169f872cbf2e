//! Sessions with servers: the Rust client, with futures of asyncio. Parameters and answers of most methods are JSON, which
//! `situated.remote` reads and writes.

mod agent;
mod answers;
mod errors;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde::Deserialize;
use serde_json::value::RawValue;
use situated::host::{HostAnswer, HostReport, HostRequest, HostUpdate};
use situated_client::{Address, Client, Connect, Error, ToHost};
use situated_wire::methods::{AnswerOfHost, Call, CallToHost};
use tokio::task::AbortHandle;

pub(crate) use agent::Agent;
pub(crate) use answers::Answer;
use answers::{promise, stoppable_promise};
use errors::raised;

/// A server to which a client is about to connect.
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

    /// Connects. The future has the session.
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

    /// Calls a method.
    fn call<'py>(&self, py: Python<'py>, method: &str, params: &str) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.0.call_by_name(method, read(params)?), text)
    }

    /// An agent that is registered with an environment.
    fn agent(&self, environment: &str, name: &str) -> Agent {
        Agent::new(self.0.clone(), environment, name)
    }

    /// A subscription to a topic, which begins when the first notification is waited for.
    fn subscription(&self, topic: &str) -> PyResult<Subscription> {
        Ok(Subscription {
            client: self.0.clone(),
            topic: topic.to_owned(),
            notifications: Arc::default(),
            receiving: Mutex::default(),
        })
    }

    /// Announces an environment, with the parameters of `host`. The future has its host.
    fn host<'py>(&self, py: Python<'py>, announced: &str) -> PyResult<Bound<'py, PyAny>> {
        let host = match Call::read("host", Some(read(announced)?)) {
            Ok(Call::Host(host)) => host,
            Ok(_) => return Err(PyValueError::new_err("this is no `host`")),
            Err(error) => return Err(raised(py, error.into())),
        };
        promise(py, self.0.host(host), |py, hosted| {
            let hosted = Hosted { hosted: Mutex::new(Some(Arc::new(hosted))), receiving: Mutex::default() };
            Ok(Py::new(py, hosted)?.into_any())
        })
    }

    /// Ends the session. The future is done when that is done.
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
    /// Stops the task that waits for the next notification.
    receiving: Mutex<Option<AbortHandle>>,
}

#[pymethods]
impl Subscription {
    /// The future has the next notification. One future is waited for at a time.
    fn receive<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let notifications = self.notifications.clone();
        // It is sent now, so that requests keep their order.
        let begin = match notifications.try_lock() {
            Ok(begun) if begun.is_none() => Some(self.client.subscribe(read(&self.topic)?)),
            _ => None,
        };
        let received = async move {
            let mut notifications = notifications.lock().await;
            if let Some(begin) = begin {
                *notifications = Some(begin.await?);
            }
            match &mut *notifications {
                Some(notifications) => notifications.receive().await,
                None => Err(Error::Ended(situated_client::End::Closed)),
            }
        };
        let (future, receiving) = stoppable_promise(py, received, text)?;
        *self.receiving.lock().unwrap_or_else(PoisonError::into_inner) = Some(receiving);
        Ok(future)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        stop(&self.receiving);
    }
}

/// An environment that is run on this side.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Hosted {
    /// None when it was let go.
    hosted: Mutex<Option<Arc<situated_client::Hosted>>>,
    /// Stops the task that waits for the next call.
    receiving: Mutex<Option<AbortHandle>>,
}

#[pymethods]
impl Hosted {
    /// Its name on the server.
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.get(py)?.name().to_owned())
    }

    /// The future has what the server says next: the number, method and parameters of a call; a refusal of what was said; or
    /// nothing, when a lost connection is there again. One future is waited for at a time.
    fn receive<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let hosted = self.get(py)?;
        let name = hosted.name().into();
        let (future, receiving) =
            stoppable_promise(py, async move { hosted.receive().await }, |py, heard| match heard {
                ToHost::Call(HostRequest { number, task: call }) => {
                    let (method, params) = CallToHost { environment: name, call }.to_rpc();
                    Ok((number, method, json(&params)?).into_pyobject(py)?.into_any().unbind())
                }
                ToHost::Resumed => Ok(py.None()),
                ToHost::Refused(refusal) => Ok(raised(py, refusal.into()).into_value(py).into_any()),
            })?;
        *self.receiving.lock().unwrap_or_else(PoisonError::into_inner) = Some(receiving);
        Ok(future)
    }

    /// Answers a call, as the protocol writes answers of hosts.
    fn answer<'py>(&self, py: Python<'py>, number: u64, answer: &str) -> PyResult<Bound<'py, PyAny>> {
        let (answer, update) = read::<AnswerOfHost>(answer)?.into_parts();
        self.say(py, HostReport::Answer { number, answer, update })
    }

    /// Answers that a call was not done; if not `tried`, that the entity cannot do so at all. The update is what has changed
    /// anyway.
    fn fail<'py>(
        &self,
        py: Python<'py>,
        number: u64,
        reason: String,
        tried: bool,
        update: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.say(py, HostReport::Answer { number, answer: HostAnswer::Failed { reason, tried }, update: read(update)? })
    }

    /// Tells what has changed by itself.
    fn tell<'py>(&self, py: Python<'py>, update: &str) -> PyResult<Bound<'py, PyAny>> {
        self.say(py, HostReport::Update(read::<HostUpdate>(update)?))
    }

    /// The future has the state of the environment on the server and its entities, or nothing if it is over.
    fn standing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let hosted = self.get(py)?;
        promise(py, async move { hosted.standing().await }, |py, standing| {
            let standing = standing.map(|standing| Ok::<_, PyErr>((json(&standing.state)?, json(&standing.entities)?)));
            Ok(standing.transpose()?.into_pyobject(py)?.unbind())
        })
    }

    /// The environment is over.
    fn let_go(&self) {
        self.hosted.lock().unwrap_or_else(PoisonError::into_inner).take();
        stop(&self.receiving);
    }
}

impl Hosted {
    fn get(&self, py: Python<'_>) -> PyResult<Arc<situated_client::Hosted>> {
        let hosted = self.hosted.lock().unwrap_or_else(PoisonError::into_inner);
        hosted.clone().ok_or_else(|| raised(py, Error::Ended(situated_client::End::Closed)))
    }

    fn say<'py>(&self, py: Python<'py>, says: HostReport) -> PyResult<Bound<'py, PyAny>> {
        promise(py, self.get(py)?.say(says), nothing)
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        stop(&self.receiving);
    }
}

/// Stops a task that waits.
fn stop(receiving: &Mutex<Option<AbortHandle>>) {
    if let Some(receiving) = receiving.lock().unwrap_or_else(PoisonError::into_inner).take() {
        receiving.abort();
    }
}

fn text(py: Python<'_>, answer: Box<RawValue>) -> PyResult<Py<PyAny>> {
    Ok(PyString::new(py, &Box::<str>::from(answer)).into_any().unbind())
}

fn nothing(py: Python<'_>, (): ()) -> PyResult<Py<PyAny>> {
    Ok(py.None())
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
