//! The outbox of a session: frames that wait until a connection sends them, and calls that wait for answers. It
//! always accepts answers, since there are at most as many as calls. Sources make notifications only when it has
//! room.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use situated::iil::EcoString;
use situated::interface::Moment;
use situated_hub::{self as hub, Notification, Receiver, ReplyToken, TooLarge};
use situated_store::{Mark, Store};
use situated_wire::methods::{Answer, Stepped, TurnTaken};
use situated_wire::rpc::{self, Id};
use situated_wire::{Code, Error};
use slab::Slab;

use super::unwritten::Unwritten;
use super::{Clients, notifications};
use crate::data::CLIENT;
use crate::metrics::Metrics;
use crate::peer::Peer;

/// Number of waiting bytes above which notifications wait, and bytes are counted against the connection.
const ROOM: usize = 64 << 10;

/// Maximum number of bytes of a frame, or an eighth of the memory for all clients, if that is less. An answer or a
/// notification beyond it is an error instead.
const FRAME_BYTES: usize = 16 << 20;

/// Maximum number of waiting bytes: unsent frames, answers in unfinished batches, and calls without an answer. A client
/// that reads what it gets and asks for one thing at a time is always below: besides its calls, at most one large frame
/// is being sent, one is a notification that waits, and one the answer.
const OUTBOX_BYTES: usize = 4 * FRAME_BYTES;

thread_local! {
    /// An empty buffer for the answer to a step.
    static DRAFT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A list whose items are created while it is written.
struct Each<I>(RefCell<I>);

impl<I: Iterator<Item: Serialize>> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut *self.0.borrow_mut())
    }
}

/// The outbox of a session. Each frame in it ends with a newline, which JSON does not contain.
pub(crate) struct Outbox {
    state: Mutex<State>,
    metrics: Arc<Metrics>,
    /// Its key among all sessions.
    key: String,
    /// All sessions, with this one among them until it ends.
    sessions: Arc<Clients>,
    /// The store of the session, if it is stored.
    data: Option<Arc<Store>>,
    /// Maximum number of bytes of a frame.
    frame_bytes: usize,
}

#[derive(Default)]
struct State {
    reader: Option<Reader>,
    frames: Vec<u8>,
    /// The frames that must not be sent yet, if the session is stored.
    unwritten: Option<Unwritten>,
    /// The calls of the attached connection that wait for answers.
    calls: Slab<PendingCall>,
    /// The batches of the attached connection that wait for answers.
    batches: Slab<Batch>,
    /// Number of waiting bytes that are not in `frames`: those that the connection is sending, answers in batches,
    /// and calls.
    held: usize,
    /// Number of bytes that the connection is sending.
    sending: usize,
    /// Number of bytes that are counted against the connection.
    counted: usize,
    /// Whether the hub waits for room for notifications.
    is_room_awaited: bool,
    /// The reason to close the connection.
    closing: Option<Error>,
    /// Whether more waited than allowed. Nothing is added any more.
    has_overflowed: bool,
}

/// The connection that sends the frames.
struct Reader {
    connection: u64,
    peer: Arc<Peer>,
    /// Whether it found nothing and sleeps until its bell rings.
    sleeps: bool,
}

/// A call that waits for its answer.
struct PendingCall {
    sender: Sender,
    bytes: usize,
    batch: Option<InBatch>,
    /// The environment that it is about.
    environment: Option<EcoString>,
    /// Whether it only reads. Its answer can then be sent although changes cannot be written.
    only_reads: bool,
}

/// The origin of a pending call.
pub(crate) enum Sender {
    /// A call with this id; without an id, the client wants no answer.
    Client(Option<Id>),
    /// The answer of a host; the server responds only if it rejects the answer.
    Host,
}

/// The answers to the calls of one frame, which are sent in one frame.
struct Batch {
    /// One response for each request. It is empty while the response is missing, or if the client wants none.
    answers: Vec<Vec<u8>>,
    /// Their size.
    bytes: usize,
    missing: usize,
    /// Whether any of them must wait until changes are written.
    waits: bool,
}

