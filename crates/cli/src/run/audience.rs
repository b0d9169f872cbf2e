//! The audience of a run, which sees each step, and the signals that end the run: Ctrl-C where it is not a key,
//! `kill`, or the loss of the terminal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::stage::Stage;
use super::step::Step;

/// Maximum time until an interrupt is noticed.
pub(super) const ATTENTION: Duration = Duration::from_millis(100);

/// Shows a run to a user.
pub(super) trait Audience {
    /// Shows a step.
    fn tell(&mut self, _stage: &mut Stage, _step: Step) -> io::Result<()> {
        Ok(())
    }

    /// Reports a problem that does not end the run.
    fn warn(&mut self, what: &str) {
        eprintln!("warning: {what}");
    }

    /// Waits until the next step is due or the user wants something. Returns false to end the run.
    fn wait(&mut self, _stage: &mut Stage, rest: Option<Duration>, interrupt: &Interrupt) -> anyhow::Result<bool> {
        sleep(rest, interrupt);
        Ok(true)
    }

    /// Shows the end of the run.
    fn end(self: Box<Self>, stage: &mut Stage) -> io::Result<()>;
}

/// Sleeps for a time, or without limit for `None`, until it is interrupted.
pub(super) fn sleep(rest: Option<Duration>, interrupt: &Interrupt) {
    let mut left = rest;
    while left != Some(Duration::ZERO) && !interrupt.is_raised() {
        let part = left.map_or(ATTENTION, |left| left.min(ATTENTION));
        thread::sleep(part);
        left = left.map(|left| left - part);
    }
}

/// Makes steps until the limit, the end of the episode, or the end by the audience.
pub(super) fn play(stage: &mut Stage, audience: &mut dyn Audience, interrupt: &Interrupt) -> anyhow::Result<()> {
    let mut over = stage.is_over();
    let mut warned = None;
    while !over && !interrupt.is_raised() {
        if let Some(step) = stage.advance()? {
            audience.tell(stage, step)?;
        }
        let problem = stage.problem();
        if problem != warned {
            problem.iter().for_each(|problem| audience.warn(problem));
            warned = problem;
        }
        let rest = stage.rest();
        over = stage.is_over() || !audience.wait(stage, rest, interrupt)?;
    }
    Ok(())
}

/// Tells whether a user or another process asked the run to end.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts listening for signals, which then no longer end the process at once. The loss of the terminal counts
    /// only if the run is drawn on it, so that `nohup` works.
    pub(super) fn listen(drawn: bool) -> io::Result<Self> {
        let raised = Arc::new(AtomicBool::new(false));
        watch(raised.clone(), drawn)?;
        Ok(Self(raised))
    }

    pub(super) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A second signal ends the process at once, and still restores the terminal.
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
                // Waiting for keys may block forever after the terminal is gone.
                thread::sleep(GRACE);
                end_now(signal);
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// Time in which a run must end after its terminal is gone, and in which the terminal must be restored.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(500);

/// Ends the process, even if its terminal blocks.
#[cfg(unix)]
fn end_now(signal: i32) -> ! {
    let (done, given_back) = std::sync::mpsc::channel();
    thread::spawn(move || {
        crate::terminal::give_back();
        done.send(())
    });
    // Ends anyway if the terminal could not be restored.
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
