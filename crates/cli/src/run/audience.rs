//! Whoever a run is shown to.

use std::io;
use std::thread;
use std::time::Duration;

use super::interrupt::Interrupt;
use super::stage::Stage;
use super::step::Step;

/// How long it takes at the most until an interrupt is noticed.
pub(super) const ATTENTION: Duration = Duration::from_millis(100);

/// Whoever a run is shown to.
pub(super) trait Audience {
    /// A step has been made.
    fn tell(&mut self, _stage: &mut Stage, _step: Step) -> io::Result<()> {
        Ok(())
    }

    /// Something has gone wrong that does not end the run.
    fn warn(&mut self, what: &str) {
        eprintln!("warning: {what}");
    }

    /// Waits until something is due again, or somebody wants something; false if it is to end.
    fn wait(&mut self, _stage: &mut Stage, rest: Option<Duration>, interrupt: &Interrupt) -> anyhow::Result<bool> {
        sleep(rest, interrupt);
        Ok(true)
    }

    /// There are no more steps.
    fn end(self: Box<Self>, stage: &mut Stage) -> io::Result<()>;
}

/// Sleeps for a time, for good if there is none, or until it is interrupted.
pub(super) fn sleep(rest: Option<Duration>, interrupt: &Interrupt) {
    let mut left = rest;
    while left != Some(Duration::ZERO) && !interrupt.is_raised() {
        let part = left.map_or(ATTENTION, |left| left.min(ATTENTION));
        thread::sleep(part);
        left = left.map(|left| left - part);
    }
}

/// Makes steps until there are enough, the episode is over, or the audience has enough.
pub(super) fn play(stage: &mut Stage, audience: &mut dyn Audience, interrupt: &Interrupt) -> anyhow::Result<()> {
    let mut over = stage.is_over();
    let mut warned = false;
    while !over && !interrupt.is_raised() {
        if let Some(step) = stage.advance()? {
            audience.tell(stage, step)?;
        }
        if let Some(failure) = stage.recording_error().filter(|_| !warned) {
            audience.warn(&failure);
            warned = true;
        }
        let rest = stage.rest();
        over = stage.is_over() || !audience.wait(stage, rest, interrupt)?;
    }
    Ok(())
}
