//! Answers, to await or to wait for.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use crate::Error;

/// The answer to a call: `.await` it, or [`wait`](Self::wait) for it. Calls are sent at once and in order; dropping the answer
/// does not cancel the call.
///
/// There is no timeout: in lockstep, the answer to an action comes when the last agent has acted. Use
/// `tokio::time::timeout` to limit the time.
#[must_use = "an answer says whether the call has succeeded"]
pub struct Answer<'a, R>(Pin<Box<dyn Future<Output = Result<R, Error>> + Send + 'a>>);

impl<'a, R> Answer<'a, R> {
    pub(crate) fn new(answer: impl Future<Output = Result<R, Error>> + Send + 'a) -> Self {
        Self(Box::pin(answer))
    }

    /// The answer with its value converted.
    pub(crate) fn map<T>(self, convert: impl FnOnce(R) -> T + Send + 'a) -> Answer<'a, T>
    where
        R: 'a,
    {
        Answer::new(async move { self.await.map(convert) })
    }

    /// Blocks this thread until the answer arrives.
    ///
    /// # Errors
    /// Returns an error if the server refuses the call, or the session has ended.
    ///
    /// # Panics
    /// Panics in asynchronous code, whose thread must not be blocked.
    pub fn wait(mut self) -> Result<R, Error> {
        let asynchronous = tokio::runtime::Handle::try_current().is_ok();
        assert!(!asynchronous, "asynchronous code must `.await` an answer instead of calling `wait`");
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

/// Wakes a waiting thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