/// The place of a message in a batch.
#[derive(Clone, Copy)]
pub(crate) struct InBatch {
    /// The key of the batch.
    pub(crate) batch: usize,
    pub(crate) place: usize,
}

/// The contents of an outbox that a connection takes.
pub(crate) enum Taken {
    /// Frames to send.
    Frames,
    /// Nothing, until the changes up to this mark are written.
    Unwritten(Mark),
    /// Nothing.
    Nothing {
        /// Whether notifications waited for room, which is now available.
        is_room_awaited: bool,
    },
    /// The connection must be closed, for this reason.
    Close(Error),
}

impl Outbox {
    /// Creates an outbox in a server that has this memory for all clients.
    pub(super) fn new(
        metrics: Arc<Metrics>,
        key: String,
        sessions: Arc<Clients>,
        data: Option<Arc<Store>>,
        memory: usize,
    ) -> Self {
        let state = State { unwritten: data.clone().map(Unwritten::new), ..State::default() };
        let frame_bytes = FRAME_BYTES.min(memory / 8);
        Self { state: Mutex::new(state), metrics, key, sessions, data, frame_bytes }
    }

    /// Attaches a connection, which replaces any other one, and begins with this frame. Drops everything for another
    /// connection.
    pub(crate) fn attach(&self, connection: u64, peer: Arc<Peer>, greeting: &[u8]) {
        let mut state = self.state.lock();
        state.clear();
        let former = state.reader.replace(Reader { connection, peer, sleeps: false });
        state.frames.extend_from_slice(greeting);
        let waits = !state.has_failed();
        state.hold_back(waits);
        state.is_room_awaited = true;
        (state.closing, state.has_overflowed) = (None, false);
        drop(state);
        if let Some(Reader { peer, .. }) = former {
            peer.place.bell().notify_one();
        }
    }

    /// Detaches a lost connection. Returns whether it was attached.
    pub(crate) fn detach(&self, connection: u64) -> bool {
        let mut state = self.state.lock();
        let is_attached = state.is_read_by(connection);
        if is_attached {
            state.clear();
            state.reader = None;
        }
        is_attached
    }

    /// Adds a request of this many bytes from a connection, about this environment. Returns the token for its response, and the number of
    /// requests that were already waiting; `None` if the connection is no longer attached.
    pub(crate) fn begin(
        &self,
        connection: u64,
        sender: Sender,
        bytes: usize,
        batch: Option<InBatch>,
        environment: Option<EcoString>,
    ) -> Option<(ReplyToken, usize)> {
        let mut state = self.state.lock();
        let pending = state.calls.len();
        match &mut state.reader {
            // It is awake, and checks the outbox before it sleeps.
            Some(reader) if reader.connection == connection => reader.sleeps = false,
            _ => return None,
        }
        let call = PendingCall { sender, bytes, batch, environment, only_reads: false };
        let token = token(connection, state.calls.insert(call));
        state.held += bytes;
        state.check_size();
        Some((token, pending))
    }

    /// Notes that a call only reads. Its answer can then be sent although changes cannot be written.
    pub(crate) fn note_reading(&self, token: ReplyToken) {
        let mut state = self.state.lock();
        if let Some(key) = state.key(token)
            && let Some(call) = state.calls.get_mut(key)
        {
            call.only_reads = true;
        }
    }

    /// Adds a batch of this many messages from a connection, and returns its key.
    pub(crate) fn begin_batch(&self, connection: u64, messages: usize) -> usize {
        let mut state = self.state.lock();
        if !state.is_read_by(connection) {
            return usize::MAX;
        }
        state.batches.insert(Batch { answers: vec![Vec::new(); messages], bytes: 0, missing: messages, waits: false })
    }

