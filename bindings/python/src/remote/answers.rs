//! Answers as futures of asyncio. Event loops drive the connections of all sessions of the process; while none of them
//! runs, a thread does, which runs no Python code: it lets event loops set the results of futures.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{mem, process};

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use situated_client::Error;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;

use super::driven::Driven;
use super::event_loop::{Connections, EventLoop};
use crate::error::raised;

/// Time after which a thread drives the connections because no event loop does.
const LONG: Duration = Duration::from_millis(20);

static CLIENTS: Mutex<Option<Clients>> = Mutex::new(None);
static GET_RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static FIND_RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static SETTLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// What all clients share.
struct Clients {
    /// Their process. A forked process has a copy of this value, but no thread that drives the connections.
    process: u32,
    driven: Arc<Driven>,
    connections: Arc<Connections>,
    event_loops: Vec<Py<EventLoop>>,
    /// At most one for each pending request and each subscription; both are bounded.
    completions: UnboundedSender<Completion>,
    /// Whether the interpreter runs. It is locked while futures are completed.
    running: Arc<Mutex<bool>>,
}

/// An answer with the future that waits for it, and the event loop of that future.
struct Completion {
    event_loop: Py<PyAny>,
    future: Py<PyAny>,
    answer: Reading,
}

type Reading = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// An answer that has arrived. Called once, it returns the value, or raises the error.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Answer(Mutex<Option<Reading>>);

#[pymethods]
impl Answer {
    fn __call__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let read = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        read.ok_or_else(|| PyRuntimeError::new_err("this answer was read already"))?(py)
    }
}

