//! The audience of a run, to which each step is shown, and the signals that end it: Ctrl-C where it is no key, `kill`, or
//! the loss of the terminal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

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

/// Says whether somebody has asked to end.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, a signal no longer ends the process at once. That the terminal is gone counts only where it is drawn
    /// on, so that `nohup` does what it should.
    pub(super) fn listen(drawn: bool) -> io::Result<Self> {
        let raised = Arc::new(AtomicBool::new(false));
        watch(raised.clone(), drawn)?;
        Ok(Self(raised))
    }

    pub(super) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who asks a second time does not wait for it, and has the terminal back all the same.
#[cfg(unix)]
fn watch(raised: Arc<AtomicBool>, drawn: bool) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if drawn {
        signals.add_signal(SIGHUP)?;
        signals.add_signal(SIGQUIT)?;
    }
    let wait = move || {
        for signal in signals.forever() {
            if raised.swap(true, Ordering::Relaxed) {
                end_now(signal);
            }
            if signal == SIGHUP {
                // Waiting for keys may never end where there are none any more.
                thread::sleep(GRACE);
                end_now(signal);
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// How long a run may take to end whose terminal is gone, and a terminal to be given back.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(500);

/// Ends the process, even if its terminal takes nothing any more.
#[cfg(unix)]
fn end_now(signal: i32) -> ! {
    let (done, given_back) = std::sync::mpsc::channel();
    thread::spawn(move || {
        super::terminal::give_back();
        done.send(())
    });
    // Whether it is given back or not: there is nothing more to be done.
    let _ = given_back.recv_timeout(GRACE);
    std::process::exit(128 + signal)
}

#[cfg(not(unix))]
fn watch(raised: Arc<AtomicBool>, _: bool) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, raised.clone())?;
    }
    Ok(())
}
