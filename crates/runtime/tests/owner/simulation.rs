//! Seeded random agents make all requests that an owner supports, at random times, while entities are created and
//! deleted, and the environment is paused, reset, killed and crashes. The [`invariants`] are checked after every
//! request and every poll.
//!
//! `SIMULATION_SEED=7 cargo test -p situated-runtime --test owner` runs one seed.

mod invariants;
mod tape;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Command, Interface, Moment, State};
use situated::ontology::Pace;
use situated::random::Random;
use situated_runtime::{Answered, Error, Input, Owner, Reply, Speed, Tempo};

use crate::driver::{Driver, action};
use crate::request::Request;
use invariants::Invariants;
use situated_toys::mill::Mill;
use situated_toys::try_seeds;
use tape::Tape;

const SEEDS: u64 = 40;
const REQUESTS: usize = 300;

/// Maximum number of calls of the owner between two requests; at the highest speed, a step is always due.
const CALLS: usize = 4;

const AGENTS: [&str; 4] = ["anna", "bert", "cleo", "dora"];

#[test]
fn a_reactive_owner_keeps_its_invariants() {
    simulate(Pace::Reactive, &["Superseded"]);
}

#[test]
fn a_lockstep_owner_keeps_its_invariants() {
    simulate(Pace::Lockstep, &["AlreadyChosen", "Superseded"]);
}

#[test]
fn a_real_time_owner_keeps_its_invariants() {
    simulate(Pace::RealTime { steps_per_second: 20.0 }, &["missed"]);
}

#[test]
fn an_owner_of_an_environment_with_its_own_time_keeps_its_invariants() {
    simulate(Pace::Own, &[]);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 20.0 }, Pace::Own] {
        let runs: [String; 2] = std::array::from_fn(|_| Simulation::run(3, pace).transcript);
        assert!(runs[0].len() > REQUESTS);
        assert!(runs[0] == runs[1], "{pace:?}");
    }
}

/// Runs all seeds at this pace, and checks that they lead to these kinds of answers and to those of all paces.
fn simulate(pace: Pace, special: &[&str]) {
    let mut seen = BTreeSet::new();
    let all = try_seeds(0..SEEDS, |seed| seen.extend(Simulation::run(seed, pace).seen));
    let everywhere = ["results", "WrongState", "NotRegistered", "Crashed", "later", "NumberUsed"];
    for word in everywhere.iter().chain(special) {
        assert!(!all || seen.contains(*word), "no `{word}` in {seen:?}");
    }
}

struct Simulation {
    random: Random,
    driver: Driver,
    invariants: Invariants,
    serial: u64,
    number: u64,
    /// All requests, in order.
    requests: Vec<Request>,
    /// All answers, and the final hash of the environment.
    transcript: String,
    /// The kinds of answers.
    seen: BTreeSet<String>,
}

impl Simulation {
    fn run(seed: u64, pace: Pace) -> Self {
        let mut random = Random::new(seed);
        let speed = *random.choose(&[Speed::MAX, Speed::hertz(100.0), Speed::hertz(20.0)]).expect("three");
        let patience = *random.choose(&[None, Some(30), Some(110)]).expect("three");
        let tempo = Tempo { pace, speed, patience: patience.map(Duration::from_millis) };
        let tape = Tape::default();
        let owner = Owner::new(Box::new(Interface::<Mill>::new()), tempo).with_recorder(Box::new(tape.clone()));
        let mut driver = Driver::around(owner);
        let invariants = Invariants::new(tempo, tape, &mut driver);
        let (requests, transcript, seen) = (Vec::new(), String::new(), BTreeSet::new());
        let mut simulation = Self { random, driver, invariants, serial: 0, number: 0, requests, transcript, seen };
        simulation.begin();
        let mut left = REQUESTS;
        while left > 0 {
            let request = simulation.some_request();
            simulation.ask(request);
            if simulation.random.chance(0.04) {
                let agent = simulation.some_agent();
                simulation.invariants.perceive(&mut simulation.driver, &agent);
            }
            // An environment that has ended shows little.
            left = if simulation.driver.state() == State::Killed { left.min(20) - 1 } else { left - 1 };
            if simulation.random.chance(0.7) {
                simulation.invariants.poll(&mut simulation.driver);
                simulation.let_time_pass();
            }
        }
        simulation.end();
        simulation
    }

    fn begin(&mut self) {
        self.ask(manage(Command::Init { parameters: BTreeMap::new(), seed: 5 }));
        for (agent, entity) in AGENTS.into_iter().zip(["worker0", "worker1", "guard0"]) {
            self.ask(Request::Input(Input::Register { agent: agent.into() }));
            self.ask(Request::Input(Input::Associate { agent: agent.into(), entity: entity.into() }));
        }
        self.ask(manage(Command::Start));
    }

    /// Kills the environment, so that all requests are answered, and writes down the answers.
    fn end(&mut self) {
        self.ask(manage(Command::Kill));
        for (asked, request) in (1..).zip(&self.requests) {
            let answered = self.driver.got(asked);
            writeln!(self.transcript, "{asked} {answered:?}").expect("a text takes all");
            self.seen.insert(brief(request, &answered));
        }
        self.seen.extend((self.driver.status().missed > 0).then(|| "missed".into()));
    }

