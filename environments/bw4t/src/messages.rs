//! The language in which players talk to each other (specification, "Messages").
//!
//! A [`Message`] has two other forms: a sentence, which people and the programs of the original exchange, and a term,
//! which GOAL agents send. There is one table of all messages with their sentences and terms, and it is used in both
//! directions: what can be written can be read, and is the same message again.

mod english;
mod grammar;
mod table;
mod terms;
mod words;

use situated::iil::Parameter;

pub use table::Message;
use table::ROWS;

/// How much of what was not understood an error repeats, in characters.
const EXCERPT: usize = 80;

/// A variant of the sentences. All of them are read, and also those of the human player that ships with GOAL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Those of the specification, without the full stops that some of its sentences end in: the original would take
    /// them for a part of the room's name.
    #[default]
    Specification,
    /// Those of the original's code, which the original's programs can read.
    Code,
}

/// A sentence or a term that is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{said:?} is no message{}", hint(*nearest))]
pub struct NotUnderstood {
    /// The beginning of it.
    pub said: String,
    /// The sentence of the language with which it has most in common, if there is one.
    pub nearest: Option<&'static str>,
}

impl Message {
    /// The message as a player of this name sends it to a GOAL agent: `imp(in(Bot_1,'RoomC1'))`.
    ///
    /// Terms are those of the specification, and those of the original's code for what it lacks. Where a sentence of
    /// the original says more than its term, the rest is a last parameter, so that nothing is lost:
    /// `imp(putDown(Me,Color))`, `imp(holding(Me,Color,Room))`, `waitingOutside(Me,Room,Color)`.
    ///
    /// Two things cannot be said in terms: a request to oneself, which is the same term as the announcement that one
    /// does it, and names that are read as variables (see [`Message::from_term`]).
    pub fn to_term(&self, me: &str) -> Parameter {
        let (kind, filling) = self.parts();
        let mut patterns = ROWS[kind as usize].terms.iter();
        patterns.find_map(|pattern| terms::write(pattern, &filling, me)).expect("a term without optional parts")
    }

    /// The message that this term is when a player of this name has sent it. The sender matters: `imp(in(Bot_1,R))` is
    /// "I am going to R" from `Bot_1`, and from all others "Bot_1, go to R".
    ///
    /// `_` and `unknown` are read as variables, as the specification and the code write them, and are nobody's name.
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

    /// The message as a sentence. Names that are no plain words are in quotes, in which a quote is doubled.
    pub fn to_english(&self, dialect: Dialect) -> String {
        let (kind, filling) = self.parts();
        let mut patterns = ROWS[kind as usize].written(dialect).iter();
        patterns.find_map(|pattern| english::write(pattern, &filling)).expect("a sentence without optional parts")
    }

    /// The message that this sentence is. Capital letters, punctuation and blanks do not matter, except in names;
    /// articles and the words "room", "player" and "block" can be left out.
    pub fn from_english(text: &str) -> Result<Message, NotUnderstood> {
        let not_understood = |nearest| NotUnderstood { said: excerpt(text), nearest };
        let sentence = english::Sentence::new(text).ok_or_else(|| not_understood(None))?;
        let patterns = || ROWS.iter().flat_map(|row| row.sentences().map(move |pattern| (row.kind, pattern)));
        patterns()
            .find_map(|(kind, pattern)| Message::new(kind, sentence.read(pattern)?))
            .ok_or_else(|| not_understood(sentence.nearest(patterns().map(|(_, pattern)| pattern))))
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|sentence| format!("; the nearest is {sentence:?}")).unwrap_or_default()
}

fn excerpt(said: &str) -> String {
    said.chars().take(EXCERPT).collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::grammar::Filling;
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
    fn every_sentence_is_read_as_the_message_in_whose_row_it_stands() {
        for row in ROWS {
            for pattern in row.sentences() {
                let sentence = english::write(pattern, &filling()).expect(pattern);
                let message = Message::from_english(&sentence).expect(pattern);
                assert_eq!(message.parts().0, row.kind, "{sentence}");
            }
        }
    }

    #[test]
    fn every_term_is_read_as_the_message_in_whose_row_it_stands() {
        for row in ROWS {
            for pattern in row.terms {
                let term = terms::write(pattern, &filling(), "Bot_1").expect(pattern);
                let message = Message::from_term(&term, "Bot_1").expect(pattern);
                assert_eq!(message.parts().0, row.kind, "{term}");
            }
        }
    }
}
