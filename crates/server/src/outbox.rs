//! What is to be sent to somebody, and to whom: frames that wait for a connection to take them. Only answers wait here
//! unbidden, and of those there are as many as calls; what somebody has subscribed to is made when there is room for it.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use situated_wire::{Code, Error};
use tokio::sync::Notify;

use crate::instance::Instance;

/// Up to how many bytes may wait before those who have something new to say wait with it.
const ROOM: usize = 64 << 10;

/// How many bytes may wait at the most.
pub(crate) const OUTBOX_BYTES: usize = 16 << 20;

/// Frames that wait to be sent, each ended by a newline, which JSON has none of.
pub(crate) struct Outbox(Mutex<State>);

#[derive(Default)]
struct State {
    reader: Option<Reader>,
    /// The number of the connection that was attached last.
    last_connection: u64,
    frames: Vec<u8>,
    /// Who has something to say and waits until there is room.
    lagging: Vec<Lagging>,
    /// Why the connection is to be closed.
    closing: Option<Error>,
}

/// The connection that takes what is here.
struct Reader {
    connection: u64,
    bell: Arc<Notify>,
}

/// Who has something new to say.
#[derive(Clone)]
pub(crate) enum Lagging {
    /// An environment.
    Instance(Arc<Instance>),
    /// The server, about its environments.
    Server,
}

/// What a connection finds in an outbox.
pub(crate) enum Taken {
    /// Frames to be sent.
    Frames,
    /// Nothing but these, who have waited until there was room.
    Room(Vec<Lagging>),
    /// The connection is to be closed, for this reason.
    Close(Error),
}

impl Outbox {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    /// A connection takes from now on what is here, instead of any other, beginning with this. What was for another one is
    /// gone.
    pub(crate) fn attach(&self, connection: u64, bell: Arc<Notify>, greeting: &[u8]) {
        let mut state = self.lock();
        state.last_connection = connection;
        let former = state.reader.replace(Reader { connection, bell });
        state.frames.clear();
        state.frames.extend_from_slice(greeting);
        state.closing = None;
        drop(state);
        if let Some(Reader { bell, .. }) = former {
            bell.notify_one();
        }
    }

    /// A connection is lost; whether it was the one that took what is here.
    pub(crate) fn detach(&self, connection: u64) -> bool {
        let mut state = self.lock();
        let is_its_own = state.reader.as_ref().is_some_and(|reader| reader.connection == connection);
        if is_its_own {
            state.reader = None;
            state.frames.clear();
        }
        is_its_own
    }

    /// Whether this connection is lost, and no other has come since.
    pub(crate) fn is_forsaken_by(&self, connection: u64) -> bool {
        let state = self.lock();
        state.reader.is_none() && state.last_connection == connection
    }

    /// The connection is to be closed, after what waits has been sent.
    pub(crate) fn close(&self, reason: Error) {
        let mut state = self.lock();
        state.closing.get_or_insert(reason);
        state.ring();
    }

    /// Appends a frame, whole or not at all: for this connection only if it is given one, and for nobody if nobody is there.
    pub(crate) fn write(&self, connection: Option<u64>, frame: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        let mut state = self.lock();
        let Some(reader) = &state.reader else { return };
        if connection.is_some_and(|connection| connection != reader.connection) || state.closing.is_some() {
            return;
        }
        let begin = state.frames.len();
        // Memory takes everything; what cannot be JSON is nothing that is said.
        if frame(&mut state.frames).is_err() {
            return state.frames.truncate(begin);
        }
        state.frames.push(b'\n');
        if state.frames.len() > OUTBOX_BYTES {
            let message = format!("you have left {} MiB unread; read what you ask for", OUTBOX_BYTES >> 20);
            state.closing = Some(Error::new(Code::Limit, message));
            state.frames = Vec::new();
        }
        state.ring();
    }

    /// Whether there is room for something new; otherwise it is asked for again when there is.
    pub(crate) fn has_room(&self, or_later: impl FnOnce() -> Lagging) -> bool {
        let mut state = self.lock();
        if state.reader.is_some() && state.frames.len() < ROOM {
            return true;
        }
        let later = or_later();
        if !state.lagging.iter().any(|lagging| lagging.is_same(&later)) {
            state.lagging.push(later);
        }
        false
    }

    /// Whether so much waits that it should be sent before more is asked.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().frames.len() >= ROOM
    }

    /// A connection takes what waits for it, in exchange for an empty buffer.
    pub(crate) fn take(&self, connection: u64, buffer: &mut Vec<u8>) -> Taken {
        let mut state = self.lock();
        if state.reader.as_ref().is_none_or(|reader| reader.connection != connection) {
            return Taken::Close(Error::new(Code::TakenOver, "another connection goes on with this session"));
        }
        if !state.frames.is_empty() {
            buffer.clear();
            std::mem::swap(&mut state.frames, buffer);
            return Taken::Frames;
        }
        match state.closing.take() {
            Some(reason) => Taken::Close(reason),
            None => Taken::Room(std::mem::take(&mut state.lagging)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn ring(&self) {
        if let Some(reader) = &self.reader {
            reader.bell.notify_one();
        }
    }
}

impl Lagging {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Lagging::Instance(one), Lagging::Instance(other)) => Arc::ptr_eq(one, other),
            (Lagging::Server, Lagging::Server) => true,
            _ => false,
        }
    }
}
