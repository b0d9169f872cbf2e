//! The invariants of an owner, observed from outside: requests and answers, status, the relation of agents and
//! entities, the inputs of its environment, and the environment's own log. Each is stated above its check.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use situated::iil::{Action, EcoString};
use situated::interface::{Command, Form, State};
use situated::ontology::Pace;
use situated_runtime::{Answered, Effect, Error, Input, Reply, Speed, Tempo};

use super::tape::{Record, Replay, Tape};
use super::view::{View, at, chosen_entities, look, works};
use crate::driver::{ANSWERS_REMEMBERED, Driver, REPEATED};
use crate::request::Request;

/// A choice that the owner has accepted for an entity: the request, the agent, and its action; none is a pass.
type Choice = (u32, EcoString, Option<Action>);

/// The facts of a run that the invariants are about.
pub(super) struct Invariants {
    /// The number of the last request.
    pub(super) asked: u32,
    tempo: Tempo,
    tape: Tape,
    replay: Replay,
    view: View,
    /// Requests without an answer.
    open: BTreeMap<u32, Request>,
    /// Choices of a lockstep environment, by entity.
    choices: BTreeMap<EcoString, Choice>,
    /// The numbered actions that have run, by agent, with their answers.
    numbered: BTreeMap<EcoString, Vec<(u64, Answered)>>,
    /// The actions that agents have tried.
    tried: BTreeSet<(EcoString, Action)>,
    /// The steps that are left to a request to advance.
    advancing: Option<u64>,
    /// The time of the last step, or when time began to run.
    last_step: Duration,
    /// When time began to run or the speed was changed.
    paced_since: Duration,
    /// The steps that were made or missed since then; from -1 if the first needs no period.
    paced: i64,
    /// The last versions that agents perceived, by agent and entity.
    versions: BTreeMap<(EcoString, EcoString), (u64, u64, u64)>,
}

impl Invariants {
    pub(super) fn new(tempo: Tempo, tape: Tape, driver: &mut Driver) -> Self {
        Self {
            asked: 0,
            tempo,
            tape,
            replay: Replay::default(),
            view: look(driver),
            open: BTreeMap::new(),
            choices: BTreeMap::new(),
            numbered: BTreeMap::new(),
            tried: BTreeSet::new(),
            advancing: None,
            last_step: Duration::ZERO,
            paced_since: Duration::ZERO,
            paced: 0,
            versions: BTreeMap::new(),
        }
    }

    /// Makes a request, and checks the consequences.
    pub(super) fn ask(&mut self, driver: &mut Driver, request: Request) {
        let chosen = chosen_entities(driver, &request);
        let asked = driver.ask(request.clone());
        self.open.insert(asked, request);
        if driver.answer(asked).is_none() && self.tempo.pace == Pace::Lockstep && self.original(asked) == asked {
            self.accept(asked, chosen);
        }
        self.asked = asked;
        self.check(driver, Some(asked));
    }

    /// Lets an agent perceive. The versions that it receives never decrease, and all else stays the same.
    pub(super) fn perceive(&mut self, driver: &mut Driver, agent: &str) {
        let (before, received) = (look(driver), driver.perceive(agent, Form::Update));
        assert_eq!(look(driver), before, "perceiving changes something");
        for (entity, perception) in received.unwrap_or_default() {
            assert_eq!(at(perception.moment), before.moment);
            let version = (before.moment.0, perception.version.changes, perception.version.events);
            let known = self.versions.insert((agent.into(), entity), version);
            assert!(known <= Some(version), "versions go back");
        }
    }

    /// Calls the owner, and checks the consequences.
    pub(super) fn poll(&mut self, driver: &mut Driver) {
        driver.advance();
        self.check(driver, None);
    }

    /// At most one choice for each entity and step is accepted. Entities that cannot do the action choose it, too,
    /// unless they have chosen before: it fails in the step.
    fn accept(&mut self, asked: u32, entities: Vec<(EcoString, bool)>) {
        let (agent, action) = match &self.open[&asked] {
            Request::Act { agent, action, .. } => (agent, Some(action)),
            Request::Pass { agent, .. } => (agent, None),
            _ => return,
        };
        for (entity, is_able) in entities {
            if !is_able && self.choices.contains_key(&entity) {
                continue;
            }
            let before = self.choices.insert(entity, (asked, agent.clone(), action.cloned()));
            assert!(before.is_none(), "request {asked} is a second choice");
        }
    }

