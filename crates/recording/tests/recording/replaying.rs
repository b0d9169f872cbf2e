//! A replay agrees with the recording, or reports the difference.

use std::cell::Cell;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use situated::interface::{Command, EnvironmentInterface};
use situated::random::Random;
use situated_recording::{Disagreement, Entry, Point, RecorderSettings, Recording, RecordingError, replay};
use situated_runtime::Input;

use crate::run::{Run, eventful, every, make, open, read, replayed, with_input};

#[test]
fn a_replay_agrees() {
    let report = replayed(eventful(every(50)), None);
    assert!(report.agrees(), "{report}");
    assert!(report.complete);
    assert_eq!((report.episodes, report.steps, report.outcomes), (2, 400, 2));
    // One at each beginning, one every 50 steps, one at the end of each episode: the checkpoints after 250 and 150
    // steps coincide with ends.
    assert_eq!(report.hashes, 1 + 5 + 1 + 3);
    assert!(report.results > 700, "{report}");
    assert_eq!(report.recorded, report.replayed);
    assert!(report.to_string().ends_with("All agree."), "{report}");
}

#[test]
fn percepts_are_not_needed_for_a_replay() {
    let without = eventful(RecorderSettings { percepts: false, ..every(50) });
    assert!(read(without.clone()).iter().all(|one| !matches!(one.entry, Entry::Percepts(_))));
    assert!(replayed(without, None).agrees());
}

#[test]
fn progress_sees_each_beginning_and_the_environment_after_each_step() {
    let received = Rc::new(Cell::new((0, 0)));
    let mut before = None;
    let count = |step, environment: &dyn EnvironmentInterface| {
        assert_ne!(environment.hash(), before, "step {step} changes the state");
        before = environment.hash();
        received.set((received.get().0 + 1, step));
    };
    replay(&mut open(eventful(every(50))).expect("a recording"), make, None, count).expect("it can be replayed");
    assert_eq!(received.get(), (402, 150), "two beginnings and 400 steps");
}

#[test]
fn a_replay_cannot_begin_after_the_end() {
    let refused = replay(&mut open(eventful(every(50))).expect("a recording"), make, Some(151), |_, _| {});
    let expected = "the last episode of this recording ends with step 150, before step 151; name an earlier step";
    assert_eq!(refused.expect_err("there is no such step").to_string(), expected);
}

#[test]
fn a_replay_can_begin_at_a_checkpoint() {
    let bytes = eventful(every(50));
    let whole = replayed(bytes.clone(), None);
    for (from, begin) in [(0, 0), (49, 0), (50, 50), (120, 100), (150, 150)] {
        let report = replayed(bytes.clone(), Some(from));
        assert!(report.agrees(), "{report}");
        assert_eq!(report.from, Some(Point { episode: 2, step: begin }));
        assert_eq!(report.steps, 150 - begin);
        assert!(report.inputs < whole.inputs / 2);
        assert_eq!(report.outcomes, 1, "the outcome has the hash of the last state");
    }
}

#[test]
fn without_an_index_the_checkpoint_is_found_by_reading() {
    let bytes = eventful(every(50));
    let cut = bytes[..bytes.len() - 1].to_vec();
    let report = replayed(cut, Some(120));
    assert!(report.agrees() && !report.complete, "{report}");
    assert_eq!((report.from, report.steps), (Some(Point { episode: 2, step: 100 }), 50));
}

