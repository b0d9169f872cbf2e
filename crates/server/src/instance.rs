//! An environment on the server. Its owner runs wherever somebody has something to ask of it: whoever brings a job does it
//! there and then if the seat of the owner is free, without a hop to another thread; otherwise whoever sits there does it.
//! Nobody ever waits for the seat. What is due by time is done by a task of the environment's own.

mod brief;
mod calls;
mod hosting;
mod push;
mod seat;
mod steps;
mod subscription;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::Command;
use situated::ontology::Ontology;
use situated_runtime::{Answered, Clock, Owner, Request, Time};
use situated_wire::methods::{AnswerOfHost, EnvironmentStatus, Topic};
use situated_wire::{Call, Error};
use tokio::sync::Notify;

use crate::caller::Caller;
use crate::hub::Hub;
use crate::session::Session;
pub(crate) use brief::Brief;
use seat::Seat;
pub use seat::Ticket;

/// How many jobs are done in a row before time is looked at and others get their turn.
const JOBS_IN_A_ROW: usize = 256;

/// An environment on the server.
pub(crate) struct Instance {
    pub(crate) name: EcoString,
    pub(crate) ontology: Arc<Ontology>,
    pub(crate) hub: Weak<Hub>,
    /// Who hosts it, if it is hosted from outside.
    pub(crate) host: Option<Arc<Session>>,
    clock: Clock,
    inbox: Mutex<VecDeque<Job>>,
    seat: Mutex<Seat>,
    /// Somebody has found the seat taken: whoever sits there looks once more before leaving.
    knocked: AtomicBool,
    /// When its task wakes by itself, in nanoseconds of the clock.
    wakes_at: AtomicU64,
    bell: Notify,
    brief: Mutex<Brief>,
    ended: AtomicBool,
}

/// Something to be done in an environment.
pub(crate) enum Job {
    /// A call that concerns it.
    Call(Caller, Call),
    /// Somebody wants to be told, under this number.
    Subscribe(Caller, u64, Topic),
    /// Somebody does not want to be told any more.
    Unsubscribe { session: u64, subscription: u64 },
    /// There is room for what somebody is to be told.
    Room { session: u64 },
    /// Somebody has come back, and has perhaps not got what was last sent.
    Resumed { session: u64 },
    /// Somebody has gone for good.
    Gone { session: u64 },
    /// The first episode of a hosted environment is to begin, and time to run then.
    Begin { init: Command, start: bool },
    /// Its host has answered a call.
    HostAnswered { session: u64, number: u64, answered: Result<AnswerOfHost, Error> },
    /// Its host has gone for good.
    HostGone { session: u64 },
    /// It is the end of the environment.
    End,
}

impl Instance {
    /// An environment of this owner, for which it is the time of this clock.
    pub(crate) fn new(
        hub: &Arc<Hub>,
        name: EcoString,
        owner: Owner<Ticket>,
        clock: Clock,
        host: Option<Arc<Session>>,
    ) -> Arc<Self> {
        let ontology = Arc::new(owner.ontology().clone());
        let brief = Mutex::new(Brief::of(&owner.status()));
        Arc::new(Self {
            name,
            ontology,
            hub: Arc::downgrade(hub),
            host,
            clock,
            inbox: Mutex::default(),
            seat: Mutex::new(Seat::new(owner)),
            knocked: AtomicBool::new(false),
            wakes_at: AtomicU64::new(u64::MAX),
            bell: Notify::new(),
            brief,
            ended: AtomicBool::new(false),
        })
    }

    /// Its time begins. It stands in its place already, since whoever is told of it looks there.
    pub(crate) fn start(self: &Arc<Self>) {
        self.run();
        tokio::spawn(keep_time(self.clone()));
    }

    /// Has something done.
    pub(crate) fn submit(self: &Arc<Self>, job: Job) {
        lock(&self.inbox).push_back(job);
        self.run();
    }

    /// From now on, somebody else says when time moves on.
    pub(crate) fn let_drive(&self) {
        lock(&self.seat).is_driven = true;
    }

    /// Its driver does something with the owner. It waits for the seat, so it is none of the executor's threads.
    pub(crate) fn drive<R>(self: &Arc<Self>, act: impl FnOnce(&mut Owner<Ticket>, Time) -> R) -> R {
        let now = self.clock.now();
        let mut seat = lock(&self.seat);
        let done = act(&mut seat.owner, now);
        self.finish(&mut seat, now);
        drop(seat);
        self.run();
        done
    }

    /// Its driver asks for something; none if the answer is still to come.
    pub(crate) fn ask_as_driver(self: &Arc<Self>, request: Request) -> Option<Answered> {
        let now = self.clock.now();
        let mut seat = lock(&self.seat);
        let answered = seat.ask_as_driver(self, request, now);
        self.finish(&mut seat, now);
        drop(seat);
        self.run();
        answered
    }

    /// What time it is for its owner.
    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }

    /// How it stands.
    pub(crate) fn status(&self) -> EnvironmentStatus {
        lock(&self.brief).status(&self.name, &self.ontology)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Does what there is to do, unless somebody is at it, who will then do this as well.
    fn run(self: &Arc<Self>) {
        self.knocked.store(true, Ordering::SeqCst);
        loop {
            let mut seat = match self.seat.try_lock() {
                Ok(seat) => seat,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            self.knocked.store(false, Ordering::SeqCst);
            let more = self.work(&mut seat);
            drop(seat);
            if more {
                // The rest is for the task, so that whoever is here gets on.
                self.bell.notify_one();
                return;
            }
            if !self.knocked.load(Ordering::SeqCst) {
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
            let Some(job) = lock(&self.inbox).pop_front() else { break };
            seat.take(self, job, now);
            left -= 1;
        }
        self.finish(seat, now);
        left == 0
    }

    /// Does what is due, and sees to it that the next time is not missed.
    fn finish(self: &Arc<Self>, seat: &mut Seat, now: Time) {
        seat.advance(self, now);
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

    /// What others see of it at a glance.
    fn set_brief(self: &Arc<Self>, brief: Brief) {
        let changed = std::mem::replace(&mut *lock(&self.brief), brief.clone()).differs(&brief);
        if changed && let Some(hub) = self.hub.upgrade() {
            hub.tell_of_environments();
        }
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
