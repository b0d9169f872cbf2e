//! A run at one moment, as a terminal shows it: a head with its progress, the scene, and beside it the entities, the
//! results and the last events. Nothing here knows an environment.

mod panel;
mod results;
mod text;

use std::time::{Duration, Instant};

use situated::iil::{EcoString, Parameter};
use situated::interface::State;
use situated::ontology::{Ontology, Pace};
use situated::scene::Scene;
use situated_render::{Grid, Style, Tag, draw, tags};
use situated_runtime::Status;

use super::stage::Stage;
use super::story::Story;
use panel::{Panel, Player};
use text::{Row, amount, grouped, width, write};

/// The keys and their effects, the most important first.
const KEYS: [(&str, &str); 6] =
    [("q", "quit"), ("space", "pause"), ("s", "step"), ("+", "faster"), ("-", "slower"), ("r", "restart")];

/// The width of a window from which on there is always a panel beside the scene, and how wide that is.
const WIDE: usize = 70;
const NARROWEST_PANEL: usize = 28;
const WIDEST_PANEL: usize = 76;

/// The share of the width for the scene where there is a panel.
const SCENE: f64 = 0.54;

/// Maximum number of rows below the scene if there is no panel.
const BELOW: usize = 6;

/// The length of the longest value of a parameter in the head.
const LONGEST_VALUE: usize = 24;

/// Everything that the view shows.
pub(super) struct View<'a> {
    title: Vec<String>,
    status: Status,
    /// The measured number of steps per second, if there is one.
    rate: Option<f64>,
    /// The number of steps after which the run ends.
    steps: u64,
    scene: Scene,
    tags: Vec<Tag>,
    panel: Panel<'a>,
}

/// Measures the actual number of steps per second.
#[derive(Debug)]
pub(super) struct Rate {
    since: Instant,
    steps: u64,
    measured: Option<f64>,
}

/// The time over which a rate is measured.
const WHILE: Duration = Duration::from_secs(1);

impl<'a> View<'a> {
    /// A run at this moment.
    pub(super) fn of(stage: &mut Stage, story: &'a Story, rate: &mut Rate, now: Instant) -> Self {
        let status = stage.status();
        let (failures, members) = (stage.failures(), stage.members());
        let programs =
            |entity: &EcoString| members.iter().find(|(of, _)| of == entity).map(|(_, program)| program.clone());
        let entities = stage.read(|interface| interface.entities());
        // A scene without a viewer is never refused.
        let scene = stage.read(|interface| interface.scene(None).unwrap_or_default());
        let players = entities.iter().map(|entity| Player {
            program: programs(entity),
            failures: failures.get(entity).map_or(0, |failures| failures.count),
        });
        let panel = Panel {
            players: players.collect(),
            story,
            results: stage.outcome().results,
            notes: stage.problem().into_iter().chain(stage.page().map(|page| format!("Page: {page}"))).collect(),
        };
        Self {
            title: title(stage),
            rate: rate.measure(status.moment.step, now),
            steps: stage.steps,
            tags: tags(&scene, entities.iter().map(EcoString::as_str)),
            scene,
            status,
            panel,
        }
    }

    /// Rows that fill a window.
    pub(super) fn lines(&self, columns: usize, rows: usize, colored: bool) -> Vec<String> {
        let foot = if rows >= 6 { 2 } else { 0 };
        let mut grid = self.grid(columns, rows, colored, foot);
        if foot > 0 {
            write(&mut grid, 1, rows - 1, columns.saturating_sub(1), &keys(columns.saturating_sub(2)));
        }
        grid.lines()
    }

    /// Rows that stay when the run is over and keys have no effect any more.
    pub(super) fn last_lines(&self, columns: usize, rows: usize, colored: bool) -> Vec<String> {
        self.grid(columns, rows, colored, 0).lines()
    }

