//! The memory that a host makes the interface keep, and its limit.

use hashbrown::HashSet;

use super::counter::entities;
use super::interface::HostedInterface;
use super::mirror::{Held, Mirror};
use super::terms::MirroredPercept;
use super::update::{Changed, Checked};
use crate::environment::Context;
use crate::iil::{EcoString, Percept};
use crate::ontology::Ontology;
use crate::ontology::typed::TypedPercept;
use crate::size::Size;

/// The part of the limit that the histories of percepts can take: a quarter. Above it, they are forgotten when there is
/// no room for a report. Forgetting takes time for each entity, so it must free much.
const HISTORIES: usize = 4;

impl Checked {
    /// The bytes that the update adds, without the percepts, which have been counted when they were made.
    fn rest(&self) -> usize {
        let scene = self.scene.as_ref().map_or(0, Size::heap_bytes);
        let outcome = self.outcome.as_ref().map_or(0, Size::heap_bytes);
        entities(self.new.iter().map(|new| &new.entity)) + scene + outcome
    }

    /// The bytes of the percepts that the update adds.
    fn percept_bytes(&self) -> usize {
        let added = self.percepts.iter().flat_map(|changed| &changed.add);
        added.chain(self.events.iter().map(|(_, event)| event)).map(TypedPercept::bytes).sum()
    }
}

impl Mirror {
    /// Counts everything, after it was read from a snapshot.
    pub(super) fn count(&mut self, context: &Context<MirroredPercept>) {
        self.rest = entities(context.entities().map(|(_, entity)| &entity.name))
            + self.scene.heap_bytes()
            + self.results.heap_bytes();
        let percepts = self.held.values_mut().flat_map(|held| &mut held.percepts);
        percepts.for_each(|percept| percept.count_with(&self.counter));
        self.held_bytes = self.held.values().map(Held::bytes).sum();
    }

    /// The bytes that an update certainly frees. Further changes of the same entity count as if they freed nothing.
    fn freed_by(&self, update: &Checked, context: &Context<MirroredPercept>) -> usize {
        let bytes = |held: Option<&Held>, ceases: &dyn Fn(&MirroredPercept) -> bool| -> usize {
            let percepts = held.into_iter().flat_map(|held| &held.percepts);
            percepts.filter(|percept| ceases(percept)).map(TypedPercept::bytes).sum()
        };
        let of = |entity: &EcoString| context.find_entity(entity).and_then(|id| self.held.get(&id));
        let mut seen: HashSet<&EcoString> = update.deleted.iter().collect();
        let mut freed = entities(&update.deleted);
        freed += update.deleted.iter().map(|entity| bytes(of(entity), &|_| true)).sum::<usize>();
        for Changed { entity, resync, delete, .. } in &update.percepts {
            if (*resync || !delete.is_empty()) && seen.insert(entity) {
                let delete: HashSet<&Percept> = delete.iter().collect();
                freed += bytes(of(entity), &|percept| *resync || delete.contains(percept.percept()));
            }
        }
        freed += update.scene.as_ref().map_or(0, |_| self.scene.heap_bytes());
        freed + update.outcome.as_ref().map_or(0, |_| self.results.heap_bytes())
    }
}

impl HostedInterface {
    /// The number of bytes that the host makes the interface keep.
    pub(super) fn count_bytes(&self) -> usize {
        let rest = self.interface.episode().map_or(0, |episode| episode.environment().rest);
        self.counter.bytes() + rest + self.ontology_bytes + self.interface.happenings_bytes()
    }

    /// Checks that there is room for an update. If necessary, the logs of entities forget their history: agents then
    /// get everything again, and the number of lost events.
    pub(super) fn check_room(&mut self, update: &Checked, extended: Option<&Ontology>) -> Result<(), String> {
        let growth = extended.map_or(0, |ontology| ontology.heap_bytes().saturating_sub(self.ontology_bytes));
        let needed = |hosted: &Self| hosted.count_bytes() + update.rest() + growth;
        if needed(self) <= self.limit {
            return Ok(());
        }
        let freed =
            self.interface.episode().map_or(0, |episode| episode.environment().freed_by(update, episode.context()));
        let held = self.interface.episode().map_or(0, |episode| episode.environment().held_bytes);
        let histories = self.counter.bytes().saturating_sub(held + update.percept_bytes());
        let least = needed(self).saturating_sub(freed + histories);
        if needed(self).saturating_sub(freed) > self.limit && least <= self.limit && histories > self.limit / HISTORIES
        {
            self.interface.forget_history();
        }
        self.check_limit(needed(self).saturating_sub(freed))
    }