    /// Answers a call. If the answer is too large, writes an error instead, and returns the reason.
    pub(crate) fn write_answer(
        &self,
        token: ReplyToken,
        write: impl FnOnce(&mut Vec<u8>, &Id) -> io::Result<()>,
    ) -> Option<TooLarge> {
        let mut state = self.state.lock();
        let PendingCall { sender, batch, environment, only_reads, .. } = state.take_call(token)?;
        let Sender::Client(Some(id)) = sender else {
            state.skip(batch);
            return None;
        };
        let size = state.write_within(self.frame_bytes, batch, !only_reads, |out| write(out, &id)).err()?;
        let error = Error::from(&hub::Error::TooLarge { environment, size: size.clone() });
        self.metrics.count_error(&error);
        // The request was executed, so the error waits for its changes.
        state.write(batch, !only_reads, |out| rpc::write_error(out, Some(&id), &error));
        Some(size)
    }

    /// Refuses a call.
    pub(crate) fn write_error(&self, token: ReplyToken, error: &Error) {
        self.metrics.count_error(error);
        let mut state = self.state.lock();
        let Some(PendingCall { sender, batch, .. }) = state.take_call(token) else { return };
        match sender {
            Sender::Client(Some(id)) => state.write(batch, false, |out| rpc::write_error(out, Some(&id), error)),
            Sender::Client(None) => state.skip(batch),
            Sender::Host => state.write(batch, false, |out| rpc::write_error(out, None, error)),
        }
    }

    /// Rejects a message that is not a call.
    pub(crate) fn refuse(&self, connection: u64, id: Option<&Id>, error: &Error, batch: Option<InBatch>) {
        self.metrics.count_error(error);
        let mut state = self.state.lock();
        if state.is_read_by(connection) {
            state.write(batch, false, |out| rpc::write_error(out, id, error));
        }
    }

    /// Whether the waiting frames should be sent before more is read.
    pub(crate) fn is_full(&self) -> bool {
        self.state.lock().frames.len() >= ROOM
    }

    /// Takes the waiting frames, in exchange for an empty buffer.
    pub(crate) fn take(&self, connection: u64, buffer: &mut Vec<u8>) -> Taken {
        let mut guard = self.state.lock();
        guard.held -= std::mem::take(&mut guard.sending);
        let State { reader, frames, unwritten, held, sending, is_room_awaited, closing, .. } = &mut *guard;
        let Some(reader) = reader.as_mut().filter(|reader| reader.connection == connection) else {
            return Taken::Close(Error::new(Code::TakenOver, "another connection has resumed this session"));
        };
        if !frames.is_empty() {
            buffer.clear();
            match unwritten.as_mut().and_then(Unwritten::release) {
                None => std::mem::swap(frames, buffer),
                Some((0, Ok(mark))) => return Taken::Unwritten(mark),
                Some((0, Err(error))) => return Taken::Close(error),
                Some((released, _)) => buffer.extend(frames.drain(..released)),
            }
            *sending = buffer.len();
            *held += buffer.len();
            return Taken::Frames;
        }
        if let Some(reason) = closing.take() {
            return Taken::Close(reason);
        }
        let is_room_awaited = std::mem::take(is_room_awaited);
        reader.sleeps = !is_room_awaited;
        guard.recount();
        Taken::Nothing { is_room_awaited }
    }
}

impl Receiver for Outbox {
    fn answer(&self, token: ReplyToken, answer: Result<Answer, hub::Error>) -> Option<TooLarge> {
        match answer {
            Ok(answer) => self.write_answer(token, |out, id| rpc::write_answer(out, id, &answer)),
            Err(error) => {
                self.write_error(token, &Error::from(&error));
                None
            }
        }
    }

    /// Creates and writes the turns before the outbox is locked, since the environment may take time for them.
    fn answer_step(
        &self,
        token: ReplyToken,
        moment: Moment,
        turns: &mut dyn Iterator<Item = TurnTaken>,
    ) -> Option<TooLarge> {
        let id = self.state.lock().find_id(token);
        let Some(id) = id else { return self.write_answer(token, |_, _| Ok(())) };
        let mut draft = DRAFT.take();
        let stepped = Stepped { moment, agents: Each(RefCell::new(turns)) };
        let written = rpc::write_answer_within(self.frame_bytes, &mut draft, &id, &stepped);
        let too_large = self.write_answer(token, |out, _| {
            out.extend_from_slice(&draft);
            written
        });
        draft.clear();
        draft.shrink_to(ROOM);
        DRAFT.set(draft);
        too_large
    }

