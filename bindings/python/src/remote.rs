//! Sessions with servers: the Rust client, with futures of asyncio. Parameters and answers of most methods are JSON,
//! which `situated.remote` reads and writes.

mod agent;
mod answers;
mod directory;
mod driven;
mod event_loop;
mod hosted;
mod hosting;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::value::RawValue;
use situated::reading;
use situated_client::{Address, Client, Connect, End, Error};

use crate::error::raised;
use crate::terms::{json, read_json};
pub(crate) use agent::Agent;
pub(crate) use answers::Answer;
use answers::{Receiving, connections, promise};
pub(crate) use directory::{Directory, directory_changes};
pub(crate) use hosted::Hosted;
pub(crate) use hosting::Hosting;

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
        let role = serde_json::Value::from(role).to_string();
        let role = reading::json(&role).map_err(|unreadable| PyValueError::new_err(unreadable.problem))?;
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
        let connections = connections(py)?;
        let connect = self.0.clone().on_connection(move |stream| connections.add(stream));
        promise(py, connect.into_future(), |py, client| Ok(Py::new(py, Session(client))?.into_any()))
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
        let host = hosted::read_announced(py, announced)?;
        promise(py, self.0.host(host), |py, hosted| Ok(Py::new(py, Hosted::new(hosted))?.into_any()))
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

fn text(py: Python<'_>, answer: Box<RawValue>) -> PyResult<Py<PyAny>> {
    Ok(PyString::new(py, &Box::<str>::from(answer)).into_any().unbind())
}

fn nothing(py: Python<'_>, (): ()) -> PyResult<Py<PyAny>> {
    Ok(py.None())
}
