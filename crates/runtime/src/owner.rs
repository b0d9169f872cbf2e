//! The owner of an environment: a state machine without I/O. Requests and the present time go in; replies, and the time at
//! which it wants to be called again, come out. It reads no clock and starts no thread, so that a thread, an executor
//! or a test can drive it:
//!
//! 1. [`submit`](Owner::submit) what is asked,
//! 2. [`poll`](Owner::poll), which lets the programs of its team decide, and makes a step if one is due,
//! 3. hand out the [replies](Owner::next_reply),
//! 4. if the environment is [hosted](Owner::hosted), give the host its [calls](Owner::next_host_request),
//! 5. wait until the [deadline](Owner::deadline), or until something is asked, or [said](Owner::hear) by the host.

mod acting;
mod choices;
mod hosting;
mod lateness;
mod living;
mod managing;
mod numbers;
mod stepping;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{
    Effect, EnvironmentInterface, Form, Input, InputAction, Moment, Perception, Since, State, Time, Version,
};
use situated::ontology::{Ontology, Pace};

use crate::error::Error;
use crate::guarded::GuardedEnvironment;
use crate::recorder::Recorder;
use crate::request::{Answered, RecordingStatus, Reply, Request, Status};
use crate::spectacle::{ActionSeen, Seen};
use crate::speed::{Speed, Ticker};
use crate::team::{MemberId, Team};
use choices::{Choices, PendingId};
use hosting::{Hosting, Purpose};
use lateness::Lateness;
use numbers::{Numbers, Results};

pub use numbers::ANSWERS_REMEMBERED;

/// How many actions can wait for their turn, and how many askers for a step, at the most.
pub const WAITING: usize = 16_384;

/// How many requests can wait for the answer to one numbered action.
pub const REPEATED: usize = 8;

/// For how long a lockstep environment without a patience of its own waits for [unattended](Owner::set_unattended) agents.
pub const UNATTENDED_PATIENCE: Duration = Duration::from_secs(10);

/// For how long a lockstep environment waits before its status names those for which it does.
pub const NOTICE: Duration = Duration::from_secs(1);

/// The owner of an environment. `T` says where a reply is to go; the owner only hands it back.
pub struct Owner<T> {
    environment: GuardedEnvironment,
    pace: Pace,
    ticker: Ticker,
    /// How long a lockstep environment waits for those who have not chosen.
    patience: Option<Duration>,
    choices: Choices,
    lateness: Lateness,
    numbers: Numbers,
    /// Actions that are still to be done, and passes.
    waiting: BTreeMap<PendingId, Waiting<T>>,
    next_pending: PendingId,
    /// In a reactive environment, the actions that wait until a step may be made, in order of arrival.
    queue: VecDeque<PendingId>,
    /// Who waits until the environment is further than this.
    sleepers: Vec<(T, Moment)>,
    advance: Option<Advance<T>>,
    team: Team,
    hosting: Hosting<T>,
    replies: VecDeque<(T, Answered)>,
}

/// How an owner is to move the time of its environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tempo {
    /// Who moves it.
    pub pace: Pace,
    /// How many steps are made a second at the most; in real time, how many are made.
    pub speed: Speed,
    /// In lockstep, how long a step waits for agents that have not chosen, from when choosing began; none means without end, but
    /// for [unattended](Owner::set_unattended) ones.
    pub patience: Option<Duration>,
}

/// Where the answer to an action goes.
enum Asker<T> {
    Outside(T),
    Member(MemberId),
}

/// Those who wait for the same answer. There is more than one only if an action is repeated.
struct Askers<T> {
    earlier: Vec<Asker<T>>,
    last: Asker<T>,
}

/// An action that is still to be done, or a pass.
struct Waiting<T> {
    askers: Askers<T>,
    agent: EcoString,
    /// None if the agent passes.
    action: Option<InputAction>,
    number: Option<u64>,
    entities: Vec<EcoString>,
    /// How many of its entities are still to act.
    open: usize,
    /// Whether any of them has tried.
    tried: bool,
    results: Results,
}

/// Time runs for so many steps.
struct Advance<T> {
    asker: T,
    steps: u64,
}

