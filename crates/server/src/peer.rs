//! The other side of a connection, and the stream to it. The stream counts unfinished frames, serves other
//! connections between two reads of a large frame, reads large frames of many connections in turns, reads more slowly
//! from clients that use too much memory, and gives up on clients that read nothing for too long or never finish a frame.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use situated_store::Bell;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::admission::ConnectionPlace;

/// Number of bytes after which an unfinished frame is counted again.
const STEP: usize = 16 << 10;

/// Size of a frame above which other connections are served before each further read.
const LARGE: usize = 16 << 10;

/// Number of connections with large frames that the server reads without pauses.
const FEW: usize = 8;

/// Pause before each further read of a large frame, for each connection that also sends one. With this, hundreds of
/// them together take less than half of a core from the others.
const TURN: Duration = Duration::from_micros(100);

/// Pause before each read from a slowed connection.
const PAUSE: Duration = Duration::from_millis(20);

/// The time limits for the other side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Maximum time without reading anything that the server sends.
    pub(crate) taking: Duration,
    /// Maximum time from the first to the last byte of a frame.
    pub(crate) finishing: Duration,
}

/// The stream to a peer.
pub(crate) struct PeerStream<S> {
    stream: S,
    peer: Arc<Peer>,
    patience: Patience,
    stalled: Timer,
    finishing: Timer,
    pausing: Timer,
    silent: Timer,
    /// Whether data arrived since the last check for silence.
    has_read: bool,
    /// Whether the stream has paused since the last read.
    has_paused: bool,
}

/// The other side of a connection.
pub(crate) struct Peer {
    pub(crate) place: ConnectionPlace,
    /// Number of bytes of an unfinished frame that have arrived.
    unfinished: AtomicUsize,
    /// Number of bytes that are counted for it. Buffers grow by doubling, so each byte counts twice.
    counted: AtomicUsize,
    /// Whether another frame has begun since the stream last checked.
    is_another: AtomicBool,
    /// Number of milliseconds within which something must arrive; 0 without a limit.
    heartbeat: AtomicU64,
}

/// A timer that starts when it is first polled, and runs until it is reset.
#[derive(Default)]
struct Timer(Option<Pin<Box<Sleep>>>);

impl Bell for Peer {
    /// Makes the connection check its outbox.
    fn ring(&self) {
        self.place.bell().notify_one();
    }
}

impl<S> PeerStream<S> {
    pub(crate) fn new(stream: S, peer: Arc<Peer>, patience: Patience) -> Self {
        let [stalled, finishing, pausing, silent] = Default::default();
        Self { stream, peer, patience, stalled, finishing, pausing, silent, has_read: false, has_paused: false }
    }

    /// Whether nothing has arrived for the time of a heartbeat. The clock is not read at every frame, so detection
    /// can take twice that time.
    fn is_silent(&mut self, context: &mut Context<'_>) -> bool {
        let heartbeat = Duration::from_millis(self.peer.heartbeat.load(Ordering::Relaxed));
        while !heartbeat.is_zero() && self.silent.poll(context, heartbeat).is_ready() {
            self.silent.reset();
            if !std::mem::take(&mut self.has_read) {
                return true;
            }
        }
        false
    }

    /// Fails if the written data is not read for too long.
    fn unless_stalled<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled.reset();
            return written;
        }
        ready!(self.stalled.poll(context, self.patience.taking));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the other side reads nothing")))
    }
}

impl Peer {
    pub(crate) fn new(place: ConnectionPlace) -> Arc<Self> {
        let [unfinished, counted] = Default::default();
        Arc::new(Self { place, unfinished, counted, is_another: AtomicBool::new(false), heartbeat: AtomicU64::new(0) })
    }

    /// From now on, the connection ends if nothing arrives within this time.
    pub(crate) fn expect_heartbeat(&self, heartbeat: Option<Duration>) {
        let milliseconds = heartbeat.map_or(0, |heartbeat| u64::try_from(heartbeat.as_millis()).unwrap_or(u64::MAX));
        self.heartbeat.store(milliseconds, Ordering::Relaxed);
    }

    /// Notes that a frame is finished. The rest is the number of bytes of the next one that have arrived.
    pub(crate) fn finish(&self, rest: usize) {
        self.unfinished.store(rest, Ordering::Relaxed);
        self.is_another.store(true, Ordering::Relaxed);
        if self.counted.load(Ordering::Relaxed) > 0 {
            self.place.release(self.counted.swap(0, Ordering::Relaxed));
            self.place.note_large_frame(false);
        }
    }

    /// Notes that this number of bytes does not belong to the frame.
    pub(crate) fn leave_out(&self, bytes: usize) {
        self.unfinished.store(self.unfinished.load(Ordering::Relaxed).saturating_sub(bytes), Ordering::Relaxed);
    }

