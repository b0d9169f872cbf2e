//! The costs of contract nets among 100 agents: with all the work for a message (creating, encoding, routing by name,
//! decoding, judging by both sides); only judging, by both sides or by a monitor; and a single step of a table.
//!
//! `cargo bench --profile wheel -p situated-acl --bench conversations`

mod contract_net;

use std::collections::HashMap;
use std::hint::black_box;

use contract_net::{MESSAGES, PARTICIPANTS, System, conversation};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use situated_acl::{
    Answering, Conversation, Encoding, Message, Monitor, Performative, Phase, Profile, Protocol, Role, State,
};

fn conversations(criterion: &mut Criterion) {
    let talk = contract_net();
    let mut group = criterion.benchmark_group("contract net of 100 agents");
    group.throughput(Throughput::Elements(MESSAGES as u64));
    for (name, encoding) in
        [("a system, string", Encoding::String), ("a system, bit-efficient", Encoding::BitEfficient)]
    {
        let mut system = System::new(encoding);
        group.bench_function(name, |bencher| bencher.iter(|| system.lead(|_| {})));
    }
    group.bench_function("both sides", |bencher| {
        bencher.iter_batched(
            sides,
            |(mut initiator, mut participants)| {
                for (place, by, message) in &talk {
                    let participant = &mut participants[*place];
                    let judged = match by {
                        Role::Initiator => [initiator.sent(message, 0), participant.received(message, 1)],
                        Role::Participant => [participant.sent(message, 2), initiator.received(message, 3)],
                    };
                    assert!(judged.iter().all(|judgement| !judgement.is_violation()));
                }
                assert!(initiator.is_over());
                (initiator, participants)
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("monitor", |bencher| {
        bencher.iter_batched(
            || Monitor::new(Profile::Standard),
            |mut monitor| {
                for (_, _, message) in &talk {
                    assert!(monitor.observe(message, 0).is_empty());
                }
                monitor
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

/// All messages of a contract net, each with the index of its participant and the role of its sender.
fn contract_net() -> Vec<(usize, Role, Message<'static>)> {
    let mut numbers = HashMap::new();
    let mut talk = Vec::new();
    System::new(Encoding::String).lead(|message| {
        let (by, participant) = match message.performative {
            Performative::Propose | Performative::Inform => (Role::Participant, message.sender.as_ref()),
            _ => (Role::Initiator, message.receivers.first()),
        };
        let name = participant.expect("an agent").name.to_string();
        let next = numbers.len();
        talk.push((*numbers.entry(name).or_insert(next), by, message.clone().into_owned()));
    });
    assert_eq!(talk.len(), MESSAGES);
    talk
}

fn sides() -> (Conversation, Vec<Conversation>) {
    let side = |role| conversation(role, "initiator@platform-1".into());
    (side(Role::Initiator), (0..PARTICIPANTS).map(|_| side(Role::Participant)).collect())
}

fn steps(criterion: &mut Criterion) {
    criterion.bench_function("a step", |bencher| {
        bencher.iter(|| {
            let (state, act) = black_box((State::at(Phase::Proposed), Performative::AcceptProposal));
            Protocol::ContractNet.step(Profile::Standard, state, Role::Initiator, act, Answering::Unsaid)
        });
    });
}

criterion_group!(benches, conversations, steps);
criterion_main!(benches);