/// Returns a future of the running event loop with the [`Answer`], which `read` converts.
pub(super) fn promise<'py, R: Send + 'static>(
    py: Python<'py>,
    answer: impl Future<Output = Result<R, Error>> + Send + 'static,
    read: impl FnOnce(Python<'_>, R) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    stoppable_promise(py, answer, read).map(|(future, _)| future)
}

/// The task that waits for the next message, if there is one. It stops when this is dropped.
#[derive(Default)]
pub(super) struct Receiving(Mutex<Option<AbortHandle>>);

impl Receiving {
    /// Does the same as [`promise`], and takes the place of the last task.
    pub(super) fn promise<'py, R: Send + 'static>(
        &self,
        py: Python<'py>,
        answer: impl Future<Output = Result<R, Error>> + Send + 'static,
        read: impl FnOnce(Python<'_>, R) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (future, task) = stoppable_promise(py, answer, read)?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        Ok(future)
    }

    /// Stops the task.
    pub(super) fn stop(&self) {
        if let Some(task) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Does the same as [`promise`], and returns a handle that stops waiting for the answer.
fn stoppable_promise<'py, R: Send + 'static>(
    py: Python<'py>,
    answer: impl Future<Output = Result<R, Error>> + Send + 'static,
    read: impl FnOnce(Python<'_>, R) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<(Bound<'py, PyAny>, AbortHandle)> {
    let running = GET_RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?.call0()?;
    let future = running.call_method0(intern!(py, "create_future"))?;
    let (completions, driven, event_loop) = with_clients(py, |clients| {
        Ok((clients.completions.clone(), clients.driven.clone(), clients.event_loop(&running)?))
    })?;
    let (running, waiting) = (running.unbind(), future.clone().unbind());
    let task = driven.spawn(async move {
        let answered = answer.await;
        let answer: Reading = Box::new(move |py| read(py, answered.map_err(|error| raised(py, error))?));
        // The receiver is dropped when the interpreter ends.
        let _ = completions.send(Completion { event_loop: running, future: waiting, answer });
    });
    EventLoop::schedule(event_loop.bind(py))?;
    Ok((future, task))
}

/// The connections of all clients, which event loops watch.
pub(super) fn connections(py: Python<'_>) -> PyResult<Arc<Connections>> {
    with_clients(py, |clients| Ok(clients.connections.clone()))
}

/// Uses what all clients of this process share.
fn with_clients<R>(py: Python<'_>, using: impl FnOnce(&mut Clients) -> PyResult<R>) -> PyResult<R> {
    // Another thread of Python may wait for the lock while this one runs Python code.
    let mut clients = CLIENTS.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
    if let Some(clients) = clients.as_mut().filter(|clients| clients.process == process::id()) {
        return using(clients);
    }
    // In a forked process, what another thread had locked stays locked.
    mem::forget(clients.take());
    using(clients.insert(Clients::start(py)?))
}

impl Clients {
    fn start(py: Python<'_>) -> PyResult<Self> {
        let driven = Driven::start("situated clients", LONG);
        let driven = driven
            .map_err(|error| PyOSError::new_err(format!("the system cannot start a thread for clients: {error}")))?;
        let (completions, received) = unbounded_channel();
        let running = Arc::new(Mutex::new(true));
        py.import("atexit")?.call_method1("register", (wrap_pyfunction!(stop_completing, py)?,))?;
        driven.spawn(complete(received, running.clone()));
        let (process, driven, connections) = (process::id(), Arc::new(driven), Arc::default());
        Ok(Self { process, driven, connections, event_loops: Vec::new(), completions, running })
    }

    /// Returns what lets this event loop of asyncio drive the connections.
    fn event_loop(&mut self, asyncio: &Bound<'_, PyAny>) -> PyResult<Py<EventLoop>> {
        let py = asyncio.py();
        if let Some(known) = self.event_loops.iter().find(|one| one.get().is_of(asyncio)) {
            return Ok(known.clone_ref(py));
        }
        self.event_loops.retain(|one| !one.get().is_over(py));
        let new = EventLoop::new(asyncio.clone().unbind(), self.driven.clone(), self.connections.clone());
        let new = Py::new(py, new)?;
        self.event_loops.push(new.clone_ref(py));
        Ok(new)
    }
}

/// Completes futures in batches, as long as the interpreter runs.
async fn complete(mut completions: UnboundedReceiver<Completion>, running: Arc<Mutex<bool>>) {
    let mut batch = Vec::new();
    while completions.recv_many(&mut batch, usize::MAX).await > 0 {
        let running = running.lock().unwrap_or_else(PoisonError::into_inner);
        if !*running {
            return;
        }
        Python::attach(|py| {
            while let Some(event_loop) = batch.first().map(|first| first.event_loop.clone_ref(py)) {
                let of_loop = batch.extract_if(.., |one| one.event_loop.is(&event_loop)).collect();
                // A closed event loop needs no answers.
                let _ = hand_over(event_loop.bind(py), of_loop);
            }
        });
    }
}

/// Sets the results of futures of an event loop, if it is the one that drives the connections, or lets it do so.
fn hand_over(event_loop: &Bound<'_, PyAny>, completions: Vec<Completion>) -> PyResult<()> {
    let py = event_loop.py();
    let answered = completions.into_iter().map(|Completion { future, answer, .. }| {
        Ok((future.into_bound(py), Bound::new(py, Answer(Mutex::new(Some(answer))))?.into_any()))
    });
    let answered = answered.collect::<PyResult<Vec<_>>>()?;
    if FIND_RUNNING_LOOP.import(py, "asyncio", "_get_running_loop")?.call0()?.is(event_loop) {
        return settle(answered);
    }
    let settle = SETTLE.get_or_try_init(py, || Ok::<_, PyErr>(wrap_pyfunction!(settle, py)?.into_any().unbind()))?;
    event_loop.call_method1(intern!(py, "call_soon_threadsafe"), (settle, answered)).map(drop)
}

/// Makes the thread of the clients stop using the interpreter, which is about to end.
#[pyfunction]
fn stop_completing(py: Python<'_>) {
    let running = match &*CLIENTS.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner) {
        Some(clients) if clients.process == process::id() => clients.running.clone(),
        _ => return,
    };
    py.detach(|| *running.lock().unwrap_or_else(PoisonError::into_inner) = false);
}

/// Sets the results of futures, except for cancelled ones.
#[pyfunction]
fn settle(answered: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>) -> PyResult<()> {
    for (future, answer) in answered {
        let py = future.py();
        if !future.call_method0(intern!(py, "done"))?.is_truthy()? {
            future.call_method1(intern!(py, "set_result"), (answer,))?;
        }
    }
    Ok(())
}
