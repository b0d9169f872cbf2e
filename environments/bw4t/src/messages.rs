//! The language in which players talk to each other (specification, "Messages").
//!
//! A [`Message`] has two other forms: a sentence, which people and the programs of the original exchange, and a term,
//! which GOAL agents send. One table contains all messages with their sentences and terms. It is used in both
//! directions, so every message that is written is read as the same message.

mod english;
mod grammar;
mod table;
mod terms;
mod words;

use std::borrow::Cow;

use situated::iil::{EcoString, Parameter};

use grammar::Filling;
pub use table::Message;
use table::ROWS;

/// The name in requests to any player that feels addressed.
pub(crate) const SOMEBODY: &str = "Somebody";

/// Maximum number of characters of the input that an error shows.
const EXCERPT: usize = 80;

/// A variant of the sentences. All variants can be read, including those of GOAL's human player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The sentences of the specification, without the full stops at the end of some: the original would read them as
    /// a part of the room's name.
    #[default]
    Specification,
    /// The sentences of the original's code, which the original's programs can read.
    Code,
}

/// A sentence or a term that is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{said:?} is no message{}", hint(*nearest))]
pub struct NotUnderstood {
    /// The beginning of the text.
    pub said: String,
    /// The most similar sentence of the language, if there is one.
    pub nearest: Option<&'static str>,
}

impl Message {
    /// Returns the term that a player of this name sends to a GOAL agent: `imp(in(Bot_1,'RoomC1'))`.
    ///
    /// The terms are those of the specification, and those of the original's code for messages that the specification
    /// lacks. If a sentence of the original has more parts than its term, they are added as a last parameter, so that
    /// nothing is lost: `imp(putDown(Me,Color))`, `imp(holding(Me,Color,Room))`, `waitingOutside(Me,Room,Color)`.
    ///
    /// Two kinds of messages have no unambiguous term: a request to oneself, whose term equals the announcement of
    /// the same action, and messages with names that are read as variables (see [`Message::from_term`]).
    pub fn to_term(&self, me: &str) -> Parameter {
        let (kind, filling) = self.parts();
        let mut patterns = ROWS[kind as usize].terms.iter();
        patterns.find_map(|pattern| terms::write(pattern, &filling, me)).expect("a term without optional parts")
    }

    /// Parses a term that a player of this name has sent. The sender matters: `imp(in(Bot_1,R))` is "I am going to R"
    /// if `Bot_1` sends it, and "Bot_1, go to R" from all others.
    ///
    /// `_` and `unknown` are variables, as in the specification and in the code, and not names.
    pub fn from_term(term: &Parameter, sender: &str) -> Result<Message, NotUnderstood> {
        for row in ROWS {
            for pattern in row.terms {
                let message = terms::read(pattern, term, sender).and_then(|filling| Message::new(row.kind, filling));
                if let Some(message) = message {
                    return Ok(message);
                }
            }
        }
        Err(NotUnderstood { said: excerpt(&term.to_string()), nearest: None })
    }

    /// Returns the message as a sentence. Names that are not plain words are quoted, and quotes in them are doubled.
    pub fn to_english(&self, dialect: Dialect) -> String {
        let (kind, filling) = self.parts();
        let mut patterns = ROWS[kind as usize].written(dialect).iter();
        patterns.find_map(|pattern| english::write(pattern, &filling)).expect("a sentence without optional parts")
    }

    /// Parses a sentence. Case, punctuation and blanks do not matter, except in names. Articles and the words "room",
    /// "player" and "block" can be left out.
    pub fn from_english(text: &str) -> Result<Message, NotUnderstood> {
        let not_understood = |nearest| NotUnderstood { said: excerpt(text), nearest };
        let sentence = english::Sentence::new(text).ok_or_else(|| not_understood(None))?;
        let patterns = || ROWS.iter().flat_map(|row| row.sentences().map(move |pattern| (row.kind, pattern)));
        patterns()
            .find_map(|(kind, pattern)| Message::new(kind, sentence.read(pattern)?))
            .ok_or_else(|| not_understood(sentence.nearest(patterns().map(|(_, pattern)| pattern))))
    }

    /// Returns the room or other place that the message names, if it names one.
    pub(crate) fn place(&self) -> Option<Cow<'_, str>> {
        self.parts().1.room
    }

    /// Returns the player that the message names, if it names one.
    pub(crate) fn player(&self) -> Option<Cow<'_, str>> {
        self.parts().1.player
    }

    /// Returns the message with the names of these places and players where its own differ only in case: people do not
    /// always type names as they are written.
    pub(crate) fn with_names_of<'a>(
        &self,
        places: impl Iterator<Item = &'a EcoString>,
        players: impl Iterator<Item = &'a EcoString>,
    ) -> Message {
        let (kind, Filling { room, player, color, number, block }) = self.parts();
        let (room, player) = (room.map(|name| spelled_as(name, places)), player.map(|name| spelled_as(name, players)));
        Message::new(kind, Filling { room, player, color, number, block }).expect("it has the same parts")
    }
}

/// Returns the known name that differs from this one only in case, if at all; an unknown name as it is.
fn spelled_as<'a, 'b>(name: Cow<'a, str>, known: impl Iterator<Item = &'b EcoString>) -> Cow<'a, str> {
    let same = known.filter(|known| known.eq_ignore_ascii_case(&name)).max_by_key(|known| **known == *name);
    same.map_or(name, |known| Cow::Owned(known.to_string()))
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|sentence| format!("; the nearest is {sentence:?}")).unwrap_or_default()
}

fn excerpt(said: &str) -> String {
    said.chars().take(EXCERPT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;

    fn filling() -> Filling<'static> {
        Filling {
            room: Some(Cow::Borrowed("RoomC1")),
            player: Some(Cow::Borrowed("Bot_2")),
            color: Some(Color::Red),
            number: Some(3),
            block: Some(47),
        }
    }

    #[test]
    fn reads_every_sentence_as_the_message_of_its_row() {
        for row in ROWS {
            for pattern in row.sentences() {
                let sentence = english::write(pattern, &filling()).expect(pattern);
                let message = Message::from_english(&sentence).expect(pattern);
                assert_eq!(message.parts().0, row.kind, "{sentence}");
            }
        }
    }

    #[test]
    fn reads_every_term_as_the_message_of_its_row() {
        for row in ROWS {
            for pattern in row.terms {
                let term = terms::write(pattern, &filling(), "Bot_1").expect(pattern);
                let message = Message::from_term(&term, "Bot_1").expect(pattern);
                assert_eq!(message.parts().0, row.kind, "{term}");
            }
        }
    }
}
