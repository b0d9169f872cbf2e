//! Properties of every protocol.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use situated_acl::{
    Answering, Conversation, Message, Performative, Phase, Profile, Protocol, Role, State, Time, Tokens, Verdict,
};

const PROFILES: [Profile; 2] = [Profile::Standard, Profile::Tutorial];
const ROLES: [Role; 2] = [Role::Initiator, Role::Participant];

fn states() -> impl Iterator<Item = State> {
    Phase::ALL.iter().flat_map(|phase| [false, true].map(|cancelling| State { phase: *phase, cancelling }))
}

/// The states that an act or a passed deadline can lead to.
fn successors(protocol: Protocol, profile: Profile, state: State) -> BTreeSet<State> {
    let acts = ROLES.into_iter().flat_map(|by| Performative::ALL.into_iter().map(move |act| (by, act)));
    let answers = [Answering::Cancel, Answering::Other, Answering::Unsaid];
    let verdicts = acts.flat_map(|(by, act)| answers.map(|to| protocol.step(profile, state, by, act, to)));
    let next = verdicts.filter_map(|verdict| match verdict {
        Verdict::Next(next) => Some(next),
        _ => None,
    });
    next.chain([protocol.after_silence(state)]).collect()
}

fn reachable(protocol: Protocol, profile: Profile) -> BTreeSet<State> {
    let mut reached = BTreeSet::from([State::START]);
    let mut frontier = vec![State::START];
    while let Some(state) = frontier.pop() {
        frontier.extend(successors(protocol, profile, state).into_iter().filter(|next| reached.insert(*next)));
    }
    reached
}

fn all() -> impl Iterator<Item = (Protocol, Profile)> {
    Protocol::ALL.into_iter().flat_map(|protocol| PROFILES.map(|profile| (protocol, profile)))
}

#[test]
fn every_act_has_a_verdict_in_every_state() {
    for (protocol, profile) in all() {
        for state in states() {
            for (by, act) in ROLES.into_iter().flat_map(|by| Performative::ALL.map(|act| (by, act))) {
                for to in [Answering::Cancel, Answering::Other, Answering::Unsaid] {
                    let verdict = protocol.step(profile, state, by, act, to);
                    let defined = matches!(verdict, Verdict::Next(_) | Verdict::Late { .. } | Verdict::OutOfSequence);
                    assert!(defined, "{protocol} {state} {by} {act}: {verdict:?}");
                }
            }
        }
    }
}

#[test]
fn finished_sessions_remain_finished() {
    for (protocol, profile) in all() {
        for state in states().filter(|state| state.is_over()) {
            assert_eq!(protocol.legal(profile, state).next(), None, "{protocol} {state}");
            assert_eq!(protocol.after_silence(state), state);
        }
    }
}

#[test]
fn every_phase_of_a_table_is_reached_and_leads_to_an_end() {
    for (protocol, profile) in all() {
        let reached = reachable(protocol, profile);
        for row in protocol.table().rows {
            assert!(reached.contains(&State::at(row.from)), "{protocol}: {} of `{}`", row.from, row.meaning);
        }
        for state in &reached {
            let mut seen = BTreeSet::from([*state]);
            let mut frontier = vec![*state];
            while let Some(state) = frontier.pop() {
                frontier.extend(successors(protocol, profile, state).into_iter().filter(|next| seen.insert(*next)));
            }
            assert!(seen.iter().any(|state| state.is_over()), "{protocol}: nothing ends after {state}");
        }
    }
}

#[test]
fn an_end_can_be_reached_without_deadlines() {
    for (protocol, profile) in all() {
        let mut ends: BTreeSet<State> = states().filter(|state| state.is_over()).collect();
        for _ in Phase::ALL {
            let more = states().filter(|state| {
                let plain = protocol.table().rows.iter().filter(|row| row.from == state.phase && !state.cancelling);
                let mut verdicts = plain.map(|row| protocol.step(profile, *state, row.by, row.act, Answering::Unsaid));
                verdicts.any(|verdict| matches!(verdict, Verdict::Next(next) if ends.contains(&next)))
            });
            ends = more.collect::<BTreeSet<_>>().union(&ends).copied().collect();
        }
        let stuck = reachable(protocol, profile).into_iter().find(|state| !state.cancelling && !ends.contains(state));
        assert_eq!(stuck, None, "{protocol}");
    }
}

