//! Messages as English sentences.

use std::cmp::Reverse;
use std::fmt::Write;

use super::grammar::{self, Filling, Variable};
use super::words::{Word, Words, write_name};

/// More words than any sentence of the language.
const MAX_WORDS: usize = 16;

/// Synonyms. The pattern's word is written.
const SYNONYMS: [&[&str]; 4] =
    [&["a", "an", "the"], &["block", "blocks", "box", "boxes"], &["color", "colour"], &["ok", "okay"]];

/// Words of patterns that can be left out: "the Red" can only be a block, and names show what they name.
const OPTIONAL: [&str; 7] = ["a", "the", "block", "blocks", "box", "room", "player"];

/// A parsed sentence.
pub(super) struct Sentence<'a> {
    words: [Word<'a>; MAX_WORDS],
    count: usize,
}

/// Fills the variables of a pattern; returns `None` if a value is missing.
pub(super) fn write(pattern: &str, filling: &Filling<'_>) -> Option<String> {
    let mut sentence = String::with_capacity(2 * pattern.len());
    let mut rest = pattern;
    while let Some((before, marked)) = rest.split_once('<') {
        let (variable, after) = marked.split_once('>')?;
        sentence.push_str(before);
        write_variable(&mut sentence, Variable::find(variable)?, filling)?;
        rest = after;
    }
    sentence.push_str(rest);
    Some(sentence)
}

impl<'a> Sentence<'a> {
    /// Returns `None` if it is longer than any sentence of the language.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        let mut sentence = Self { words: [Word::Plain(""); MAX_WORDS], count: 0 };
        for word in Words::of(text) {
            *sentence.words.get_mut(sentence.count)? = word;
            sentence.count += 1;
        }
        Some(sentence)
    }

    /// Matches the pattern. Returns the values of its variables.
    pub(super) fn read(&self, pattern: &'static str) -> Option<Filling<'a>> {
        let mut filling = Filling::default();
        read(Words::of(pattern), self.words(), &mut filling).then_some(filling)
    }

    /// Returns the first pattern that shares most words in their order; `None` if no pattern shares any. Of two with
    /// equally many, it prefers the one with fewer other words.
    pub(super) fn nearest(&self, patterns: impl Iterator<Item = &'static str>) -> Option<&'static str> {
        let rated = patterns.map(|pattern| (Reverse(self.shared(pattern)), required(pattern).count(), pattern));
        let (Reverse(shared), _, pattern) = rated.min_by_key(|(shared, required, _)| (*shared, *required))?;
        (shared > 0).then_some(pattern)
    }

    fn shared(&self, pattern: &'static str) -> usize {
        let mut words = self.words().iter();
        let mut shared = 0;
        for word in required(pattern) {
            let mut ahead = words.clone();
            if ahead.any(|said| is_same(word, *said)) {
                words = ahead;
                shared += 1;
            }
        }
        shared
    }

    fn words(&self) -> &[Word<'a>] {
        &self.words[..self.count]
    }
}

/// Whether the words match the pattern. If a word may be missing, both cases are tried, since a room may be called
/// "room". The second attempt overwrites the values of the first.
fn read<'a>(mut pattern: Words<'static>, words: &[Word<'a>], filling: &mut Filling<'a>) -> bool {
    let Some(expected) = pattern.next().and_then(Word::plain) else { return words.is_empty() };
    if let Some((word, rest)) = words.split_first()
        && read_word(expected, *word, filling).is_some()
        && read(pattern.clone(), rest, filling)
    {
        return true;
    }
    OPTIONAL.contains(&expected) && read(pattern, words, filling)
}

fn read_word<'a>(expected: &str, word: Word<'a>, filling: &mut Filling<'a>) -> Option<()> {
    let Some(variable) = variable(expected) else {
        return is_same(expected, word).then_some(());
    };
    match variable {
        Variable::Room => filling.room = Some(word.name()?),
        Variable::Player => filling.player = Some(word.name()?),
        Variable::Color => filling.color = Some(grammar::color(word.plain()?)?),
        Variable::Number => filling.number = Some(word.plain()?.parse().ok()?),
        Variable::Block => filling.block = Some(word.plain()?.parse().ok()?),
    }
    Some(())
}

