//! While the journal cannot be written, the owner refuses what could get lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use situated::interface::{Command, State};
use situated::ontology::Pace;
use situated_runtime::{Checkpoint, Error, Input, Journal, Record, Speed};

use crate::driver::{Driver, at, is_done, real_time, tempo};
use crate::request::Request;

/// A journal on a disk that may be full.
#[derive(Clone, Default)]
struct Disk {
    is_full: Arc<AtomicBool>,
}

impl Journal for Disk {
    fn note(&mut self, _: &Record<'_>) {}

    fn seal(&mut self) -> bool {
        false
    }

    fn begin(&mut self, _: &Checkpoint, _: Option<Vec<u8>>) {}

    fn refusal(&self) -> Option<String> {
        self.is_full.load(Ordering::Relaxed).then(|| "the disk is full".to_owned())
    }
}

#[test]
fn refuses_changes_and_repeats_answers_while_the_journal_cannot_be_written() {
    let own = tempo(Pace::Own);
    for tempo in [tempo(Pace::Lockstep), tempo(Pace::Reactive), at(Pace::Reactive, 10.0), real_time(10.0), own] {
        let (mut driver, disk) = (Driver::new(tempo, &["anna", "bert"]), Disk::default());
        driver.owner.keep(Box::new(disk.clone())).expect("it can be kept");
        let before = driver.act_once("anna", "work(1)", 1);
        driver.pass("bert");
        driver.run(1_000);
        assert!(is_done(&driver.got(before)), "{tempo:?}");

        disk.is_full.store(true, Ordering::Relaxed);
        let (step, log) = (driver.step(), driver.log());
        let waits = driver.ask(Request::Wait { after: driver.status().moment });
        let refused = [
            driver.act_once("anna", "work(2)", 2),
            driver.pass("anna"),
            driver.ask(Request::SetSpeed(Speed::MAX)),
            driver.ask(Request::Input(Input::Register { agent: "cleo".into() })),
            driver.ask(Request::Input(Input::Manage(Command::Pause))),
        ];
        let not_kept = Error::NotKept { environment: "mill".into(), reason: "the disk is full".into() };
        for asked in refused {
            assert_eq!(driver.got(asked), Err(not_kept.clone()), "request {asked} at {tempo:?}");
        }
        let again = driver.act_once("anna", "work(1)", 1);
        assert_eq!(driver.got(again), driver.got(before), "{tempo:?}");
        driver.run(1_000);
        assert_eq!((driver.answer(waits).is_some(), driver.step(), driver.log()), (false, step, log), "{tempo:?}");

        disk.is_full.store(false, Ordering::Relaxed);
        let after = driver.act_once("anna", "work(2)", 2);
        driver.pass("bert");
        driver.run(1_000);
        assert!(is_done(&driver.got(after)), "{tempo:?}");
        assert_eq!(driver.answer(waits).is_some(), tempo.pace != Pace::Own, "{tempo:?}");
    }
}

#[test]
fn a_paused_environment_does_not_advance_but_can_be_killed_while_the_journal_cannot_be_written() {
    let (mut driver, disk) = (Driver::new(real_time(10.0), &[]), Disk::default());
    driver.manage(Command::Pause);
    driver.owner.keep(Box::new(disk.clone())).expect("it can be kept");
    disk.is_full.store(true, Ordering::Relaxed);
    let asked = driver.ask(Request::Advance { steps: 1, at_once: true });
    assert!(matches!(driver.got(asked), Err(Error::NotKept { .. })));
    driver.manage(Command::Kill);
    assert_eq!((driver.state(), driver.step()), (State::Killed, 0));
}