impl Tempo {
    /// That which an environment declares.
    pub fn of(ontology: &Ontology) -> Self {
        Self { pace: ontology.pace, speed: Speed::of(ontology.pace), patience: None }
    }
}

impl<T> Owner<T> {
    /// The owner of this environment, which moves its time so.
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
            replies: VecDeque::new(),
        }
    }

    /// The same with a team that lives in the environment.
    pub fn with_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// The same, recording from now on all that happens.
    pub fn with_recorder(mut self, recorder: Box<dyn Recorder>) -> Self {
        self.environment.recorder = Some(recorder);
        self
    }

    /// Takes a request. Its answer comes among the [replies](Self::next_reply), perhaps later.
    pub fn submit(&mut self, from: T, request: Request, now: Time) {
        match request {
            Request::Input(Input::Act { agent, action, entities }) => {
                self.act(Asker::Outside(from), agent, action, entities, None, now);
            }
            Request::Act { agent, action, entities, number } => {
                self.act(Asker::Outside(from), agent, action.into(), entities, number, now);
            }
            Request::Pass { agent, entities } => self.pass(Asker::Outside(from), agent, entities),
            Request::Wait { after } => self.sleep(from, after),
            Request::Advance { steps, at_once } => self.advance_by(from, steps, at_once, now),
            Request::Input(input) => match self.manage(input, now) {
                Ok(Reply::Effect(Effect::Requested(call))) => self.expect(call, Purpose::Request(from)),
                answered => self.reply(from, answered),
            },
            request => {
                let answered = self.answer_at_once(request, now);
                self.reply(from, answered);
            }
        }
        self.follow(now);
    }

    /// Lets the programs of the team decide, makes a step if one is due, and does what else is due. To be called after
    /// requests, and at the [deadline](Self::deadline).
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
    }

    /// The monotonic time at which it wants to be called again; none means when something is asked.
    pub fn deadline(&self) -> Option<Duration> {
        let recorder = self.environment.recorder.as_ref().and_then(|recorder| recorder.deadline());
        // A look may have been what the environment has broken down over.
        let change = self.environment.has_changed.then_some(Duration::ZERO);
        [self.next_step(), self.next_turn(), self.host_deadline(), recorder, change].into_iter().flatten().min()
    }

    /// Whether time runs and yet nothing will happen unless something is asked: nobody does anything any more.
    pub fn is_idle(&self) -> bool {
        self.environment.state() == State::Running
            && self.pace != Pace::Own
            && self.next_step().is_none()
            && self.next_turn().is_none()
            && self.host_deadline().is_none()
    }

    /// Those who have [asked to wait](Request::Wait) and have gone wait no longer, and get no answer.
    pub fn forget_waiting(&mut self, has_gone: impl Fn(&T) -> bool) -> impl Iterator<Item = T> {
        self.sleepers.extract_if(.., move |(from, _)| has_gone(from)).map(|(from, _)| from)
    }

    /// The next reply that is to be handed out, and to whom.
    pub fn next_reply(&mut self) -> Option<(T, Answered)> {
        self.replies.pop_front()
    }

    /// Returns the ontology of the environment.
    pub fn ontology(&self) -> &Ontology {
        self.environment.ontology()
    }

    /// Reads something from the environment, or from what is left of it when it has crashed.
    ///
    /// # Errors
    /// When it crashes over this.
    pub fn read<R>(&mut self, read: impl FnOnce(&dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        self.environment.observe(read)
    }

    /// An agent perceives: the same as the request, without the detour.
    ///
    /// # Errors
    /// As [`EnvironmentInterface::perceive`], or when the environment has crashed or does so over this.
    pub fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
        now: Time,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        self.environment.perceive(agent, entities, form, since, now)
    }

    /// An agent has received what it was told.
    ///
    /// # Errors
    /// As [`EnvironmentInterface::acknowledge`], or when the environment has crashed.
    pub fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        self.environment.acknowledge(agent, entity, version)
    }

    /// What somebody is told who watches an entity without being its agent, and knows this version of its percepts.
    ///
    /// # Errors
    /// As [`EnvironmentInterface::watch`], or when the environment has crashed or does so over this.
    pub fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        self.environment.watch(entity, since)
    }

    /// Begins to watch what is done. From the first time on, actions are remembered, [`ACTIONS_REMEMBERED`] at the most.
    ///
    /// [`ACTIONS_REMEMBERED`]: crate::ACTIONS_REMEMBERED
    pub fn watch_actions(&mut self) -> Seen {
        self.environment.spectacle.get_or_insert_default().beginning()
    }

    /// The actions that were done since then, and how many before them were missed.
    pub fn actions_since(&self, seen: &mut Seen) -> (impl Iterator<Item = &ActionSeen>, u64) {
        let (actions, missed) = self.environment.spectacle.as_ref().map(|spectacle| spectacle.since(seen)).unzip();
        (actions.into_iter().flatten(), missed.unwrap_or(0))
    }

    /// Nobody watches any more what is done.
    pub fn ignore_actions(&mut self) {
        self.environment.spectacle = None;
    }

    /// The state of the environment.
    pub fn state(&self) -> State {
        self.environment.state()
    }

    /// Who moves its time.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// When it is in the environment.
    pub fn moment(&self) -> Moment {
        self.environment.moment()
    }

    /// How often the environment may have changed. While it is the same, nothing has.
    pub fn changes(&self) -> u64 {
        self.environment.changes
    }

    /// How things stand.
    pub fn status(&self) -> Status {
        Status {
            state: self.environment.state(),
            moment: self.environment.moment(),
            pace: self.pace,
            speed: self.ticker.speed(),
            missed: if matches!(self.pace, Pace::RealTime { .. }) { self.ticker.missed } else { 0 },
            crash: self.environment.crash.clone(),
            awaited: self.lateness.awaited.iter().filter(|entity| self.choices.is_open(entity)).cloned().collect(),
            recording: self.environment.recorder.as_ref().map(|recorder| RecordingStatus { error: recorder.error() }),
        }
    }

    /// The programs that live in the environment.
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// The same, to take what it has noted.
    pub fn team_mut(&mut self) -> &mut Team {
        &mut self.team
    }

    /// Why nothing is recorded any more, if something has gone wrong.
    pub fn recording_error(&self) -> Option<String> {
        self.environment.recorder.as_ref().and_then(|recorder| recorder.error())
    }

    /// Ends the recording, if there is one.
    ///
    /// # Errors
    /// When not all of it could be written.
    pub fn finish(&mut self, now: Time) -> io::Result<()> {
        self.environment.finish_recording(now)
    }
}

