//! The costs of the interface: acting, perceiving and associating with 1, 1,000 and 100,000 agents, each with its own
//! entity. Measured typed by number, by name through the interface intermediate language, with shared percepts, and
//! compared with a bare virtual call.
//!
//! `cargo bench --profile wheel -p situated --bench interface`

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use situated::environment::{Context, EntityId, Environment, Failure, Listing, Percepts};
use situated::iil;
use situated::interface::{AgentId, EnvironmentInterface, Form, Interface, Since};
use situated::ontology::Ontology;
use situated::{Action, InitParameters, Percept};

const SIZES: [usize; 3] = [1, 1_000, 100_000];
const SECTIONS: u32 = 10;
const PERCEPTS_PER_SECTION: u32 = 10;

#[derive(Clone, Debug, Action)]
enum Do {
    /// Changes nothing but a count.
    Rest,
    /// Changes ten of the hundred percepts.
    Change { by: i64 },
}

#[derive(Clone, Debug, Percept)]
enum Perceive {
    #[percept(always)]
    Value { section: u32, index: u32, value: i64 },
}

#[derive(Clone, Debug, InitParameters)]
struct Settings {
    #[parameter(default = 1)]
    entities: u32,
    /// Whether all entities perceive the same values, which change whenever one of them acts.
    #[parameter(default = false)]
    shared: bool,
}

/// Entities that perceive a hundred values, ten of which change when it acts.
#[derive(Serialize, Deserialize)]
struct Values {
    entities: Vec<EntityValues>,
    /// The values that all of them perceive, if they share them.
    shared: Option<EntityValues>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct EntityValues {
    rested: u64,
    value: i64,
    revision: u64,
}

impl Environment for Values {
    type Parameters = Settings;
    type Action = Do;
    type Percept = Perceive;

    fn ontology() -> Ontology {
        Self::ontology_builder("values", "1", "Entities with values.").entity_type("entity", "An entity.").build()
    }

    fn init(parameters: &Settings, context: &mut Context<Perceive>) -> Result<Self, Failure> {
        for number in 0..parameters.entities {
            context.add_entity(format!("entity{number}"), "entity")?;
        }
        let shared = parameters.shared.then(EntityValues::default);
        Ok(Values { entities: vec![EntityValues::default(); parameters.entities as usize], shared })
    }

    fn act(&mut self, entity: EntityId, action: &Do, _: &mut Context<Perceive>) -> Result<(), Failure> {
        let entity = self.shared.as_mut().unwrap_or(&mut self.entities[entity.index()]);
        match action {
            Do::Rest => entity.rested += 1,
            Do::Change { by } => {
                entity.value += by;
                entity.revision += 1;
            }
        }
        Ok(())
    }

    fn percepts(&self, entity: EntityId, _: &Context<Perceive>, percepts: &mut Percepts<'_, Perceive>) {
        let entity = self.shared.as_ref().unwrap_or(&self.entities[entity.index()]);
        for section in 0..SECTIONS {
            let (revision, value) = if section == 0 { (entity.revision, entity.value) } else { (0, 0) };
            let list = |list: &mut Listing<'_, Perceive>| {
                for index in 0..PERCEPTS_PER_SECTION {
                    list.add(Perceive::Value { section, index, value });
                }
            };
            if self.shared.is_some() {
                percepts.shared(section, revision, None, list);
            } else {
                percepts.section(section, revision, list);
            }
        }
    }
}

/// Agents and entities in pairs, and their names.
struct Pairs {
    interface: Interface<Values>,
    agents: Vec<AgentId>,
    entities: Vec<EntityId>,
    names: Vec<(String, String)>,
}

impl Pairs {
    fn new(count: usize) -> Self {
        let mut pairs = Self::strangers(count, false);
        pairs.associate();
        pairs
    }

    fn strangers(count: usize, shared: bool) -> Self {
        let mut interface = Interface::<Values>::new();
        interface.init(Settings { entities: count as u32, shared }, 1).expect("entities");
        interface.start().expect("paused");
        let names: Vec<(String, String)> =
            (0..count).map(|number| (format!("agent{number}"), format!("entity{number}"))).collect();
        let entities = interface.entities().collect();
        Self { interface, agents: Vec::new(), entities, names }
    }

    fn associate(&mut self) {
        for (name, entity) in self.names.iter().zip(&self.entities) {
            let agent = self.interface.register(&name.0).expect("a new name");
            self.interface.associate(agent, *entity).expect("free");
            self.agents.push(agent);
        }
    }

    fn perceive(&mut self, index: usize) -> usize {
        let (agent, entity) = (self.agents[index], self.entities[index]);
        let received = self.interface.perceive(agent, entity, Form::Update, Since::LastCall);
        received.expect("running").add.len()
    }

    fn act(&mut self, index: usize, action: &Do) {
        self.interface.act(self.agents[index], self.entities[index], action).expect("possible");
    }
}

/// Visits all of them, again and again.
#[derive(Clone, Copy)]
enum Order {
    /// One after another, as a platform does that serves its agents in turn.
    InTurn,
    /// Each far from the last, so that nothing can be fetched ahead.
    Scattered,
}

struct Ring {
    at: usize,
    step: usize,
    count: usize,
}

impl Ring {
    fn new(count: usize, order: Order) -> Self {
        let step = match order {
            Order::InTurn => 1,
            // A prime that divides none of the sizes, so that every entity is reached.
            Order::Scattered => 7_919,
        };
        Self { at: 0, step: step % count, count }
    }

