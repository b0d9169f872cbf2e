//! The rate limit of a connection: the server reads a faster connection more slowly.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Time that calls may be ahead of the limit before the connection waits.
const BURST: Duration = Duration::from_millis(250);

/// A bucket that drains at the rate of the limit.
#[derive(Debug)]
pub(super) struct Pacing {
    /// The share of time of one call.
    per_call: Duration,
    /// The time at which all calls so far will have used their share.
    until: Instant,
    /// Number of calls since the clock was read.
    uncounted: u32,
}

/// Number of calls after which the clock is read.
const UNCOUNTED: u32 = 64;

impl Pacing {
    pub(super) fn new(requests_per_second: u32) -> Self {
        let per_call = Duration::from_secs(1) / requests_per_second.max(1);
        Self { per_call, until: Instant::now(), uncounted: 0 }
    }

    /// Counts calls, and waits if they come too fast.
    pub(super) async fn count(&mut self, calls: usize) {
        self.uncounted = self.uncounted.saturating_add(u32::try_from(calls).unwrap_or(u32::MAX));
        if self.uncounted >= UNCOUNTED {
            let now = Instant::now();
            self.until = self.until.max(now) + self.per_call * self.uncounted;
            self.uncounted = 0;
            if self.until > now + BURST {
                sleep_until(self.until - BURST).await;
            }
        }
    }

    /// Returns whether the clock has to be read before more requests are taken.
    pub(super) fn is_exhausted(&self) -> bool {
        self.uncounted >= UNCOUNTED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn delays_clients_that_call_too_fast() {
        let mut pacing = Pacing::new(1000);
        let begin = Instant::now();
        for _ in 0..5 {
            pacing.count(200).await;
        }
        assert_eq!(begin.elapsed(), Duration::from_millis(1000) - BURST);
    }

    #[tokio::test(start_paused = true)]
    async fn never_delays_clients_within_the_limit() {
        let mut pacing = Pacing::new(1000);
        let begin = Instant::now();
        for second in 1..=3 {
            pacing.count(250).await;
            assert_eq!(begin.elapsed(), Duration::from_secs(second - 1));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    }
}
