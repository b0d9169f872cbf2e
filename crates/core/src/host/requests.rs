//! The requests of an interface to a host: which are to be sent, which are not answered yet, and when an answer is too
//! late.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use super::{HostAnswer, HostReport, HostRequest, HostTask};
use crate::iil::EcoString;

/// How many requests to a host can be open before its interface takes no more inputs that need the host.
pub const REQUESTS_OPEN: usize = 4096;

/// How many requests that were answered too late, or not at all, are remembered.
pub const LATE_REMEMBERED: usize = 1024;

/// How long a host has to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostDeadlines {
    /// To begin an episode: init and reset.
    pub begin: Duration,
    /// For everything else.
    pub other: Duration,
}

impl Default for HostDeadlines {
    /// Five seconds to begin an episode, one for everything else.
    fn default() -> Self {
        Self { begin: Duration::from_secs(5), other: Duration::from_secs(1) }
    }
}

/// The requests to a host.
#[derive(Debug)]
pub struct HostRequests {
    deadlines: HostDeadlines,
    /// The number of the last request.
    last: u64,
    /// The requests that are still to be sent.
    queue: VecDeque<HostRequest>,
    /// The requests without an answer.
    open: BTreeMap<u64, Open>,
    /// Their deadlines.
    due: BTreeSet<(Duration, u64)>,
    /// Those that have missed their deadline, and that nobody waits for any more.
    late: BTreeMap<u64, HostTask>,
}

#[derive(Debug)]
struct Open {
    task: HostTask,
    due: Duration,
}

impl HostRequests {
    /// No requests yet.
    pub fn new(deadlines: HostDeadlines) -> Self {
        let (queue, open) = (VecDeque::new(), BTreeMap::new());
        Self { deadlines, last: 0, queue, open, due: BTreeSet::new(), late: BTreeMap::new() }
    }

    /// The next request to send to the host.
    pub fn take_next(&mut self) -> Option<HostRequest> {
        self.queue.pop_front()
    }

    /// Whether so many requests are open that the host cannot take more.
    pub fn is_full(&self) -> bool {
        self.open.len().max(self.queue.len()) >= REQUESTS_OPEN
    }

    /// Whether an open request has a task of this kind.
    pub fn owes(&self, kind: impl Fn(&HostTask) -> bool) -> bool {
        self.open.values().any(|open| kind(&open.task))
    }

    /// The earliest deadline.
    pub fn deadline(&self) -> Option<Duration> {
        self.due.first().map(|(due, _)| *due)
    }

    /// How long the host has for a task.
    pub fn time_limit(&self, task: &HostTask) -> Duration {
        match task {
            HostTask::Init { .. } | HostTask::Reset { .. } => self.deadlines.begin,
            _ => self.deadlines.other,
        }
    }

    /// The next request whose deadline has passed, with its number.
    pub fn next_late(&mut self, now: Duration) -> Option<(u64, HostTask)> {
        let (_, number) = self.due.first().copied().filter(|(due, _)| *due <= now)?;
        let task = self.close(number)?;
        // A request that was not sent yet is withdrawn.
        self.queue.retain(|queued| queued.number != number || queued.task.is_news());
        self.late.insert(number, task.clone());
        if self.late.len() > LATE_REMEMBERED {
            self.late.pop_first();
        }
        Some((number, task))
    }

    /// Asks the host for everything that holds for these entities: it may have missed requests.
    pub fn ask_anew(&mut self, entities: impl IntoIterator<Item = EcoString>, now: Duration) {
        for entity in entities {
            self.add(HostTask::Perceive { entity }, now);
        }
    }

    /// Drops all requests but that to kill: the environment has ended.
    pub fn let_go(&mut self) {
        self.queue.retain(|queued| queued.task == HostTask::Kill);
        self.open.clear();
        self.due.clear();
        self.late.clear();
    }

    /// Whether a report says that the host has reset its environment, which ends the present episode.
    pub fn is_reset_by(&self, report: &HostReport) -> bool {
        match report {
            HostReport::Answer { number, answer: HostAnswer::Done, .. } => {
                self.open.get(number).is_some_and(|open| matches!(open.task, HostTask::Reset { .. }))
            }
            _ => false,
        }
    }

    /// Adds a request for this task; returns its number.
    pub(crate) fn add(&mut self, task: HostTask, now: Duration) -> u64 {
        self.last += 1;
        let (number, due) = (self.last, now.saturating_add(self.time_limit(&task)));
        self.due.insert((due, number));
        self.open.insert(number, Open { task: task.clone(), due });
        self.queue.push_back(HostRequest { number, task });
        number
    }

    /// The task of an open request.
    pub(crate) fn open(&self, number: u64) -> Option<&HostTask> {
        self.open.get(&number).map(|open| &open.task)
    }

    /// The task of a request that was given up.
    pub(crate) fn late(&self, number: u64) -> Option<&HostTask> {
        self.late.get(&number)
    }

    /// A request that was given up is answered after all.
    pub(crate) fn forget_late(&mut self, number: u64) {
        self.late.remove(&number);
    }

    /// A request is answered.
    pub(crate) fn close(&mut self, number: u64) -> Option<HostTask> {
        let Open { task, due } = self.open.remove(&number)?;
        self.due.remove(&(due, number));
        Some(task)
    }
}