/// The parts of the above.
impl<T> Owner<T> {
    fn reply(&mut self, to: T, answered: Answered) {
        self.replies.push_back((to, answered));
    }

    fn answer_at_once(&mut self, request: Request, now: Time) -> Answered {
        match request {
            Request::Perceive { agent, entities, form, since } => {
                let entities: Vec<&str> = entities.iter().map(EcoString::as_str).collect();
                self.environment.perceive(&agent, &entities, form, since, now).map(Reply::Perceptions)
            }
            Request::Acknowledge { agent, entity, version } => {
                self.environment.acknowledge(&agent, &entity, version).map(|()| Reply::DONE)
            }
            Request::SetSpeed(speed) => {
                self.ticker.set_speed(speed, now.monotonic);
                Ok(Reply::DONE)
            }
            Request::Status => Ok(Reply::Status(self.status())),
            _ => Err(Error::Paced),
        }
    }

    /// The answer comes when the environment is further.
    fn sleep(&mut self, from: T, after: Moment) {
        if self.sleepers.len() == WAITING {
            self.reply(from, Err(Error::Busy { what: "too many wait for the next step", limit: WAITING }));
        } else {
            self.sleepers.push((from, after));
            self.wake();
        }
    }

    /// Wakes those who have waited long enough.
    fn wake(&mut self) {
        let (now, killed) = (self.environment.moment(), self.environment.state() == State::Killed);
        let further = |after: &Moment| (now.episode, now.step) > (after.episode, after.step);
        for (from, _) in self.sleepers.extract_if(.., |(_, after)| killed || further(after)) {
            let answered = if killed { Err(self.environment.ended("waiting")) } else { Ok(Reply::Moment(now)) };
            self.replies.push_back((from, answered));
        }
    }
}
