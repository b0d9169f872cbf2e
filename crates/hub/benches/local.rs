//! The cost of a step of Find the Goals through a hub in the same process. In each step both entities perceive and act.
//! `cargo bench --profile wheel -p situated-hub`

#[path = "../../runtime/benches/driven/mod.rs"]
#[expect(dead_code, reason = "the benchmarks of the owner use more of it")]
mod driven;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use situated::interface::Command;
use situated_hub::{Kinds, LocalHub, Right};

use driven::{ENTITIES, actions, owner};

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a step");
    group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(3));
    group.bench_function("hub, same process", |bencher| {
        let hub = LocalHub::new(Kinds::new()).expect("a thread");
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add("maze", owner(), vec![init, Command::Start]).expect("a maze");
        let session = hub.session([Right::Act].into_iter().collect()).expect("the hub is open");
        let agents = ENTITIES.map(|(name, entity)| {
            let agent = session.agent("maze", name);
            agent.register().wait().expect("new");
            agent.associate(entity).wait().expect("free");
            agent
        });
        let actions = actions();
        let mut actions = actions.iter().cycle();
        bencher.iter(|| {
            for agent in &agents {
                black_box(agent.perceive().wait().expect("the agent's own entity"));
            }
            let [one, other] = actions.next().expect("an endless iterator").clone();
            let acted = [agents[0].act(one), agents[1].act(other)];
            for answer in acted {
                black_box(answer.wait().expect("one action per step"));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