    /// Everything but the foot, which has this number of rows where there is room.
    fn grid(&self, columns: usize, rows: usize, colored: bool, foot: usize) -> Grid {
        let mut grid = Grid::new(columns, rows, colored);
        // In tiny windows, the scene is more important than the rows around it.
        let (head, space) = (if rows < 8 { 1 } else { 2 }, usize::from(rows >= 16));
        self.write_head(&mut grid, head);
        let (top, bottom) = (head + space, rows.saturating_sub(foot.min(1 + space)));
        if columns >= WIDE || self.is_tall(columns, bottom.saturating_sub(top)) {
            self.write_beside(&mut grid, top, bottom);
        } else {
            self.write_below(&mut grid, top, bottom);
        }
        grid
    }

    fn write_head(&self, grid: &mut Grid, rows: usize) {
        let columns = grid.columns();
        let standing = self.standing();
        let right = columns.saturating_sub(width(&standing) + 1);
        let room = if right > self.title[0].chars().count() + 2 { right.saturating_sub(3) } else { columns };
        let mut title: Row = Vec::new();
        for (place, item) in self.title.iter().enumerate() {
            let style = if place == 0 { Style::BOLD } else { Style::DIM };
            let separator = if place == 0 { "" } else { " · " };
            title.push((format!("{separator}{item}"), style));
        }
        write(grid, 1.min(columns.saturating_sub(1)), 0, room, &title);
        if room < columns {
            write(grid, right, 0, columns, &standing);
        }
        if rows > 1 {
            let progress = self.progress();
            let bar = columns.saturating_sub(progress.chars().count() + 4);
            let share = if self.steps == 0 { 1.0 } else { self.status.moment.step as f64 / self.steps as f64 };
            let done = (share.min(1.0) * bar as f64) as usize;
            let (full, empty) = if grid.is_colored() { ("━", "━") } else { ("#", "-") };
            let spans = [
                (full.repeat(done), Style::of(panel::ACCENT)),
                (empty.repeat(bar - done), Style::DIM),
                (format!("  {progress}"), Style::USUAL),
            ];
            write(grid, 1, 1, columns.saturating_sub(1), &spans);
        }
    }

    /// `▶ 50 steps/s · step 1,204`.
    fn standing(&self) -> Row {
        let Status { state, speed, missed, .. } = &self.status;
        let wanted = speed.steps_per_second();
        let (sign, style) = match state {
            State::Running => ("▶ running", Style { bold: true, ..Style::of(panel::GOOD) }),
            State::Paused => ("‖ paused", Style { bold: true, ..Style::of(panel::ACCENT) }),
            _ => ("○ waiting", Style::BOLD),
        };
        let measured = self.rate.filter(|_| *state == State::Running);
        let is_reached = |rate: f64| wanted.is_some_and(|wanted| (rate / wanted - 1.0).abs() < 0.1);
        let speed = match (measured, wanted) {
            (Some(rate), None) => format!("speed max ({} steps/s)", grouped(rate as u64)),
            (Some(rate), Some(_)) if !is_reached(rate) => format!("speed {speed} ({rate:.1} steps/s)"),
            _ => format!("speed {speed}"),
        };
        let missed = if *missed > 0 { format!(" · {} skipped", grouped(*missed)) } else { String::new() };
        vec![(sign.to_owned(), style), (format!(" · {speed}{missed}"), Style::USUAL)]
    }

    /// `0:24 of 10:00 · step 1,204`, or `step 120 of 1,000` in an environment without a clock.
    fn progress(&self) -> String {
        let step = self.status.moment.step;
        match self.status.pace {
            Pace::RealTime { steps_per_second } => {
                let [now, end] = [step, self.steps].map(|steps| clock(steps as f64 / steps_per_second));
                format!("{now} of {end} · step {}", grouped(step))
            }
            _ => format!("step {} of {}", grouped(step), grouped(self.steps)),
        }
    }

    /// Returns whether the scene leaves room for a panel if it has all rows.
    fn is_tall(&self, columns: usize, rows: usize) -> bool {
        columns >= draw(&self.scene, &self.tags, columns, rows, false).columns() + NARROWEST_PANEL + 3
    }

