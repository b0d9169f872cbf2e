//! Drives an owner with a test clock, in the only way that a driver needs: make a request, advance, take the replies,
//! go to the deadline. It checks that every request is answered at most once.

use std::collections::BTreeMap;
use std::time::Duration;

use situated::iil::{Action, EcoString};
use situated::interface::{Command, ErrorKind, Form, Interface, Moment, Perception, Since, State};
use situated::ontology::Pace;
use situated_runtime::{Answered, Error, Input, Owner, Reply, Speed, Status, Team, Tempo, Time};

use crate::request::Request;
use situated_toys::mill::{Mill, log};

/// Maximum number of actions that wait for their turn, and of requests that wait for a step.
pub(crate) const WAITING: usize = 16_384;

/// Maximum number of requests that wait for the response to one numbered action.
pub(crate) const REPEATED: usize = 8;

/// Maximum number of remembered responses to numbered actions of an agent.
pub(crate) const ANSWERS_REMEMBERED: usize = 64;

/// Maximum number of calls that an owner may require at one moment. More would be a busy loop.
const CALLS: usize = 2_000;

/// An owner of a mill, a clock, and the answers so far.
pub(crate) struct Driver {
    pub(crate) owner: Owner<u32>,
    pub(crate) now: Duration,
    asked: u32,
    /// Each with the moment at which it was taken.
    answers: BTreeMap<u32, (Answered, Moment)>,
    /// The requests that were answered since the last check.
    fresh: Vec<u32>,
}

/// A pace at the greatest speed, without patience.
pub(crate) fn tempo(pace: Pace) -> Tempo {
    Tempo { pace, speed: Speed::MAX, patience: None }
}

/// Returns a tempo with this number of steps per second.
pub(crate) fn at(pace: Pace, hertz: f64) -> Tempo {
    Tempo { speed: Speed::hertz(hertz), ..tempo(pace) }
}

/// A number of steps per second in real time.
pub(crate) fn real_time(hertz: f64) -> Tempo {
    at(Pace::RealTime { steps_per_second: hertz }, hertz)
}

pub(crate) fn action(text: &str) -> Action {
    text.parse().expect("an action")
}

fn names(names: &[&str]) -> Vec<EcoString> {
    names.iter().map(|name| EcoString::from(*name)).collect()
}

/// The kind of an interface's refusal.
pub(crate) fn kind(answered: &Answered) -> Option<ErrorKind> {
    match answered {
        Err(Error::Interface(error)) => Some(error.kind()),
        _ => None,
    }
}

/// Whether an action was done by all its entities.
pub(crate) fn is_done(answered: &Answered) -> bool {
    match answered {
        Ok(Reply::Results(results)) => results.iter().all(|(_, result)| result.is_ok()),
        _ => false,
    }
}

/// Whether the answer contains results, all of which are errors.
pub(crate) fn has_failed(answered: &Answered) -> bool {
    match answered {
        Ok(Reply::Results(results)) => results.iter().all(|(_, result)| result.is_err()),
        _ => false,
    }
}

impl Driver {
    /// A mill that has not been initialized.
    pub(crate) fn asleep(tempo: Tempo, team: Option<Team>) -> Self {
        let owner = Owner::new(Box::new(Interface::<Mill>::new()), tempo);
        let owner = match team {
            Some(team) => owner.with_team(team),
            None => owner,
        };
        Self::around(owner)
    }

    /// Drives an owner without requests.
    pub(crate) fn around(owner: Owner<u32>) -> Self {
        Self { owner, now: Duration::from_secs(1), asked: 0, answers: BTreeMap::new(), fresh: Vec::new() }
    }

    /// A running mill with these agents, which control the entities `worker0`, `worker1` and `guard0` in this order.
    pub(crate) fn new(tempo: Tempo, agents: &[&str]) -> Self {
        let mut driver = Self::asleep(tempo, None);
        driver.init();
        for (agent, entity) in agents.iter().zip(["worker0", "worker1", "guard0"]) {
            driver.take(agent, entity);
        }
        driver.manage(Command::Start);
        driver
    }

    /// A mill with a team, which runs.
    pub(crate) fn with_team(tempo: Tempo, team: Team) -> Self {
        let mut driver = Self::asleep(tempo, Some(team));
        driver.init();
        driver.manage(Command::Start);
        driver
    }

    pub(crate) fn init(&mut self) {
        self.manage(Command::Init { parameters: BTreeMap::new(), seed: 1 });
    }

    pub(crate) fn time(&self) -> Time {
        Time { monotonic: self.now, wall: self.now.as_millis() as u64 }
    }

    /// Makes a request; returns its number.
    pub(crate) fn ask(&mut self, request: Request) -> u32 {
        self.asked += 1;
        let (asked, now) = (self.asked, self.time());
        match request {
            Request::Input(input) => self.owner.apply(asked, input, now),
            Request::Act { agent, action, entities, number } => {
                self.owner.act(asked, agent, action, entities, number, now)
            }
            Request::Pass { agent, entities } => self.owner.pass(asked, agent, entities, now),
            Request::Wait { after } => self.owner.wait(asked, after, now),
            Request::Advance { steps, at_once } => self.owner.advance(asked, steps, at_once, now),
            Request::SetSpeed(speed) => {
                let set = self.owner.set_speed(speed, now);
                self.note_answer(asked, set.map(|()| Reply::Done));
            }
        }
        self.take_replies();
        asked
    }