    fn add(&self, bytes: usize) {
        let now = self.unfinished.load(Ordering::Relaxed) + bytes;
        self.unfinished.store(now, Ordering::Relaxed);
        let due = now / STEP * STEP * 2;
        let counted = self.counted.load(Ordering::Relaxed);
        if due > counted {
            self.counted.store(due, Ordering::Relaxed);
            self.place.keep(due - counted);
            self.place.note_large_frame(true);
        }
    }

    fn is_large(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed) >= LARGE
    }

    /// Pause before the next read. A pause of zero lets only those go first that are ready.
    fn pause(&self) -> Option<Duration> {
        if self.place.is_slowed() {
            return Some(PAUSE);
        }
        self.is_large().then(|| match self.place.large_frames() {
            ..=FEW => Duration::ZERO,
            many => TURN * u32::try_from(many).unwrap_or(u32::MAX),
        })
    }

    fn has_finished(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed) == 0
    }
}

impl Timer {
    fn reset(&mut self) {
        self.0 = None;
    }

    fn poll(&mut self, context: &mut Context<'_>, after: Duration) -> Poll<()> {
        self.0.get_or_insert_with(|| Box::pin(sleep(after))).as_mut().poll(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PeerStream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.has_paused
            && let Some(pause) = this.peer.pause()
        {
            if pause.is_zero() {
                this.has_paused = true;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            ready!(this.pausing.poll(context, pause));
            this.has_paused = true;
        }
        let before = into.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, into);
        if read.is_ready() {
            this.has_paused = false;
            this.pausing.reset();
            this.peer.add(into.filled().len() - before);
            this.has_read = true;
            return read;
        }
        if this.is_silent(context) {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer is silent")));
        }
        if this.peer.is_another.swap(false, Ordering::Relaxed) || this.peer.has_finished() {
            this.finishing.reset();
        }
        if this.peer.has_finished() {
            return Poll::Pending;
        }
        ready!(this.finishing.poll(context, this.patience.finishing));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "a frame was not finished in time")))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PeerStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.unless_stalled(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.unless_stalled(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(context);
        this.unless_stalled(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let shut = Pin::new(&mut this.stream).poll_shutdown(context);
        this.unless_stalled(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures_util::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;
    use situated_hub::Budget;

    use crate::admission::{Admission, Bounds};

    #[tokio::test]
    async fn yields_to_other_connections_between_two_reads_of_a_large_frame() {
        let bounds = Bounds { connections: 1, connections_per_address: 1 };
        let place =
            Admission::new(bounds, Budget::new(1 << 30)).admit(Ipv4Addr::LOCALHOST.into()).expect("there is room");
        let (peer, (mut client, ours)) = (Peer::new(place), duplex(1 << 20));
        let patience = Patience { taking: Duration::from_secs(60), finishing: Duration::from_secs(60) };
        let mut stream = PeerStream::new(ours, peer.clone(), patience);
        client.write_all(&[b'x'; 4 * LARGE]).await.expect("there is room");

        let mut bytes = [0; LARGE];
        let mut read = async || stream.read(&mut bytes).await.expect("it is there");
        assert_eq!(read().now_or_never(), Some(LARGE), "the beginning of a frame is read at once");
        assert_eq!(read().now_or_never(), None, "yields to other connections");
        assert_eq!(read().now_or_never(), Some(LARGE));
        assert_eq!(read().now_or_never(), None, "yields after each read");
        peer.finish(0);
        assert_eq!(read().now_or_never(), Some(LARGE), "the next frame is not large yet");
    }

    #[tokio::test(start_paused = true)]
    async fn reads_large_frames_of_many_connections_in_turns() {
        const MANY: usize = 10 * FEW;
        let admission =
            Admission::new(Bounds { connections: MANY, connections_per_address: MANY }, Budget::new(1 << 30));
        let patience = Patience { taking: Duration::from_secs(60), finishing: Duration::from_secs(60) };
        let mut ends = Vec::new();
        for _ in 0..MANY {
            let (mut client, ours) = duplex(1 << 20);
            client.write_all(&[b'x'; 3 * LARGE]).await.expect("there is room");
            let peer = Peer::new(admission.admit(Ipv4Addr::LOCALHOST.into()).expect("there is room"));
            let mut stream = PeerStream::new(ours, peer.clone(), patience);
            stream
                .read_exact(&mut [0; LARGE])
                .now_or_never()
                .expect("the beginning is read at once")
                .expect("it is there");
            ends.push((client, stream, peer));
        }
        let (_, stream, peer) = &mut ends[0];
        let (mut bytes, begin) = ([0; LARGE], Instant::now());
        stream.read_exact(&mut bytes).await.expect("it is there");
        let waited = begin.elapsed();
        assert!(waited >= Duration::from_millis(8), "{MANY} turns of a tenth of a millisecond, not {waited:?}");

        peer.finish(0);
        assert_eq!(
            stream.read(&mut bytes).now_or_never().and_then(Result::ok),
            Some(LARGE),
            "the next frame is not large yet"
        );
        ends.truncate(1);
        assert_eq!(ends[0].2.place.large_frames(), 1, "the others are gone");
    }
}