    /// Checks the consequences of a request or a poll.
    fn check(&mut self, driver: &mut Driver, submitted: Option<u32>) {
        let (records, fresh) = (self.tape.take(), driver.take_fresh());
        let after = look(driver);
        let is_managed = submitted.is_some_and(|asked| matches!(self.open[&asked], Request::Input(Input::Manage(_))));
        self.check_call(driver, submitted, records.is_empty() && fresh.is_empty(), &after);
        self.check_inputs(driver, submitted, &records, &after);
        self.check_steps(driver, submitted.is_none(), &records, &after);
        let works = works(driver);
        for asked in fresh {
            let request = self.open.remove(&asked).expect("only open requests are answered");
            self.check_answer(driver, request, driver.got(asked), &works, is_managed, &after);
        }
        self.check_open(driver, &works, &after);
        self.view = after;
    }

    fn check_call(&self, driver: &Driver, submitted: Option<u32>, is_quiet: bool, after: &View) {
        let due = self.view.deadline.is_some_and(|deadline| deadline <= driver.now);
        match submitted {
            // The owner acts exactly when its deadline has passed; otherwise a poll changes nothing.
            None => {
                assert_eq!(!is_quiet, due, "at {:?} with deadline {:?}", driver.now, self.view.deadline);
                assert!(due || self.view == *after, "a poll before the deadline changes nothing");
            }
            // A refused request changes nothing.
            Some(asked) => {
                let refused = driver.answer(asked).is_some_and(Result::is_err);
                let crashed = driver.status().crash.is_some();
                assert!(!refused || crashed || self.view == *after, "refused request {asked} changes something");
            }
        }
        // Moments never go back, until the environment is killed.
        assert!(after.state == State::Killed || self.view.moment <= after.moment, "the moment goes back");
        // An idle owner has no deadline.
        assert!(!driver.owner.is_idle() || after.deadline.is_none(), "an idle owner has a deadline");
    }

    fn check_inputs(&mut self, driver: &Driver, submitted: Option<u32>, records: &[Record], after: &View) {
        for record in records {
            // The same inputs have the same effects in another environment.
            self.replay.repeat(record);
            // Steps are made, and default actions done, only while the environment runs.
            let needs_time = matches!(record.input, Input::Step | Input::ActByDefault { .. });
            assert!(!needs_time || record.state == State::Running, "{:?} while {:?}", record.input, record.state);
            match (&record.input, &record.effect) {
                (Input::Manage(Command::Start), Some(Ok(_))) => {
                    self.last_step = driver.now;
                    (self.paced_since, self.paced) = (driver.now, 0);
                }
                (Input::Act { agent, action, .. }, _) => {
                    self.tried.insert((agent.clone(), action.term.clone()));
                }
                // An agent that registers again may use all numbers.
                (Input::Unregister { agent }, Some(Ok(_))) => drop(self.numbered.remove(agent)),
                _ => {}
            }
        }
        if driver.status().crash.is_none() {
            assert_eq!(self.replay.hash(), after.hash, "the replay has come to another state");
        }
        match submitted.map(|asked| (asked, &self.open[&asked])) {
            Some((_, Request::SetSpeed(speed))) => {
                self.tempo.speed = *speed;
                (self.paced_since, self.paced) = (driver.now, -1);
            }
            Some((asked, Request::Advance { steps, .. })) if driver.answer(asked).is_none() => {
                self.advancing = Some(*steps);
            }
            _ => {}
        }
    }

