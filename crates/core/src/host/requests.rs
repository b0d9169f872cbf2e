//! The requests of an interface to a host: the queue of requests to send, the requests without a response, and their
//! deadlines.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{HostAnswer, HostReport, HostRequest, HostTask};
use crate::iil::EcoString;
use crate::size::Size;

/// Maximum number of open requests to a host. Beyond it, the interface refuses inputs that need the host.
pub const REQUESTS_OPEN: usize = 4096;

/// Size of the open requests in bytes, from which the interface refuses inputs that need the host. As many bytes of
/// requests that were given up are remembered.
pub const REQUEST_BYTES: usize = 4 << 20;

/// Maximum number of remembered requests that were answered too late or not at all.
pub const LATE_REMEMBERED: usize = 1024;

/// Maximum time that a host can take to begin an episode.
pub const LONGEST_BEGINNING: Duration = Duration::from_secs(600);

/// Maximum time that a host can take for any other request. Agents wait that long.
pub const LONGEST_ANSWER: Duration = Duration::from_secs(60);

/// The terms on which a host serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostTerms {
    /// Time to begin an episode: init and reset. At most [`LONGEST_BEGINNING`].
    pub begin_timeout: Duration,
    /// Time to respond to any other request. At most [`LONGEST_ANSWER`].
    pub answer_timeout: Duration,
    /// Whether a request to act may include the step after the action.
    pub steps_with_actions: bool,
}

impl Default for HostTerms {
    /// Five seconds to begin an episode, one second for all other requests, and a request of its own for each step.
    fn default() -> Self {
        let (begin_timeout, answer_timeout) = (Duration::from_secs(5), Duration::from_secs(1));
        Self { begin_timeout, answer_timeout, steps_with_actions: false }
    }
}

/// The reason why the terms of a host are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a host may take at most {} ms to {what}, but wants {} ms; name a shorter time, and report later changes when they happen",
    limit.as_millis(), given.as_millis()
)]
pub struct TooSlow {
    /// The task.
    pub what: &'static str,
    /// The time that the host wants.
    pub given: Duration,
    /// The maximum time.
    pub limit: Duration,
}

impl HostTerms {
    /// Checks that agents and managers do not wait too long for the host.
    ///
    /// # Errors
    /// Returns an error if a time is longer than its maximum.
    pub fn check(&self) -> Result<(), TooSlow> {
        let check = |what, given, limit| if given > limit { Err(TooSlow { what, given, limit }) } else { Ok(()) };
        check("begin an episode", self.begin_timeout, LONGEST_BEGINNING)?;
        check("answer any other request", self.answer_timeout, LONGEST_ANSWER)
    }
}

/// The requests to a host.
#[derive(Debug)]
pub struct HostRequests {
    terms: HostTerms,
    /// The number of the last request.
    last: u64,
    /// The requests to send.
    queue: VecDeque<HostRequest>,
    /// The requests without a response.
    open: BTreeMap<u64, Open>,
    /// How many of them there are of each kind.
    owed: Owed,
    /// Their deadlines.
    due: BTreeSet<(Duration, u64)>,
    /// Requests that missed their deadline; no agent waits for them any more.
    late: BTreeMap<u64, HostTask>,
    /// The size of the open requests, and of the late ones.
    open_bytes: usize,
    late_bytes: usize,
}

/// The open requests to a host, for another process to continue with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptRequests {
    last: u64,
    open: BTreeMap<u64, HostTask>,
    late: BTreeMap<u64, HostTask>,
}

#[derive(Debug)]
struct Open {
    task: HostTask,
    due: Duration,
}

/// Numbers of open requests for which others wait.
#[derive(Clone, Copy, Debug, Default)]
struct Owed {
    actions: usize,
    steps: usize,
    management: usize,
}

impl Owed {
    fn count(&mut self, task: &HostTask) -> Option<&mut usize> {
        match task {
            HostTask::Act { .. } => Some(&mut self.actions),
            HostTask::Step => Some(&mut self.steps),
            task if task.is_management() => Some(&mut self.management),
            _ => None,
        }
    }
}

impl HostRequests {
    /// Creates an empty queue of requests.
    pub fn new(terms: HostTerms) -> Self {
        let (queue, open, owed) = (VecDeque::new(), BTreeMap::new(), Owed::default());
        let (due, late, open_bytes, late_bytes) = Default::default();
        Self { terms, last: 0, queue, open, owed, due, late, open_bytes, late_bytes }
    }

