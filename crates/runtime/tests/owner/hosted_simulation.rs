//! Simulation of environments that run elsewhere. If their host responds promptly, agents perceive the same as in an
//! environment that runs here; if it responds late, out of order, wrongly or not at all, every request is still
//! answered exactly once.

use std::collections::BTreeMap;
use std::time::Duration;

use situated::environment::Environment;
use situated::host::{HostAnswer, HostReport, HostRequest, HostUpdate, NewEntity, PerceptUpdate, Provider};
use situated::iil::{EcoString, Percept};
use situated::interface::Error::Gone;
use situated::interface::{Command, ErrorKind, Form, Interface, Perception, Since, State};
use situated::ontology::Pace;
use situated::random::Random;
use situated_runtime::{Answered, Error, HostTerms, Input, Owner, Reply, Speed, Tempo};

use crate::driver::{Driver, action};
use crate::request::Request;
use situated_toys::mill::{Mill, log};
use situated_toys::try_seeds;

/// Perceptions by entity.
type Perceptions = Vec<(EcoString, Perception)>;

const SEEDS: u64 = 12;
const REQUESTS: usize = 200;

const AGENTS: [&str; 4] = ["anna", "bert", "cleo", "dora"];

const PACES: [Pace; 4] = [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 20.0 }, Pace::Own];

#[test]
fn a_prompt_host_behaves_like_a_local_environment() {
    try_seeds(0..SEEDS, |seed| PACES.into_iter().for_each(|pace| Twins::run(seed, pace)));
}

#[test]
fn a_faulty_host_never_leaves_requests_without_answers() {
    try_seeds(0..SEEDS, |seed| PACES.into_iter().for_each(|pace| Chaos::run(seed, pace)));
}

fn hosted(random: &mut Random, tempo: Tempo) -> Driver {
    let terms = HostTerms { steps_with_actions: random.chance(0.5), ..HostTerms::default() };
    let owner = Owner::hosted(Mill::ontology(), tempo, terms);
    Driver::around(owner.expect("the ontology is sound"))
}

fn some_tempo(random: &mut Random, pace: Pace) -> Tempo {
    let speed = *random.choose(&[Speed::MAX, Speed::hertz(100.0), Speed::hertz(20.0)]).expect("three");
    let patience = *random.choose(&[30, 110]).expect("two");
    Tempo { pace, speed, patience: Some(Duration::from_millis(patience)) }
}

/// Draws a request. In a local environment it is answered at once, or with a step.
fn some_request(random: &mut Random, entities: &[EcoString]) -> Request {
    let agent = EcoString::from(*random.choose(&AGENTS).expect("four"));
    let entity = random.choose(entities).cloned().unwrap_or_else(|| "nobody".into());
    let through = if random.chance(0.8) { Vec::new() } else { vec![entity.clone()] };
    let manage = |command| Request::Input(Input::Manage(command));
    match random.below(100) {
        0..3 => Request::Input(Input::Register { agent }),
        3..5 => Request::Input(Input::Unregister { agent }),
        5..15 => Request::Input(Input::Associate { agent, entity }),
        15..17 => Request::Input(Input::FreePair { agent, entity }),
        17..19 => Request::Input(Input::FreeEntity { entity }),
        19..21 => Request::Input(Input::RequestEntity { agent, entity_type: "worker".into(), name: None }),
        21..26 => manage(Command::Start),
        26..28 => manage(Command::Pause),
        28 => manage(Command::Reset { parameters: None, seed: None }),
        29..31 => Request::Advance { steps: random.below(4), at_once: false },
        31..41 => Request::Pass { agent, entities: through },
        _ => {
            let deeds = ["work(1)", "work(2)", "bear", "vanish", "removeYoungest", "fail", "fly", "watch", "wrok"];
            let deed = random.choose(&deeds).expect("some");
            let number = random.chance(0.2).then(|| random.below(40));
            Request::Act { agent, action: action(deed), entities: through, number }
        }
    }
}

/// An environment that is run here, and the same one run elsewhere.
struct Twins {
    here: Driver,
    there: Driver,
    provider: Provider<Mill>,
    asked: u32,
}

impl Twins {
    fn run(seed: u64, pace: Pace) {
        let mut random = Random::new(seed);
        let tempo = some_tempo(&mut random, pace);
        let here = Driver::around(Owner::new(Box::new(Interface::<Mill>::new()), tempo));
        let mut twins = Self { here, there: hosted(&mut random, tempo), provider: Provider::new(), asked: 0 };
        let init = Command::Init { parameters: BTreeMap::new(), seed };
        twins.ask(&Request::Input(Input::Manage(init)));
        for agent in AGENTS {
            twins.ask(&Request::Input(Input::Register { agent: agent.into() }));
        }
        twins.ask(&Request::Input(Input::Manage(Command::Start)));
        for _ in 0..REQUESTS {
            let entities = twins.here.owner.read(|interface| interface.entities()).expect("whole");
            twins.ask(&some_request(&mut random, &entities));
            if random.chance(0.25) {
                twins.perceive(&mut random, &entities);
            }
            if random.chance(0.7) {
                twins.pass_time(Duration::from_millis(random.below(60)));
            }
        }
    }