    fn check_steps(&mut self, driver: &Driver, is_poll: bool, records: &[Record], after: &View) {
        let steps = records.iter().filter(|record| record.input == Input::Step).count() as u64;
        let before = &self.view;
        let (now, period, seats) = (driver.now, period(self.tempo.speed), before.seats());
        // A call makes one step at most, and time moves by this step only.
        assert!(steps <= 1, "{steps} steps at once");
        if after.state != State::Killed && after.moment.0 == before.moment.0 {
            assert_eq!(after.moment.1 - before.moment.1, steps);
        }

        let rested = now >= self.last_step.max(self.paced_since) + period;
        let complete = !seats.is_empty() && seats.iter().all(|entity| self.choices.contains_key(entity));
        let out_of_patience = self.tempo.patience.is_some_and(|patience| now >= self.last_step + patience);
        let first_act = self.open.values().find_map(|request| match request {
            Request::Act { action, .. } => Some(action),
            _ => None,
        });
        let acts = records.iter().filter(|record| matches!(record.input, Input::Act { .. }));
        let wanted = match self.tempo.pace {
            // In lockstep a step is made when all entities with agents have choices, when the patience has expired,
            // or when a client advances an environment without agents.
            Pace::Lockstep => {
                let wanted = complete || out_of_patience || (seats.is_empty() && self.advancing.is_some());
                assert!(steps == 0 || (wanted && is_poll), "a step too early");
                wanted
            }
            // In real time steps are made by the clock.
            Pace::RealTime { .. } => {
                assert!(steps == 0 || is_poll, "a request makes a step");
                true
            }
            // In a reactive environment a step follows each accepted action, and a poll takes the first in the queue.
            Pace::Reactive => {
                let accepted = acts.clone().filter(|record| is_accepted(record)).count() as u64;
                assert_eq!(steps, accepted, "steps and accepted actions");
                assert!(acts.clone().count() <= 1, "several actions in one step");
                if let Some(Input::Act { action, .. }) = acts.clone().next().map(|record| &record.input) {
                    assert_eq!(first_act, Some(&action.term), "an action has jumped the queue");
                }
                first_act.is_some()
            }
            // An environment with its own time moves by itself.
            Pace::Own => {
                assert_eq!(steps, 0);
                false
            }
        };
        if is_poll && before.state == State::Running && rested && wanted {
            assert!(steps == 1 || acts.count() == 1 || after.state == State::Killed, "a step is missing");
        }
        if steps == 0 {
            return;
        }
        let missed = if is_poll { after.missed.saturating_sub(before.missed) } else { 0 };
        if self.tempo.pace == Pace::Lockstep {
            self.check_choices(&seats, records);
        }
        // Steps that were made and steps that were missed are never more than the periods.
        self.paced += 1 + missed as i64;
        let periods = (now - self.paced_since).as_nanos().checked_div(period.as_nanos());
        assert!(periods.is_none_or(|periods| i128::from(self.paced) <= periods as i128), "too fast");
        self.last_step = now;
        self.advancing = self.advancing.map(|left| left.checked_sub(1).expect("it pauses after the last step"));
    }

    /// In a lockstep step each entity that has agents acts once, in order of creation: as chosen, else by default.
    fn check_choices(&mut self, seats: &[EcoString], records: &[Record]) {
        let acts = records.iter().filter_map(|record| match &record.input {
            Input::Act { agent, action, entities } => {
                Some((entities[0].clone(), Some((agent.clone(), action.term.clone()))))
            }
            Input::ActByDefault { entity } => Some((entity.clone(), None)),
            _ => None,
        });
        let wanted = seats.iter().map(|entity| {
            let choice = self.choices.remove(entity);
            (entity.clone(), choice.and_then(|(_, agent, action)| Some((agent, action?))))
        });
        assert_eq!(acts.collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "acts and choices of a step");
        assert!(self.choices.is_empty(), "choices for entities without agents");
    }

