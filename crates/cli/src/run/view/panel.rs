//! The panel beside the scene: the entities with their actions, the results, and the last events.

use situated::environment::Measure;
use situated::iil::EcoString;
use situated::scene::Color;
use situated_render::{Style, Tag};

use super::results;
use super::text::{Row, action_in_words, amount, badge, fitting, percept_in_words, shortened, speech, width};
use crate::run::story::{Event, Story, What};
use crate::table;

/// Colours for emphasis, for success and for failure.
pub(super) const ACCENT: Color = Color(255, 179, 82);
pub(super) const GOOD: Color = Color(120, 210, 110);
const BAD: Color = Color(255, 110, 110);

/// The width of the longest name of an entity.
const LONGEST_NAME: usize = 14;

/// The rows for events that are kept free, if there are any.
const EVENTS: usize = 3;

/// Width of the note that counts the results that do not fit.
const ROOM_FOR_COUNT: usize = 18;

/// The width of the time of an event.
const TIME: usize = 6;

/// The panel beside the scene.
pub(super) struct Panel<'a> {
    /// The entities, in the order of their numbers.
    pub(super) players: Vec<Player>,
    pub(super) story: &'a Story,
    pub(super) results: Vec<Measure>,
    /// Notes about the run, such as the address of its page.
    pub(super) notes: Vec<String>,
}

/// An entity with its program.
pub(super) struct Player {
    /// `None` if no program controls the entity.
    pub(super) program: Option<EcoString>,
    /// The number of its actions that have failed.
    pub(super) failures: u64,
}