    /// Checks that there is room for the first update of an episode, which replaces the present one.
    pub(super) fn check_room_for_episode(&self, update: &Checked, extended: Option<&Ontology>) -> Result<(), String> {
        let ontology = extended.map_or(self.ontology_bytes, Size::heap_bytes);
        self.check_limit(update.percept_bytes() + update.rest() + ontology + self.interface.happenings_bytes())
    }

    fn check_limit(&self, needed: usize) -> Result<(), String> {
        if needed <= self.limit {
            return Ok(());
        }
        let kib = |bytes: usize| bytes.div_ceil(1024);
        Err(format!(
            "its percepts, events, entities, scene and declarations would take {} KiB, of at most {} KiB; \
             delete some of them first",
            kib(needed),
            kib(self.limit)
        ))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::environment::{Measure, Outcome};
    use crate::host::{EventReport, HostAnswer, HostReport, HostTerms, HostUpdate, NewEntity, PerceptUpdate};
    use crate::iil::Parameter;
    use crate::interface::{Command, Effect, EnvironmentInterface, Form, Input, Since, Time};
    use crate::scene::{Color, Scene, Shape};

    const NOW: Time = Time { monotonic: std::time::Duration::ZERO, wall: 0 };

    /// A running environment whose entities perceive any texts.
    fn hosted() -> HostedInterface {
        let text = json!([{ "name": "text", "documentation": "A text.", "type": "any" }]);
        let percept = |name, delivery| {
            let documentation = "Says it.";
            json!({ "name": name, "documentation": documentation, "parameters": text, "delivery": delivery })
        };
        let ontology = json!({
            "name": "shed", "version": "1.0.0", "documentation": "A shed.", "pace": "own",
            "relation": { "oneAgentPerEntity": false, "oneEntityPerAgent": false }, "parameters": [], "types": {},
            "entityTypes": [{
                "name": "shelf", "documentation": "A shelf.", "actions": [],
                "percepts": [percept("fact", "onChange"), percept("noise", "event")],
            }],
        });
        let ontology = serde_json::from_value(ontology).expect("it is an ontology");
        let mut hosted = HostedInterface::new(ontology, HostTerms::default()).expect("it is sound");
        let init = Input::Manage(Command::Init { parameters: Default::default(), seed: 1 });
        let Ok(Effect::Requested(number)) = hosted.apply(&init, NOW) else { panic!("it needs the host") };
        let report = HostReport::Answer { number, answer: HostAnswer::Done, update: HostUpdate::default() };
        hosted.apply(&Input::Host(report.into()), NOW).expect("the host has begun");
        hosted
    }

    fn report(hosted: &mut HostedInterface, update: HostUpdate) -> Result<(), String> {
        let applied = hosted.apply(&Input::Host(HostReport::Update(update).into()), NOW);
        applied.map(drop).map_err(|error| error.to_string())
    }

    fn percept(name: &str, length: usize) -> Percept {
        Percept::new(name, [Parameter::from(&*"x".repeat(length))])
    }

    fn name(entity: usize) -> EcoString {
        format!("the shelf with number {entity}").into()
    }

    fn new(entity: usize) -> HostUpdate {
        let new = vec![NewEntity { entity: name(entity), entity_type: "shelf".into() }];
        HostUpdate { new, ..HostUpdate::default() }
    }

    fn facts(entity: usize, resync: bool, delete: &[usize], add: &[usize]) -> HostUpdate {
        let facts = |lengths: &[usize]| lengths.iter().map(|length| percept("fact", *length)).collect();
        let (delete, add) = (facts(delete), facts(add));
        let percepts = vec![PerceptUpdate { entity: name(entity), resync, delete, add }];
        HostUpdate { percepts, ..HostUpdate::default() }
    }

    fn noise(entity: usize, length: usize) -> HostUpdate {
        let events = vec![EventReport { entity: name(entity), percept: percept("noise", length) }];
        HostUpdate { events, ..HostUpdate::default() }
    }

    fn picture(shapes: usize) -> HostUpdate {
        let shape = Shape::line([(0.0, 0.0), (1.0, 1.0)], Color::RED).labelled("a label of some length");
        let scene = Some(Scene { width: 1.0, height: 1.0, shapes: vec![shape; shapes] });
        HostUpdate { scene, ..HostUpdate::default() }
    }

    /// An agent that perceives through an entity.
    fn take(hosted: &mut HostedInterface, agent: &str, entity: usize) {
        let (agent, entity) = (EcoString::from(agent), name(entity));
        hosted.apply(&Input::Register { agent: agent.clone() }, NOW).expect("the name is free");
        hosted.apply(&Input::Associate { agent, entity }, NOW).expect("there is the entity");
    }

    fn perceive(hosted: &mut HostedInterface, agent: &str) -> crate::interface::Perception {
        let mut perceived = hosted.perceive(agent, &[], Form::Update, Since::LastCall).expect("it may perceive");
        perceived.remove(0).1
    }

    /// Counts everything that the mirror has.
    fn count_again(hosted: &HostedInterface) -> usize {
        let episode = hosted.interface.episode().expect("it runs");
        let (mirror, names) = (episode.environment(), episode.context().entities().map(|(_, entity)| &entity.name));
        let percepts: usize = mirror.held.values().flat_map(|held| &held.percepts).map(TypedPercept::bytes).sum();
        let rest = entities(names) + mirror.scene.heap_bytes() + mirror.results.heap_bytes();
        percepts + rest + hosted.interface.ontology().heap_bytes() + hosted.interface.happenings_bytes()
    }

    #[derive(Clone, Debug)]
    enum Step {
        New(usize),
        Delete(usize),
        Facts { entity: usize, resync: bool, delete: Vec<usize>, add: Vec<usize> },
        Noise(usize, usize),
        Picture(usize),
        Take(usize),
        Perceive(usize),
        Leave(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let lengths = || prop::collection::vec(0..40_usize, 0..6);
        prop_oneof![
            (0..4_usize).prop_map(Step::New),
            (0..4_usize).prop_map(Step::Delete),
            (0..4_usize, any::<bool>(), lengths(), lengths()).prop_map(|(entity, resync, delete, add)| Step::Facts {
                entity,
                resync,
                delete,
                add
            }),
            (0..4_usize, 0..100_usize).prop_map(|(entity, length)| Step::Noise(entity, length)),
            (0..5_usize).prop_map(Step::Picture),
            (0..4_usize).prop_map(Step::Take),
            (0..4_usize).prop_map(Step::Perceive),
            (0..4_usize).prop_map(Step::Leave),
        ]
    }

    proptest! {
        #[test]
        fn the_count_is_that_of_everything_and_comes_back(steps in prop::collection::vec(step(), 0..60)) {
            let mut hosted = hosted();
            let empty = hosted.counter.bytes();
            prop_assert_eq!(empty, 0);
            for step in steps {
                // Invalid updates are refused, and change nothing.
                let _ = match step {
                    Step::New(entity) => report(&mut hosted, new(entity)),
                    Step::Delete(entity) => {
                        report(&mut hosted, HostUpdate { deleted: vec![name(entity)], ..HostUpdate::default() })
                    }
                    Step::Facts { entity, resync, delete, add } => {
                        report(&mut hosted, facts(entity, resync, &delete, &add))
                    }
                    Step::Noise(entity, length) => report(&mut hosted, noise(entity, length)),
                    Step::Picture(shapes) => report(&mut hosted, picture(shapes)),
                    Step::Take(entity) => {
                        let (agent, entity) = (EcoString::from(format!("agent {entity}")), name(entity));
                        let _ = hosted.apply(&Input::Register { agent: agent.clone() }, NOW);
                        let taken = hosted.apply(&Input::Associate { agent, entity }, NOW);
                        taken.map(drop).map_err(|error| error.to_string())
                    }
                    Step::Perceive(agent) => {
                        let perceived = hosted.perceive(&format!("agent {agent}"), &[], Form::Update, Since::LastCall);
                        perceived.map(drop).map_err(|error| error.to_string())
                    }
                    Step::Leave(agent) => {
                        let leave = Input::Unregister { agent: format!("agent {agent}").into() };
                        hosted.apply(&leave, NOW).map(drop).map_err(|error| error.to_string())
                    }
                };
                prop_assert!(hosted.count_bytes() >= count_again(&hosted));
                let mirror = hosted.interface.episode().expect("it runs").environment();
                prop_assert_eq!(mirror.held_bytes, mirror.held.values().map(Held::bytes).sum::<usize>());
                if hosted.interface.agents().next().is_none() {
                    prop_assert_eq!(hosted.count_bytes(), count_again(&hosted));
                }
            }
            let books = hosted.bookkeeping();
            let deleted = books.entities().map(|entity| books.entity_name(entity)).collect();
            report(&mut hosted, HostUpdate { deleted, ..HostUpdate::default() }).expect("they exist");
            prop_assert_eq!(hosted.counter.bytes(), 0);
        }
    }

    #[test]
    fn a_report_beyond_the_limit_changes_nothing_and_names_the_sizes() {
        let mut hosted = hosted();
        report(&mut hosted, new(0)).expect("there is room");
        hosted.limit_host(100_000);
        report(&mut hosted, facts(0, false, &[], &[50_000])).expect("there is room");
        let before = hosted.host_bytes();
        let value =
            Measure { of: "all".into(), name: "words".into(), value: percept("fact", 60_000).parameters[0].clone() };
        let outcome = Some(Outcome { ending: None, results: vec![value] });
        let results = HostUpdate { outcome, ..HostUpdate::default() };
        let too_much = [facts(0, false, &[], &[49_000]), noise(0, 60_000), picture(2000), results];
        for update in too_much {
            let error = report(&mut hosted, update).expect_err("there is no room");
            assert!(
                error.contains("the host of `shed` sent an invalid update") && error.contains("of at most 98 KiB"),
                "{error}"
            );
            assert_eq!(hosted.host_bytes(), before);
        }
        // The percepts that an update replaces make room for it, once.
        report(&mut hosted, facts(0, true, &[], &[80_000])).expect("there is room");
        let mut twice = facts(0, true, &[], &[70_000]);
        twice.percepts.extend(facts(0, true, &[], &[70_001]).percepts);
        report(&mut hosted, twice).expect_err("only one of them is freed");
        report(&mut hosted, facts(0, false, &[80_000], &[79_000])).expect("there is room");
    }

    #[test]
    fn agents_that_do_not_perceive_take_no_room_from_the_host() {
        let mut hosted = hosted();
        report(&mut hosted, new(0)).expect("there is room");
        take(&mut hosted, "idle", 0);
        perceive(&mut hosted, "idle");
        hosted.limit_host(400_000);
        for number in 0..100 {
            report(&mut hosted, noise(0, 20_000)).expect("older events are forgotten");
            report(&mut hosted, facts(0, true, &[], &[20_000 + number])).expect("older percepts are forgotten");
            assert!(hosted.host_bytes() <= 400_000);
        }
        let perceived = perceive(&mut hosted, "idle");
        assert!(perceived.resync && !perceived.events.is_empty());
        assert_eq!(perceived.events.len() as u64 + perceived.lost, 100);
    }

    #[test]
    fn a_resumed_environment_counts_as_before() {
        let mut hosted = hosted();
        report(&mut hosted, new(0)).expect("there is room");
        report(&mut hosted, facts(0, false, &[], &[10, 1000, 20_000])).expect("there is room");
        let snapshot = EnvironmentInterface::episode(&hosted).expect("it runs").snapshot();
        let resumed =
            HostedInterface::of_snapshot(hosted.interface.ontology().clone(), &snapshot).expect("its own snapshot");
        assert_eq!(resumed.counter.bytes(), hosted.counter.bytes());
        assert_eq!(resumed.host_bytes(), count_again(&resumed));
    }
}
