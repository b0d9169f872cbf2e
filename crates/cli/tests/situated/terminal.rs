//! A pseudo-terminal that runs the command, and a screen with what a user would see.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use vt100::{Parser, Screen};

/// Maximum time that a test waits for something that must appear. Machines may be slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// A terminal in which a command runs.
pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    shown: Arc<Shown>,
    follower: JoinHandle<()>,
}

/// The screen; waiting tests are notified when it changes.
struct Shown {
    parser: Mutex<Parser>,
    changed: Condvar,
}

impl Terminal {
    /// Starts a command in a window of this size.
    pub(crate) fn start(command: Command, columns: u16, rows: u16) -> Self {
        let (pty, pts) = open().expect("there are pseudo-terminals");
        pty.resize(Size::new(rows, columns)).expect("it takes any size");
        let child = command.env("TERM", "xterm-256color").spawn(pts).expect("the command can be started");
        let parser = Mutex::new(Parser::new(size(rows), size(columns), 0));
        let shown = Arc::new(Shown { parser, changed: Condvar::new() });
        let pty = Arc::new(pty);
        let follower = thread::spawn({
            let (pty, shown) = (pty.clone(), shown.clone());
            move || follow(&pty, &shown)
        });
        Self { pty, child, shown, follower }
    }

    /// Waits until the screen is as expected, and returns it.
    pub(crate) fn wait_for(&self, what: &str, expected: impl Fn(&Screen) -> bool) -> Screen {
        self.wait_at_most(PATIENCE, what, expected)
    }

    /// Waits for this time at most until the screen is as expected, and returns it.
    pub(crate) fn wait_at_most(&self, time: Duration, what: &str, expected: impl Fn(&Screen) -> bool) -> Screen {
        let begin = Instant::now();
        let mut parser = self.shown.parser.lock().expect("no thread panics");
        loop {
            if expected(parser.screen()) {
                return parser.screen().clone();
            }
            let left = time.saturating_sub(begin.elapsed());
            assert!(!left.is_zero(), "waited for {what} in vain; this was there:\n{}", parser.screen().contents());
            (parser, _) = self.shown.changed.wait_timeout(parser, left).expect("no thread panics");
        }
    }

    /// Waits until a text is on the screen.
    pub(crate) fn wait_for_text(&self, text: &str) -> Screen {
        self.wait_for(text, |screen| screen.contents().contains(text))
    }

    /// Presses keys.
    pub(crate) fn press(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).expect("the terminal is there");
    }

    /// Gives the window another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.shown.parser.lock().expect("no thread panics").screen_mut().set_size(size(rows), size(columns));
        self.pty.resize(Size::new(rows, columns)).expect("it takes any size");
    }

    /// The process in it.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the command has ended, and all that it has printed is on the screen; a text must be there then.
    pub(crate) fn end(mut self, text: &str) -> (Screen, ExitStatus) {
        let status = self.child.wait().expect("it ends");
        self.follower.join().expect("no thread panics");
        let parser = self.shown.parser.lock().expect("no thread panics");
        let screen = parser.screen().clone();
        assert!(screen.contents().contains(text), "{text} is missing in\n{}", screen.contents());
        (screen, status)
    }
}

/// Keeps the screen up to date with what the command prints.
fn follow(mut pty: &Pty, shown: &Shown) {
    let mut bytes = [0; 4096];
    // Reading fails when the command has ended.
    while let Ok(length @ 1..) = pty.read(&mut bytes) {
        shown.parser.lock().expect("no thread panics").process(&bytes[..length]);
        shown.changed.notify_all();
    }
}

fn size(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a window has a size")
}
