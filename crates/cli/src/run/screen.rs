//! Shows a run on a terminal: draws the environment in place, shows actions and events below it, and reads keys that
//! control the run.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use situated_runtime::Speed;

use super::audience::{ATTENTION, Audience, Interrupt};
use super::results::Results;
use super::stage::Stage;
use super::step::Step;
use super::story::Story;
use super::view::{Rate, View};
use crate::table;
use crate::terminal::Terminal;

/// Minimum time between two frames.
const FRAME: Duration = Duration::from_millis(33);

/// Number of rows that the picture at the end has even if the results do not fit below it.
const LEAST_PICTURE: usize = 10;

/// The speeds that the keys choose from, in steps per second. After the last one, the run is as fast as possible.
const SPEEDS: [f64; 12] = [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

/// An audience in front of a terminal.
pub(super) struct Screen {
    terminal: Terminal,
    rate: Rate,
    story: Story,
    drawn: Instant,
    /// The columns and rows of the window that was drawn.
    window: (usize, usize),
    /// Whether a step has been made that is not drawn yet.
    stale: bool,
}

/// The request of a key.
enum Wish {
    Pause,
    Step,
    Faster,
    Slower,
    Reset,
    Suspend,
    Quit,
}

impl Screen {
    /// Takes over the terminal, and shows the environment at its beginning.
    pub(super) fn open(stage: &mut Stage) -> io::Result<Self> {
        let (terminal, now) = (Terminal::take()?, Instant::now());
        let mut screen =
            Self { terminal, rate: Rate::new(now), story: Story::default(), drawn: now, window: (0, 0), stale: true };
        screen.draw(stage, now)?;
        Ok(screen)
    }

    fn draw(&mut self, stage: &mut Stage, now: Instant) -> io::Result<()> {
        let view = View::of(stage, &self.story, &mut self.rate, now);
        let (columns, rows) = table::window();
        (self.drawn, self.window, self.stale) = (now, (columns, rows), false);
        let lines = view.lines(columns, rows, self.terminal.colored);
        self.terminal.show(&lines)
    }

    /// Waits for a time, or until the user presses a key or the size of the window changes. Returns false to end the
    /// run.
    fn listen(&mut self, stage: &mut Stage, time: Duration) -> anyhow::Result<bool> {
        if !event::poll(time)? {
            return Ok(true);
        }
        let continues = match event::read()? {
            Event::Key(key) => match wish(key) {
                Some(wish) => self.grant(&wish, stage)?,
                None => return Ok(true),
            },
            Event::Resize(..) => true,
            _ => return Ok(true),
        };
        self.draw(stage, Instant::now())?;
        Ok(continues)
    }

    /// Does what the user asked for. Returns false to end the run.
    fn grant(&self, wish: &Wish, stage: &mut Stage) -> anyhow::Result<bool> {
        let speed = stage.status().speed.steps_per_second();
        match wish {
            Wish::Pause => stage.toggle_pause()?,
            Wish::Step => stage.make_one_step()?,
            Wish::Faster => stage.set_speed(faster(speed))?,
            Wish::Slower => stage.set_speed(slower(speed))?,
            Wish::Reset => stage.reset()?,
            Wish::Suspend => {
                self.terminal.suspend()?;
                // The steps of a run in real time count from now.
                let speed = stage.status().speed;
                stage.set_speed(speed)?;
            }
            Wish::Quit => return Ok(false),
        }
        Ok(true)
    }
}

impl Audience for Screen {
    fn tell(&mut self, stage: &mut Stage, step: Step) -> io::Result<()> {
        let story = &mut self.story;
        stage.read(|interface| {
            story.tell(step, &|percept| interface.episode().and_then(|episode| episode.in_words(percept)));
        });
        self.stale = true;
        let now = Instant::now();
        if now.duration_since(self.drawn) >= FRAME { self.draw(stage, now) } else { Ok(()) }
    }

    /// The terminal shows warnings as long as they hold.
    fn warn(&mut self, _: &str) {
        self.stale = true;
    }

    fn wait(&mut self, stage: &mut Stage, rest: Option<Duration>, _: &Interrupt) -> anyhow::Result<bool> {
        let mut time = rest.unwrap_or(ATTENTION).min(ATTENTION);
        if time.is_zero() {
            return self.listen(stage, time);
        }
        // No event announces a change of the window before the first wait.
        let is_old = table::window() != self.window;
        if self.stale || is_old {
            let until_frame = FRAME.saturating_sub(self.drawn.elapsed());
            if until_frame.is_zero() {
                self.draw(stage, Instant::now())?;
            } else {
                time = time.min(until_frame);
            }
        }
        self.listen(stage, time)
    }

    /// The last picture stays above the results, because a short run is over before anybody has seen it.
    fn end(mut self: Box<Self>, stage: &mut Stage) -> io::Result<()> {
        let colored = self.terminal.colored;
        drop(self.terminal);
        let view = View::of(stage, &self.story, &mut self.rate, Instant::now());
        let (columns, rows) = table::window();
        let results = Results::text(stage);
        let room = rows.saturating_sub(results.lines().count() + 2).max(LEAST_PICTURE.min(rows));
        let picture = view.last_lines(columns.saturating_sub(1), room, colored).join("\n");
        writeln!(io::stdout(), "{picture}\n\n{}", results.trim_end())
    }
}

fn wish(key: KeyEvent) -> Option<Wish> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    Some(match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Wish::Quit,
        KeyCode::Char('z') if key.modifiers.contains(KeyModifiers::CONTROL) => Wish::Suspend,
        KeyCode::Char('q') | KeyCode::Esc => Wish::Quit,
        KeyCode::Char(' ' | 'p') => Wish::Pause,
        KeyCode::Char('s' | '.') => Wish::Step,
        KeyCode::Char('+' | '=') | KeyCode::Up => Wish::Faster,
        KeyCode::Char('-') | KeyCode::Down => Wish::Slower,
        KeyCode::Char('r') => Wish::Reset,
        _ => return None,
    })
}

/// Speeds are periods in whole nanoseconds: two that differ by less than this are the same.
const SAME: f64 = 1.0 + 1e-6;

fn faster(than: Option<f64>) -> Speed {
    let next = than.and_then(|than| SPEEDS.into_iter().find(|speed| *speed > than * SAME));
    next.map_or(Speed::MAX, Speed::hertz)
}

fn slower(than: Option<f64>) -> Speed {
    let next = SPEEDS.into_iter().rev().find(|speed| than.is_none_or(|than| *speed * SAME < than));
    Speed::hertz(next.unwrap_or(SPEEDS[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_change_from_one_to_the_next_and_end_at_the_greatest() {
        let mut speed = Speed::hertz(0.3);
        let mut all = Vec::new();
        while speed != Speed::MAX {
            speed = faster(speed.steps_per_second());
            all.push(speed.to_string());
        }
        assert_eq!(all[..3], ["0.5", "1", "2"]);
        assert_eq!(all[9..], ["500", "1000", "max"]);
        for expected in all.iter().rev().skip(1) {
            speed = slower(speed.steps_per_second());
            assert_eq!(speed.to_string(), *expected);
        }
        assert_eq!(slower(Some(0.2)).to_string(), "0.2");
    }
}