    /// The terms of the host.
    pub fn terms(&self) -> HostTerms {
        self.terms
    }

    /// The requests that are open, with those that were given up.
    pub fn keep(&self) -> KeptRequests {
        let open = self.open.iter().map(|(number, open)| (*number, open.task.clone())).collect();
        KeptRequests { last: self.last, open, late: self.late.clone() }
    }

    /// The requests of another process. The host has got those that are open.
    pub(crate) fn resumed(terms: HostTerms, kept: KeptRequests) -> Self {
        let late_bytes = kept.late.values().map(HostTask::bytes).sum();
        let mut requests = Self { last: kept.last, late: kept.late, late_bytes, ..Self::new(terms) };
        kept.open.into_iter().for_each(|(number, task)| requests.open_at(number, task, Duration::MAX));
        requests
    }

    /// Gives up all requests: the process that made them has ended, so no one waits for the responses. A later answer
    /// of the host is still applied.
    pub fn give_up_all(&mut self) {
        self.queue.clear();
        self.due.clear();
        self.owed = Owed::default();
        self.open_bytes = 0;
        std::mem::take(&mut self.open).into_iter().for_each(|(number, open)| self.remember_late(number, open.task));
    }

    /// Remembers a request that was given up. If there are too many, forgets the oldest.
    fn remember_late(&mut self, number: u64, task: HostTask) {
        self.late_bytes += task.bytes();
        self.late.insert(number, task);
        while self.late.len() > LATE_REMEMBERED || self.late_bytes > REQUEST_BYTES {
            let Some((_, oldest)) = self.late.pop_first() else { return };
            self.late_bytes -= oldest.bytes();
        }
    }

    /// The approximate memory of the requests in bytes.
    pub fn bytes(&self) -> usize {
        self.open_bytes + self.late_bytes
    }

    /// Returns the next request to send to the host.
    pub fn take_next(&mut self) -> Option<HostRequest> {
        self.queue.pop_front()
    }

    /// Returns whether the limit of open requests is reached.
    pub fn is_full(&self) -> bool {
        self.open.len().max(self.queue.len()) >= REQUESTS_OPEN
    }

    /// Returns whether the limit of the bytes of open requests is reached.
    pub fn is_full_of_bytes(&self) -> bool {
        self.open_bytes >= REQUEST_BYTES
    }

    /// Returns whether the host has not finished an action.
    pub fn owes_action(&self) -> bool {
        self.owed.actions > 0
    }

    /// Returns whether the host has not finished a step of its own request.
    pub fn owes_step(&self) -> bool {
        self.owed.steps > 0
    }

    /// Returns whether the host has not finished a change of state.
    pub fn owes_management(&self) -> bool {
        self.owed.management > 0
    }

    /// Returns the earliest deadline.
    pub fn deadline(&self) -> Option<Duration> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Returns the time that the host has for a task.
    pub fn time_limit(&self, task: &HostTask) -> Duration {
        match task {
            HostTask::Init { .. } | HostTask::Reset { .. } => self.terms.begin_timeout,
            _ => self.terms.answer_timeout,
        }
    }

    /// Returns the next request whose deadline has passed, with its number.
    pub fn next_late(&mut self, now: Duration) -> Option<(u64, HostTask)> {
        let (_, number) = self.due.first().copied().filter(|(due, _)| *due <= now)?;
        Some((number, self.give_up(number)?))
    }

    /// Gives up an open request, since no agent waits for its response any more.
    pub fn give_up(&mut self, number: u64) -> Option<HostTask> {
        let task = self.close(number)?;
        self.remember_late(number, task.clone());
        Some(task)
    }

    /// Asks the host for all percepts of these entities, because it may have missed requests.
    pub fn ask_anew(&mut self, entities: impl IntoIterator<Item = EcoString>, now: Duration) {
        for entity in entities {
            self.add(HostTask::Perceive { entity }, now);
        }
    }

    /// Asks the host again to begin the first episode if it has not done so, because it may have missed the request.
    /// Returns the numbers of the former request, whose answer no longer counts, and of this one.
    pub fn begin_anew(&mut self, now: Duration) -> Option<(u64, u64)> {
        let is_init = |open: &Open| matches!(open.task, HostTask::Init { .. });
        let former = self.open.iter().find(|(_, open)| is_init(open)).map(|(number, _)| *number)?;
        let task = self.give_up(former)?;
        Some((former, self.add(task, now)))
    }

