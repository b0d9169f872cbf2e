//! The owner of an environment: a state machine without I/O. It takes requests and the current time; it returns
//! replies, and the time of the next call. It reads no clock and starts no thread, so a thread, an executor or a test
//! can drive it:
//!
//! 1. pass on requests: [`act`](Owner::act), [`pass`](Owner::pass), [`apply`](Owner::apply),
//!    [`advance`](Owner::advance), [`wait`](Owner::wait),
//! 2. [`poll`](Owner::poll), which lets the programs of its team decide and makes a step if one is due,
//! 3. send the [replies](Owner::next_reply),
//! 4. if the environment is [hosted](Owner::hosted), send the host its [requests](Owner::next_host_request),
//! 5. wait until the [deadline](Owner::deadline), the next request, or the next [report](Owner::hear) of the host.

mod acting;
mod choices;
mod hosting;
mod keeping;
mod lateness;
mod living;
mod managing;
mod numbers;
mod stepping;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use situated::iil::EcoString;
use situated::interface::{
    EnvironmentInterface, EventsHeard, Form, InputAction, Moment, Perception, Results, Since, State, Time, Version,
};
use situated::ontology::{Ontology, Pace};

use crate::error::Error;
use crate::guarded::GuardedEnvironment;
use crate::recorder::Recorder;
use crate::reply::{Answered, Reply};
use crate::spectacle::{ActionSeen, Seen};
use crate::speed::{Speed, Ticker};
use crate::status::{DataStatus, RecordingStatus, Status};
use crate::team::{MemberId, Team};
use choices::{Choices, PendingId};
use hosting::Hosting;
use keeping::Heard;
use lateness::Lateness;
use numbers::Numbers;

/// Maximum number of actions that wait for their turn, and of requests that wait for a step.
const WAITING: usize = 16_384;

/// Maximum number of requests that wait for the response to one numbered action.
const REPEATED: usize = 8;

/// The owner of an environment. `T` identifies the receiver of a reply; the owner only returns it.
pub struct Owner<T> {
    environment: GuardedEnvironment,
    pace: Pace,
    ticker: Ticker,
    /// Time that a lockstep environment waits for agents that have not acted.
    patience: Option<Duration>,
    choices: Choices,
    lateness: Lateness,
    numbers: Numbers,
    /// Actions that are not done yet, and passes.
    waiting: BTreeMap<PendingId, Waiting<T>>,
    next_pending: PendingId,
    /// In a reactive environment, the actions that wait for a step, in order of arrival.
    queue: VecDeque<PendingId>,
    /// Requests that wait until the environment is later than a moment.
    sleepers: Vec<(T, Moment)>,
    advance: Option<Advance<T>>,
    team: Team,
    hosting: Hosting<T>,
    /// The numbers of events that agents know, as in the journal.
    heard: Heard,
    /// The size of the state when it was last saved.
    saved_bytes: usize,
    replies: VecDeque<(T, Answered)>,
}

/// The way in which an owner advances the time of its environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tempo {
    /// The pace.
    pub pace: Pace,
    /// The maximum number of steps per second; in real time, the exact number.
    pub speed: Speed,
    /// In lockstep, the time that a step waits for agents that have not acted, counted from the last step; `None`
    /// means without limit, except for [unattended](Owner::set_unattended) agents.
    pub patience: Option<Duration>,
}

/// The receiver of the response to an action.
enum Asker<T> {
    Outside(T),
    Member(MemberId),
}

/// The receivers of one response. There are several only if an action is repeated.
struct Askers<T> {
    earlier: Vec<Asker<T>>,
    last: Asker<T>,
}

/// An action that is not done yet, or a pass.
struct Waiting<T> {
    askers: Askers<T>,
    agent: EcoString,
    /// `None` if the agent passes.
    action: Option<InputAction>,
    number: Option<u64>,
    entities: Vec<EcoString>,
    /// Number of its entities that have not acted yet.
    open: usize,
    /// Whether any of them has tried.
    tried: bool,
    results: Results,
}

/// A number of steps after which time stops.
struct Advance<T> {
    asker: T,
    steps: u64,
}

impl Tempo {
    /// Returns the pace and speed that an environment declares.
    pub fn of(ontology: &Ontology) -> Self {
        Self { pace: ontology.pace, speed: Speed::of(ontology.pace), patience: None }
    }
}

impl<T> Owner<T> {
    /// Creates the owner of an environment.
    pub fn new(interface: Box<dyn EnvironmentInterface>, tempo: Tempo) -> Self {
        Self {
            environment: GuardedEnvironment::new(interface),
            pace: tempo.pace,
            ticker: Ticker::new(tempo.speed),
            patience: tempo.patience,
            choices: Choices::default(),
            lateness: Lateness::default(),
            numbers: Numbers::default(),
            waiting: BTreeMap::new(),
            next_pending: 0,
            queue: VecDeque::new(),
            sleepers: Vec::new(),
            advance: None,
            team: Team::default(),
            hosting: Hosting::default(),
            heard: Heard::default(),
            saved_bytes: 0,
            replies: VecDeque::new(),
        }
    }

