//! An environment on the server. Its owner runs wherever somebody has something to ask of it: whoever brings a job does it
//! there and then if the seat of the owner is free, without a hop to another thread; otherwise whoever sits there does it.
//! Nobody ever waits for the seat. What is due by time is done by a task of the environment's own.

mod calls;
mod hosting;
mod identity;
mod job;
mod push;
mod round;
mod seat;
mod stepping;
mod steps;
mod subscription;
mod ticket;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use situated_runtime::{Answered, Clock, Owner, Request, Time};
use situated_wire::methods::EnvironmentStatus;
use tokio::sync::Notify;

use crate::outbox::Teller;
pub(crate) use identity::Identity;
pub(crate) use job::Job;
use seat::Seat;
pub use ticket::Ticket;

/// How many jobs are done in a row before time is looked at and others get their turn.
const JOBS_IN_A_ROW: usize = 256;

/// An environment on the server.
pub(crate) struct Instance {
    identity: Arc<Identity>,
    clock: Clock,
    inbox: Mutex<VecDeque<Job>>,
    seat: Mutex<Seat>,
    /// Somebody has found the seat taken: whoever sits there looks once more before leaving.
    knocked: AtomicBool,
    /// When its task wakes by itself, in nanoseconds of the clock.
    wakes_at: AtomicU64,
    bell: Notify,
    ended: AtomicBool,
}

impl Instance {
    /// An environment of this owner, for which it is the time of this clock.
    pub(crate) fn new(identity: Identity, owner: Owner<Ticket>, clock: Clock) -> Arc<Self> {
        let identity = Arc::new(identity);
        Arc::new_cyclic(|me: &Weak<Self>| Self {
            identity: identity.clone(),
            clock,
            inbox: Mutex::default(),
            seat: Mutex::new(Seat::new(owner, identity, clock, me.clone())),
            knocked: AtomicBool::new(false),
            wakes_at: AtomicU64::new(u64::MAX),
            bell: Notify::new(),
            ended: AtomicBool::new(false),
        })
    }

    /// What there is to know about it without asking its owner.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its time begins. It stands in its place already, since whoever is told of it looks there.
    pub(crate) fn start(self: &Arc<Self>) {
        self.run();
        tokio::spawn(keep_time(self.clone()));
    }

    /// Has something done.
    pub(crate) fn submit(self: &Arc<Self>, job: Job) {
        self.inbox.lock().push_back(job);
        self.run();
    }

    /// From now on, somebody else says when time moves on.
    pub(crate) fn let_drive(&self) {
        self.seat.lock().is_driven = true;
    }

    /// Its driver does something with the owner. It waits for the seat, so it is none of the executor's threads.
    pub(crate) fn drive<R>(self: &Arc<Self>, act: impl FnOnce(&mut Owner<Ticket>, Time) -> R) -> R {
        self.at_seat(|seat, now| act(&mut seat.owner, now))
    }

    /// Its driver asks for something; none if the answer is still to come.
    pub(crate) fn ask_as_driver(self: &Arc<Self>, request: Request) -> Option<Answered> {
        self.at_seat(|seat, now| seat.ask_as_driver(request, now))
    }

    fn at_seat<R>(self: &Arc<Self>, act: impl FnOnce(&mut Seat, Time) -> R) -> R {
        let mut seat = self.seat.lock();
        let now = self.clock.now();
        let done = act(&mut seat, now);
        self.finish(&mut seat, now);
        drop(seat);
        self.run();
        done
    }

    /// How it stands.
    pub(crate) fn status(&self) -> EnvironmentStatus {
        self.identity.status()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Does what there is to do, unless somebody is at it, who will then do this as well.
    fn run(self: &Arc<Self>) {
        self.knocked.store(true, Ordering::SeqCst);
        loop {
            // Either this finds the seat free, or whoever leaves it finds the knock.
            fence(Ordering::SeqCst);
            let Some(mut seat) = self.seat.try_lock() else { return };
            self.knocked.store(false, Ordering::SeqCst);
            let more = self.work(&mut seat);
            drop(seat);
            fence(Ordering::SeqCst);
            if more && !self.has_ended() {
                // The rest is for the task, so that whoever is here gets on.
                self.bell.notify_one();
                return;
            }
            if !more && !self.knocked.load(Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Does jobs and what is due; whether there is more to do at once.
    fn work(self: &Arc<Self>, seat: &mut Seat) -> bool {
        let now = self.clock.now();
        let mut left = JOBS_IN_A_ROW;
        while left > 0 {
            // The inbox is free while a job is done.
            let Some(job) = self.inbox.lock().pop_front() else { break };
            seat.take(job, now);
            left -= 1;
        }
        self.finish(seat, now);
        left == 0
    }

    /// Does what is due, and sees to it that the next time is not missed.
    fn finish(self: &Arc<Self>, seat: &mut Seat, now: Time) {
        seat.advance(now);
        if seat.has_ended() {
            self.ended.store(true, Ordering::Release);
            // Its task is to end as well.
            self.bell.notify_one();
        }
        let deadline = seat.deadline().map_or(u64::MAX, nanoseconds);
        if self.wakes_at.swap(deadline, Ordering::SeqCst) > deadline {
            self.bell.notify_one();
        }
    }
}

impl Teller for Instance {
    fn go_on(self: Arc<Self>, session: u64) {
        self.submit(Job::Room { session });
    }
}

/// Keeps the time of an environment until it ends.
async fn keep_time(instance: Arc<Instance>) {
    while !instance.has_ended() {
        let wakes_at = instance.wakes_at.load(Ordering::SeqCst);
        let rest = wakes_at.saturating_sub(nanoseconds(instance.clock.now().monotonic));
        if wakes_at == u64::MAX {
            instance.bell.notified().await;
        } else if rest > 0 {
            let sleep = tokio::time::sleep(Duration::from_nanos(rest));
            tokio::select! {
                () = sleep => {}
                () = instance.bell.notified() => {}
            }
        } else {
            // Others have their turn between steps that follow each other as fast as possible.
            tokio::task::yield_now().await;
        }
        if instance.wakes_at.load(Ordering::SeqCst) <= nanoseconds(instance.clock.now().monotonic) {
            // Should somebody else be at work, whoever that is rings.
            instance.wakes_at.store(u64::MAX, Ordering::SeqCst);
        }
        instance.run();
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