    /// Drops all requests except that to kill: the environment has ended.
    pub fn let_go(&mut self) {
        self.queue.retain(|queued| queued.task == HostTask::Kill);
        self.open.clear();
        self.owed = Owed::default();
        self.due.clear();
        self.late.clear();
        (self.open_bytes, self.late_bytes) = (0, 0);
    }

    /// Returns whether a report says that the host has reset its environment, which ends the current episode.
    pub fn is_reset_by(&self, report: &HostReport) -> bool {
        match report {
            HostReport::Answer { number, answer: HostAnswer::Done, .. } => {
                self.open.get(number).is_some_and(|open| matches!(open.task, HostTask::Reset { .. }))
            }
            _ => false,
        }
    }

    /// Adds a request for this task and returns its number.
    pub(crate) fn add(&mut self, task: HostTask, now: Duration) -> u64 {
        self.last += 1;
        let (number, due) = (self.last, now.saturating_add(self.time_limit(&task)));
        self.due.insert((due, number));
        self.open_at(number, task.clone(), due);
        self.queue.push_back(HostRequest { number, task });
        number
    }

    fn open_at(&mut self, number: u64, task: HostTask, due: Duration) {
        if let Some(count) = self.owed.count(&task) {
            *count += 1;
        }
        self.open_bytes += task.bytes();
        self.open.insert(number, Open { task, due });
    }

    /// Makes a request to act, which was not sent yet, include the step after the action, if the host can do so.
    /// Returns whether it does.
    pub fn include_step(&mut self, number: u64) -> bool {
        let queued = self.queue.iter_mut().rev().find(|queued| queued.number == number).map(|queued| &mut queued.task);
        let open = self.open.get_mut(&number).map(|open| &mut open.task);
        match (queued, open) {
            (Some(HostTask::Act { step: queued, .. }), Some(HostTask::Act { step: open, .. })) => {
                *queued = self.terms.steps_with_actions;
                *open = *queued;
                *open
            }
            _ => false,
        }
    }

    /// Returns the task of an open request.
    pub(crate) fn open(&self, number: u64) -> Option<&HostTask> {
        self.open.get(&number).map(|open| &open.task)
    }

    /// Returns the task of a request that was given up.
    pub(crate) fn late(&self, number: u64) -> Option<&HostTask> {
        self.late.get(&number)
    }

    /// Forgets a request that was given up and has now been answered.
    pub(crate) fn forget_late(&mut self, number: u64) {
        self.late_bytes -= self.late.remove(&number).map_or(0, |task| task.bytes());
    }

    /// Closes a request that was answered or given up. If it was not sent yet, it is withdrawn.
    pub(crate) fn close(&mut self, number: u64) -> Option<HostTask> {
        let Open { task, due } = self.open.remove(&number)?;
        if self.queue.front().is_some_and(|first| first.number <= number) {
            self.queue.retain(|queued| queued.number != number || queued.task.is_news());
        }
        self.due.remove(&(due, number));
        if let Some(count) = self.owed.count(&task) {
            *count -= 1;
        }
        self.open_bytes -= task.bytes();
        Some(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iil::{Action, Parameter};

    #[test]
    fn requests_to_hosts_are_limited_in_bytes() {
        let mut requests = HostRequests::new(HostTerms::default());
        let act = || HostTask::Act {
            agent: "ada".into(),
            entity: "robot".into(),
            action: Action::new("say", [Parameter::from(&*"x".repeat(100_000))]),
            step: false,
        };
        let mut numbers = Vec::new();
        while !requests.is_full_of_bytes() {
            numbers.push(requests.add(act(), Duration::ZERO));
        }
        assert!((40..=42).contains(&numbers.len()), "{}", numbers.len());
        requests.close(numbers[0]).expect("it is open");
        assert!(!requests.is_full_of_bytes());
        numbers[1..].iter().for_each(|number| drop(requests.give_up(*number).expect("it is open")));
        assert_eq!((requests.open_bytes, requests.late_bytes), (0, (numbers.len() - 1) * act().bytes()));
        requests.forget_late(numbers[1]);
        for _ in 0..100 {
            requests.add(act(), Duration::ZERO);
        }
        requests.give_up_all();
        assert!(requests.late_bytes <= REQUEST_BYTES && requests.late_bytes > REQUEST_BYTES / 2);
        let mut resumed = HostRequests::resumed(HostTerms::default(), requests.keep());
        assert_eq!(resumed.bytes(), requests.bytes());
        resumed.let_go();
        assert_eq!(resumed.bytes(), 0);
    }
}
