//! The terminal while a run is drawn on it. However the run ends, the terminal is left as it was.

use std::env;
use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{execute, queue};

/// Whether the terminal has to be restored. A panic restores it before its message is printed, because the message
/// would vanish with the drawing.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Lines for the standard error that wait until the terminal is given back.
static WAITING: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Maximum number of these lines. Further ones are dropped.
const MOST_WAITING: usize = 1000;

/// The terminal, which is given back when this is dropped.
pub(crate) struct Terminal {
    /// Whether its user wants colours (<https://no-color.org>).
    pub(crate) colored: bool,
}

impl Terminal {
    /// Takes control of the terminal: it no longer echoes keys, and Ctrl-C is a key like others. The earlier contents
    /// come back afterwards.
    pub(crate) fn take() -> io::Result<Self> {
        let terminal = Self { colored: env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) };
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            give_back();
            usual(panic);
        }));
        enter()?;
        Ok(terminal)
    }

    /// Stops the process and the others of its command line, as Ctrl-Z does where it is not a key, until the shell
    /// continues them. In between, the terminal is as it was.
    #[cfg(unix)]
    pub(crate) fn suspend(&self) -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};

        give_back();
        kill_current_process_group(Signal::TSTP)?;
        enter()
    }

    /// There is no such state of a process here.
    #[cfg(not(unix))]
    pub(crate) fn suspend(&self) -> io::Result<()> {
        Ok(())
    }

    /// Shows lines that fill the window, instead of those that are there.
    pub(crate) fn show(&self, lines: &[String]) -> io::Result<()> {
        if !TAKEN.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut frame = Vec::new();
        queue!(frame, BeginSynchronizedUpdate, MoveTo(0, 0))?;
        frame.extend(lines.join("\r\n").bytes());
        queue!(frame, EndSynchronizedUpdate)?;
        let mut out = io::stdout().lock();
        out.write_all(&frame)?;
        out.flush()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::Relaxed);
    execute!(io::stdout(), EnterAlternateScreen, Hide)
}

/// Restores the terminal, unless that has been done.
pub(crate) fn give_back() {
    if TAKEN.swap(false, Ordering::Relaxed) {
        // If the terminal is gone, errors do not matter. This comes first, because it does not wait for a terminal
        // that accepts no output.
        let _ = terminal::disable_raw_mode();
        let _ = execute!(io::stdout(), EndSynchronizedUpdate, LeaveAlternateScreen, Show);
        let waiting = std::mem::take(&mut *WAITING.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.iter().for_each(|line| print_error(line));
    }
}

/// Prints a line of another process to the standard error, as soon as nothing is drawn on the terminal.
pub(crate) fn print_error(line: &str) {
    if TAKEN.load(Ordering::Relaxed) {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST_WAITING {
            waiting.push(line.to_owned());
        }
        return;
    }
    // If nobody reads it any more, the run continues.
    let _ = writeln!(io::stderr(), "{line}");
}
