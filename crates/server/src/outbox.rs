//! What is to be sent to somebody, and to whom: frames that wait for a connection to take them. Only answers wait here
//! unbidden, and of those there are as many as calls; what somebody has subscribed to is made when there is room for it.

use std::io;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use situated_wire::{Code, Error};
use tokio::sync::Notify;

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
    /// How many bytes wait elsewhere, until what belongs to them has come.
    held: usize,
    /// Who has something to say and waits until there is room.
    lagging: Vec<Weak<dyn Teller>>,
    /// Why the connection is to be closed.
    closing: Option<Error>,
    /// More was left unread than can wait: nothing is added any more.
    overflowed: bool,
}

/// The connection that takes what is here.
struct Reader {
    connection: u64,
    bell: Arc<Notify>,
    /// It has found nothing, and sleeps until its bell rings.
    sleeps: bool,
}

/// Who has something new to say, and makes it only when there is room for it.
pub(crate) trait Teller: Send + Sync {
    /// There is room again for what this session is to be told.
    fn go_on(self: Arc<Self>, session: u64);
}

/// What a connection finds in an outbox.
pub(crate) enum Taken {
    /// Frames to be sent.
    Frames,
    /// Nothing but these, who have waited until there was room.
    Room(Vec<Weak<dyn Teller>>),
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
        let mut state = self.0.lock();
        state.last_connection = connection;
        let former = state.reader.replace(Reader { connection, bell, sleeps: false });
        state.frames.clear();
        state.frames.extend_from_slice(greeting);
        state.held = 0;
        state.closing = None;
        state.overflowed = false;
        drop(state);
        if let Some(Reader { bell, .. }) = former {
            bell.notify_one();
        }
    }

    /// A connection is lost; whether it was the one that took what is here.
    pub(crate) fn detach(&self, connection: u64) -> bool {
        let mut state = self.0.lock();
        let is_its_own = state.is_read_by(connection);
        if is_its_own {
            state.reader = None;
            state.frames.clear();
        }
        is_its_own
    }

    /// Whether this connection is lost, and no other has come since.
    pub(crate) fn is_forsaken_by(&self, connection: u64) -> bool {
        let state = self.0.lock();
        state.reader.is_none() && state.last_connection == connection
    }

    /// The connection is to be closed, after what waits has been sent.
    pub(crate) fn close(&self, reason: Error) {
        let mut state = self.0.lock();
        state.closing.get_or_insert(reason);
        state.ring();
    }

    /// Appends a frame, whole or not at all: for this connection only if it is given one, and for nobody if nobody is there.
    pub(crate) fn write(&self, connection: Option<u64>, frame: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        let mut state = self.0.lock();
        let Some(reader) = &state.reader else { return };
        if connection.is_some_and(|connection| connection != reader.connection) || state.overflowed {
            return;
        }
        let begin = state.frames.len();
        // Memory takes everything; what cannot be JSON is nothing that is said.
        if frame(&mut state.frames).is_err() {
            return state.frames.truncate(begin);
        }
        state.frames.push(b'\n');
        state.check_size();
        state.ring();
    }

    /// So many bytes for this connection wait elsewhere.
    pub(crate) fn hold(&self, connection: u64, bytes: usize) {
        let mut state = self.0.lock();
        if state.is_read_by(connection) {
            state.held += bytes;
            state.check_size();
        }
    }

    /// So many bytes no longer wait elsewhere.
    pub(crate) fn let_go(&self, connection: u64, bytes: usize) {
        let mut state = self.0.lock();
        if state.is_read_by(connection) {
            state.held -= bytes;
        }
    }

    /// Whether there is room for something new; otherwise whoever has it goes on when there is.
    pub(crate) fn has_room(&self, teller: &Weak<dyn Teller>) -> bool {
        let mut state = self.0.lock();
        if state.reader.is_some() && state.frames.len() < ROOM {
            return true;
        }
        if !state.lagging.iter().any(|lagging| lagging.ptr_eq(teller)) {
            state.lagging.push(teller.clone());
        }
        false
    }

    /// Whether so much waits that it should be sent before more is asked.
    pub(crate) fn is_full(&self) -> bool {
        self.0.lock().frames.len() >= ROOM
    }

    /// A connection takes what waits for it, in exchange for an empty buffer.
    pub(crate) fn take(&self, connection: u64, buffer: &mut Vec<u8>) -> Taken {
        let mut guard = self.0.lock();
        let State { reader, frames, lagging, closing, .. } = &mut *guard;
        let Some(reader) = reader.as_mut().filter(|reader| reader.connection == connection) else {
            return Taken::Close(Error::new(Code::TakenOver, "another connection goes on with this session"));
        };
        if !frames.is_empty() {
            buffer.clear();
            std::mem::swap(frames, buffer);
            return Taken::Frames;
        }
        if let Some(reason) = closing.take() {
            return Taken::Close(reason);
        }
        reader.sleeps = lagging.is_empty();
        Taken::Room(std::mem::take(lagging))
    }
}

impl State {
    fn is_read_by(&self, connection: u64) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.connection == connection)
    }

    /// Who leaves too much unread is sent away.
    fn check_size(&mut self) {
        if self.frames.len() + self.held > OUTBOX_BYTES {
            let message = format!("you have left {} MiB unread; read what you ask for", OUTBOX_BYTES >> 20);
            self.closing = Some(Error::new(Code::Limit, message));
            self.overflowed = true;
            self.frames = Vec::new();
            self.ring();
        }
    }

    /// Wakes the connection; one that is awake looks here before it sleeps.
    fn ring(&mut self) {
        if let Some(reader) = &mut self.reader
            && std::mem::take(&mut reader.sleeps)
        {
            reader.bell.notify_one();
        }
    }
}