    fn next(&mut self) -> usize {
        // A division would take longer than a tenth of the shortest call.
        self.at += self.step;
        if self.at >= self.count {
            self.at -= self.count;
        }
        self.at
    }
}

fn in_turn(criterion: &mut Criterion) {
    by_number(criterion, "by number", Order::InTurn, &SIZES);
}

fn scattered(criterion: &mut Criterion) {
    by_number(criterion, "by number, scattered", Order::Scattered, &SIZES[2..]);
}

fn by_number(criterion: &mut Criterion, name: &str, order: Order, sizes: &[usize]) {
    let mut group = criterion.benchmark_group(name);
    for &count in sizes {
        let (mut pairs, mut ring) = (Pairs::new(count), Ring::new(count, order));
        group.bench_function(BenchmarkId::new("act", count), |bencher| {
            bencher.iter(|| pairs.act(ring.next(), &Do::Rest));
        });
        for index in 0..count {
            pairs.perceive(index);
        }
        group.bench_function(BenchmarkId::new("perceive unchanged", count), |bencher| {
            bencher.iter(|| pairs.perceive(ring.next()));
        });
        group.bench_function(BenchmarkId::new("perceive after another acted", count), |bencher| {
            bencher.iter_custom(|times| time(times, || perceive_after(&mut pairs, ring.next(), &Do::Rest, 1)));
        });
        group.bench_function(BenchmarkId::new("perceive 10 of 100 changed", count), |bencher| {
            bencher
                .iter_custom(|times| time(times, || perceive_after(&mut pairs, ring.next(), &Do::Change { by: 1 }, 0)));
        });
    }
    group.finish();
}

/// Measures perceiving where entities share all sections: an action of one entity changes the percepts of all.
fn sharing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shared sections");
    for count in SIZES {
        let (mut pairs, mut ring) = (Pairs::strangers(count, true), Ring::new(count, Order::InTurn));
        pairs.associate();
        for index in 0..count {
            pairs.perceive(index);
        }
        group.bench_function(BenchmarkId::new("perceive unchanged", count), |bencher| {
            bencher.iter(|| pairs.perceive(ring.next()));
        });
        group.bench_function(BenchmarkId::new("perceive 10 of 100 changed", count), |bencher| {
            bencher.iter_custom(|times| {
                time(times, || {
                    // An entity acts after all have perceived the changes of the last action.
                    let index = ring.next();
                    if index == 0 {
                        pairs.act(index, &Do::Change { by: 1 });
                    }
                    let begin = Instant::now();
                    black_box(pairs.perceive(index));
                    begin.elapsed()
                })
            });
        });
    }
    group.finish();
}

/// Measures a perception after the entity `step` positions further has acted; the action is not counted.
fn perceive_after(pairs: &mut Pairs, index: usize, action: &Do, further: usize) -> Duration {
    pairs.act((index + further) % pairs.agents.len(), action);
    let begin = Instant::now();
    black_box(pairs.perceive(index));
    begin.elapsed()
}

fn time(times: u64, mut once: impl FnMut() -> Duration) -> Duration {
    (0..times).map(|_| once()).sum()
}

fn by_name(criterion: &mut Criterion) {
    let rest = iil::Action::new("rest", []);
    let mut group = criterion.benchmark_group("by name");
    for count in SIZES {
        let (Pairs { interface, names, .. }, mut ring) = (Pairs::new(count), Ring::new(count, Order::InTurn));
        let mut interface: Box<dyn EnvironmentInterface> = Box::new(interface);
        group.bench_function(BenchmarkId::new("act", count), |bencher| {
            bencher.iter(|| interface.perform_action(&names[ring.next()].0, &rest, &[]));
        });
        let perceive = |interface: &mut dyn EnvironmentInterface, index: usize| {
            interface.perceive(&names[index].0, &[], Form::Update, Since::LastCall)
        };
        for index in 0..count {
            perceive(&mut *interface, index).expect("running");
        }
        group.bench_function(BenchmarkId::new("perceive unchanged", count), |bencher| {
            bencher.iter(|| perceive(&mut *interface, ring.next()));
        });
        let change = iil::Action::new("change", [1.into()]);
        group.bench_function(BenchmarkId::new("perceive 10 of 100 changed", count), |bencher| {
            bencher.iter_custom(|times| {
                time(times, || {
                    let index = ring.next();
                    let name = &names[index].0;
                    interface.perform_action(name, &change, &[]).expect("running").clear();
                    let begin = Instant::now();
                    black_box(perceive(&mut *interface, index)).expect("running");
                    begin.elapsed()
                })
            });
        });
    }
    group.finish();
}

fn associate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("register and associate all");
    group.sample_size(10);
    for count in SIZES {
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter_batched(
                || Pairs::strangers(count, false),
                |mut pairs| {
                    pairs.associate();
                    pairs
                },
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// The lower bound: one virtual call that counts.
fn bare(criterion: &mut Criterion) {
    trait Rests {
        fn rest(&mut self, index: usize);
    }
    impl Rests for Values {
        fn rest(&mut self, index: usize) {
            self.entities[index].rested += 1;
        }
    }
    let mut group = criterion.benchmark_group("bare virtual call");
    for count in SIZES {
        let mut environment: Box<dyn Rests> =
            black_box(Box::new(Values { entities: vec![EntityValues::default(); count], shared: None }));
        let mut ring = Ring::new(count, Order::InTurn);
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| environment.rest(ring.next()));
        });
    }
    group.finish();
}

criterion_group!(benches, bare, in_turn, scattered, sharing, by_name, associate);
criterion_main!(benches);