    fn ask(&mut self, request: &Request) {
        self.asked = self.here.ask(request.clone());
        self.there.ask(request.clone());
        self.pump();
        self.compare();
    }

    /// An agent perceives the same here and there.
    fn perceive(&mut self, random: &mut Random, entities: &[EcoString]) {
        let agent = random.choose(&AGENTS).expect("four");
        let entity = random.choose(entities).map_or("nobody", EcoString::as_str);
        let through = if random.chance(0.8) { &[][..] } else { &[entity] };
        let form = *random.choose(&[Form::Snapshot, Form::Update, Form::Telling]).expect("three");
        let [here, there] = [&mut self.here, &mut self.there].map(|twin| {
            let now = twin.time();
            comparable_percepts(twin.owner.perceive(agent, through, form, Since::LastCall, now))
        });
        assert_eq!(here, there);
    }

    fn pass_time(&mut self, time: Duration) {
        let end = self.here.now + time;
        for _ in 0..20 {
            self.here.advance();
            self.there.advance();
            self.pump();
            self.compare();
            let Some(next) = self.here.owner.deadline().filter(|next| *next <= end) else { break };
            self.here.now = next.max(self.here.now);
            self.there.now = self.here.now;
        }
        (self.here.now, self.there.now) = (end, end);
    }

    /// Lets the host execute its tasks at once.
    fn pump(&mut self) {
        while let Some(call) = self.there.owner.next_host_request() {
            // Requests and answers are the same after serialization.
            let call: HostRequest = through_json(&call);
            let says = through_json(&self.provider.answer(call));
            let now = self.there.time();
            self.there.owner.hear(says, now).expect("a provider says nothing wrong");
            self.there.take_replies();
        }
    }

    fn compare(&mut self) {
        assert_eq!(fresh(&mut self.here), fresh(&mut self.there));
        let (here, there) = (self.here.status(), self.there.status());
        assert_eq!((here.state, here.moment.episode), (there.state, there.moment.episode));
        assert_eq!((here.moment.step, here.missed), (there.moment.step, there.missed));
        let entities = |driver: &mut Driver| driver.owner.read(|interface| interface.entities()).expect("whole");
        assert_eq!(entities(&mut self.here), entities(&mut self.there));
        let done = self.provider.episode().and_then(|episode| episode.query("log"));
        let done_here = self.here.owner.read(|interface| interface.query_property("log")).expect("whole");
        assert_eq!(done_here, Ok(done), "{:?}", self.here.owner.read(log));
    }
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("it can be written");
    serde_json::from_str(&text).expect("it reads what it writes")
}

/// Returns the responses without what depends on the number of reports: versions, the order of percepts, and times.
fn fresh(driver: &mut Driver) -> BTreeMap<u32, String> {
    let fresh = driver.take_fresh().into_iter();
    fresh.map(|asked| (asked, format!("{:?}", comparable(driver.got(asked))))).collect()
}

fn comparable(answered: Answered) -> Answered {
    answered.map(|reply| match reply {
        Reply::Results(mut results) => {
            results.sort_by(|one, other| one.0.cmp(&other.0));
            for (entity, result) in &mut results {
                // The error depends on whether the entity was deleted before the action or meanwhile.
                let is_gone = |kind| matches!(kind, ErrorKind::WrongEntity | ErrorKind::NoEntities);
                if result.as_ref().is_err_and(|error| is_gone(error.kind())) {
                    *result = Err(Gone { entity: entity.to_string() });
                }
            }
            Reply::Results(results)
        }
        other => other,
    })
}

fn comparable_percepts(perceived: Result<Perceptions, Error>) -> Result<Perceptions, Error> {
    perceived.map(|mut perceptions| {
        for (_, perception) in &mut perceptions {
            perception.moment.time = 0;
            (perception.since, perception.version) = Default::default();
            perception.add.sort();
            perception.delete.sort();
        }
        perceptions
    })
}

/// An environment with a host that behaves randomly.
struct Chaos {
    random: Random,
    driver: Driver,
    provider: Provider<Mill>,
    /// The reports on their way, with their time of arrival.
    wire: Vec<(Duration, HostReport)>,
    asked: Vec<u32>,
    beliefs: BTreeMap<EcoString, Vec<Percept>>,
}

