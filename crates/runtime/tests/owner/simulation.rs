//! Seeded random agents ask for all that an owner offers, at random times, while entities come and go, the environment
//! is paused, reset, killed and crashes. After every request, and every call, the owner is held against a model so
//! simple that it can be read: the answers, the order of what was done, the steps, the deadline.
//!
//! `SIMULATION_SEED=7 cargo test -p situated-runtime --test owner` runs one seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{Command, EnvironmentInterface, Form, Moment, Since, State};
use situated::ontology::Pace;
use situated::random::Random;
use situated_runtime::{Answered, Effect, Error, Input, Reply, Request, Speed, Tempo};

use crate::driver::{Driver, action};
use crate::model::{Deed, Model};

const SEEDS: u64 = 40;
const REQUESTS: usize = 300;

/// How often the owner is called between two requests at the most; the greatest speed is always due.
const CALLS: usize = 4;

const AGENTS: [&str; 4] = ["anna", "bert", "cleo", "dora"];

#[test]
fn a_reactive_owner_agrees_with_a_simple_model() {
    simulate(Pace::Reactive, &["queued"]);
}

#[test]
fn a_lockstep_owner_agrees_with_a_simple_model() {
    simulate(Pace::Lockstep, &["AlreadyChosen", "Superseded", "voided"]);
}

#[test]
fn a_real_time_owner_agrees_with_a_simple_model() {
    simulate(Pace::RealTime { steps_per_second: 20.0 }, &["missed"]);
}

#[test]
fn an_owner_of_an_environment_with_its_own_time_agrees_with_a_simple_model() {
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

/// Runs all seeds at this pace, in which these things are to be seen, beside those that are seen at all paces.
fn simulate(pace: Pace, special: &[&str]) {
    let all = std::env::var_os("SIMULATION_SEED").is_none();
    let mut seen = BTreeSet::new();
    for seed in seeds(SEEDS) {
        let _told = TellSeed(seed);
        seen.extend(Simulation::run(seed, pace).seen);
    }
    let everywhere = ["results", "WrongState", "NotRegistered", "Crashed", "moment", "NumberUsed", "again"];
    for word in everywhere.iter().chain(special) {
        assert!(!all || seen.contains(*word), "no `{word}` in {seen:?}");
    }
}

/// So many seeds, or the one that somebody wants to see.
pub(crate) fn seeds(count: u64) -> Range<u64> {
    match std::env::var("SIMULATION_SEED") {
        Ok(seed) => {
            let seed = seed.parse().expect("SIMULATION_SEED is a whole number");
            seed..seed + 1
        }
        Err(_) => 0..count,
    }
}

/// Says which seed it was when a check fails.
pub(crate) struct TellSeed(pub(crate) u64);

impl Drop for TellSeed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with SIMULATION_SEED={}", self.0);
        }
    }
}

struct Simulation {
    random: Random,
    driver: Driver,
    model: Model,
    /// The number of the last request.
    asked: u32,
    serial: u64,
    number: u64,
    /// All answers, and the hash of the environment after each call.
    transcript: String,
    seen: BTreeSet<String>,
}

impl Simulation {
    fn run(seed: u64, pace: Pace) -> Self {
        let mut random = Random::new(seed);
        let speed = *random.choose(&[Speed::MAX, Speed::hertz(100.0), Speed::hertz(20.0)]).expect("three");
        let patience = *random.choose(&[None, Some(30), Some(110)]).expect("three");
        let tempo = Tempo { pace, speed, patience: patience.map(Duration::from_millis) };
        let driver = Driver::asleep(tempo, None);
        let model = Model::new(tempo, driver.now);
        let (transcript, seen) = (String::new(), BTreeSet::new());
        let mut simulation = Self { random, driver, model, asked: 0, serial: 0, number: 0, transcript, seen };
        simulation.begin();
        let mut left = REQUESTS;
        while left > 0 {
            simulation.request();
            // Of an environment that is over, little is to be seen.
            left = if simulation.model.state == State::Killed { left.min(20) - 1 } else { left - 1 };
            if simulation.random.chance(0.7) {
                simulation.call();
                simulation.let_time_pass();
            }
        }
        simulation.call();
        simulation
    }

    fn begin(&mut self) {
        let init = Command::Init { parameters: BTreeMap::new(), seed: 5 };
        let asked = self.ask(Request::Input(Input::Manage(init)));
        self.model.init(asked);
        for (agent, entity) in AGENTS.iter().zip(["worker0", "worker1", "guard0"]) {
            self.register(agent);
            self.associate(agent, entity);
        }
        self.start();
    }