impl Panel<'_> {
    /// Rows of this width, at most this many.
    pub(super) fn rows(&self, tags: &[Tag], width: usize, room: usize, clock: &dyn Fn(u64) -> String) -> Vec<Row> {
        let notes: Vec<Row> = self.notes.iter().flat_map(|note| wrapped(note, width, Style::of(ACCENT))).collect();
        let room = room.saturating_sub(notes.len());
        let entities = self.entities(tags);
        // Headings, and empty rows between the sections.
        let spare = room.saturating_sub(if self.results.is_empty() { 3 } else { 5 });
        let few = entities.len().min((spare / 3).max(3));
        let most = spare.saturating_sub(few + EVENTS);
        let results = results::rows(&self.results, tags, width, most);
        let of_results = results.len().min(most);
        let of_entities = entities.len().min(spare.saturating_sub(of_results + EVENTS)).max(few.min(spare));
        let mut rows = section("Entities", &self.programs(), fitting(entities, of_entities, "entities"));
        if of_results > 0 {
            rows.push(Vec::new());
            rows.extend(section("Results", "", fitting(results, of_results, "results")));
        }
        let left = room.saturating_sub(rows.len() + 2);
        if left > 0 && self.story.count() > 0 {
            rows.push(Vec::new());
            let count = amount(&i64::try_from(self.story.count()).unwrap_or(i64::MAX).into());
            rows.extend(section("Events", &count, self.events(tags, width, left, clock)));
        }
        rows.truncate(room);
        rows.extend(notes);
        rows
    }

    /// Returns the most important rows, for windows without a panel.
    pub(super) fn summary(&self, tags: &[Tag], room: usize, rows: usize, clock: &dyn Fn(u64) -> String) -> Vec<Row> {
        let is_entity = |measure: &&Measure| tags.iter().any(|tag| measure.of == tag.name);
        let of_others: Vec<&Measure> = self.results.iter().filter(|measure| !is_entity(measure)).collect();
        let mut lines =
            fitting(results::together(&of_others, room.saturating_sub(ROOM_FOR_COUNT)), (rows / 3).max(1), "results");
        lines.truncate(rows);
        let events = self.events(tags, room, rows.saturating_sub(lines.len() + 1).min(1), clock);
        let left = rows.saturating_sub(lines.len() + events.len());
        lines.splice(0..0, fitting(self.entities(tags), left, "entities"));
        lines.extend(events);
        lines
    }

    /// The program, if all entities have the same.
    fn programs(&self) -> String {
        let first = self.players.first().and_then(|player| player.program.clone());
        first
            .filter(|first| self.players.iter().all(|player| player.program.as_ref() == Some(first)))
            .unwrap_or_default()
            .into()
    }

    /// A row for each entity: its number and name, what it carries, and what it does.
    fn entities(&self, tags: &[Tag]) -> Vec<Row> {
        let differ = self.programs().is_empty();
        let names = tags.iter().map(|tag| tag.name.chars().count()).max().unwrap_or_default().min(LONGEST_NAME);
        let digits = tags.len().to_string().len();
        let loads = tags.iter().any(|tag| tag.load.is_some());
        let row = |(tag, player): (&Tag, &Player)| {
            let mut row = vec![(" ".repeat(digits - tag.number.to_string().len()), Style::USUAL), badge(tag)];
            row.push((format!(" {:names$} ", shortened(&tag.name, names)), Style::USUAL));
            if loads {
                row.push(
                    tag.load.map_or_else(|| ("  ".to_owned(), Style::USUAL), |load| ("■ ".to_owned(), Style::of(load))),
                );
            }
            let doing = self.story.doing(&tag.name);
            row.push(match (doing, &player.program) {
                (Some(doing), _) if doing.error.is_some() => {
                    (format!("✗ {}", doing.error.as_deref().unwrap_or_default()), Style::of(BAD))
                }
                (Some(doing), _) => (doing.action.as_ref().map(action_in_words).unwrap_or_default(), Style::USUAL),
                (None, Some(_)) => ("waits".to_owned(), Style::DIM),
                (None, None) => ("no agent".to_owned(), Style::DIM),
            });
            if let Some(program) = player.program.as_ref().filter(|_| differ) {
                row.push((format!(" ({program})"), Style::DIM));
            }
            if player.failures > 0 {
                row.push((format!(" · {} failed", player.failures), Style::DIM));
            }
            row
        };
        tags.iter().zip(&self.players).map(row).collect()
    }

    /// The last events that fit, in order.
    fn events(&self, tags: &[Tag], width: usize, room: usize, clock: &dyn Fn(u64) -> String) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for event in self.story.events() {
            let event = self.event(event, tags, width, clock);
            if rows.len() + event.len() > room {
                break;
            }
            rows.splice(0..0, event);
        }
        rows
    }

    fn event(&self, event: &Event, tags: &[Tag], room: usize, clock: &dyn Fn(u64) -> String) -> Vec<Row> {
        let tag = |name: &str| tags.iter().find(|tag| tag.name == name);
        let mut first: Row = vec![(format!("{:>width$} ", clock(event.step), width = TIME - 1), Style::DIM)];
        let (words, style) = match &event.what {
            What::Announced(announcement) => (announcement.text.to_string(), Style::of(ACCENT)),
            What::Perceived { by, percept, sentence } => {
                let who = if let [only] = by.as_slice() { only } else { "" };
                let (who, words) = speech(percept, |name| tag(name).is_some())
                    .unwrap_or_else(|| (who, percept_in_words(percept, who)));
                if let Some(tag) = tag(who) {
                    first.extend([badge(tag), (" ".to_owned(), Style::USUAL)]);
                }
                (sentence.clone().unwrap_or(words), Style::USUAL)
            }
        };
        let indent = width(&first);
        let mut rows: Vec<Row> = Vec::new();
        for (place, (text, style)) in
            wrapped(&words, room.saturating_sub(indent), style).into_iter().flatten().enumerate()
        {
            let mut row =
                if place == 0 { std::mem::take(&mut first) } else { vec![(" ".repeat(indent), Style::USUAL)] };
            row.push((text, style));
            rows.push(row);
        }
        rows
    }
}

/// Rows below a heading with a remark.
fn section(heading: &str, remark: &str, rows: Vec<Row>) -> Vec<Row> {
    let remark = if remark.is_empty() { String::new() } else { format!("  {remark}") };
    let mut section = vec![vec![(heading.to_owned(), Style::BOLD), (remark, Style::DIM)]];
    section.extend(rows);
    section
}

fn wrapped(text: &str, width: usize, style: Style) -> Vec<Row> {
    table::wrap(text, width.max(1)).into_iter().map(|line| vec![(line, style)]).collect()
}