impl Chaos {
    fn run(seed: u64, pace: Pace) {
        let mut random = Random::new(seed ^ 0x5eed);
        let tempo = some_tempo(&mut random, pace);
        let driver = hosted(&mut random, tempo);
        let (provider, wire) = (Provider::new(), Vec::new());
        let mut chaos = Self { random, driver, provider, wire, asked: Vec::new(), beliefs: BTreeMap::new() };
        for agent in AGENTS {
            chaos.ask(Request::Input(Input::Register { agent: agent.into() }));
        }
        for _ in 0..REQUESTS {
            if chaos.driver.state() == State::Initializing && chaos.random.chance(0.3) {
                let init = Command::Init { parameters: BTreeMap::new(), seed };
                chaos.ask(Request::Input(Input::Manage(init)));
            }
            let entities = chaos.driver.owner.read(|interface| interface.entities()).expect("whole");
            let request = some_request(&mut chaos.random, &entities);
            chaos.ask(request);
            chaos.host();
            let time = chaos.random.below(400);
            chaos.pass_time(Duration::from_millis(time));
            chaos.check_beliefs();
        }
        chaos.end();
    }

    fn ask(&mut self, request: Request) {
        self.asked.push(self.driver.ask(request));
    }

    /// The host executes its tasks, but its messages are late, lost or invalid.
    fn host(&mut self) {
        while let Some(call) = self.driver.owner.next_host_request() {
            if self.random.chance(0.05) {
                continue;
            }
            let says = self.provider.answer(call);
            let delay = Duration::from_millis(self.random.below(40) * self.random.below(60));
            self.wire.push((self.driver.now + delay, says));
        }
        if self.random.chance(0.2) {
            let nonsense = self.some_nonsense();
            self.wire.push((self.driver.now, nonsense));
        }
    }

    fn some_nonsense(&mut self) -> HostReport {
        let names = ["worker0", "worker1", "guard0", "child1", "", "nobody"];
        let mut name = || EcoString::from(*self.random.choose(&names).expect("some"));
        let (one, two, three) = (name(), name(), name());
        let add = vec![action("step(1)"), action("heard(x)")].remove(self.random.below(2) as usize);
        let add = vec![Percept::new(add.name, add.parameters)];
        let mut update = HostUpdate::default();
        match self.random.below(6) {
            0 => update.step = Some(self.random.below(50)),
            1 => update.deleted = vec![one, two],
            2 => update.new = vec![NewEntity { entity: one, entity_type: "worker".into() }],
            3 => {
                let resync = self.random.chance(0.5);
                update.percepts = vec![PerceptUpdate { entity: three, resync, delete: Vec::new(), add }];
            }
            4 => update.state = Some(*self.random.choose(&[State::Paused, State::Running]).expect("two")),
            _ => {
                let answers = [
                    HostAnswer::Done,
                    HostAnswer::Found(add),
                    HostAnswer::Entity(one),
                    HostAnswer::Failed { reason: "no".into(), tried: false },
                ];
                let answer = self.random.choose(&answers).expect("four").clone();
                return HostReport::Answer { number: self.random.below(300), answer, update };
            }
        }
        HostReport::Update(update)
    }

    fn pass_time(&mut self, time: Duration) {
        let end = self.driver.now + time;
        for _ in 0..40 {
            self.deliver();
            self.driver.advance();
            self.host();
            let arrival = self.wire.iter().map(|(at, _)| *at).min();
            let next = [arrival, self.driver.owner.deadline()].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else { break };
            self.driver.now = next.max(self.driver.now);
        }
        self.driver.now = end;
    }

    fn deliver(&mut self) {
        let now = self.driver.now;
        let arrived: Vec<HostReport> = self.wire.extract_if(.., |(at, _)| *at <= now).map(|(_, says)| says).collect();
        for says in arrived {
            let before = self.driver.status().moment;
            let time = self.driver.time();
            if self.driver.owner.hear(says, time).is_err() {
                assert_eq!(self.driver.status().moment, before, "a rejected request changes nothing");
            }
            self.driver.take_replies();
        }
    }

    /// Checks that the beliefs of agents equal the current percepts.
    fn check_beliefs(&mut self) {
        for agent in AGENTS {
            for (entity, update) in self.driver.perceive(agent, Form::Update).unwrap_or_default() {
                let beliefs = self.beliefs.entry(format!("{agent} {entity}").into()).or_default();
                update.apply(beliefs);
                let mut beliefs = beliefs.clone();
                let snapshot = self.driver.perceive(agent, Form::Snapshot).expect("it has it still");
                let snapshot = snapshot.into_iter().find(|(of, _)| *of == entity);
                let mut holds = snapshot.expect("it has it still").1.add;
                beliefs.sort();
                holds.sort();
                assert_eq!(beliefs, holds);
            }
        }
    }

    /// When the host has disconnected, no request remains without an answer.
    fn end(mut self) {
        self.driver.now += Duration::from_secs(10);
        self.driver.advance();
        if self.random.chance(0.5) {
            let now = self.driver.time();
            self.driver.owner.host_gone("it was unplugged", now);
            self.driver.take_replies();
        } else {
            self.ask(Request::Input(Input::Manage(Command::Kill)));
        }
        for asked in self.asked {
            assert!(self.driver.answer(asked).is_some(), "request {asked} is not answered");
        }
    }
}
