//! Answers, for those who await and for those who wait.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use crate::Error;

/// An answer that may be still to come: `.await` it, or [`wait`](Self::wait) for it. What is asked is sent at once, in the
/// order in which it is asked; who drops the answer does not take it back.
///
/// There is no limit to how long an answer takes: where all act together, the answer to an action comes when the last of
/// them has acted. Whoever has no time says so, with `tokio::time::timeout`.
#[must_use = "an answer says whether it was done"]
pub struct Answer<'a, R>(Pin<Box<dyn Future<Output = Result<R, Error>> + Send + 'a>>);

impl<'a, R> Answer<'a, R> {
    pub(crate) fn new(answer: impl Future<Output = Result<R, Error>> + Send + 'a) -> Self {
        Self(Box::pin(answer))
    }

    /// Waits for the answer on this thread.
    ///
    /// # Errors
    /// When what was asked is refused, or the session has ended.
    ///
    /// # Panics
    /// Within asynchronous code, whose thread must not wait.
    pub fn wait(mut self) -> Result<R, Error> {
        let asynchronous = tokio::runtime::Handle::try_current().is_ok();
        assert!(!asynchronous, "asynchronous code awaits an answer, it does not wait for it");
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match self.0.as_mut().poll(&mut context) {
                Poll::Ready(answered) => return answered,
                Poll::Pending => thread::park(),
            }
        }
    }
}

impl<R> Future for Answer<'_, R> {
    type Output = Result<R, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
