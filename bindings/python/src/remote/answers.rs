//! Answers as futures of asyncio. All sessions of the process share one thread, which runs no Python code: it lets event loops
//! set the results of futures.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::{process, thread};

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;
use situated_client::Error;
use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;

use crate::error::raised;

static CLIENTS: Mutex<Option<Clients>> = Mutex::new(None);
static GET_RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static SETTLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The thread of all clients.
#[derive(Clone)]
struct Clients {
    /// The process that started it. A forked process has a copy of this value, but no such thread.
    process: u32,
    runtime: Handle,
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
    let event_loop = GET_RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?.call0()?;
    let future = event_loop.call_method0(intern!(py, "create_future"))?;
    let (event_loop, waiting) = (event_loop.unbind(), future.clone().unbind());
    let Clients { runtime, completions, .. } = clients(py)?;
    let task = runtime.spawn(async move {
        let answered = answer.await;
        let answer: Reading = Box::new(move |py| read(py, answered.map_err(|error| raised(py, error))?));
        // The receiver is dropped when the interpreter ends.
        let _ = completions.send(Completion { event_loop, future: waiting, answer });
    });
    Ok((future, task.abort_handle()))
}

/// Returns the thread of all clients, and starts it in a new process.
fn clients(py: Python<'_>) -> PyResult<Clients> {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(clients) = clients.as_ref().filter(|clients| clients.process == process::id()) {
        return Ok(clients.clone());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (completions, received) = unbounded_channel();
    let running = Arc::new(Mutex::new(true));
    let started =
        Clients { process: process::id(), runtime: runtime.handle().clone(), completions, running: running.clone() };
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(stop_completing, py)?,))?;
    let run = move || runtime.block_on(complete(received, &running));
    let thread = thread::Builder::new().name("situated clients".into()).spawn(run);
    thread.map_err(|error| PyOSError::new_err(format!("the system cannot start a thread for clients: {error}")))?;
    Ok(clients.insert(started).clone())
}

/// Completes futures in batches, as long as the interpreter runs.
async fn complete(mut completions: UnboundedReceiver<Completion>, running: &Mutex<bool>) {
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

/// Hands answers to an event loop, which sets the results of their futures.
fn hand_over(event_loop: &Bound<'_, PyAny>, completions: Vec<Completion>) -> PyResult<()> {
    let py = event_loop.py();
    let settle = SETTLE.get_or_try_init(py, || Ok::<_, PyErr>(wrap_pyfunction!(settle, py)?.into_any().unbind()))?;
    let answered = completions.into_iter().map(|one| (one.future, Answer(Mutex::new(Some(one.answer)))));
    let answered = PyList::new(py, answered.collect::<Vec<_>>())?;
    event_loop.call_method1(intern!(py, "call_soon_threadsafe"), (settle, answered)).map(drop)
}

/// Makes the thread of the clients stop using the interpreter, which is about to end.
#[pyfunction]
fn stop_completing(py: Python<'_>) {
    let Some(Clients { process, running, .. }) = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner).clone() else {
        return;
    };
    if process == process::id() {
        py.detach(|| *running.lock().unwrap_or_else(PoisonError::into_inner) = false);
    }
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