    /// Perceives for an agent through all its entities what has changed since the last call.
    pub(crate) fn perceive(&mut self, agent: &str, form: Form) -> Result<Vec<(EcoString, Perception)>, Error> {
        self.owner.perceive(agent, &[], form, Since::LastCall, self.time())
    }

    /// Returns the answer to a request, if it has arrived.
    pub(crate) fn answer(&self, asked: u32) -> Option<&Answered> {
        self.answers.get(&asked).map(|(answered, _)| answered)
    }

    /// The requests that have been answered since the last call, in order.
    pub(crate) fn take_fresh(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.fresh)
    }

    /// Makes a request that is answered at once.
    pub(crate) fn get(&mut self, request: Request) -> Answered {
        let asked = self.ask(request);
        self.answer(asked).expect("it is answered at once").clone()
    }

    /// Returns the answer to a request, which must have arrived.
    pub(crate) fn got(&self, asked: u32) -> Answered {
        self.answer(asked).expect("it has been answered").clone()
    }

    /// Returns the episode and step at which a request was done that has no result.
    pub(crate) fn done_at(&self, asked: u32) -> (u64, u64) {
        assert_eq!(self.got(asked), Ok(Reply::Done));
        let (_, moment) = self.answers[&asked];
        (moment.episode, moment.step)
    }

    pub(crate) fn input(&mut self, input: Input) -> Answered {
        self.get(Request::Input(input))
    }

    pub(crate) fn manage(&mut self, command: Command) {
        self.input(Input::Manage(command)).expect("it can be managed so");
    }

    /// A new episode with the same parameters, which is paused.
    pub(crate) fn reset(&mut self) {
        self.manage(Command::Reset { parameters: None, seed: None });
    }

    pub(crate) fn register(&mut self, agent: &str) {
        self.input(Input::Register { agent: agent.into() }).expect("new");
    }

    pub(crate) fn unregister(&mut self, agent: &str) {
        self.input(Input::Unregister { agent: agent.into() }).expect("registered");
    }

    /// Registers an agent, which takes an entity.
    pub(crate) fn take(&mut self, agent: &str, entity: &str) {
        self.register(agent);
        self.associate(agent, entity);
    }

    pub(crate) fn associate(&mut self, agent: &str, entity: &str) {
        let input = Input::Associate { agent: agent.into(), entity: entity.into() };
        self.input(input).expect("both exist");
    }

    pub(crate) fn free(&mut self, agent: &str, entity: &str) {
        let input = Input::FreePair { agent: agent.into(), entity: entity.into() };
        self.input(input).expect("associated");
    }

    /// An agent acts through all its entities.
    pub(crate) fn act(&mut self, agent: &str, text: &str) -> u32 {
        self.act_through(agent, text, &[])
    }

    pub(crate) fn act_through(&mut self, agent: &str, text: &str, entities: &[&str]) -> u32 {
        let (agent, action, entities) = (agent.into(), action(text), names(entities));
        self.ask(Request::Act { agent, action, entities, number: None })
    }

    /// An agent acts under a number.
    pub(crate) fn act_once(&mut self, agent: &str, text: &str, number: u64) -> u32 {
        let (agent, action, entities) = (agent.into(), action(text), Vec::new());
        self.ask(Request::Act { agent, action, entities, number: Some(number) })
    }

    pub(crate) fn pass(&mut self, agent: &str) -> u32 {
        self.ask(Request::Pass { agent: agent.into(), entities: Vec::new() })
    }

    /// Calls the owner once.
    pub(crate) fn advance(&mut self) {
        self.owner.poll(self.time());
        self.take_replies();
    }

    /// Calls the owner until it needs no more calls at this moment.
    pub(crate) fn settle(&mut self) {
        for _ in 0..CALLS {
            self.advance();
            if self.owner.deadline().is_none_or(|deadline| deadline > self.now) {
                return;
            }
        }
        panic!("a busy loop: at {:?} the owner wants to be called again at {:?}", self.now, self.owner.deadline());
    }

    /// Lets time pass, and calls the owner only at its deadlines.
    pub(crate) fn run(&mut self, milliseconds: u64) {
        let end = self.now + Duration::from_millis(milliseconds);
        self.settle();
        while let Some(deadline) = self.owner.deadline().filter(|deadline| *deadline <= end) {
            self.now = deadline;
            self.settle();
        }
        self.now = end;
    }

    /// Lets time pass without a call, as a late driver does.
    pub(crate) fn oversleep(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
    }

    pub(crate) fn take_replies(&mut self) {
        while let Some((asked, answered)) = self.owner.next_reply() {
            assert!((1..=self.asked).contains(&asked), "an answer without a request: {answered:?}");
            self.note_answer(asked, answered);
        }
    }

    fn note_answer(&mut self, asked: u32, answered: Answered) {
        let before = self.answers.insert(asked, (answered, self.owner.moment()));
        assert_eq!(before, None, "request {asked} is answered twice");
        self.fresh.push(asked);
    }

    pub(crate) fn status(&self) -> Status {
        self.owner.status()
    }

    pub(crate) fn state(&self) -> State {
        self.status().state
    }

    pub(crate) fn step(&self) -> u64 {
        self.status().moment.step
    }

    /// Returns the number of milliseconds until the owner's deadline.
    pub(crate) fn rest(&self) -> Option<u64> {
        self.owner.deadline().map(|deadline| deadline.saturating_sub(self.now).as_millis() as u64)
    }

    /// Returns the actions in the environment, in order.
    pub(crate) fn log(&mut self) -> Vec<String> {
        self.owner.read(log).expect("the environment is whole")
    }
}
