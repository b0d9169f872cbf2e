//! Environments that run in the hub. No thread ever waits for the owner of an environment. A thread that submits a
//! job tries to lock the seat, which contains the owner. If it succeeds, it does the job itself; otherwise the thread
//! that holds the lock does it before it leaves. A task of each environment does the work that is due at a time.

mod destination;
mod driven;
mod filter;
mod hosting;
mod notifying;
mod profile;
mod requests;
mod rounds;
mod seat;
mod stepping;
mod subscription;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated::interface::Command;
use situated_runtime::{Clock, Owner, Time};
use situated_wire::Request;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::budget::Charge;
use crate::conversations::{Inbox, Recorded};
use crate::data::KeptSubscription;
use crate::error::Error;
use crate::reply::Reply;
use crate::session::{NotificationSource, Session};

pub use destination::Destination;
pub use driven::DrivenEnvironment;
pub(crate) use profile::Profile;
pub(crate) use requests::speed;
pub(crate) use seat::{RecordingRule, Seat};

/// A request that an environment handles, one job at a time.
pub(crate) trait AtEnvironment: Request {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time);

    /// Responds if there is no such environment, or no longer.
    fn miss(self, reply: Reply<Self>, error: Error) {
        reply.refuse(error);
    }
}

/// The sessions and the addresses of agents that return to an environment, by name.
pub(crate) type Returning = BTreeMap<EcoString, (Arc<Session>, EcoString)>;

/// A job in an environment.
type Job = Box<dyn FnOnce(&mut Seat, Time) + Send>;

/// Time for jobs in a row, and for notifications in a row. Then the thread makes a step if one is due, and lets other tasks
/// run.
const IN_A_ROW: Duration = Duration::from_millis(1);

/// An environment that runs in the hub.
pub(crate) struct RunningEnvironment {
    pub(crate) profile: Arc<Profile>,
    clock: Clock,
    jobs: Mutex<VecDeque<Job>>,
    seat: Mutex<Seat>,
    /// Set by a thread that found the seat locked. The thread that holds the lock checks the queue again before it
    /// leaves.
    has_knocked: AtomicBool,
    /// The time at which the task wakes up, in nanoseconds of the clock: that of the next deadline, or earlier.
    wakes_at: AtomicU64,
    bell: Notify,
    has_ended: AtomicBool,
}

