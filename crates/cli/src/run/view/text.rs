//! Rows of styled text, and terms in words.

use situated::iil::{Action, Numeral, Parameter, Percept};
use situated_render::{Grid, Ink, Style, Tag};

use crate::run::story::is_said;

/// Text with its style.
pub(super) type Span = (String, Style);

/// A row of text.
pub(super) type Row = Vec<Span>;

/// Writes a row, in at most this many columns.
pub(super) fn write(grid: &mut Grid, column: usize, row: usize, width: usize, spans: &[Span]) {
    let length = |spans: &[Span]| spans.iter().map(|(text, _)| text.chars().count()).sum::<usize>();
    let (mut used, mut rest) = (0, spans);
    while let [(text, style), after @ ..] = rest {
        let left = width.saturating_sub(used);
        // If the rest does not fit, the piece already ends in an ellipsis.
        let is_last = length(rest) > left && text.chars().count() >= left;
        used += grid.write(column + used, row, left, text, *style);
        if is_last && length(after) > 0 {
            grid.write(column + width.saturating_sub(1), row, 1, "…", *style);
            return;
        }
        rest = after;
    }
}

/// The width of a row.
pub(super) fn width(row: &[Span]) -> usize {
    row.iter().map(|(text, _)| text.chars().count()).sum()
}

/// The number of an entity in its colour.
pub(super) fn badge(tag: &Tag) -> Span {
    let style = Style { ink: Ink::Of(tag.ink()), ground: Some(tag.color), bold: true };
    (tag.number.to_string(), style)
}

/// Returns the rows that fit; the last one counts the others.
pub(super) fn fitting(mut rows: Vec<Row>, room: usize, what: &str) -> Vec<Row> {
    let count = rows.len();
    rows.truncate(room);
    match rows.as_mut_slice() {
        _ if count <= room => {}
        [] => {}
        [only] => only.push((format!("  +{} more {what}", count - 1), Style::DIM)),
        [.., last] => *last = vec![(format!("+{} more {what}", count + 1 - room), Style::DIM)],
    }
    rows
}

/// `go to RoomC1` for `goTo(RoomC1)`.
pub(super) fn action_in_words(action: &Action) -> String {
    in_words(&action.name, &action.parameters, None)
}

/// A percept in words, without the entity that it is about.
pub(super) fn percept_in_words(percept: &Percept, about: &str) -> String {
    in_words(&percept.name, &percept.parameters, Some(about))
}

/// Returns the entity that spoke, and its words, if this percept is speech: its first argument is the name of an
/// entity, and the second a term or a sentence.
pub(super) fn speech(percept: &Percept, is_entity: impl Fn(&str) -> bool) -> Option<(&str, String)> {
    let [Parameter::Identifier(speaker), content] = &percept.parameters[..] else { return None };
    if !is_entity(speaker) {
        return None;
    }
    match content {
        Parameter::Function(term) => Some((speaker, in_words(&term.name, &term.parameters, Some(speaker)))),
        text => is_said(text).then(|| (speaker.as_str(), amount(text))),
    }
}

fn in_words(name: &str, parameters: &[Parameter], without: Option<&str>) -> String {
    let mut words = words_of(name);
    for parameter in parameters {
        let text = match parameter {
            Parameter::Identifier(text) if without == Some(text) => continue,
            Parameter::Identifier(text) => text.to_string(),
            Parameter::Function(term) => in_words(&term.name, &term.parameters, without),
            other => amount(other),
        };
        words.push(' ');
        words += &text;
    }
    words
}

/// `picked up from` for `pickedUpFrom`.
fn words_of(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(if letter == '_' { ' ' } else { letter });
        }
        before = letter;
    }
    words
}

/// A value as people read it: `1,204`, `24.06`, `yes`.
pub(super) fn amount(value: &Parameter) -> String {
    match value {
        Parameter::Numeral(Numeral::Integer(value)) => grouped(*value),
        Parameter::Numeral(Numeral::Float(value)) if value.abs() < 1e9 => {
            let text = format!("{value:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Parameter::TruthValue(true) => "yes".to_owned(),
        Parameter::TruthValue(false) => "no".to_owned(),
        Parameter::Identifier(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// `1,204`.
pub(super) fn grouped(number: impl Into<i128>) -> String {
    let number: i128 = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0 { format!("-{text}") } else { text }
}

/// A text that is at most this wide; a longer one ends in `…`.
pub(super) fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use situated::iil::Function;

    use super::*;

    #[test]
    fn terms_become_words() {
        let action = Action::new("goToPlace", ["RoomC1".into(), Parameter::from(2.50)]);
        assert_eq!(action_in_words(&action), "go to place RoomC1 2.5");
        let term = Parameter::from(Function::new("pickedUpFrom", ["Bot_1".into(), "Green".into()]));
        let said = Percept::new("message", ["Bot_1".into(), term]);
        assert_eq!(speech(&said, |name| name == "Bot_1"), Some(("Bot_1", "picked up from Green".to_owned())));
        assert_eq!(speech(&said, |_| false), None);
        assert_eq!(percept_in_words(&Percept::new("bumped_into", ["a".into(), "b".into()]), "a"), "bumped into b");
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(
            [0, 999, 1204, -30_000, 1_000_000].map(|number: i64| grouped(number)),
            ["0", "999", "1,204", "-30,000", "1,000,000"]
        );
        assert_eq!(amount(&Parameter::from(24.0)), "24");
        assert_eq!(amount(&Parameter::from(0.125)), "0.12");
        assert_eq!(amount(&true.into()), "yes");
    }

    #[test]
    fn rows_that_do_not_fit_are_counted() {
        let rows = |count: usize| (0..count).map(|row| vec![(row.to_string(), Style::USUAL)]).collect::<Vec<Row>>();
        assert_eq!(fitting(rows(3), 3, "entities").len(), 3);
        let few = fitting(rows(9), 3, "entities");
        assert_eq!((few.len(), few[2][0].0.as_str()), (3, "+7 more entities"));
        assert!(fitting(rows(9), 0, "entities").is_empty());
    }

    #[test]
    fn rows_that_are_too_long_end_in_an_ellipsis() {
        let row = [("abc".to_owned(), Style::USUAL), ("def".to_owned(), Style::DIM)];
        for (width, expected) in [(6, "abcdef"), (5, "abcd… "), (3, "ab…   "), (1, "…     ")] {
            let mut grid = Grid::new(6, 1, false);
            write(&mut grid, 0, 0, width, &row);
            assert_eq!(grid.lines(), [expected], "{width}");
        }
    }
}