    fn ask(&mut self, request: Request) {
        if std::env::var_os("SIMULATION_SEED").is_some() {
            eprintln!("{:?} {}: {request:?}", self.driver.now, self.invariants.asked + 1);
        }
        self.requests.push(request.clone());
        self.invariants.ask(&mut self.driver, request);
    }

    fn some_request(&mut self) -> Request {
        let (agent, entity) = (self.some_agent(), self.some_entity());
        match self.random.below(200) {
            0..5 => Request::Input(Input::Register { agent }),
            5..8 => Request::Input(Input::Unregister { agent }),
            8..24 => Request::Input(Input::Associate { agent, entity }),
            24..27 => Request::Input(Input::FreePair { agent, entity }),
            27..30 => Request::Input(Input::FreeEntity { entity }),
            30..32 => Request::Input(Input::FreeAgent { agent }),
            32..40 => manage(Command::Start),
            40..45 => manage(Command::Pause),
            45 => manage(Command::Reset { parameters: None, seed: None }),
            46 => {
                let workers = Some((1 + self.random.below(3) as i64).into());
                let parameters = Some([("workers".to_owned(), workers)].into());
                manage(Command::Reset { parameters, seed: None })
            }
            47..52 => Request::Advance { steps: self.random.below(4), at_once: false },
            52..58 => {
                let Moment { episode, step, .. } = self.driver.status().moment;
                let step = (step + self.random.below(4)).saturating_sub(1);
                Request::Wait { after: Moment { episode, step, time: 0 } }
            }
            58..62 => {
                let speeds = [Speed::MAX, Speed::hertz(50.0), Speed::hertz(8.0)];
                Request::SetSpeed(*self.random.choose(&speeds).expect("three"))
            }
            70 if self.random.chance(0.3) => manage(Command::Kill),
            71..90 => Request::Pass { agent, entities: self.some_entities(entity) },
            _ => self.some_act(agent, entity),
        }
    }

    /// An action; only work has numbers, since each work is unlike all others.
    fn some_act(&mut self, agent: EcoString, entity: EcoString) -> Request {
        self.serial += 1;
        let work = format!("work({})", self.serial);
        let (text, number) = match self.random.below(400) {
            0 => ("burst", None),
            1 => ("arm(step)", None),
            2..16 => ("bear", None),
            16..24 => ("vanish", None),
            24..32 => ("removeYoungest", None),
            32..60 => ("fail", None),
            60..90 => ("watch", None),
            90..100 => ("dance", None),
            _ => (work.as_str(), self.some_number()),
        };
        Request::Act { agent, action: action(text), entities: self.some_entities(entity), number }
    }

    /// Returns mostly no number; otherwise a new one, or one that was used before.
    fn some_number(&mut self) -> Option<u64> {
        match self.random.below(10) {
            0..6 => None,
            6..8 => {
                self.number += 1;
                Some(self.number)
            }
            _ => Some(self.number.saturating_sub(self.random.below(5))),
        }
    }

    fn some_agent(&mut self) -> EcoString {
        (*self.random.choose(&AGENTS).expect("some")).into()
    }

    /// An entity, or one that there is not.
    fn some_entity(&mut self) -> EcoString {
        let entities = self.driver.owner.read(|interface| interface.entities()).expect("the environment is whole");
        match self.random.choose(&entities) {
            Some(entity) if self.random.chance(0.95) => entity.clone(),
            _ => "nobody".into(),
        }
    }

    /// None, which means all, or this one.
    fn some_entities(&mut self, entity: EcoString) -> Vec<EcoString> {
        if self.random.chance(0.8) { Vec::new() } else { vec![entity] }
    }

    /// Calls the owner at its deadlines; or, if it is driven badly, too late.
    fn let_time_pass(&mut self) {
        let end = self.driver.now + Duration::from_millis(self.random.below(30) * self.random.below(4));
        if self.random.chance(0.3) {
            self.driver.now = end;
            self.invariants.poll(&mut self.driver);
        }
        for _ in 0..CALLS {
            let deadline = self.driver.owner.deadline();
            let Some(deadline) = deadline.filter(|deadline| *deadline <= end) else { break };
            self.driver.now = deadline.max(self.driver.now);
            self.invariants.poll(&mut self.driver);
        }
        self.driver.now = end;
    }
}

fn manage(command: Command) -> Request {
    Request::Input(Input::Manage(command))
}

/// The kind of an answer, in a word.
fn brief(request: &Request, answered: &Answered) -> String {
    match answered {
        Ok(Reply::Results(_)) => "results".into(),
        Ok(_) if matches!(request, Request::Wait { .. } | Request::Advance { .. }) => "later".into(),
        Ok(_) => "done".into(),
        Err(Error::Interface(error)) => format!("{:?}", error.kind()),
        Err(error) => format!("{error:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
    }
}