impl RunningEnvironment {
    pub(crate) fn new(
        profile: Profile,
        owner: Owner<Destination>,
        clock: Clock,
        recording: RecordingRule,
        charge: Charge,
    ) -> Arc<Self> {
        let profile = Arc::new(profile);
        Arc::new_cyclic(|me: &Weak<Self>| Self {
            profile: profile.clone(),
            clock,
            jobs: Mutex::default(),
            seat: Mutex::new(Seat::new(owner, profile, clock, recording, charge, me.clone())),
            has_knocked: AtomicBool::new(false),
            wakes_at: AtomicU64::new(u64::MAX),
            bell: Notify::new(),
            has_ended: AtomicBool::new(false),
        })
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Starts the task of the environment. The hub lists the environment already, because sessions that are notified
    /// look it up.
    pub(crate) fn start(self: &Arc<Self>, executor: &Handle) {
        self.run();
        executor.spawn(keep_time(self.clone()));
    }

    /// Does a job, or leaves it to the thread that holds the seat. Returns whether it has left it.
    pub(crate) fn submit(self: &Arc<Self>, job: impl FnOnce(&mut Seat, Time) + Send + 'static) -> bool {
        self.jobs.lock().push_back(Box::new(job));
        self.run()
    }

    /// Adds the agents and subscriptions that sessions had in another process, before the environment starts.
    pub(crate) fn restore(
        self: &Arc<Self>,
        agents: &Returning,
        subscriptions: Vec<(Arc<Session>, KeptSubscription)>,
        beginning: Option<(Command, bool)>,
    ) {
        self.at_seat(|seat, now| {
            seat.restore_agents(agents, now);
            seat.beginning = beginning;
            for (session, subscription) in subscriptions {
                seat.restore_subscription(&session, subscription);
            }
        });
    }

    /// Whether it is recorded.
    pub(crate) fn is_recorded(&self) -> bool {
        self.seat.lock().owner.is_recorded()
    }

    /// Leaves its time to a driver from now on.
    pub(crate) fn leave_to_driver(&self) {
        self.seat.lock().is_driven = true;
    }

    /// Waits for the seat and calls a function with it.
    fn at_seat<R>(self: &Arc<Self>, act: impl FnOnce(&mut Seat, Time) -> R) -> R {
        let mut seat = self.seat.lock();
        let now = self.clock.now();
        let done = act(&mut seat, now);
        self.finish(&mut seat, now);
        drop(seat);
        self.run();
        done
    }

    /// Does the pending work, unless another thread holds the seat and will do it. Returns whether it has left it.
    fn run(self: &Arc<Self>) -> bool {
        self.has_knocked.store(true, Ordering::SeqCst);
        loop {
            // With this fence, either this thread finds the seat free, or the thread that leaves it finds the flag.
            fence(Ordering::SeqCst);
            let Some(mut seat) = self.seat.try_lock() else { return true };
            self.has_knocked.store(false, Ordering::SeqCst);
            let more = self.work(&mut seat);
            drop(seat);
            fence(Ordering::SeqCst);
            if more && !self.has_ended() {
                // The task does the rest, so that the caller can continue.
                self.bell.notify_one();
                return true;
            }
            if !more && !self.has_knocked.load(Ordering::SeqCst) {
                return false;
            }
        }
    }

    /// Does jobs and the work that is due. Returns whether jobs may be left.
    fn work(self: &Arc<Self>, seat: &mut Seat) -> bool {
        let begin = self.clock.now();
        let (mut now, mut more) = (begin, true);
        while more && now.monotonic < begin.monotonic + IN_A_ROW {
            // The queue is unlocked while the job runs, so that other threads can add jobs.
            let job = self.jobs.lock().pop_front();
            more = job.is_some();
            if let Some(job) = job {
                job(seat, now);
                // The next job may depend on them, and they get the moment at which they are handed out.
                seat.hand_out_replies(now);
                now = self.clock.now();
            }
        }
        self.finish(seat, now);
        more
    }

    /// Does the work that is due, and schedules the next deadline.
    fn finish(self: &Arc<Self>, seat: &mut Seat, now: Time) {
        seat.advance(now);
        if seat.has_ended() {
            self.has_ended.store(true, Ordering::Release);
            // The environment has ended, so its task ends as well.
            self.bell.notify_one();
        }
        let deadline = seat.deadline().map_or(u64::MAX, nanoseconds);
        // A task that wakes too early looks again. To wake it for each later deadline would cost more: a host has one for
        // each request.
        if self.wakes_at.fetch_min(deadline, Ordering::SeqCst) > deadline {
            self.bell.notify_one();
        }
    }
}

impl NotificationSource for RunningEnvironment {
    fn proceed(self: Arc<Self>, session: u64) {
        self.submit(move |seat, now| seat.proceed(session, now));
    }
}

impl Recorded for RunningEnvironment {
    fn has_ended(&self) -> bool {
        self.has_ended()
    }

    fn record(self: Arc<Self>, inbox: Arc<Inbox>) {
        self.submit(move |seat, now| seat.record_messages(&inbox, now));
    }
}

/// Does the work of an environment that is due at a time, until it ends.
async fn keep_time(environment: Arc<RunningEnvironment>) {
    while !environment.has_ended() {
        let wakes_at = environment.wakes_at.load(Ordering::SeqCst);
        let rest = wakes_at.saturating_sub(nanoseconds(environment.clock.now().monotonic));
        if wakes_at == u64::MAX {
            environment.bell.notified().await;
        } else if rest > 0 {
            let sleep = tokio::time::sleep(Duration::from_nanos(rest));
            tokio::select! {
                () = sleep => {}
                () = environment.bell.notified() => {}
            }
        } else {
            // Lets other tasks run between steps that follow each other as fast as possible.
            tokio::task::yield_now().await;
        }
        if environment.wakes_at.load(Ordering::SeqCst) <= nanoseconds(environment.clock.now().monotonic) {
            // A thread that changes the deadline wakes this task.
            environment.wakes_at.store(u64::MAX, Ordering::SeqCst);
        }
        if environment.run() {
            // Jobs are left, or another thread is in the seat.
            tokio::task::yield_now().await;
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