    /// Submits a request; returns its number.
    fn ask(&mut self, request: Request) -> u32 {
        if std::env::var_os("SIMULATION_SEED").is_some() {
            eprintln!("{:?} {}: {request:?}", self.driver.now, self.asked + 1);
        }
        self.asked = self.driver.ask(request);
        self.model.now = self.driver.now;
        self.asked
    }

    fn request(&mut self) {
        match self.random.below(200) {
            0..5 => {
                let agent = self.some_agent();
                self.register(agent);
            }
            5..8 => {
                let agent = self.some_agent();
                let asked = self.ask(Request::Input(Input::Unregister { agent: agent.into() }));
                self.model.unregister(asked, agent);
            }
            8..24 => {
                let (agent, entity) = (self.some_agent(), self.some_entity());
                self.associate(agent, &entity);
            }
            24..32 => self.free(),
            32..40 => self.start(),
            40..45 => {
                let asked = self.ask(Request::Input(Input::Manage(Command::Pause)));
                self.model.pause(asked);
            }
            45..47 => {
                let reset = Command::Reset { parameters: None, seed: None };
                let asked = self.ask(Request::Input(Input::Manage(reset)));
                self.model.reset(asked);
            }
            47..52 => {
                let steps = self.random.below(4);
                let asked = self.ask(Request::Advance { steps });
                self.model.advance_by(asked, steps);
            }
            52..58 => self.wait(),
            58..62 => {
                let speed = *self.random.choose(&[Speed::MAX, Speed::hertz(50.0), Speed::hertz(8.0)]).expect("three");
                let asked = self.ask(Request::SetSpeed(speed));
                self.model.set_speed(asked, speed.period());
            }
            62..70 => {
                let agent = self.some_agent();
                let (form, since) = (Form::Update, Since::LastCall);
                let perceive = Request::Perceive { agent: agent.into(), entities: Vec::new(), form, since };
                let asked = self.ask(perceive);
                self.model.perceive(asked, agent);
            }
            70 if self.random.chance(0.3) => {
                let asked = self.ask(Request::Input(Input::Manage(Command::Kill)));
                self.model.kill(asked);
            }
            71..90 => {
                let (agent, entities) = (self.some_agent(), self.some_entities());
                let asked = self.ask(Request::Pass { agent: agent.into(), entities: names(&entities) });
                self.model.act(asked, agent, None, &entities, None);
            }
            _ => self.act(),
        }
    }

    fn register(&mut self, agent: &str) {
        let asked = self.ask(Request::Input(Input::Register { agent: agent.into() }));
        self.model.register(asked, agent);
    }

    fn associate(&mut self, agent: &str, entity: &str) {
        let asked = self.ask(Request::Input(Input::Associate { agent: agent.into(), entity: entity.into() }));
        self.model.associate(asked, agent, entity);
    }

    fn free(&mut self) {
        let (agent, entity) = (self.some_agent(), self.some_entity());
        match self.random.below(3) {
            0 => {
                let input = Input::FreePair { agent: agent.into(), entity: entity.as_str().into() };
                let asked = self.ask(Request::Input(input));
                self.model.free_pair(asked, agent, &entity);
            }
            1 => {
                let asked = self.ask(Request::Input(Input::FreeEntity { entity: entity.as_str().into() }));
                self.model.free_entity(asked, &entity);
            }
            _ => {
                let asked = self.ask(Request::Input(Input::FreeAgent { agent: agent.into() }));
                self.model.free_agent(asked, agent);
            }
        }
    }

    fn start(&mut self) {
        let asked = self.ask(Request::Input(Input::Manage(Command::Start)));
        self.model.start(asked);
    }

    fn wait(&mut self) {
        let episode = self.model.episode;
        let step = (self.model.step + self.random.below(4)).saturating_sub(1);
        let asked = self.ask(Request::Wait { after: Moment { episode, step, time: 0 } });
        self.model.wait(asked, (episode, step));
    }

    fn act(&mut self) {
        let (agent, entities) = (self.some_agent(), self.some_entities());
        self.serial += 1;
        let deed = match self.random.below(400) {
            0 => Deed::Burst,
            1 => Deed::ArmStep,
            2..16 => Deed::Bear,
            16..24 => Deed::Vanish,
            24..32 => Deed::RemoveYoungest,
            32..60 => Deed::Fail,
            60..90 => Deed::Watch,
            90..100 => Deed::Unknown,
            _ => Deed::Work(self.serial),
        };
        let number = self.some_number();
        let (name, what, through) = (EcoString::from(agent), action(&deed.text()), names(&entities));
        let asked = self.ask(Request::Act { agent: name, action: what, entities: through, number });
        self.model.act(asked, agent, Some(deed), &entities, number);
    }

    /// Mostly none; else a new number, or one that somebody has used.
    fn some_number(&mut self) -> Option<u64> {
        match self.random.below(10) {
            0..6 => None,
            6..8 => {
                self.number += 1;
                Some(self.number)
            }
            _ => {
                self.seen.insert("again".into());
                Some(self.number.saturating_sub(self.random.below(5)))
            }
        }
    }