    /// Adds a team of programs.
    pub fn with_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// Records everything from now on.
    pub fn with_recorder(mut self, recorder: Box<dyn Recorder>) -> Self {
        self.environment.recorder = Some(recorder);
        self
    }

    /// Replies when the environment is later than this moment, of which only episode and step count.
    pub fn wait(&mut self, from: T, after: Moment, now: Time) {
        if self.sleepers.len() == WAITING {
            self.reply(from, Err(Error::Busy { what: "too many requests wait for the next step", limit: WAITING }));
        } else {
            self.sleepers.push((from, after));
            self.wake();
        }
        self.conclude(now);
    }

    /// Lets the programs of the team decide, makes a step if one is due, and does everything else that is due. Call
    /// it after requests, and at the [deadline](Self::deadline).
    pub fn poll(&mut self, now: Time) {
        self.give_up_late_calls(now);
        self.follow(now);
        if self.is_turn_due(now) {
            self.let_team_live(now);
            self.follow(now);
        }
        if self.is_step_due(now) && self.need_not_wait(now) {
            self.make_step(now);
            self.follow(now);
        }
        self.notice_lateness(now);
        if let Some(recorder) = &mut self.environment.recorder {
            recorder.advance(now);
        }
        self.seal();
    }

    /// Returns the monotonic time of the next call of [`poll`](Self::poll); `None` means after the next request.
    pub fn deadline(&self) -> Option<Duration> {
        let recorder = self.environment.recorder.as_ref().and_then(|recorder| recorder.deadline());
        // Reading the environment may have crashed it.
        let change = self.environment.has_changed.then_some(Duration::ZERO);
        [self.next_step(), self.next_turn(), self.host_deadline(), recorder, change].into_iter().flatten().min()
    }

    /// Returns whether time runs but nothing will happen without a request, because no agent acts any more.
    pub fn is_idle(&self) -> bool {
        self.environment.state() == State::Running
            && self.pace != Pace::Own
            && self.next_step().is_none()
            && self.next_turn().is_none()
            && self.host_deadline().is_none()
    }

    /// Drops the requests to [wait](Self::wait) of receivers that no longer exist.
    pub fn forget_waiting(&mut self, has_gone: impl Fn(&T) -> bool) -> impl Iterator<Item = T> {
        self.sleepers.extract_if(.., move |(from, _)| has_gone(from)).map(|(from, _)| from)
    }

    /// Returns the next reply with its receiver.
    pub fn next_reply(&mut self) -> Option<(T, Answered)> {
        self.replies.pop_front()
    }

    /// Returns the ontology of the environment.
    pub fn ontology(&self) -> &Ontology {
        self.environment.ontology()
    }

    /// Reads something from the environment, also after a crash.
    ///
    /// # Errors
    /// Returns an error if reading crashes it.
    pub fn read<R>(&mut self, read: impl FnOnce(&dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        self.environment.observe(read)
    }

    /// Perceives for an agent.
    ///
    /// # Errors
    /// Like [`EnvironmentInterface::perceive`]. Also returns an error if the environment has crashed or crashes now.
    pub fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
        now: Time,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        let told = self.environment.perceive(agent, entities, form, since, now)?;
        for (entity, Perception { since, version, .. }) in &told {
            self.note_heard(agent, entity, EventsHeard { acknowledged: since.events, told: version.events });
        }
        self.seal();
        Ok(told)
    }

    /// Notes the version of an entity's percepts that an agent has, as it says itself. Its next perception is relative
    /// to it. Without effect for an entity that is not its own.
    ///
    /// # Errors
    /// Returns an error if the environment has crashed.
    pub fn know(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        // The journal notes what the next perception is relative to.
        self.environment.change(|interface| drop(interface.know(agent, entity, version)))
    }

    /// Notes that an agent has not received its last perception through these entities; without entities, through all
    /// of its own. It perceives everything again.
    pub fn take_back(&mut self, agent: &str, entities: &[&str]) {
        let taken_back = self.environment.change(|interface| {
            let all =
                if entities.is_empty() { interface.associated_entities(agent).unwrap_or_default() } else { Vec::new() };
            let entities = entities.iter().copied().map(EcoString::from).chain(all);
            // The entity may have been deleted meanwhile.
            entities
                .filter_map(|entity| interface.take_back(agent, &entity).ok().map(|heard| (entity, heard)))
                .collect::<Vec<_>>()
        });
        taken_back.into_iter().flatten().for_each(|(entity, heard)| self.note_heard(agent, &entity, heard));
        self.seal();
    }

