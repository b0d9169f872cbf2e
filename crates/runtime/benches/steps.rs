//! What a step of Find the Goals costs on each way to the environment, and what recording it costs. In each step both
//! bodies perceive and act. `cargo bench -p situated-runtime`

use std::fs::File;
use std::hint::black_box;
use std::io::BufWriter;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situated::environment::{Environment, Episode};
use situated::iil;
use situated::interface::{Command, EnvironmentInterface, Form, Interface, Since};
use situated::ontology::typed::TypedAction;
use situated_find_goals::{Action, FindGoals, Parameters};
use situated_runtime::{Clock, Effect, Input, Owner, Recorder, RecorderSettings, Reply, Request, Tempo, spawn};

/// The bodies, and who has them.
const BODIES: [(&str, &str); 2] = [("anna", "red"), ("bert", "blue")];

/// What the bodies do, over and over: red makes way for blue.
const DEEDS: [[Action; 2]; 6] = [
    [Action::Up, Action::Up],
    [Action::Wait, Action::Wait],
    [Action::Left, Action::Left],
    [Action::Right, Action::Down],
    [Action::Down, Action::Right],
    [Action::Wait, Action::Left],
];

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a step");
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(3));
    group.bench_function("bare environment", |bencher| {
        let mut episode = Episode::<FindGoals>::init(&Parameters::default(), 1).expect("a maze");
        let entities: Vec<_> = episode.context().entities().map(|(id, _)| id).collect();
        let mut deeds = DEEDS.iter().cycle();
        bencher.iter(|| {
            for (entity, action) in entities.iter().zip(deeds.next().expect("they go on")) {
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
        let bodies = BODIES.map(|(agent, entity)| {
            let (agent, entity) =
                (interface.register(agent).expect("new"), interface.find_entity(entity).expect("body"));
            interface.associate(agent, entity).expect("free");
            (agent, entity)
        });
        let mut deeds = DEEDS.iter().cycle();
        bencher.iter(|| {
            for ((agent, entity), action) in bodies.iter().zip(deeds.next().expect("they go on")) {
                black_box(interface.perceive(*agent, *entity, Form::Update, Since::LastCall).expect("its own"));
                interface.act(*agent, *entity, action).expect("once a step");
            }
            interface.step().expect("running");
        });
    });
    group.bench_function("interface, by name", |bencher| {
        let mut interface: Box<dyn EnvironmentInterface> = Box::new(Interface::<FindGoals>::new());
        for input in beginning() {
            input.apply(&mut *interface).expect("it is allowed");
        }
        let deeds = deeds();
        let mut deeds = deeds.iter().cycle();
        bencher.iter(|| {
            for ((agent, entity), action) in BODIES.iter().zip(deeds.next().expect("they go on")) {
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
    group.bench_function("handle, other thread", |bencher| {
        let (handle, thread) = spawn(owner()).expect("a thread");
        handle.manage(Command::Init { parameters: [].into(), seed: 1 }).wait().expect("a maze");
        handle.manage(Command::Start).wait().expect("paused");
        for (agent, entity) in BODIES {
            handle.register(agent).wait().expect("new");
            handle.associate(agent, entity).wait().expect("free");
        }
        let deeds = deeds();
        let mut deeds = deeds.iter().cycle();
        bencher.iter(|| {
            let deeds = deeds.next().expect("they go on");
            let told = BODIES.map(|(agent, _)| handle.perceive(agent, &[], Form::Update, Since::LastCall));
            for answer in told {
                black_box(answer.wait().expect("its own"));
            }
            let acts = [0, 1].map(|body| handle.act(BODIES[body].0, deeds[body].clone(), &[BODIES[body].1]));
            for answer in acts {
                black_box(answer.wait().expect("once a step"));
            }
        });
        drop(handle);
        thread.join().expect("no panic").expect("nothing to record");
    });
    group.finish();
}

fn recording(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a step of an owner that records");
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(3));
    group.bench_function("nothing", |bencher| {
        let mut driven = drive(owner());
        bencher.iter(|| driven.step());
    });
    for (what, percepts) in [("inputs", false), ("inputs and percepts", true)] {
        group.bench_function(BenchmarkId::from_parameter(what), |bencher| {
            let path = std::env::temp_dir().join(format!("situated-bench-{}.mcap", std::process::id()));
            let file = BufWriter::new(File::create(&path).expect("there is room"));
            let settings = RecorderSettings { percepts, ..RecorderSettings::default() };
            let mut driven = drive(owner().with_recorder(Recorder::new(file, settings).expect("there is room")));
            bencher.iter(|| driven.step());
            drop(driven);
            std::fs::remove_file(&path).expect("it is there");
        });
    }
    group.finish();
}

/// An owner with both agents, driven in this thread.
struct Driven {
    owner: Owner<usize>,
    clock: Clock,
    deeds: Vec<[iil::Action; 2]>,
    next: usize,
}

fn drive(owner: Owner<usize>) -> Driven {
    let mut driven = Driven { owner, clock: Clock::new(), deeds: deeds(), next: 0 };
    for input in beginning() {
        driven.owner.submit(0, Request::Input(input), driven.clock.now());
        driven.reply();
    }
    driven
}

impl Driven {
    fn step(&mut self) {
        let now = self.clock.now();
        let deeds = &self.deeds[self.next % self.deeds.len()];
        self.next += 1;
        for (body, ((agent, entity), action)) in BODIES.iter().zip(deeds).enumerate() {
            let (form, since) = (Form::Update, Since::LastCall);
            self.owner.submit(body, Request::Perceive { agent: (*agent).into(), entities: vec![], form, since }, now);
            let entities = vec![(*entity).into()];
            let action = action.clone();
            self.owner.submit(body, Request::Act { agent: (*agent).into(), action, entities, number: None }, now);
        }
        self.owner.advance(now);
        for _ in 0..4 {
            black_box(self.reply());
        }
    }

    fn reply(&mut self) -> Reply {
        let (_, answered) = self.owner.next_reply().expect("all is answered");
        let reply = answered.expect("all is allowed");
        if let Reply::Effect(Effect::Results(results)) = &reply {
            assert!(results[0].1.is_ok());
        }
        reply
    }
}

/// The owner of a maze.
fn owner<T>() -> Owner<T> {
    Owner::new(Box::new(Interface::<FindGoals>::new()), Tempo::of(&FindGoals::ontology()))
}

/// A running maze in which both agents have their bodies.
fn beginning() -> Vec<Input> {
    let mut inputs =
        vec![Input::Manage(Command::Init { parameters: [].into(), seed: 1 }), Input::Manage(Command::Start)];
    for (agent, entity) in BODIES {
        inputs.push(Input::Register { agent: agent.into() });
        inputs.push(Input::Associate { agent: agent.into(), entity: entity.into() });
    }
    inputs
}

fn deeds() -> Vec<[iil::Action; 2]> {
    DEEDS.iter().map(|both| both.map(|action| action.to_iil())).collect()
}

criterion_group!(benches, steps, recording);
criterion_main!(benches);
