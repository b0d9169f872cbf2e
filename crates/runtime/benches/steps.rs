//! The cost of a step of Find the Goals on each way to the environment. In each step both entities perceive and act.
//! `cargo bench --profile wheel -p situated-runtime`

mod driven;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use situated::environment::Episode;
use situated::interface::{EnvironmentInterface, Form, Interface, Since};
use situated_find_goals::{FindGoals, Parameters};
use situated_runtime::Time;

use driven::{ACTIONS, ENTITIES, actions, beginning, drive, owner};

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a step");
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(3));
    group.bench_function("bare environment", |bencher| {
        let mut episode = Episode::<FindGoals>::init(&Parameters::default(), 1).expect("a maze");
        let entities: Vec<_> = episode.context().entities().map(|(id, _)| id).collect();
        let mut actions = ACTIONS.iter().cycle();
        bencher.iter(|| {
            for (entity, action) in entities.iter().zip(actions.next().expect("there are more actions")) {
                black_box(episode.percepts(*entity));
                episode.act(*entity, action).expect("once a step");
            }
            episode.step();
        });
    });
    group.bench_function("interface, typed", |bencher| {
        let mut interface = Interface::<FindGoals>::new();
        interface.init(Parameters::default(), 1).expect("a maze");
        interface.start().expect("paused");
        let entities = ENTITIES.map(|(agent, entity)| {
            let (agent, entity) =
                (interface.register(agent).expect("new"), interface.find_entity(entity).expect("entity"));
            interface.associate(agent, entity).expect("free");
            (agent, entity)
        });
        let mut actions = ACTIONS.iter().cycle();
        bencher.iter(|| {
            for ((agent, entity), action) in entities.iter().zip(actions.next().expect("there are more actions")) {
                black_box(interface.perceive(*agent, *entity, Form::Update, Since::LastCall).expect("its own"));
                interface.act(*agent, *entity, action).expect("once a step");
            }
            interface.step().expect("running");
        });
    });
    group.bench_function("interface, by name", |bencher| {
        let mut interface: Box<dyn EnvironmentInterface> = Box::new(Interface::<FindGoals>::new());
        for input in beginning() {
            interface.apply(&input, Time::default()).expect("it is allowed");
        }
        let actions = actions();
        let mut actions = actions.iter().cycle();
        bencher.iter(|| {
            for ((agent, entity), action) in ENTITIES.iter().zip(actions.next().expect("there are more actions")) {
                black_box(interface.perceive(agent, &[], Form::Update, Since::LastCall).expect("its own"));
                interface.perform_action(agent, action, &[entity]).expect("once a step");
            }
            interface.step().expect("running");
        });
    });
    group.bench_function("owner, same thread", |bencher| {
        let mut driven = drive(owner());
        bencher.iter(|| driven.step());
    });
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
