//! A run on a terminal: the world as it moves, drawn in place, and below it what is going on.

use std::io;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use situated::ontology::Pace;

use super::Audience;
use super::inhabited::Inhabited;
use super::pace::Speed;
use super::results::Results;
use super::step::Step;
use super::terminal::Terminal;
use super::view::View;
use crate::table;

/// How much time there is between two frames at the least.
const FRAME: Duration = Duration::from_millis(33);

/// An audience in front of a terminal.
pub(super) struct Screen {
    terminal: Terminal,
    results: Results,
    begin: Instant,
    view: View,
    drawn: Instant,
}

impl Screen {
    /// Takes over the terminal, and shows the world at its beginning.
    pub(super) fn open(world: &Inhabited, steps: u64) -> io::Result<Self> {
        let terminal = Terminal::take()?;
        let (view, now) = (View::of(world, &Step::default(), steps, Duration::ZERO), Instant::now());
        let screen = Self { terminal, results: Results { steps }, begin: now, view, drawn: now };
        screen.draw()?;
        Ok(screen)
    }

    fn draw(&self) -> io::Result<()> {
        let (columns, rows) = table::window();
        self.terminal.show(&self.view.lines(columns, rows, self.terminal.colored))
    }
}

impl Audience for Screen {
    fn tell(&mut self, world: &Inhabited, step: &Step) -> io::Result<()> {
        let now = Instant::now();
        if now.duration_since(self.drawn) < FRAME {
            return Ok(());
        }
        self.drawn = now;
        self.view = View::of(world, step, self.results.steps, now.duration_since(self.begin));
        self.draw()
    }

    fn wait(&mut self, until: Instant) -> io::Result<bool> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if !event::poll(left)? {
                return Ok(true);
            }
            match event::read()? {
                Event::Key(key) if stops(key) => return Ok(false),
                Event::Resize(..) => self.draw()?,
                _ => {}
            }
        }
    }

    fn speed(&self, pace: Pace) -> Speed {
        Speed::of(pace)
    }

    fn end(self: Box<Self>, world: &Inhabited) -> io::Result<()> {
        let Screen { terminal, results, .. } = *self;
        drop(terminal);
        Box::new(results).end(world)
    }
}

/// Whether a key ends the run.
fn stops(key: KeyEvent) -> bool {
    let interrupt = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
    key.kind == KeyEventKind::Press && (interrupt || key.code == KeyCode::Char('q'))
}
