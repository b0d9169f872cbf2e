//! Connections that the thread which waits for their messages drives, so that no other thread has to be woken for each
//! of them.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, yield_now};

/// Maximum number of tasks that run before the connections are looked at again. It is so large that a turn runs all
/// tasks that can run.
const TASKS: u32 = 4096;

/// The tasks of connections. They run while a thread [waits](Self::wait), and while none has waited for long.
pub(super) struct Driven(Arc<Shared>);

struct Shared {
    /// Time without a thread that waits after which another one drives the connections.
    long: Duration,
    /// It is there until this is dropped.
    runtime: Option<Runtime>,
    turn: Mutex<Turn>,
    /// Notified when the substitute must look at the turn at once.
    changed: Condvar,
    /// Notified when the substitute must stop driving.
    back: Notify,
}

/// The thread that drives now, or soon.
#[derive(Clone, Copy)]
enum Turn {
    /// A thread that waits.
    Waiting,
    /// The substitute, from this time on.
    Substitute(Instant),
    /// Nobody needs the connection any more.
    Over,
}

impl Driven {
    /// Starts the thread with this name that is the substitute. It drives the connections after this time without a
    /// thread that waits, which is much shorter than the second within which a server may demand a message.
    pub(super) fn start(name: &str, long: Duration) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            long,
            runtime: Some(Builder::new_current_thread().enable_all().event_interval(TASKS).build()?),
            turn: Mutex::new(Turn::Substitute(Instant::now() + long)),
            changed: Condvar::new(),
            back: Notify::new(),
        });
        let substitute = shared.clone();
        thread::Builder::new().name(name.into()).spawn(move || substitute.drive_when_needed())?;
        Ok(Self(shared))
    }

    /// Drives the connection until the answer is there.
    pub(super) fn wait<R>(&self, answer: impl Future<Output = R>) -> R {
        self.0.set(Turn::Waiting);
        let answer = self.0.block_on(answer);
        *self.0.turn() = Turn::Substitute(Instant::now() + self.0.long);
        answer
    }

    /// Sends what waits, and runs the tasks whose messages have arrived.
    pub(super) fn turn(&self) {
        self.wait(async {
            // The runtime looks at the connections whenever this yields.
            for _ in 0..2 {
                yield_now().await;
            }
        });
    }

    /// Adds a task, which runs from the next turn on.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        self.0.runtime().spawn(task).abort_handle()
    }

    /// Lets the substitute drive now, unless a thread waits.
    pub(super) fn hurry(&self) {
        if let Turn::Substitute(from) = &mut *self.0.turn() {
            *from = Instant::now();
            self.0.changed.notify_one();
        }
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.0.set(Turn::Over);
        self.0.changed.notify_one();
    }
}

impl Shared {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the turn away from the substitute.
    fn set(&self, turn: Turn) {
        let mut present = self.turn();
        *present = turn;
        self.back.notify_waiters();
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("this is not dropped")
    }

    fn block_on<R>(&self, answer: impl Future<Output = R>) -> R {
        self.runtime().block_on(answer)
    }

    fn drive_when_needed(&self) {
        let mut turn = self.turn();
        loop {
            let pause = match *turn {
                Turn::Over => return,
                Turn::Waiting => self.long,
                Turn::Substitute(from) => from.saturating_duration_since(Instant::now()),
            };
            if pause.is_zero() {
                let mut back = pin!(self.back.notified());
                // From here on, a change of the turn ends this wait.
                back.as_mut().enable();
                drop(turn);
                self.block_on(back);
                turn = self.turn();
            } else {
                turn = self.changed.wait_timeout(turn, pause).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

impl Drop for Shared {
    /// Does not wait for a search for an address, which may take long, since other Python threads would wait as well.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
