//! What is to be seen of a run at one moment: the world, and below it what is going on.

use std::iter;
use std::time::Duration;

use situated::environment::Measure;
use situated::iil::Action;
use situated::scene::Scene;

use super::inhabited::Inhabited;
use super::results::amount;
use super::step::Step;
use crate::draw::{draw, printable};
use crate::table;

/// How many lines below the world say what is going on, where there is no room for more.
const STATUS_LINES: usize = 8;

/// What is to be seen.
pub(super) struct View {
    scene: Scene,
    /// What is going on: paragraphs of short texts.
    status: Vec<Vec<String>>,
}

impl View {
    /// A world after a step, that has run for this time and is to make so many steps.
    pub(super) fn of(world: &Inhabited, step: &Step, steps: u64, time: Duration) -> Self {
        let status = vec![
            progress(world, steps, time),
            world.outcome().results.iter().map(achievement).collect(),
            world.entities().map(|entity| activity(world, entity, step)).collect(),
            world.failures().values().map(|failures| failures.last.clone()).collect(),
        ];
        Self { scene: world.scene(), status }
    }

    /// Lines that fill a window.
    pub(super) fn lines(&self, columns: usize, rows: usize, colored: bool) -> Vec<String> {
        let picture = draw(&self.scene, columns, rows - (rows / 3).min(STATUS_LINES));
        let mut lines = picture.lines(colored);
        let margin = " ".repeat(columns.saturating_sub(picture.columns()));
        lines.iter_mut().for_each(|line| line.push_str(&margin));
        let status = self.status.iter().flat_map(|items| table::flow(items, " · ", columns));
        let below = status.chain(iter::repeat(String::new())).map(|line| fit(&line, columns));
        lines.extend(below.take(rows - picture.rows()));
        lines
    }
}

fn progress(world: &Inhabited, steps: u64, time: Duration) -> Vec<String> {
    let (name, seed, step) = (&world.ontology().name, world.seed(), world.steps());
    let mut items = vec![name.clone(), format!("seed {seed}"), format!("step {step} of {steps}")];
    if !time.is_zero() {
        items.push(format!("{:.1} steps a second", step as f64 / time.as_secs_f64()));
    }
    items.push("q ends it".to_owned());
    items
}

fn achievement(measure: &Measure) -> String {
    format!("{} {} {}", measure.of, measure.name, amount(&measure.value))
}

/// `bot1 (random): goTo(roomC1), 3 failed`.
fn activity(world: &Inhabited, entity: &str, step: &Step) -> String {
    let action = step.actions.get(entity).map_or_else(|| "waits".to_owned(), Action::to_string);
    let failed = world.failures().get(entity);
    let failed = failed.map_or_else(String::new, |failures| format!(", {} failed", failures.count));
    format!("{entity} ({}): {action}{failed}", world.program())
}

/// A line of exactly this width.
fn fit(text: &str, width: usize) -> String {
    let mut letters: Vec<char> = printable(text).collect();
    if letters.len() > width {
        letters.truncate(width.saturating_sub(1));
        letters.push('…');
    }
    letters.resize(width, ' ');
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use situated::scene::{Color, Shape};

    use super::*;

    fn view() -> View {
        let shapes = vec![Shape::rectangle(0.0, 0.0, 10.0, 4.0, Color::BLACK).labelled("\x1bmaze")];
        let status = [&["find-goals", "seed 1"][..], &["team reward 7", "red goals 1"], &[], &["\x07"]];
        let status = status.map(|items| items.iter().map(ToString::to_string).collect());
        View { scene: Scene { width: 10.0, height: 4.0, shapes }, status: status.into() }
    }

    #[test]
    fn it_fills_the_window_exactly() {
        for (columns, rows) in [(80, 24), (20, 5), (200, 50), (10, 3), (80, 1), (1, 1)] {
            let lines = view().lines(columns, rows, false);
            assert_eq!(lines.len(), rows);
            assert!(lines.iter().all(|line| line.chars().count() == columns), "{columns} x {rows}");
        }
    }

    #[test]
    fn the_world_is_above_and_what_goes_on_below() {
        let lines = view().lines(20, 8, false);
        let status = ["find-goals · seed 1 ", "team reward 7       ", "red goals 1         "];
        assert_eq!(lines[4..7], status);
        assert!(lines[..4].concat().contains("maze"));
        let small = view().lines(8, 4, false);
        assert_eq!(small[2..], ["find-go…", "seed 1  "]);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let lines = view().lines(80, 24, false).concat();
        assert!(!lines.contains(char::is_control));
    }
}