#[test]
fn rows_are_unique_and_terminal_phases_have_none() {
    for protocol in Protocol::ALL {
        let rows = protocol.table().rows;
        let keys: BTreeSet<_> = rows.iter().map(|row| (row.from, row.by, row.act)).collect();
        assert_eq!(keys.len(), rows.len(), "{protocol}");
        assert_eq!((rows[0].from, rows[0].by), (Phase::Start, Role::Initiator), "{protocol}");
        for row in rows.iter().filter(|row| row.from.is_terminal()) {
            assert!(matches!(row.effect, situated_acl::Effect::Late(_)), "{protocol}: {}", row.meaning);
        }
    }
}

/// A random generator for walks, so that its seed reproduces a failure.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// Two agents that send random legal messages, over a line that may lose and reorder them.
struct Walk {
    sides: [Conversation; 2],
    line: Vec<(Role, Message<'static>)>,
    /// The last message that each agent has received.
    heard: [Option<Message<'static>>; 2],
    tokens: Tokens,
    now: i64,
}

impl Walk {
    fn new(protocol: Protocol, profile: Profile) -> Self {
        let side = |role| Conversation::new(protocol, profile, role, "c1").cancel_timeout(50).result_timeout(200);
        let sides = [side(Role::Initiator), side(Role::Participant)];
        Self { sides, line: Vec::new(), heard: [None, None], tokens: Tokens::new("t", 0), now: 0 }
    }

    /// Sends a message from the table. Returns whether it was legal, which also depends on the message to which it
    /// responds.
    fn speak(&mut self, by: Role, dice: &mut Dice) -> bool {
        let (me, other) = match by {
            Role::Initiator => ("I", "P"),
            Role::Participant => ("P", "I"),
        };
        self.sides[by as usize].advance(self.now);
        let legal: Vec<_> = self.sides[by as usize].legal_with(other).collect();
        if legal.is_empty() {
            return true;
        }
        let act = legal[dice.below(legal.len())];
        let mut message = Message::new(act).from(me).to(other).conversation_id("c1").reply_with(self.tokens.fresh());
        message.in_reply_to = self.heard[by as usize].as_ref().and_then(|heard| heard.reply_with.clone());
        if dice.below(4) == 0 {
            message.reply_by = Some(Time::after(dice.below(100) as u64));
        }
        let judged = self.sides[by as usize].sent(&message, self.now);
        if !judged.is_violation() {
            self.line.push((by, message));
        }
        !judged.is_violation()
    }

    /// Delivers a message. Returns whether it was legal there.
    fn deliver(&mut self, place: usize) -> bool {
        let (by, message) = self.line.remove(place);
        let to = by.other();
        let judged = self.sides[to as usize].received(&message, self.now);
        self.heard[to as usize] = Some(message);
        !judged.is_violation()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// If messages arrive in order and at once, a message that is legal for the sender is legal for the receiver.
    #[test]
    fn both_sides_agree_about_legal_messages(seed: u64) {
        for (protocol, profile) in all() {
            let (mut walk, mut dice) = (Walk::new(protocol, profile), Dice(seed));
            for _ in 0..30 {
                let by = ROLES[dice.below(2)];
                prop_assert!(walk.speak(by, &mut dice), "{} {:?}", protocol, seed);
                while !walk.line.is_empty() {
                    prop_assert!(walk.deliver(0), "{} {:?}", protocol, seed);
                }
                let states = [walk.sides[0].state_with("P"), walk.sides[1].state_with("I")];
                prop_assert_eq!(states[0], states[1], "{}", protocol);
            }
        }
    }

    /// Even if messages are lost or reordered, both sides are in states of their tables.
    #[test]
    fn both_sides_stay_within_their_tables_despite_losses_and_reordering(seed: u64) {
        static REACHABLE: LazyLock<Vec<BTreeSet<State>>> =
            LazyLock::new(|| all().map(|(protocol, profile)| reachable(protocol, profile)).collect());
        for ((protocol, profile), reachable) in all().zip(REACHABLE.iter()) {
            let (mut walk, mut dice) = (Walk::new(protocol, profile), Dice(seed));
            for _ in 0..60 {
                walk.now += dice.below(40) as i64;
                match dice.below(4) {
                    0 | 1 => _ = walk.speak(ROLES[dice.below(2)], &mut dice),
                    2 if !walk.line.is_empty() => _ = walk.deliver(dice.below(walk.line.len().min(3))),
                    _ if !walk.line.is_empty() && dice.below(3) == 0 => _ = walk.line.remove(0),
                    _ => {}
                }
                for state in [walk.sides[0].state_with("P"), walk.sides[1].state_with("I")] {
                    prop_assert!(reachable.contains(&state), "{} {}", protocol, state);
                }
            }
        }
    }
}
