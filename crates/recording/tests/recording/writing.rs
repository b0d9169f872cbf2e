//! A recorder hands over what it has in time, overwrites nothing, and survives a full disk.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use situated::interface::Command;
use situated::random::Random;
use situated_recording::{ENTRY_LIMIT, Entry, McapRecorder, RecorderSettings, Recording, RecordingError};
use situated_runtime::{Effect, Input, Recorder as _, Time};

use crate::run::{Run, every, open, read};

#[test]
fn what_is_older_than_half_a_second_survives_a_kill() {
    let mut run = Run::find_goals(RecorderSettings::default());
    assert_eq!(run.recorder.deadline(), None);
    run.begin(1);
    let first = Duration::from_millis(1);
    assert_eq!(run.recorder.deadline(), Some(first + Duration::from_millis(500)));
    assert!(read(run.written.bytes()).is_empty());

    let now = Time { monotonic: Duration::from_millis(501), ..run.now };
    run.recorder.advance(now);
    assert_eq!(run.recorder.deadline(), None);
    let bytes = run.written.bytes();
    assert!(!open(bytes.clone()).expect("a recording").complete());
    let kinds: Vec<String> = read(bytes).iter().map(|one| kind(&one.entry)).collect();
    assert_eq!(kinds, ["input", "episode", "checkpoint", "input"]);
}

#[test]
fn nobody_has_to_advance_a_recorder_that_is_busy() {
    let mut run = Run::find_goals(RecorderSettings::default());
    run.begin(1);
    run.join("ada", "red");
    run.walk(&["ada"], 2000, &mut Random::new(1));
    let steps = read(run.written.bytes()).iter().filter(|one| is_step(&one.entry)).count();
    assert!((1500..2000).contains(&steps), "{steps} steps are written");
}

#[test]
fn a_dropped_recorder_keeps_the_data_so_far() {
    let mut run = Run::find_goals(RecorderSettings::default());
    run.begin(1);
    let Run { recorder, written, .. } = run;
    drop(recorder);
    assert_eq!(read(written.bytes()).len(), 4);
    assert!(!open(written.bytes()).expect("a recording").complete());
}

#[test]
fn a_file_is_not_overwritten() {
    let path = std::env::temp_dir().join(format!("situated-recording-{}.mcap", std::process::id()));
    let recorder = McapRecorder::create(&path, RecorderSettings::default()).expect("there is no such file");
    let error = McapRecorder::create(&path, RecorderSettings::default()).err().expect("there is one now");
    assert!(matches!(error, RecordingError::Exists { .. }));
    assert!(error.to_string().contains("exists already"), "{error}");
    drop(recorder);
    fs::remove_file(&path).expect("it is there");
    let nowhere = path.join("below a file");
    let error = McapRecorder::create(&nowhere, RecorderSettings::default()).err();
    assert!(matches!(error, Some(RecordingError::Open { .. })), "{error:?}");
}

/// A disk with a limited number of bytes.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_environment_continues_when_the_disk_is_full() {
    for room in (0..6000).step_by(400) {
        let Ok(recorder) = McapRecorder::new(Disk(room), every(10)) else {
            assert!(room < 400, "the header has room");
            continue;
        };
        let mut run = Run::find_goals(every(10));
        run.recorder = recorder;
        run.begin(1);
        run.join("ada", "red");
        run.walk(&["ada"], 300, &mut Random::new(1));
        let error = run.recorder.error().expect("the disk is full");
        assert!(error.contains("could not be written"), "{error}");
        assert_eq!(run.recorder.deadline(), None);
        run.recorder.finish(&*run.environment, run.now).expect_err("the disk is full");
    }
}

#[test]
fn a_message_that_no_reader_takes_is_not_written() {
    let mut run = Run::find_goals(RecorderSettings::default());
    run.begin(1);
    run.join("ada", "red");
    let name = "x".repeat(ENTRY_LIMIT);
    let action = situated::iil::Action::new(name, []);
    let input = Input::Act { agent: "ada".into(), action: action.into(), entities: Vec::new() };
    run.recorder.after_input(&input, &Ok(Effect::Done), &*run.environment, run.now);
    let error = run.recorder.error().expect("it is too large");
    assert!(error.starts_with("a message on /inputs has "), "{error}");
}

#[test]
fn times_of_messages_never_go_back() {
    let mut run = Run::find_goals(RecorderSettings::default());
    run.begin(1);
    run.now.wall -= 5_000;
    run.give(Input::Manage(Command::Pause)).expect("it is running");
    let recorded = read(run.finish());
    assert!(recorded.is_sorted_by_key(|one| one.log_time));
    let Some(Entry::Input(pause)) = recorded.iter().map(|one| &one.entry).rfind(|one| matches!(one, Entry::Input(_)))
    else {
        panic!("there are inputs");
    };
    assert_eq!(pause.time, 1_699_999_995_003, "the message itself says what the clock said");
    let sequences: Vec<u32> = recorded.iter().map(|one| one.sequence).collect();
    assert_eq!(sequences, (0..recorded.len() as u32).collect::<Vec<_>>());
}

fn kind(entry: &Entry) -> String {
    let name = match entry {
        Entry::Episode(_) => "episode",
        Entry::Input(_) => "input",
        Entry::Percepts(_) => "percepts",
        Entry::Remark(_) => "remark",
        Entry::Message(_) => "message",
        Entry::Checkpoint(_) => "checkpoint",
        Entry::Outcome(_) => "outcome",
        Entry::Crash(_) => "crash",
        Entry::Scene(_) => "scene",
    };
    name.into()
}

fn is_step(entry: &Entry) -> bool {
    matches!(entry, Entry::Input(given) if given.input == Input::Step)
}

#[test]
fn what_was_written_is_safe_even_while_the_environment_is_busy() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("busy.mcap");
    // It is there if the test has run before.
    let _ = fs::remove_file(&path);
    let mut run = Run::find_goals(every(10));
    run.recorder = McapRecorder::create(&path, every(10)).expect("there is room");
    run.begin(1);
    // Nobody calls the recorder from now on.
    let begin = Instant::now();
    let written = || Recording::open(&path).expect("it is one").entries().expect("it can be read").count();
    while written() < 4 {
        assert!(begin.elapsed() < Duration::from_secs(20), "nothing is written");
        thread::sleep(Duration::from_millis(50));
    }
}
