//! The other side of a connection, and the stream to it. The stream counts unfinished frames, serves other
//! connections between two reads of a large frame, reads more slowly from clients that use too much memory, and gives
//! up on clients that read nothing for too long or never finish a frame.

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

use crate::admission::Place;

/// Number of bytes after which an unfinished frame is counted again.
const STEP: usize = 16 << 10;

/// Size of a frame above which other connections are served before each further read.
const LARGE: usize = 16 << 10;

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
    slowed: Timer,
    silent: Timer,
    /// Whether data arrived since the last check for silence.
    has_read: bool,
    /// Whether other connections were served since the last read.
    has_yielded: bool,
}

/// The other side of a connection.
pub(crate) struct Peer {
    pub(crate) place: Place,
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
        let [stalled, finishing, slowed, silent] = Default::default();
        Self { stream, peer, patience, stalled, finishing, slowed, silent, has_read: false, has_yielded: false }
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
    pub(crate) fn new(place: Place) -> Arc<Self> {
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
        }
    }

    fn is_large(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed) >= LARGE
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
        if this.peer.place.is_slowed() {
            ready!(this.slowed.poll(context, PAUSE));
            this.slowed.reset();
        }
        if this.peer.is_large() && !std::mem::replace(&mut this.has_yielded, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = into.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, into);
        if read.is_ready() {
            this.has_yielded = false;
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

    use super::*;
    use crate::admission::{Admission, Bounds};

    #[tokio::test]
    async fn yields_to_other_connections_between_two_reads_of_a_large_frame() {
        let bounds = Bounds { connections: 1, connections_per_address: 1, bytes: 1 << 30 };
        let place = Admission::new(bounds).admit(Ipv4Addr::LOCALHOST.into()).expect("there is room");
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
}
