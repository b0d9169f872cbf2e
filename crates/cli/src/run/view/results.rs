//! Formats the results so far: those of the episode in one line, those of entities as a table.

use situated::environment::Measure;
use situated::iil::{Numeral, Parameter};
use situated_render::{Style, Tag};

use super::text::{Row, amount, badge, shortened, width};

/// The width of the widest name of a measure.
const WIDEST_NAME: usize = 18;

/// Returns the rows with results, at most this wide. If there are more than `most`, measures that are 0 for all
/// entities come last.
pub(super) fn rows(results: &[Measure], tags: &[Tag], room: usize, most: usize) -> Vec<Row> {
    let is_entity = |measure: &&Measure| tags.iter().any(|tag| measure.of == tag.name);
    let (of_entities, of_others): (Vec<&Measure>, Vec<&Measure>) = results.iter().partition(is_entity);
    let mut rows = together(&of_others, room);
    let mut names: Vec<&str> = Vec::new();
    for measure in &of_entities {
        if !names.contains(&measure.name.as_str()) {
            names.push(&measure.name);
        }
    }
    if rows.len() + 1 + names.len() > most {
        names.sort_by_key(|name| of_entities.iter().all(|measure| measure.name != *name || is_nothing(&measure.value)));
    }
    if !names.is_empty() {
        rows.extend(table(&of_entities, &names, tags, room));
    }
    rows
}

/// `delivered 2   wanted 6`.
pub(super) fn together(results: &[&Measure], room: usize) -> Vec<Row> {
    let owners = results.first().is_some_and(|first| results.iter().any(|measure| measure.of != first.of));
    let mut rows: Vec<Row> = Vec::new();
    for measure in results {
        let of = if owners { format!("{} ", measure.of) } else { String::new() };
        let value = amount(&measure.value);
        let name = shortened(&format!("{of}{}", measure.name), room.saturating_sub(value.chars().count() + 1));
        let item = vec![(format!("{name} "), Style::DIM), (value, Style::BOLD)];
        match rows.last_mut() {
            Some(row) if width(row) + 3 + width(&item) <= room => {
                row.push(("   ".to_owned(), Style::USUAL));
                row.extend(item);
            }
            _ => rows.push(item),
        }
    }
    rows
}

/// Returns a table with a column for each entity that fits. The last column counts the entities that do not.
fn table(results: &[&Measure], names: &[&str], tags: &[Tag], room: usize) -> Vec<Row> {
    let of = |tag: &Tag| -> Vec<String> {
        let mine = |name: &&str| results.iter().find(|measure| measure.of == tag.name && measure.name == **name);
        names.iter().map(|name| mine(name).map_or_else(String::new, |measure| amount(&measure.value))).collect()
    };
    let first = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().min(WIDEST_NAME);
    let head = |text: &str| (format!("{text:first$.first$}"), Style::DIM);
    let mut rows: Vec<Row> = vec![vec![head("")]];
    rows.extend(names.iter().map(|name| vec![head(name)]));
    let having: Vec<&Tag> = tags.iter().filter(|tag| results.iter().any(|measure| measure.of == tag.name)).collect();
    for (place, tag) in having.iter().enumerate() {
        let cells = of(tag);
        let badge = badge(tag);
        let widest = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or_default().max(badge.0.len());
        let more = format!("  +{} more", having.len() - place);
        let is_last = place + 1 == having.len();
        if width(&rows[0]) + 2 + widest + if is_last { 0 } else { more.len() } > room {
            rows[0].push((more, Style::DIM));
            break;
        }
        rows[0].push((" ".repeat(2 + widest - badge.0.len()), Style::USUAL));
        rows[0].push(badge);
        for (row, cell) in rows.iter_mut().skip(1).zip(cells) {
            row.push((format!("  {cell:>widest$}"), Style::USUAL));
        }
    }
    rows
}

fn is_nothing(value: &Parameter) -> bool {
    match value {
        Parameter::Numeral(Numeral::Integer(number)) => *number == 0,
        Parameter::Numeral(Numeral::Float(number)) => *number == 0.0,
        Parameter::TruthValue(value) => !value,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use situated_render::tags;

    use super::*;

    fn plain(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| row.iter().map(|(text, _)| text.as_str()).collect()).collect()
    }

    fn results(count: usize) -> (Vec<Measure>, Vec<String>) {
        let names: Vec<String> = (1..=count).map(|number| format!("Bot_{number}")).collect();
        let of_bot = |name: &String| {
            let measure = |what: &str, value: i64| Measure::new(name.as_str(), what, Parameter::from(value));
            [measure("good", 1), measure("rooms entered", 1200)]
        };
        let team = [Measure::new("team", "delivered", Parameter::from(2)), Measure::new("team", "solvable", true)];
        (team.into_iter().chain(names.iter().flat_map(of_bot)).collect(), names)
    }

    #[test]
    fn entities_have_columns_and_all_together_a_line() {
        let (results, names) = results(2);
        let tags = tags(&situated::scene::Scene::default(), names.iter().map(String::as_str));
        let expected = [
            "delivered 2   solvable yes",
            "                   1      2",
            "good               1      1",
            "rooms entered  1,200  1,200",
        ];
        assert_eq!(plain(&rows(&results, &tags, 40, 9)), expected);
    }

    #[test]
    fn entities_without_room_are_counted() {
        let (results, names) = results(9);
        let tags = tags(&situated::scene::Scene::default(), names.iter().map(String::as_str));
        let rows = plain(&rows(&results, &tags, 36, 9));
        assert_eq!(rows[1], "                   1      2  +7 more");
        assert!(rows.iter().all(|row| row.chars().count() <= 36));
    }
}