    fn some_agent(&mut self) -> &'static str {
        self.random.choose(&AGENTS).expect("some")
    }

    /// An entity, or one that there is not.
    fn some_entity(&mut self) -> String {
        match self.random.choose(&self.model.entities) {
            Some(entity) if self.random.chance(0.95) => entity.clone(),
            _ => "nobody".into(),
        }
    }

    /// None, which means all, or some.
    fn some_entities(&mut self) -> Vec<String> {
        if self.random.chance(0.8) { Vec::new() } else { vec![self.some_entity()] }
    }

    /// Calls the owner when it wants to be called; or, if it is driven badly, too late.
    fn let_time_pass(&mut self) {
        let end = self.driver.now + Duration::from_millis(self.random.below(30) * self.random.below(4));
        if self.random.chance(0.3) {
            self.driver.now = end;
            self.call();
        }
        for _ in 0..CALLS {
            let deadline = self.driver.owner.deadline();
            let Some(deadline) = deadline.filter(|deadline| *deadline <= end) else { break };
            self.driver.now = deadline.max(self.driver.now);
            self.call();
        }
        self.driver.now = end;
    }

    fn call(&mut self) {
        self.model.now = self.driver.now;
        self.driver.advance();
        self.model.advance();
        self.check();
    }

    /// Holds everything that can be seen of the owner against the model.
    fn check(&mut self) {
        for asked in self.driver.take_fresh() {
            let answered = self.driver.got(asked);
            writeln!(self.transcript, "{asked} {answered:?}").expect("a text takes all");
            let answer = brief(&answered);
            assert_eq!(Some(&answer), self.model.answers.get(&asked), "of request {asked}");
            self.seen.extend(answer.split(' ').next().map(String::from));
            if answer.starts_with("results") && answer.contains(":err") {
                self.seen.insert("voided".into());
            }
        }
        let answered = self.asked as usize - self.model.unanswered();
        assert_eq!(self.model.answers.len(), answered, "the model answers every request once");
        for (asked, answer) in self.model.answers.range(self.asked.saturating_sub(50)..) {
            assert!(self.driver.answer(*asked).is_some(), "request {asked} is still to be answered: {answer}");
        }
        let status = self.driver.status();
        let moment = (status.state, status.moment.step);
        assert_eq!(moment, (self.model.state, self.model.step));
        assert_eq!(status.crash.is_some(), self.model.is_crashed());
        assert_eq!(self.driver.owner.deadline(), self.model.deadline());
        if matches!(status.pace, Pace::RealTime { .. }) {
            assert_eq!(status.missed, self.model.missed);
            self.seen.extend((status.missed > 0).then(|| "missed".into()));
        }
        if self.driver.owner.deadline().is_some() && status.pace == Pace::Reactive {
            self.seen.insert("queued".into());
        }
        if !self.model.is_crashed() {
            self.check_environment();
        }
    }

    /// Who has what, and what was done, in order.
    fn check_environment(&mut self) {
        let relation = |interface: &dyn EnvironmentInterface| {
            let of = |agent: &EcoString| interface.associated_entities(agent).expect("registered");
            let pairs =
                |agent: EcoString| of(&agent).into_iter().map(move |entity| (agent.to_string(), entity.to_string()));
            let links: BTreeSet<(String, String)> = interface.agents().into_iter().flat_map(pairs).collect();
            (links, interface.hash())
        };
        let (links, hash) = self.driver.owner.read(relation).expect("whole");
        assert_eq!(links, self.model.links);
        assert_eq!(self.driver.log(), self.model.log);
        writeln!(self.transcript, "{hash:?}").expect("a text takes all");
    }
}

fn names(names: &[String]) -> Vec<EcoString> {
    names.iter().map(|name| EcoString::from(name.as_str())).collect()
}

/// An answer as the model says it.
fn brief(answered: &Answered) -> String {
    match answered {
        Ok(Reply::Effect(Effect::Results(results))) => {
            let word = |(entity, result): &(EcoString, Result<_, _>)| {
                format!(" {entity}:{}", if result.is_ok() { "ok" } else { "err" })
            };
            let words: BTreeSet<String> = results.iter().map(word).collect();
            "results".to_owned() + &words.into_iter().collect::<String>()
        }
        Ok(Reply::Effect(_)) => "done".into(),
        Ok(Reply::Perceptions(_)) => "perceived".into(),
        Ok(Reply::Moment(_)) => "moment".into(),
        Ok(Reply::Status(_)) => "status".into(),
        Err(Error::Interface(error)) => format!("{:?}", error.kind()),
        Err(error) => format!("{error:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
    }
}