    fn notify(&self, notification: Notification<'_>) -> Option<TooLarge> {
        let mut state = self.state.lock();
        state.reader.as_ref()?;
        // An agent acts on a message, so it must not get one that may not be kept.
        let waits = matches!(notification, Notification::Mail { .. }) || !state.has_failed();
        state.write_within(self.frame_bytes, None, waits, |out| notifications::write(out, notification)).err()
    }

    fn has_room(&self) -> bool {
        let mut state = self.state.lock();
        let has_room = state.reader.is_some() && state.frames.len() < ROOM && state.sending <= self.frame_bytes;
        state.is_room_awaited |= !has_room;
        has_room
    }

    fn close(&self, reason: hub::Error) {
        self.sessions.lock().remove(&self.key);
        if let Some(data) = &self.data {
            data.remove(CLIENT, &self.key);
        }
        let mut state = self.state.lock();
        state.closing.get_or_insert_with(|| Error::from(&reason));
        state.ring();
    }
}

impl State {
    fn is_read_by(&self, connection: u64) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.connection == connection)
    }

    fn clear(&mut self) {
        self.frames.clear();
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.clear();
        }
        self.calls.clear();
        self.batches.clear();
        (self.held, self.sending) = (0, 0);
        self.recount();
    }

    /// Updates the number of bytes that are counted against the connection, unless few bytes wait.
    fn recount(&mut self) {
        let waiting = self.frames.len() + self.held;
        let Some(Reader { peer, .. }) = &self.reader else { return };
        if waiting > self.counted + ROOM {
            peer.place.keep(waiting - self.counted);
            self.counted = waiting;
        } else if waiting + ROOM < self.counted || waiting == 0 && self.counted > 0 {
            peer.place.release(self.counted - waiting);
            self.counted = waiting;
        }
    }

    /// The key of the call with this token, unless the call came over another connection.
    fn key(&self, of: ReplyToken) -> Option<usize> {
        let connection = self.reader.as_ref()?.connection;
        let key = (of.0 as u32) as usize;
        (token(connection, key) == of).then_some(key)
    }

    fn take_call(&mut self, of: ReplyToken) -> Option<PendingCall> {
        let call = self.calls.try_remove(self.key(of)?)?;
        self.held -= call.bytes;
        Some(call)
    }

    /// The id of the call with this token, if it has one.
    fn find_id(&self, of: ReplyToken) -> Option<Id> {
        match &self.calls.get(self.key(of)?)?.sender {
            Sender::Client(id) => id.clone(),
            Sender::Host => None,
        }
    }

    /// Whether changes cannot be written at present.
    fn has_failed(&self) -> bool {
        self.unwritten.as_ref().is_some_and(Unwritten::has_failed)
    }

    /// Holds back the frames so far until the current changes are written, if they must wait for that.
    fn hold_back(&mut self, waits: bool) {
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.hold_back(self.frames.len(), waits);
        }
    }

    /// Adds a frame, or the answer to a message in a batch. It may have to wait until the current changes are
    /// written.
    fn write(&mut self, batch: Option<InBatch>, waits: bool, frame: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        // Without a limit, nothing is too large.
        let _ = self.write_within(usize::MAX, batch, waits, frame);
    }

    /// Like `write`, unless the frame, or all answers of the batch, become larger than this limit. Adds nothing then.
    fn write_within(
        &mut self,
        limit: usize,
        batch: Option<InBatch>,
        waits: bool,
        frame: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> Result<(), TooLarge> {
        if let Some(InBatch { batch: key, place }) = batch {
            let (mut answer, before) = (Vec::new(), self.batches.get(key).map_or(0, |batch| batch.bytes));
            let written = frame(&mut answer);
            check_frame(&answer, limit.saturating_sub(before), limit)?;
            if written.is_ok()
                && let Some(batch) = self.batches.get_mut(key)
            {
                self.held += answer.len();
                batch.bytes += answer.len();
                batch.answers[place] = answer;
                batch.waits |= waits;
                self.check_size();
            }
            self.skip(Some(InBatch { batch: key, place }));
            return Ok(());
        }
        if self.has_overflowed {
            return Ok(());
        }
        let begin = self.frames.len();
        let written = frame(&mut self.frames);
        let checked = check_frame(&self.frames[begin..], limit, limit);
        // Writing to memory cannot fail. A value that is not valid JSON is not sent.
        if written.is_err() || checked.is_err() {
            self.frames.truncate(begin);
            self.frames.shrink_to(begin.max(ROOM));
            return checked;
        }
        self.frames.push(b'\n');
        self.hold_back(waits);
        self.check_size();
        self.ring();
        Ok(())
    }

    /// Notes that a message of a batch is finished. After the last one, all answers are sent, if there are any.
    fn skip(&mut self, batch: Option<InBatch>) {
        let Some(InBatch { batch: key, .. }) = batch else { return };
        let Some(batch) = self.batches.get_mut(key) else { return };
        batch.missing -= 1;
        if batch.missing > 0 {
            return;
        }
        let Batch { answers, bytes, waits, .. } = self.batches.remove(key);
        self.held -= bytes;
        let mut answers = answers.iter().filter(|answer| !answer.is_empty()).peekable();
        if answers.peek().is_none() {
            return;
        }
        self.write(None, waits, |out| {
            let mut separator = b'[';
            for answer in answers {
                out.push(separator);
                out.extend_from_slice(answer);
                separator = b',';
            }
            out.push(b']');
            Ok(())
        });
    }

    /// Closes the connection of a client for which too much waits.
    fn check_size(&mut self) {
        self.recount();
        if self.frames.len() + self.held > OUTBOX_BYTES {
            let message = format!(
                "more than {} MiB of answers wait for you; read the answers before you make more calls",
                OUTBOX_BYTES >> 20
            );
            self.closing = Some(Error::new(Code::Limit, message));
            self.has_overflowed = true;
            self.frames = Vec::new();
            if let Some(unwritten) = &mut self.unwritten {
                unwritten.clear();
            }
            self.ring();
        }
    }

    /// Wakes the connection. A connection that is awake checks the outbox before it sleeps.
    fn ring(&mut self) {
        if let Some(reader) = &mut self.reader
            && std::mem::take(&mut reader.sleeps)
        {
            reader.peer.place.bell().notify_one();
        }
    }
}

