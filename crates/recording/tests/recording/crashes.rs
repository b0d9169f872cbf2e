//! An environment that crashes is recorded up to its crash, and crashes again when it is replayed.

use serde::{Deserialize, Serialize};
use situated::environment::{Measure, News};
use situated::interface::{EnvironmentInterface, Interface};
use situated::prelude::*;
use situated_recording::{Disagreement, Entry, RecorderSettings, Report, replay};
use situated_runtime::Input;

use crate::run::{Run, open, read, with_input};

/// A vase that breaks on request.
#[derive(Serialize, Deserialize)]
struct Vase {
    /// It breaks when it is looked at.
    cracked: bool,
}

#[derive(Clone, Debug, InitParameters)]
struct Parameters {}

#[derive(Clone, Debug, Action)]
enum Handle {
    /// Does it no harm.
    Lift,
    /// Breaks it.
    Drop,
    /// It will break when its results are looked at.
    Crack,
}

#[derive(Clone, Debug, Percept)]
enum Touch {
    /// It is there.
    #[percept(on_change)]
    There,
}

impl Environment for Vase {
    type Parameters = Parameters;
    type Action = Handle;
    type Percept = Touch;

    fn ontology() -> Ontology {
        Ontology::builder::<Parameters, Handle, Touch>("vase", "1.0", "A vase.").entity_type("hand", "A hand.").build()
    }

    fn init(_: &Parameters, context: &mut Context<Touch>) -> Result<Self, Failure> {
        context.add_entity("hand1", "hand")?;
        Ok(Vase { cracked: false })
    }

    fn act(&mut self, _: EntityId, action: &Handle, _: &mut Context<Touch>) -> Result<Vec<Touch>, Failure> {
        match action {
            Handle::Lift => {}
            Handle::Drop => panic!("a thousand pieces"),
            Handle::Crack => self.cracked = true,
        }
        Ok(Vec::new())
    }

    fn percepts(&self, _: EntityId, _: &Context<Touch>, percepts: &mut Percepts<'_, Touch>) {
        percepts.add(Touch::There);
    }

    /// A new hand is there only until somebody takes it.
    fn request(&mut self, _: &str, _: Option<&str>, context: &mut Context<Touch>) -> Result<EntityId, Failure> {
        context.add_entity("hand2", "hand")
    }

    fn hear(&mut self, news: News, context: &mut Context<Touch>) {
        if let News::Taken(hand) = news
            && context.entity(hand).is_some_and(|hand| hand.name == "hand2")
        {
            context.delete_entity(hand);
        }
    }

    fn results(&self, _: &Context<Touch>) -> Vec<Measure> {
        assert!(!self.cracked, "it has a crack");
        Vec::new()
    }
}

fn make(_: &str) -> Option<Box<dyn EnvironmentInterface>> {
    Some(Box::new(Interface::<Vase>::new()))
}

fn replayed(bytes: Vec<u8>) -> Report {
    replay(&mut open(bytes).expect("a recording"), make, None, |_| {}).expect("it can be replayed")
}

fn handled(actions: &[&str]) -> Vec<u8> {
    let mut run = Run::new(make("vase").expect("a vase"), RecorderSettings::default());
    run.begin(1);
    run.join("ada", "hand1");
    for action in actions {
        run.act("ada", action);
        run.give(Input::Step);
    }
    run.finish()
}

#[test]
fn a_crash_is_recorded_with_the_input_it_was_over() {
    let bytes = handled(&["lift", "drop"]);
    let recorded = read(bytes.clone());
    let [.., input, crash] = &recorded[..] else { panic!("{recorded:?}") };
    assert!(matches!(&input.entry, Entry::Input(given) if given.results.is_none()), "{input:?}");
    let Entry::Crash(crash) = &crash.entry else { panic!("{crash:?}") };
    assert_eq!((crash.episode, crash.step, crash.reason.as_str()), (1, 1, "it broke"));
    let report = replayed(bytes);
    assert!(report.agrees(), "{report}");
    assert_eq!(report.crash.as_deref(), Some("a thousand pieces"));
    assert!(report.to_string().contains("The environment crashed, as it did when it was recorded: a thousand pieces"));
}

#[test]
fn a_crash_over_a_look_at_the_environment_is_one_as_well() {
    let mut steps = vec!["lift"; 98];
    steps.extend(["crack", "lift"]);
    // The checkpoint after the hundredth step looks at its results.
    let bytes = handled(&steps);
    let recorded = read(bytes.clone());
    let [.., step, crash] = &recorded[..] else { panic!("{recorded:?}") };
    assert!(matches!(&step.entry, Entry::Input(given) if given.input == Input::Step && given.step == 100));
    assert!(matches!(crash.entry, Entry::Crash(_)));
    let report = replayed(bytes);
    assert!(report.agrees(), "{report}");
    assert_eq!(report.crash.as_deref(), Some("it has a crack"));
}

#[test]
fn a_crash_in_only_one_of_them_is_a_difference() {
    let bytes = handled(&["lift", "drop"]);
    let acts: Vec<u32> = read(bytes.clone())
        .iter()
        .filter(|one| matches!(&one.entry, Entry::Input(given) if matches!(given.input, Input::Act { .. })))
        .map(|one| one.sequence)
        .collect();
    let with = |sequence: u32, name: &str| {
        with_input(&bytes, sequence, |entry| {
            let Entry::Input(given) = entry else { return };
            let Input::Act { action, .. } = &mut given.input else { return };
            action.term.name = name.into();
        })
    };
    let whole = replayed(with(acts[1], "lift"));
    let difference = whole.difference.as_ref().expect("it stays whole");
    assert!(matches!(&difference.what, Disagreement::Crash { recorded: Some(_), replayed: None }), "{whole}");
    let broken = replayed(with(acts[0], "drop"));
    let difference = broken.difference.as_ref().expect("it breaks too early");
    assert!(matches!(&difference.what, Disagreement::Crash { recorded: None, replayed: Some(_) }), "{broken}");
}

#[test]
fn a_rejected_request_that_has_changed_the_environment_is_replayed() {
    let mut run = Run::new(Box::new(Interface::<Vase>::new()), RecorderSettings::default());
    run.begin(1);
    run.give(Input::Register { agent: "ada".into() }).expect("a new name");
    let (agent, entity_type) = ("ada".into(), "hand".into());
    assert_eq!(run.give(Input::RequestEntity { agent, entity_type, name: None }), None, "the hand is gone");
    let bytes = run.finish();
    let last = read(bytes.clone()).into_iter().rev().find_map(|one| match one.entry {
        Entry::Input(given) => Some(given),
        _ => None,
    });
    assert!(last.is_some_and(|given| matches!(given.input, Input::RequestEntity { .. }) && given.error.is_some()));
    let report = replayed(bytes);
    assert!(report.agrees(), "{report}");
}
