//! Short forms of labels, for places where the labels themselves do not fit.

use std::collections::HashMap;

use situated::scene::{Color, Scene};

use crate::printable;

/// The labels of a scene. For each colour: the words with which all labels of shapes of this colour begin.
pub(crate) struct Labels(HashMap<(u8, u8, u8), Option<String>>);

impl Labels {
    pub(crate) fn of(scene: &Scene) -> Self {
        let mut common: HashMap<(u8, u8, u8), Option<String>> = HashMap::new();
        for shape in scene.shapes.iter().filter(|shape| !shape.label.is_empty()) {
            let before = common.entry(key(shape.color)).or_insert(None);
            *before = Some(match before {
                None => shape.label.to_string(),
                Some(before) => shared(before, &shape.label).to_owned(),
            });
        }
        Self(common)
    }

    /// The forms of a label, the longest first: `RoomA1` and `A1` if all rooms begin with `Room`.
    pub(crate) fn forms(&self, label: &str, color: Color) -> Vec<String> {
        let label: String = printable(label).collect();
        let common = self.0.get(&key(color)).and_then(Option::as_deref).unwrap_or("");
        let short = label.strip_prefix(common).filter(|short| !short.is_empty() && !common.is_empty());
        let short =
            short.map(|short| short.trim_start_matches(SEPARATORS).to_owned()).filter(|short| !short.is_empty());
        [label].into_iter().chain(short).collect()
    }
}

/// The beginnings of a text that say that something follows, the longest first: `Fro…` and `Fr…` of `Front`.
pub(crate) fn beginnings(text: &str) -> Vec<String> {
    let most = text.chars().count().saturating_sub(1);
    (LEAST_LETTERS..most).rev().map(|kept| text.chars().take(kept).chain(['…']).collect()).collect()
}

/// The number of letters that tell one name from another.
const LEAST_LETTERS: usize = 2;

const SEPARATORS: [char; 4] = ['_', '-', ' ', '.'];

/// Returns the words with which both texts begin.
fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.char_indices().zip(other.chars()).take_while(|((_, a), b)| a == b);
    let end = same.last().map_or(0, |((place, letter), _)| place + letter.len_utf8());
    let mut ends = one[..end].char_indices().rev().map(|(place, letter)| place + letter.len_utf8());
    ends.find(|end| [one, other].iter().all(|text| is_word_end(text, *end))).map_or("", |end| &one[..end])
}

fn is_word_end(text: &str, end: usize) -> bool {
    let next = text[end..].chars().next();
    text[..end].ends_with(SEPARATORS)
        || next.is_none_or(|next| next.is_uppercase() || SEPARATORS.contains(&next))
        || next.is_some_and(|next| {
            next.is_ascii_digit() && !text[..end].ends_with(|last: char| last.is_ascii_digit() || last.is_uppercase())
        })
}

fn key(Color(red, green, blue): Color) -> (u8, u8, u8) {
    (red, green, blue)
}

#[cfg(test)]
mod tests {
    use situated::scene::Shape;

    use super::*;

    #[test]
    fn beginnings_are_shorter_than_the_text() {
        assert_eq!(beginnings("Front"), ["Fro…", "Fr…"]);
        assert_eq!(beginnings("Äöüß"), ["Äö…"]);
        assert!(beginnings("Ann").is_empty() && beginnings("").is_empty());
    }

    #[test]
    fn words_that_all_labels_share_are_left_out() {
        for (labels, expected) in [
            (&["RoomA1", "RoomA2", "RoomB1"][..], &["A1", "A2", "B1"][..]),
            (&["room_1", "room_12"], &["1", "12"]),
            (&["Shelf1", "Shelf2"], &["1", "2"]),
            (&["goal", "gold"], &["", ""]),
            (&["open", "open"], &["", ""]),
            (&["Lift"], &[""]),
        ] {
            let shape = |label: &&str| Shape::circle(0.0, 0.0, 1.0, Color::RED).labelled(*label);
            let scene = Scene { width: 1.0, height: 1.0, shapes: labels.iter().map(shape).collect() };
            let all = Labels::of(&scene);
            for (label, short) in labels.iter().zip(expected) {
                let forms = all.forms(label, Color::RED);
                let expected: Vec<&str> = [*label, *short].into_iter().filter(|form| !form.is_empty()).collect();
                assert_eq!(forms, expected);
            }
        }
    }
}