    /// Notes that an agent has received percepts.
    ///
    /// # Errors
    /// Like [`EnvironmentInterface::acknowledge`]. Also returns an error if the environment has crashed.
    pub fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        self.environment.acknowledge(agent, entity, version)?;
        self.note_acknowledged(agent, entity, version);
        self.seal();
        Ok(())
    }

    /// Records a remark of an agent about itself. It is no input, and has no effect without a recorder.
    ///
    /// # Errors
    /// Returns an error if the environment has crashed.
    pub fn remark(&mut self, agent: &str, remark: &Value, now: Time) -> Result<(), Error> {
        self.environment.remark(agent, remark, now)
    }

    /// Whether a recorder gets all inputs.
    pub fn is_recorded(&self) -> bool {
        self.environment.recorder.is_some()
    }

    /// Records a message that an agent has sent, as JSON, with the rules of its interaction protocol that it breaks. It
    /// is no input, and has no effect without a recorder.
    ///
    /// # Errors
    /// Returns an error if the environment has crashed.
    pub fn note_message(&mut self, message: &RawValue, violations: &[String], now: Time) -> Result<(), Error> {
        self.environment.note_message(message, violations, now)
    }

    /// Perceives for an observer of an entity, given the version of its percepts that the observer knows.
    ///
    /// # Errors
    /// Returns an error as [`EnvironmentInterface::watch`] does, and if the environment has crashed or crashes now.
    pub fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        self.environment.watch(entity, since)
    }

    /// Begins to watch actions. After the first call, the owner remembers the last actions.
    pub fn watch_actions(&mut self) -> Seen {
        self.environment.spectacle.get_or_insert_default().beginning()
    }

    /// Returns the actions since then, and the number of earlier ones that were missed.
    pub fn actions_since(&self, seen: &mut Seen) -> (impl Iterator<Item = &ActionSeen>, u64) {
        let (actions, missed) = self.environment.spectacle.as_ref().map(|spectacle| spectacle.since(seen)).unzip();
        (actions.into_iter().flatten(), missed.unwrap_or(0))
    }

    /// Stops recording actions, because there are no observers of actions.
    pub fn ignore_actions(&mut self) {
        self.environment.spectacle = None;
    }

    /// Returns the state of the environment.
    pub fn state(&self) -> State {
        self.environment.state()
    }

    /// Returns the pace.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns the current moment of the environment.
    pub fn moment(&self) -> Moment {
        self.environment.moment()
    }

    /// Returns the number of possible changes of the environment. While it is the same, nothing has changed.
    pub fn changes(&self) -> u64 {
        self.environment.changes
    }

    /// Returns the status.
    pub fn status(&self) -> Status {
        Status {
            state: self.environment.state(),
            moment: self.environment.moment(),
            pace: self.pace,
            speed: self.ticker.speed(),
            missed: if matches!(self.pace, Pace::RealTime { .. }) { self.ticker.missed } else { 0 },
            crash: self.environment.crash.clone(),
            awaited: self.lateness.awaited.iter().filter(|entity| self.choices.is_open(entity)).cloned().collect(),
            data: self.environment.journal.as_ref().map(|journal| DataStatus { error: journal.refusal() }),
            recording: self.environment.recorder.as_ref().map(|recorder| RecordingStatus { error: recorder.error() }),
        }
    }

    /// Returns the team of programs.
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// Mutable version of [`team`](Self::team), to take its notes.
    pub fn team_mut(&mut self) -> &mut Team {
        &mut self.team
    }

    /// Returns the reason why recording stopped, if it did.
    pub fn recording_error(&self) -> Option<String> {
        self.environment.recorder.as_ref().and_then(|recorder| recorder.error())
    }

    /// Ends the recording, if there is one.
    ///
    /// # Errors
    /// Returns an error if not all of it could be written.
    pub fn finish(&mut self, now: Time) -> io::Result<()> {
        self.environment.finish_recording(now)
    }
}

/// Internal parts.
impl<T> Owner<T> {
    fn reply(&mut self, to: T, answered: Answered) {
        self.replies.push_back((to, answered));
    }

    /// Concludes a request or a report of the host: follows the changes, and completes a unit of the journal.
    fn conclude(&mut self, now: Time) {
        self.follow(now);
        self.seal();
    }

    /// Responds to requests whose moment has passed.
    fn wake(&mut self) {
        let (now, killed) = (self.environment.moment(), self.environment.state() == State::Killed);
        let further = |after: &Moment| (now.episode, now.step) > (after.episode, after.step);
        for (from, _) in self.sleepers.extract_if(.., |(_, after)| killed || further(after)) {
            let answered = if killed { Err(self.environment.ended("waiting")) } else { Ok(Reply::Done) };
            self.replies.push_back((from, answered));
        }
    }
}
