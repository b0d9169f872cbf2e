//! Event loops that watch the connections of clients. An event loop drives the connections itself while it runs, so
//! that no other thread has to be woken for each message.

use std::any::Any;
use std::collections::BTreeMap;
use std::mem;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use tokio::net::TcpStream;

use super::driven::Driven;

/// A second handle of the socket of a connection, for event loops that wait until it is readable.
pub(super) struct Socket(std::net::TcpStream);

/// The connections of all clients of the process.
#[derive(Default)]
pub(super) struct Connections(Mutex<Open>);

#[derive(Default)]
struct Open {
    /// By the order in which they were opened.
    sockets: BTreeMap<u64, Arc<Socket>>,
    opened: u64,
    closed: u64,
}

/// A connection as long as it is open.
struct Registered {
    connections: Arc<Connections>,
    number: u64,
}

impl Connections {
    /// Adds a connection. The result removes it when it is dropped.
    pub(super) fn add(self: &Arc<Self>, stream: &TcpStream) -> Box<dyn Any + Send> {
        // Without a second handle, the substitute drives the connection.
        let Some(socket) = Socket::of(stream) else { return Box::new(()) };
        let mut open = lock(&self.0);
        open.opened += 1;
        let number = open.opened;
        open.sockets.insert(number, Arc::new(socket));
        Box::new(Registered { connections: self.clone(), number })
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut open = lock(&self.connections.0);
        open.closed += 1;
        if let Some(socket) = open.sockets.remove(&self.number) {
            // Ends the connection although event loops still have this handle, and wakes them, so that they close it.
            let _ = socket.0.shutdown(Shutdown::Both);
        }
    }
}

/// An event loop of asyncio. It calls this when a connection is readable, and once after calls to the server.
#[pyclass(module = "situated._native", frozen)]
pub(super) struct EventLoop {
    /// The object of asyncio.
    asyncio: Py<PyAny>,
    driven: Arc<Driven>,
    connections: Arc<Connections>,
    watched: Mutex<Watched>,
    /// Whether the event loop is going to call this.
    scheduled: AtomicBool,
}

/// The connections that an event loop watches.
#[derive(Default)]
struct Watched {
    sockets: BTreeMap<u64, Arc<Socket>>,
    /// The numbers of opened and closed connections that it knows.
    known: (u64, u64),
    /// Whether it cannot watch sockets, as the one of asyncio on Windows.
    impossible: bool,
}

impl EventLoop {
    pub(super) fn new(asyncio: Py<PyAny>, driven: Arc<Driven>, connections: Arc<Connections>) -> Self {
        let watched = Mutex::new(Watched { impossible: cfg!(not(unix)), ..Watched::default() });
        Self { asyncio, driven, connections, watched, scheduled: AtomicBool::new(false) }
    }

    pub(super) fn is_of(&self, asyncio: &Bound<'_, PyAny>) -> bool {
        self.asyncio.is(asyncio)
    }

    /// Whether the event loop is closed.
    pub(super) fn is_over(&self, py: Python<'_>) -> bool {
        let closed = self.asyncio.call_method0(py, intern!(py, "is_closed"));
        closed.is_ok_and(|closed| closed.is_truthy(py).unwrap_or(false))
    }

    /// Lets the connections be driven as soon as the event loop waits. Calls until then are sent together.
    pub(super) fn schedule(this: &Bound<'_, Self>) -> PyResult<()> {
        let py = this.py();
        let one = this.get();
        if lock(&one.watched).impossible {
            one.driven.hurry();
        } else if !one.scheduled.swap(true, Ordering::Relaxed) {
            one.asyncio.call_method1(py, intern!(py, "call_soon"), (this,))?;
        }
        Ok(())
    }
}

#[pymethods]
impl EventLoop {
    fn __call__(this: &Bound<'_, Self>) {
        let one = this.get();
        one.scheduled.store(false, Ordering::Relaxed);
        this.py().detach(|| one.driven.turn());
        let mut watched = lock(&one.watched);
        if one.follow(this, &mut watched).is_err() {
            watched.impossible = true;
            one.driven.hurry();
        }
    }
}

impl EventLoop {
    /// Watches the connections that are open now.
    fn follow(&self, this: &Bound<'_, Self>, watched: &mut Watched) -> PyResult<()> {
        let py = this.py();
        let open = lock(&self.connections.0);
        let before = mem::replace(&mut watched.known, (open.opened, open.closed));
        if watched.known == before {
            return Ok(());
        }
        let opened: Vec<_> = open.sockets.range(before.0 + 1..).map(|(number, one)| (*number, one.clone())).collect();
        let is_closed = |number: &u64, _: &mut Arc<Socket>| !open.sockets.contains_key(number);
        let closed: Vec<_> = watched.sockets.extract_if(.., is_closed).collect();
        drop(open);
        // A handle is closed only when it is no longer watched.
        for (_, socket) in closed {
            self.asyncio.call_method1(py, intern!(py, "remove_reader"), (socket.descriptor(),))?;
        }
        for (number, socket) in opened {
            self.asyncio.call_method1(py, intern!(py, "add_reader"), (socket.descriptor(), this))?;
            watched.sockets.insert(number, socket);
        }
        Ok(())
    }
}

#[cfg(unix)]
impl Socket {
    fn of(stream: &TcpStream) -> Option<Self> {
        use std::os::fd::AsFd;
        Some(Self(stream.as_fd().try_clone_to_owned().ok()?.into()))
    }

    fn descriptor(&self) -> i32 {
        use std::os::fd::AsRawFd;
        self.0.as_raw_fd()
    }
}

#[cfg(not(unix))]
impl Socket {
    fn of(_: &TcpStream) -> Option<Self> {
        None
    }

    fn descriptor(&self) -> i32 {
        -1
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
