//! The memory that clients make the server use: one limit in bytes for everything.
//!
//! Two sums count against the limit. Connections count what waits to be read or sent. Everything that is kept beyond
//! a request counts as kept: hosted environments, environments with the size of their saved states, mail, the
//! directory. What is kept takes at most half of the limit, so that connections always have the other half.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// The part of the limit that can be kept: one half.
const KEPT: usize = 2;

/// The part of the limit that can be kept for one session: one eighth.
const OF_SESSION: usize = 8;

/// The memory that clients make the server use, and its limit.
#[derive(Debug)]
pub struct Budget {
    limit: usize,
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    kept: usize,
    connections: usize,
}

/// The bytes that are kept for one session.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    /// Changed only while the sums of the budget are locked.
    kept: AtomicUsize,
}

/// The bytes of one thing that is kept. Dropping it frees them.
#[derive(Debug)]
pub struct Charge {
    budget: Arc<Budget>,
    share: Option<Arc<Share>>,
    bytes: usize,
}

/// The reason why the server cannot keep more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRoom {
    /// The session makes the server keep too much.
    #[error(
        "this needs {} KiB more, but the server keeps {} KiB for your session, of at most {} KiB; \
         remove something that your session keeps",
        kib(*wanted), kib(*kept), kib(*limit)
    )]
    InSession {
        /// The additional bytes.
        wanted: usize,
        /// The bytes that are kept for the session.
        kept: usize,
        /// Their limit.
        limit: usize,
    },
    /// All clients together make the server keep too much.
    #[error(
        "this needs {} KiB more, but the server keeps {} KiB for all clients, and has {} KiB left; \
         remove an environment, or start the server with more --memory",
        kib(*wanted), kib(*kept), kib(*left)
    )]
    InTotal {
        /// The additional bytes.
        wanted: usize,
        /// The bytes that are kept for all clients.
        kept: usize,
        /// The bytes that could be added.
        left: usize,
    },
}

fn kib(bytes: usize) -> usize {
    bytes.div_ceil(1024)
}

impl Budget {
    /// Creates a budget with this limit in bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, sums: Mutex::default() })
    }

    /// The limit in bytes for connections and everything that is kept.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The number of bytes that are kept.
    pub fn kept(&self) -> usize {
        self.sums.lock().kept
    }

    /// The number of bytes that connections use.
    pub fn connections(&self) -> usize {
        self.sums.lock().connections
    }

    /// The number of bytes that connections may use at present: what is not kept, and at least half of the limit.
    pub fn room_of_connections(&self) -> usize {
        self.limit - self.kept().min(self.limit / KEPT)
    }

    /// Adds bytes of a connection.
    pub fn add_to_connections(&self, bytes: usize) {
        self.sums.lock().connections += bytes;
    }

    /// Subtracts bytes of a connection.
    pub fn subtract_from_connections(&self, bytes: usize) {
        self.sums.lock().connections -= bytes;
    }

    /// Begins a charge of zero bytes for something that belongs to no session.
    pub fn charge(self: &Arc<Self>) -> Charge {
        Charge { budget: self.clone(), share: None, bytes: 0 }
    }

    /// Begins the share of a session.
    pub(crate) fn share(self: &Arc<Self>) -> Arc<Share> {
        Arc::new(Share { budget: self.clone(), kept: AtomicUsize::new(0) })
    }

    /// The number of bytes that can be added to what is kept.
    fn left(&self, sums: &Sums) -> usize {
        let unused = self.limit.saturating_sub(sums.kept + sums.connections);
        (self.limit / KEPT).saturating_sub(sums.kept).min(unused)
    }
}

impl Share {
    /// The number of bytes that are kept for the session.
    pub(crate) fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// The number of bytes that can be kept for the session.
    pub(crate) fn limit(&self) -> usize {
        self.budget.limit / OF_SESSION
    }

    /// Begins a charge of zero bytes for something that the session makes the server keep.
    pub(crate) fn charge(self: &Arc<Self>) -> Charge {
        Charge { budget: self.budget.clone(), share: Some(self.clone()), bytes: 0 }
    }
}

impl Charge {
    /// The number of bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The greatest number of bytes that the charge can have at present.
    pub(crate) fn room(&self) -> usize {
        let sums = self.budget.sums.lock();
        let of_share = self.share.as_ref().map_or(usize::MAX, |share| share.limit().saturating_sub(share.kept()));
        self.bytes + self.budget.left(&sums).min(of_share)
    }

    /// Changes the number of bytes. It can always become smaller.
    ///
    /// # Errors
    /// Returns an error if there is no room for this number. Nothing changes then.
    pub fn resize(&mut self, bytes: usize) -> Result<(), NoRoom> {
        let budget = self.budget.clone();
        let mut sums = budget.sums.lock();
        let wanted = bytes.saturating_sub(self.bytes);
        if let Some(share) = &self.share
            && wanted > share.limit().saturating_sub(share.kept())
        {
            return Err(NoRoom::InSession { wanted, kept: share.kept(), limit: share.limit() });
        }
        let left = budget.left(&sums);
        if wanted > left {
            return Err(NoRoom::InTotal { wanted, kept: sums.kept, left });
        }
        self.set_in(&mut sums, bytes);
        Ok(())
    }

    /// Changes the number of bytes, even if that exceeds a limit: for something that exists already.
    pub fn set(&mut self, bytes: usize) {
        let budget = self.budget.clone();
        self.set_in(&mut budget.sums.lock(), bytes);
    }

    fn set_in(&mut self, sums: &mut Sums, bytes: usize) {
        sums.kept = sums.kept - self.bytes + bytes;
        if let Some(share) = &self.share {
            share.kept.store(share.kept() - self.bytes + bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_at_most_half_of_the_limit_and_an_eighth_for_a_session() {
        let budget = Budget::new(8000);
        let share = budget.share();
        let (mut one, mut other) = (share.charge(), share.charge());
        one.resize(600).expect("there is room");
        let refused = other.resize(401).expect_err("it is more than an eighth");
        assert_eq!(refused, NoRoom::InSession { wanted: 401, kept: 600, limit: 1000 });
        assert_eq!((other.bytes(), other.room(), share.kept(), budget.kept()), (0, 400, 600, 600));
        other.resize(400).expect("there is room");
        let mut rest = budget.charge();
        let refused = rest.resize(3001).expect_err("it is more than half");
        assert_eq!(refused, NoRoom::InTotal { wanted: 3001, kept: 1000, left: 3000 });
        rest.resize(3000).expect("there is room");
        assert_eq!((budget.kept(), rest.room(), budget.room_of_connections()), (4000, 3000, 4000));
        one.resize(1).expect("it becomes smaller");
        drop((one, other, rest));
        assert_eq!((budget.kept(), share.kept(), budget.room_of_connections()), (0, 0, 8000));
    }

    #[test]
    fn leaves_to_connections_what_they_use_and_at_least_half() {
        let budget = Budget::new(8000);
        budget.add_to_connections(5000);
        let mut charge = budget.charge();
        assert_eq!(charge.resize(3001), Err(NoRoom::InTotal { wanted: 3001, kept: 0, left: 3000 }));
        charge.set(10_000);
        assert_eq!((budget.kept(), budget.room_of_connections(), charge.room()), (10_000, 4000, 10_000));
        charge.resize(9000).expect("it becomes smaller");
        assert!(charge.resize(9001).is_err());
        budget.subtract_from_connections(5000);
        assert_eq!(budget.connections(), 0);
    }
}
