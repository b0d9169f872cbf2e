//! What it costs to judge messages: a contract net of an initiator and 99 participants, each message by both sides; the
//! same with each message written as text and read; the same seen by a monitor; and a bare step. Messages are made
//! beforehand.
//!
//! `cargo bench -p situated-acl --bench conversations`

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use situated_acl::{
    Answering, Conversation, Message, Monitor, Performative, Phase, Profile, Protocol, Role, State, Time, Tokens,
    string,
};

const PARTICIPANTS: usize = 99;

/// All messages, with the participant that each is from or to: a cfp, a proposal, an answer each, and one result.
fn contract_net() -> Vec<(usize, Role, Message<'static>)> {
    let mut tokens = Tokens::new("initiator", 0);
    let calls: Vec<_> = (0..PARTICIPANTS)
        .map(|participant| {
            let cfp = Message::cfp().from("initiator@platform").to(format!("participant-{participant}@platform"));
            let cfp = cfp.protocol(Protocol::ContractNet).conversation_id("initiator-conversation-1");
            cfp.reply_with(tokens.fresh()).reply_by(Time::after(60_000)).content("((action (deliver plums 50)))")
        })
        .collect();
    let proposals: Vec<_> = calls
        .iter()
        .map(|cfp| cfp.reply(Performative::Propose).reply_with(tokens.fresh()).content("((price 200))"))
        .collect();
    let answers: Vec<_> = proposals
        .iter()
        .enumerate()
        .map(|(participant, proposal)| {
            let act = if participant == 0 { Performative::AcceptProposal } else { Performative::RejectProposal };
            proposal.reply(act).reply_with(tokens.fresh())
        })
        .collect();
    let result = answers[0].reply(Performative::Inform);
    let turn = |by, messages: Vec<Message<'static>>| {
        messages.into_iter().enumerate().map(move |(place, message)| (place, by, message))
    };
    let talk =
        turn(Role::Initiator, calls).chain(turn(Role::Participant, proposals)).chain(turn(Role::Initiator, answers));
    talk.chain([(0, Role::Participant, result)]).collect()
}

fn sides() -> (Conversation, Vec<Conversation>) {
    let side = |role| Conversation::new(Protocol::ContractNet, Profile::Standard, role, "initiator-conversation-1");
    (side(Role::Initiator), (0..PARTICIPANTS).map(|_| side(Role::Participant)).collect())
}

fn conversations(criterion: &mut Criterion) {
    let talk = contract_net();
    let mut group = criterion.benchmark_group("contract net of 100 agents");
    group.throughput(Throughput::Elements(talk.len() as u64));
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
    group.bench_function("both sides, with encoding and decoding", |bencher| {
        let mut text = Vec::new();
        bencher.iter_batched(
            sides,
            |(mut initiator, mut participants)| {
                for (place, by, message) in &talk {
                    let participant = &mut participants[*place];
                    let (sender, receiver) = match by {
                        Role::Initiator => (&mut initiator, participant),
                        Role::Participant => (participant, &mut initiator),
                    };
                    assert!(!sender.sent(message, 0).is_violation());
                    text.clear();
                    string::encode_into(message, &mut text).expect("it has a form as text");
                    let received = string::decode(&text).expect("it is a message");
                    assert!(!receiver.received(&received, 1).is_violation());
                }
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
