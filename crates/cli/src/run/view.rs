//! What is to be seen of a run at one moment: the environment, and below it what is going on.

use std::collections::BTreeMap;
use std::iter;
use std::time::{Duration, Instant};

use situated::environment::{Announcement, Measure};
use situated::iil::{Action, EcoString};
use situated::interface::State;
use situated::scene::Scene;
use situated_render::{draw, printable};
use situated_runtime::Failures;

use super::results::amount;
use super::stage::Stage;
use super::step::Step;
use crate::table;

/// How many lines below the environment say what is going on, where there is no room for more.
const STATUS_LINES: usize = 9;

/// What the keys do, the most important first.
const KEYS: [&str; 6] = ["q quits", "space pauses", "s makes a step", "+ faster", "- slower", "r begins anew"];

/// What is to be seen.
pub(super) struct View {
    scene: Scene,
    /// How many steps there were, and how many there will be.
    progress: (u64, u64),
    /// What is going on: paragraphs of short texts.
    status: Vec<Vec<String>>,
}

/// Measures how many steps are really made in a second.
#[derive(Debug)]
pub(super) struct Rate {
    since: Instant,
    steps: u64,
    measured: Option<f64>,
}

/// Over how long a rate is measured.
const WHILE: Duration = Duration::from_secs(1);

impl View {
    /// An environment after a step, with what it has last announced.
    pub(super) fn of(
        stage: &mut Stage,
        step: &Step,
        announcement: Option<&Announcement>,
        rate: &mut Rate,
        now: Instant,
    ) -> Self {
        let (made, failures) = (stage.status().moment.step, stage.failures());
        let members = stage.members().into_iter();
        let status = vec![
            headline(stage, rate.measure(made, now)),
            announcement.map(|announcement| announcement.text.to_string()).into_iter().collect(),
            stage.outcome().results.iter().map(achievement).collect(),
            members.map(|(entity, program)| activity(&failures, &entity, &program, step)).collect(),
            stage.recording_error().into_iter().collect(),
            failures.values().map(|failures| failures.last.clone()).collect(),
        ];
        // Only a viewer that does not exist can be refused.
        let scene = stage.read(|interface| interface.scene(None).unwrap_or_default());
        Self { scene, progress: (made, stage.steps), status }
    }

    /// Lines that fill a window.
    pub(super) fn lines(&self, columns: usize, rows: usize, colored: bool) -> Vec<String> {
        let below = (rows / 3).min(STATUS_LINES);
        let picture = draw(&self.scene, columns, rows - below);
        let mut lines = picture.lines(colored);
        let margin = " ".repeat(columns.saturating_sub(picture.columns()));
        lines.iter_mut().for_each(|line| line.push_str(&margin));
        let room = rows - picture.rows();
        let mut status: Vec<String> = self.status.iter().flat_map(|items| table::flow(items, " · ", columns)).collect();
        if room > 2 {
            status.insert(1, bar(self.progress, columns, colored));
            // However much is going on, one can see how to end it.
            status.truncate(room - 1);
            status.resize(room - 1, String::new());
            status.extend(table::flow(KEYS, " · ", columns).into_iter().next());
        }
        let status = status.into_iter().chain(iter::repeat(String::new()));
        lines.extend(status.map(|line| fit(&line, columns)).take(room));
        lines
    }
}

impl Rate {
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, steps: 0, measured: None }
    }

    /// Steps a second, as it was last measured.
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

fn headline(stage: &mut Stage, rate: Option<f64>) -> Vec<String> {
    let status = stage.status();
    let mut items = vec![stage.ontology().name.clone(), format!("seed {}", stage.seed()), status.state.to_string()];
    items.push(format!("speed {}", status.speed));
    if let Some(rate) = rate.filter(|_| status.state == State::Running) {
        items.push(format!("{rate:.1} steps a second"));
    }
    if status.missed > 0 {
        items.push(format!("cannot keep up: {} steps left out", status.missed));
    }
    items.extend(stage.page().map(str::to_owned));
    items
}

/// `120 of 1000 [####-----]`.
fn bar((made, all): (u64, u64), columns: usize, colored: bool) -> String {
    let (full, empty) = if colored { ("█", "░") } else { ("#", "-") };
    let count = format!("step {made} of {all} ");
    let room = columns.saturating_sub(count.chars().count());
    let share = if all == 0 { 1.0 } else { made as f64 / all as f64 };
    let done = (share.min(1.0) * room as f64) as usize;
    format!("{count}{}{}", full.repeat(done), empty.repeat(room - done))
}

fn achievement(measure: &Measure) -> String {
    format!("{} {} {}", measure.of, measure.name, amount(&measure.value))
}

/// `bot1 (random): goTo(roomC1), 3 failed`.
fn activity(failures: &BTreeMap<EcoString, Failures>, entity: &str, program: &str, step: &Step) -> String {
    let action = step.actions.get(entity).map_or_else(|| "waits".to_owned(), Action::to_string);
    let failed = failures.get(entity);
    let failed = failed.map_or_else(String::new, |failures| format!(", {} failed", failures.count));
    format!("{entity} ({program}): {action}{failed}")
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
        View { scene: Scene { width: 10.0, height: 4.0, shapes }, progress: (3, 10), status: status.into() }
    }

    #[test]
    fn it_fills_the_window_exactly() {
        for (columns, rows) in [(80, 24), (20, 5), (200, 50), (10, 3), (80, 1), (1, 1), (30, 9), (5, 40)] {
            let lines = view().lines(columns, rows, false);
            assert_eq!(lines.len(), rows);
            assert!(lines.iter().all(|line| line.chars().count() == columns), "{columns} x {rows}");
        }
    }

    #[test]
    fn the_world_is_above_and_what_goes_on_below() {
        let lines = view().lines(25, 15, false);
        let status = [
            "find-goals · seed 1      ",
            "step 3 of 10 ###---------",
            "team reward 7            ",
            "red goals 1              ",
            "                         ",
            "q quits · space pauses   ",
        ];
        assert_eq!(lines[lines.len() - 11..][..4], status[..4]);
        assert_eq!(lines[lines.len() - 2..], status[4..]);
        assert!(lines[..4].concat().contains("maze"));
        let small = view().lines(8, 4, false);
        assert_eq!(small[2..], ["find-go…", "seed 1  "]);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let lines = view().lines(80, 24, false).concat();
        assert!(!lines.contains(char::is_control));
    }

    #[test]
    fn rates_are_measured_over_a_while() {
        let begin = Instant::now();
        let mut rate = Rate::new(begin);
        let after = |milliseconds| begin + Duration::from_millis(milliseconds);
        assert_eq!(rate.measure(5, after(500)), None);
        assert_eq!(rate.measure(20, after(2000)), Some(10.0));
        assert_eq!(rate.measure(90, after(2500)), Some(10.0));
        assert_eq!(rate.measure(0, after(2600)), None);
        assert_eq!(rate.measure(10, after(3600)), Some(10.0));
    }
}