fn write_variable(sentence: &mut String, variable: Variable, filling: &Filling<'_>) -> Option<()> {
    match variable {
        Variable::Room => write_name(sentence, filling.room.as_deref()?),
        Variable::Player => write_name(sentence, filling.player.as_deref()?),
        Variable::Color => sentence.push_str(filling.color?.name()),
        Variable::Number => write!(sentence, "{}", filling.number?).ok()?,
        Variable::Block => write!(sentence, "{}", filling.block?).ok()?,
    }
    Some(())
}

/// Returns the words of a pattern that are required.
fn required(pattern: &'static str) -> impl Iterator<Item = &'static str> {
    Words::of(pattern).filter_map(Word::plain).filter(|word| variable(word).is_none() && !OPTIONAL.contains(word))
}

/// Returns the variable of a pattern's word, such as `<Room>`.
fn variable(word: &str) -> Option<Variable> {
    Variable::find(word.strip_prefix('<')?.strip_suffix('>')?)
}

fn is_same(word: &str, said: Word<'_>) -> bool {
    let Some(said) = said.plain() else { return false };
    let is_in = |word: &str, words: &[&str]| words.iter().any(|other| other.eq_ignore_ascii_case(word));
    word.eq_ignore_ascii_case(said) || SYNONYMS.iter().any(|group| is_in(word, group) && is_in(said, group))
}

#[cfg(test)]
mod tests {
    use super::super::Message;

    fn read(sentence: &str) -> Message {
        Message::from_english(sentence).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    #[rustfmt::skip]
    fn reads_variants_of_sentences() {
        let same: &[&[&str]] = &[
            &["room RoomC1 contains a Orange block", "Room RoomC1 contains an orange box.", "RoomC1 CONTAINS ORANGE"],
            &["room RoomC1 contains 1 Red blocks", "RoomC1 contains 1 red box"],
            &["Bob, get the Red from room RoomC1", "Bob get the red block from RoomC1"],
            &["Bob, get the Red from room RoomC1", "Bob: get a red box from RoomC1!"],
            &["Bob, put down the block you are holding", "Bob put down the block you're holding."],
            &["Bob, put down the block you are holding", "Bob put down the box you’re holding"],
            &["room RoomC1 has been checked by Bob", "Room RoomC1 has been checked by player Bob"],
            &["I am going to room RoomC1", "I'm going to RoomC1", "i am going to \"RoomC1\""],
            &["I will get a Red block from room RoomC1", "I'll get the red box from RoomC1 ..."],
            &["What color should I get?", "what colour should I get"],
            &["I don't know", "I do not know"],
            &["I couldn't", "I could not"],
            &["OK, room RoomC1", "Ok, room RoomC1", "okay RoomC1"],
            &["yes", "Yes!"],
            &["Bob, are you close?", "Bob, are you close"],
            &["Bob has found a Red block", "Bob has found Red"],
        ];
        for ways in same {
            for way in *ways {
                assert_eq!(read(way), read(ways[0]), "{way}");
            }
        }
    }

    #[test]
    fn errors_contain_the_most_similar_sentence() {
        let error = |text: &str| Message::from_english(text).unwrap_err().to_string();
        let nearest = r#""I am going too RoomC1" is no message; the nearest is "I am going to <Room>""#;
        assert_eq!(error("I am going too RoomC1"), nearest);
        assert_eq!(error("hello world"), r#""hello world" is no message"#);
        assert_eq!(error(""), r#""" is no message"#);
        assert!(error(&"I am going to ".repeat(1000)).len() < 200);
    }
}