/// Returns an error if a frame has more bytes than there is room for, with the part that makes it large.
fn check_frame(frame: &[u8], room: usize, limit: usize) -> Result<(), TooLarge> {
    if frame.len() <= room {
        return Ok(());
    }
    let largest = largest_perception(frame).map(|(entity, bytes)| (entity.into(), bytes));
    Err(TooLarge { bytes: frame.len(), limit, largest })
}

/// Returns the entity with the largest perception in a frame, and the size of that.
fn largest_perception(frame: &[u8]) -> Option<(String, usize)> {
    #[derive(Deserialize)]
    struct Perceiving<'a> {
        #[serde(borrow, alias = "params")]
        result: Parts<'a>,
    }
    #[derive(Deserialize)]
    struct Parts<'a> {
        #[serde(borrow)]
        perceptions: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Part {
        entity: String,
    }
    let Perceiving { result: Parts { perceptions } } = serde_json::from_slice(frame).ok()?;
    let largest = perceptions.into_iter().map(RawValue::get).max_by_key(|part| part.len())?;
    let Part { entity } = serde_json::from_str(largest).ok()?;
    Some((entity, largest.len()))
}

/// The token of a call: its key, and the connection over which it came.
fn token(connection: u64, key: usize) -> ReplyToken {
    ReplyToken(connection << 32 | key as u64 & u64::from(u32::MAX))
}