/// Counts the bytes that are read.
struct Counting {
    file: Cursor<Vec<u8>>,
    read: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn going_to_a_checkpoint_does_not_read_everything() {
    let mut run = Run::find_goals(every(50));
    run.begin(1);
    run.join("ada", "red");
    run.join("bob", "blue");
    run.walk(&["ada", "bob"], 6000, &mut Random::new(5));
    let bytes = run.finish();

    let read = Arc::new(AtomicU64::new(0));
    let length = bytes.len() as u64;
    let file = Counting { file: Cursor::new(bytes), read: read.clone() };
    let mut recording = Recording::from_reader(file).expect("a recording");
    let report = replay(&mut recording, make, Some(5900), |_, _| {}).expect("it can be replayed");
    assert!(report.agrees(), "{report}");
    assert_eq!(report.steps, 100);
    let read = read.load(Ordering::Relaxed);
    assert!(read < length / 2, "{read} of {length} bytes were read");
}

#[test]
fn another_action_shows_in_the_next_checkpoint() {
    let bytes = eventful(every(50));
    let acts = read(bytes.clone()).into_iter().filter(|one| match &one.entry {
        Entry::Input(given) => matches!(given.input, Input::Act { .. }) && given.episode == 1 && given.step >= 60,
        _ => false,
    });
    // Walking into a wall is as good as waiting: not every other action makes a difference.
    let (report, step) = acts
        .take(10)
        .find_map(|act| {
            let tampered = with_input(&bytes, act.sequence, |entry| {
                let Entry::Input(given) = entry else { return };
                let Input::Act { action, .. } = &mut given.input else { return };
                action.term.name = if action.name == "left" { "right".into() } else { "left".into() };
            });
            let report = replayed(tampered, None);
            let Entry::Input(given) = act.entry else { return None };
            // The error for a second choice names the first choice.
            let what = &report.difference.as_ref()?.what;
            matches!(what, Disagreement::State { .. }).then_some((report, given.step))
        })
        .expect("one of ten makes a difference");
    assert!((60..100).contains(&step));

    let difference = report.difference.as_ref().expect("it differs");
    assert_eq!(difference.at, Point { episode: 1, step: 100 });
    assert_eq!(difference.since, Some(Point { episode: 1, step: 50 }));
    assert!(difference.inputs >= 150, "two agents act in each of 50 steps");
    let Disagreement::State { differences: Some(differences), .. } = &difference.what else {
        panic!("{report}");
    };
    assert!(differences.listed.iter().any(|one| one.path.starts_with("environment.")), "{report}");
    assert!(report.to_string().contains(" recorded, "), "{report}");
    let json = serde_json::to_value(&report).expect("serialisable");
    assert_eq!(json["difference"]["at"]["step"], 100);
    assert_eq!(json["difference"]["what"]["state"]["differences"], serde_json::to_value(differences).unwrap());
}

#[test]
fn another_result_shows_at_once() {
    let bytes = eventful(every(50));
    let act = read(bytes.clone()).into_iter().find_map(|one| match one.entry {
        Entry::Input(given) if given.step == 77 && given.results.is_some() => Some(one.sequence),
        _ => None,
    });
    let tampered = with_input(&bytes, act.expect("an agent acts"), |entry| {
        let Entry::Input(given) = entry else { return };
        let Some([result]) = given.results.as_deref_mut() else { return };
        (result.found, result.error) = (None, Some("too tired".into()));
    });
    let report = replayed(tampered, None);
    let difference = report.difference.as_ref().expect("it differs");
    assert_eq!(difference.at, Point { episode: 1, step: 77 });
    assert!(matches!(&difference.what, Disagreement::Results { agent, .. } if agent == "ada"), "{report}");
    assert!(report.to_string().contains("recorded: red: too tired\n  replayed: red: done, found []"), "{report}");
}

#[test]
fn reports_an_input_that_is_now_rejected() {
    let bytes = eventful(every(50));
    let tampered = with_input(&bytes, 0, |entry| {
        let Entry::Input(given) = entry else { return };
        given.input = Input::Register { agent: "".into() };
    });
    let report = replayed(tampered, None);
    let difference = report.difference.as_ref().expect("it differs");
    assert_eq!((difference.at, difference.since), (Point { episode: 0, step: 0 }, None));
    assert!(matches!(&difference.what, Disagreement::Refused { .. }), "{report}");
}

#[test]
fn a_kill_is_recorded_with_the_outcome_before_it() {
    let mut run = Run::find_goals(every(50));
    run.begin(1);
    run.join("ada", "red");
    run.walk(&["ada"], 33, &mut Random::new(5));
    run.give(Input::Manage(Command::Kill)).expect("it is running");
    let bytes = run.finish();
    let last: Vec<Entry> = read(bytes.clone()).into_iter().rev().take(3).map(|one| one.entry).collect();
    let [Entry::Input(kill), Entry::Outcome(outcome), Entry::Checkpoint(checkpoint)] = &last[..] else {
        panic!("{last:?}");
    };
    assert_eq!((kill.episode, kill.step), (1, 33));
    assert_eq!((outcome.step, outcome.ending, outcome.hash), (33, None, checkpoint.hash));
    let report = replayed(bytes, None);
    assert!(report.agrees() && report.outcomes == 1, "{report}");
}

#[test]
fn a_recording_can_begin_in_the_middle() {
    let mut run = Run::find_goals(every(50));
    run.begin(1);
    run.join("ada", "red");
    run.walk(&["ada"], 33, &mut Random::new(5));
    let mut second = Run::new(run.environment, every(50));
    second.walk(&["ada"], 80, &mut Random::new(6));
    let report = replayed(second.finish(), None);
    assert!(report.agrees(), "{report}");
}

#[test]
fn there_must_be_an_episode_and_its_environment() {
    let empty = Run::find_goals(every(50)).finish();
    for from in [None, Some(3)] {
        let error = replay(&mut open(empty.clone()).expect("a recording"), make, from, |_, _| {});
        assert!(matches!(error, Err(RecordingError::NoEpisode)), "{error:?}");
    }
    let error = replay(&mut open(eventful(every(50))).expect("a recording"), |_| None, None, |_, _| {});
    let error = error.expect_err("nobody knows it").to_string();
    assert_eq!(error, "the recording is one of environment `find-goals`, which is not known here");
}