    /// The scene, and a panel to its right.
    fn write_beside(&self, grid: &mut Grid, top: usize, bottom: usize) {
        let columns = grid.columns();
        let room = ((columns as f64 * SCENE) as usize).max(columns.saturating_sub(WIDEST_PANEL));
        let rows = bottom.saturating_sub(top);
        let map = draw(&self.scene, &self.tags, room.saturating_sub(3), rows, grid.is_colored());
        // The panel gets the columns that the scene does not need.
        let panel = (map.columns() + 3).max(columns.saturating_sub(WIDEST_PANEL)).clamp(columns / 3, room);
        grid.paste(1 + (panel - 3).saturating_sub(map.columns()) / 2, top + (rows - map.rows()) / 2, &map);
        for row in top..bottom {
            grid.set(panel - 1, row, '│', Style::DIM);
        }
        let clock = self.clock();
        let lines = self.panel.rows(&self.tags, columns - panel - 2, rows, &clock);
        for (place, line) in lines.iter().enumerate() {
            write(grid, panel + 1, top + place, columns - panel - 2, line);
        }
    }

    /// The scene, and a few lines below it.
    fn write_below(&self, grid: &mut Grid, top: usize, bottom: usize) {
        let columns = grid.columns();
        let rows = bottom.saturating_sub(top);
        let below = (rows / 3).min(BELOW);
        let map = draw(&self.scene, &self.tags, columns, rows - below, grid.is_colored());
        grid.paste((columns - map.columns()) / 2, top, &map);
        let room = rows - map.rows();
        let clock = self.clock();
        for (place, line) in self.panel.summary(&self.tags, columns.saturating_sub(2), room, &clock).iter().enumerate()
        {
            write(grid, 1, top + map.rows() + place, columns.saturating_sub(1), line);
        }
    }

    /// Returns a function that writes the time of a step.
    fn clock(&self) -> impl Fn(u64) -> String + use<> {
        let pace = self.status.pace;
        move |step| match pace {
            Pace::RealTime { steps_per_second } => clock(step as f64 / steps_per_second),
            _ => grouped(step),
        }
    }
}

/// The name of the environment, the seed, and the parameters that differ from their defaults.
fn title(stage: &mut Stage) -> Vec<String> {
    let parameters = stage.read(|interface| interface.parameters()).unwrap_or_default();
    let mut title = vec![stage.ontology().name.clone(), format!("seed {}", stage.seed())];
    let Ontology { parameters: fields, .. } = stage.ontology();
    for field in fields {
        let given = parameters.get(&field.name).filter(|value| field.default.as_ref() != Some(*value));
        match given.map(|value| (value, amount(value))) {
            Some((Parameter::Identifier(text), _)) if text.chars().count() <= LONGEST_VALUE && !text.contains('\n') => {
                title.push(text.to_string());
            }
            Some((value, text))
                if text.chars().count() <= LONGEST_VALUE && !matches!(value, Parameter::Identifier(_)) =>
            {
                title.push(format!("{} {text}", field.name));
            }
            _ => {}
        }
    }
    title
}

/// `1:05`, or `1:00:00`.
fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Returns the row with as many keys as fit.
fn keys(room: usize) -> Row {
    let mut row: Row = Vec::new();
    for (key, what) in KEYS {
        let separator = if row.is_empty() { "" } else { "   " };
        if width(&row) + separator.len() + key.len() + 1 + what.len() > room {
            break;
        }
        row.push((format!("{separator}{key}"), Style::BOLD));
        row.push((format!(" {what}"), Style::DIM));
    }
    row
}

impl Rate {
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, steps: 0, measured: None }
    }

    /// Returns the steps per second as last measured.
    fn measure(&mut self, steps: u64, now: Instant) -> Option<f64> {
        let time = now.duration_since(self.since);
        if time >= WHILE || steps < self.steps {
            // After a reset there are fewer.
            self.measured = steps.checked_sub(self.steps).map(|made| made as f64 / time.as_secs_f64());
            (self.since, self.steps) = (now, steps);
        }
        self.measured
    }
}

#[cfg(test)]
mod tests;
