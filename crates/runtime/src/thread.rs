//! A thread that drives an owner: for programs that have no executor of their own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};

use tokio::sync::{mpsc, oneshot};

use crate::handle::{Handle, Message};
use crate::owner::Owner;
use crate::request::Answered;
use crate::time::Clock;

/// Where the answers go that the thread's owner gives.
pub type ReplyTo = oneshot::Sender<Answered>;

/// Starts a thread that drives this owner, and returns a handle to it. The thread ends when the last handle is dropped;
/// joining it tells whether all was recorded that was to be.
///
/// # Errors
/// When the system starts no thread.
pub fn spawn(owner: Owner<ReplyTo>) -> io::Result<(Handle, JoinHandle<io::Result<()>>)> {
    let (handle, messages) = Handle::new(owner.ontology().clone());
    let name = owner.ontology().name.clone();
    let driver = Driver { owner, messages, clock: Clock::new() };
    Ok((handle, thread::Builder::new().name(name).spawn(move || driver.run())?))
}

struct Driver {
    owner: Owner<ReplyTo>,
    messages: mpsc::Receiver<Message>,
    clock: Clock,
}

/// What there is in the inbox after some messages have been taken from it.
enum Inbox {
    Empty,
    MoreToCome,
    Closed,
}

impl Driver {
    fn run(mut self) -> io::Result<()> {
        let bell = Arc::new(Bell { thread: thread::current(), rung: AtomicBool::new(false) });
        let waker = Waker::from(bell.clone());
        loop {
            let inbox = self.take_messages(&waker);
            self.owner.advance(self.clock.now());
            self.hand_out_replies();
            match inbox {
                Inbox::Empty => self.rest(&bell),
                Inbox::MoreToCome => {}
                Inbox::Closed => return self.owner.finish(self.clock.now()),
            }
        }
    }

    /// Takes what has been asked, but no more at a time than can wait: steps are made however much is asked.
    fn take_messages(&mut self, waker: &Waker) -> Inbox {
        for _ in 0..self.messages.max_capacity() {
            match self.messages.poll_recv(&mut Context::from_waker(waker)) {
                Poll::Ready(Some(message)) => self.take(message),
                Poll::Ready(None) => return Inbox::Closed,
                Poll::Pending => return Inbox::Empty,
            }
        }
        Inbox::MoreToCome
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Request(request, to) => self.owner.submit(to, request, self.clock.now()),
            // Whoever asked hears of a panic; see `Handle::look`.
            Message::Look(look) => drop(self.owner.look(|interface| look(interface))),
        }
    }

    fn hand_out_replies(&mut self) {
        while let Some((to, answered)) = self.owner.next_reply() {
            // Who asked may no longer want to know.
            let _ = to.send(answered);
        }
    }

    /// Waits until something is due or asked: whoever asks, or drops the last handle, rings.
    fn rest(&self, bell: &Bell) {
        if bell.rung.swap(false, Ordering::Acquire) {
            return;
        }
        match self.owner.deadline() {
            None => thread::park(),
            Some(deadline) => {
                let left = deadline.saturating_sub(self.clock.now().monotonic);
                if !left.is_zero() {
                    thread::park_timeout(left);
                }
            }
        }
    }
}

/// Wakes the thread that waits for messages. What is waited for in a program's decision may have used up the thread's
/// token, so it is also written down that it rang.
struct Bell {
    thread: Thread,
    rung: AtomicBool,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
