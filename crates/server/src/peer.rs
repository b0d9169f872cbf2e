//! The other side of a connection, and the stream to it. The stream counts what the client leaves unfinished, lets other
//! connections have their turn between two reads of a large frame, reads more slowly from clients that owe too much, and
//! gives up on those that take nothing for too long or never finish a frame.

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

/// In steps of how many bytes a frame that is not finished is counted.
const STEP: usize = 16 << 10;

/// The size from which other connections have their turn before each further read of a frame.
const LARGE: usize = 16 << 10;

/// How long it is waited before each read from a connection that is slowed.
const PAUSE: Duration = Duration::from_millis(20);

/// How long the other side may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Without taking anything of what it is sent.
    pub(crate) taking: Duration,
    /// From the first byte of a frame to the last.
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
    /// Whether anything has come since it was last asked whether the peer is silent.
    has_read: bool,
    /// Whether other connections have had their turn since the last read.
    has_yielded: bool,
}

/// The other side of a connection.
pub(crate) struct Peer {
    pub(crate) place: Place,
    /// How many bytes have come of a frame that is not finished.
    unfinished: AtomicUsize,
    /// How many bytes are counted for it; buffers grow by doubling, so each that has come counts twice.
    counted: AtomicUsize,
    /// Whether another frame has begun since the stream looked.
    is_another: AtomicBool,
    /// In how many milliseconds something must come; 0 if the peer may be silent.
    heartbeat: AtomicU64,
}

/// A timer that runs from when it is first asked until it is reset.
#[derive(Default)]
struct Timer(Option<Pin<Box<Sleep>>>);

impl Bell for Peer {
    /// The connection looks at its outbox.
    fn ring(&self) {
        self.place.bell().notify_one();
    }
}

impl<S> PeerStream<S> {
    pub(crate) fn new(stream: S, peer: Arc<Peer>, patience: Patience) -> Self {
        let [stalled, finishing, slowed, silent] = Default::default();
        Self { stream, peer, patience, stalled, finishing, slowed, silent, has_read: false, has_yielded: false }
    }

    /// Whether nothing has come for the time of a heartbeat. The clock is not looked at with each frame, so that it may be
    /// found after twice that time.
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

    /// Gives up when what is written finds no room for too long.
    fn unless_stalled<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled.reset();
            return written;
        }
        ready!(self.stalled.poll(context, self.patience.taking));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the other side takes nothing")))
    }
}

impl Peer {
    pub(crate) fn new(place: Place) -> Arc<Self> {
        let [unfinished, counted] = Default::default();
        Arc::new(Self { place, unfinished, counted, is_another: AtomicBool::new(false), heartbeat: AtomicU64::new(0) })
    }

    /// From now on, something must come within this time, or the connection ends.
    pub(crate) fn expect_heartbeat(&self, heartbeat: Option<Duration>) {
        let milliseconds = heartbeat.map_or(0, |heartbeat| u64::try_from(heartbeat.as_millis()).unwrap_or(u64::MAX));
        self.heartbeat.store(milliseconds, Ordering::Relaxed);
    }

    /// Notes that a frame is finished. The rest is the number of bytes that have come of the next one.
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
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "a frame is not finished in time")))
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
    async fn others_have_their_turn_between_two_reads_of_a_large_frame() {
        let bounds = Bounds { connections: 1, connections_per_address: 1, bytes: 1 << 30 };
        let place = Admission::new(bounds).admit(Ipv4Addr::LOCALHOST.into()).expect("there is room");
        let (peer, (mut client, ours)) = (Peer::new(place), duplex(1 << 20));
        let patience = Patience { taking: Duration::from_secs(60), finishing: Duration::from_secs(60) };
        let mut stream = PeerStream::new(ours, peer.clone(), patience);
        client.write_all(&[b'x'; 4 * LARGE]).await.expect("there is room");

        let mut bytes = [0; LARGE];
        let mut read = async || stream.read(&mut bytes).await.expect("it is there");
        assert_eq!(read().now_or_never(), Some(LARGE), "the beginning of a frame is read at once");
        assert_eq!(read().now_or_never(), None, "others have their turn");
        assert_eq!(read().now_or_never(), Some(LARGE));
        assert_eq!(read().now_or_never(), None, "others have their turn after each read");
        peer.finish(0);
        assert_eq!(read().now_or_never(), Some(LARGE), "the next frame is not large yet");
    }
}
