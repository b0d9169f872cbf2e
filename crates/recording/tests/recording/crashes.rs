//! An environment that crashes is recorded up to its crash, and crashes again when it is replayed.

use situated::interface::{Command, EnvironmentInterface, Interface};
use situated_recording::{Disagreement, Entry, RecorderSettings, Report, replay};
use situated_runtime::Input;
use situated_toys::mill::Mill;

use crate::run::{Run, open, read, with_input};

fn make(_: &str) -> Option<Box<dyn EnvironmentInterface>> {
    Some(Box::new(Interface::<Mill>::new()))
}

fn replayed(bytes: Vec<u8>) -> Report {
    replay(&mut open(bytes).expect("a recording"), make, None, |_, _| {}).expect("it can be replayed")
}

fn worked(actions: &[&str]) -> Vec<u8> {
    let mut run = Run::new(make("mill").expect("a mill"), RecorderSettings::default());
    run.begin(1);
    run.join("ada", "worker0");
    for action in actions {
        run.act("ada", action);
        run.give(Input::Step);
    }
    run.finish()
}

#[test]
fn a_crash_is_recorded_with_its_input() {
    let bytes = worked(&["rest", "burst"]);
    let recorded = read(bytes.clone());
    let [.., input, crash] = &recorded[..] else { panic!("{recorded:?}") };
    assert!(matches!(&input.entry, Entry::Input(given) if given.results.is_none()), "{input:?}");
    let Entry::Crash(crash) = &crash.entry else { panic!("{crash:?}") };
    assert_eq!((crash.episode, crash.step, crash.reason.as_str()), (1, 1, "it broke"));
    let report = replayed(bytes);
    assert!(report.agrees(), "{report}");
    assert_eq!(report.crash.as_deref(), Some("the millstone has burst"));
    assert!(
        report.to_string().contains("The environment crashed, as it did when it was recorded: the millstone has burst")
    );
}

#[test]
fn a_crash_while_reading_the_environment_is_recorded() {
    let mut steps = vec!["rest"; 98];
    steps.extend(["arm(results)", "rest"]);
    // The checkpoint after the hundredth step reads its results.
    let bytes = worked(&steps);
    let recorded = read(bytes.clone());
    let [.., step, crash] = &recorded[..] else { panic!("{recorded:?}") };
    assert!(matches!(&step.entry, Entry::Input(given) if given.input == Input::Step && given.step == 100));
    assert!(matches!(crash.entry, Entry::Crash(_)));
    let report = replayed(bytes);
    assert!(report.agrees(), "{report}");
    assert!(report.crash.is_some_and(|crash| crash.contains("it was armed")));
}

#[test]
fn a_crash_in_only_one_of_them_is_a_difference() {
    let bytes = worked(&["rest", "burst"]);
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
    let whole = replayed(with(acts[1], "rest"));
    let difference = whole.difference.as_ref().expect("it stays whole");
    assert!(matches!(&difference.what, Disagreement::Crash { recorded: Some(_), replayed: None }), "{whole}");
    let broken = replayed(with(acts[0], "burst"));
    let difference = broken.difference.as_ref().expect("it breaks too early");
    assert!(matches!(&difference.what, Disagreement::Crash { recorded: None, replayed: Some(_) }), "{broken}");
}

#[test]
fn a_rejected_request_that_has_changed_the_environment_is_replayed() {
    let mut run = Run::new(Box::new(Interface::<Mill>::new()), RecorderSettings::default());
    let parameters = [("fleeting".to_owned(), true.into())].into();
    run.give(Input::Manage(Command::Init { parameters, seed: 1 })).expect("a fresh environment");
    run.give(Input::Manage(Command::Start)).expect("it is paused");
    run.give(Input::Register { agent: "ada".into() }).expect("a new name");
    let (agent, entity_type) = ("ada".into(), "worker".into());
    assert_eq!(run.give(Input::RequestEntity { agent, entity_type, name: None }), None, "the worker is gone");
    let bytes = run.finish();
    let last = read(bytes.clone()).into_iter().rev().find_map(|one| match one.entry {
        Entry::Input(given) => Some(given),
        _ => None,
    });
    assert!(last.is_some_and(|given| matches!(given.input, Input::RequestEntity { .. }) && given.error.is_some()));
    let report = replayed(bytes);
    assert!(report.agrees(), "{report}");
}