    fn check_answer(
        &mut self,
        driver: &Driver,
        request: Request,
        answered: Answered,
        works: &BTreeMap<Action, BTreeSet<EcoString>>,
        is_managed: bool,
        after: &View,
    ) {
        let crashed = driver.status().crash.is_some();
        match request {
            Request::Act { agent, action, number, .. } => {
                let done = self.numbered.entry(agent.clone()).or_default();
                let nothing = BTreeSet::new();
                let worked = works.get(&action).unwrap_or(&nothing);
                if let Some(index) = number.and_then(|number| done.iter().position(|(one, _)| *one == number)) {
                    // A numbered action runs at most once, and the last answers are repeated.
                    assert!(worked.is_empty(), "{action} has a number that was used");
                    let is_spent = matches!(answered, Err(Error::NumberUsed { .. }));
                    let is_remembered = index + ANSWERS_REMEMBERED >= done.len();
                    assert!(if is_remembered { answered == done[index].1 } else { is_spent }, "{answered:?} again");
                    return;
                }
                // The results of an action equal the environment's own count.
                let accepted = accepted(&answered);
                let is_work = action.name == "work";
                assert!(!is_work || crashed || accepted == *worked, "{action}: {answered:?}, but {worked:?} worked");
                if let (Some(number), true) = (number, self.tried.contains(&(agent, action)))
                    && answered.is_ok()
                {
                    done.push((number, answered));
                }
            }
            // A request to wait is answered when the environment is later, or has ended.
            Request::Wait { after: known } => match answered {
                Ok(_) => assert!(after.moment > at(known)),
                Err(_) => assert_eq!(after.state, State::Killed),
            },
            // A request to advance is answered after its steps, or when another client stops time.
            Request::Advance { steps, .. } if answered.is_ok() => {
                let left = if steps == 0 { None } else { self.advancing.take() };
                assert_eq!(after.state, State::Paused);
                assert!(steps == 0 || left == Some(0) || is_managed, "advanced too little");
            }
            _ => {}
        }
    }

    fn check_open(&mut self, driver: &Driver, works: &BTreeMap<Action, BTreeSet<EcoString>>, after: &View) {
        // When the environment is killed, every request is answered.
        assert!(after.state != State::Killed || self.open.is_empty(), "open after the end: {:?}", self.open);
        let has = |agent: &EcoString, entity: &EcoString| {
            after.relation.get(agent).is_some_and(|entities| entities.contains(entity))
        };
        self.choices.retain(|entity, (asked, agent, _)| has(agent, entity) && self.open.contains_key(asked));
        for (asked, request) in &self.open {
            let first = self.original(*asked);
            match request {
                Request::Act { agent, .. } | Request::Pass { agent, .. } => {
                    // An action that waits has not been done, and its agent is still registered.
                    assert!(after.relation.contains_key(agent), "{agent} has left, but its request {asked} waits");
                    if let Request::Act { action, .. } = request {
                        assert!(!works.contains_key(action), "request {asked} is done and has no answer");
                    }
                    // In lockstep, the choice of an entity waits; at other paces, only reactive actions wait.
                    let is_choice = self.choices.values().any(|(asked, ..)| *asked == first);
                    match self.tempo.pace {
                        Pace::Lockstep => assert!(is_choice, "request {asked} waits for nothing"),
                        pace => assert!(pace == Pace::Reactive && matches!(request, Request::Act { .. })),
                    }
                    // Not more than `REPEATED` wait for one numbered action.
                    let same = self.open.keys().filter(|other| self.original(**other) == first);
                    assert!(same.count() <= REPEATED, "too many wait for request {first}");
                }
                Request::Wait { after: known } => assert!(after.moment <= at(*known), "request {asked} should wake"),
                Request::Advance { .. } => {
                    assert_eq!(after.state, State::Running);
                    assert!(self.advancing.is_some_and(|left| left > 0), "request {asked} has advanced enough");
                }
                _ => panic!("request {asked} has no answer at {:?}: {request:?}", driver.now),
            }
        }
    }

    /// The first open request of the agent with the number of this request.
    fn original(&self, asked: u32) -> u32 {
        let key = |request: &Request| match request {
            Request::Act { agent, number: Some(number), .. } => Some((agent.clone(), *number)),
            _ => None,
        };
        let Some(own) = key(&self.open[&asked]) else { return asked };
        self.open.iter().find(|(_, other)| key(other).as_ref() == Some(&own)).map_or(asked, |(first, _)| *first)
    }
}

fn period(speed: Speed) -> Duration {
    speed.steps_per_second().map_or(Duration::ZERO, |hertz| Duration::from_secs_f64(1.0 / hertz))
}

/// The entities that have acted.
fn accepted(answered: &Answered) -> BTreeSet<EcoString> {
    let Ok(Reply::Results(results)) = answered else { return BTreeSet::new() };
    results.iter().filter(|(_, result)| result.is_ok()).map(|(entity, _)| entity.clone()).collect()
}

fn is_accepted(record: &Record) -> bool {
    match &record.effect {
        Some(Ok(Effect::Results(results))) => results.iter().any(|(_, result)| result.is_ok()),
        _ => false,
    }
}
