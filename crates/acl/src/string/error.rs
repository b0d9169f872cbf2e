//! Reasons why a text is not a message, with places, and repairs of text that is nearly one.

use std::fmt;

use crate::{Message, Performative};

/// Maximum number of characters of the input that an error shows.
const REPEATED: usize = 40;

/// The reason why a text is not a message, with the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct DecodeError {
    /// Offset of the byte, from 0. [`TextPosition::of`](crate::TextPosition::of) converts it to line and column.
    pub at: usize,
    /// The problem.
    pub reason: Reason,
}

/// The result of reading.
pub(super) type Read<T> = Result<T, DecodeError>;

impl DecodeError {
    pub(super) fn new(at: usize, reason: Reason) -> Self {
        Self { at, reason }
    }
}

/// The reason why a text is not a message. Errors show at most 40 characters of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Something else was expected here; `found` is empty at the end of the input.
    #[error("expected {wanted}, found {}", Found(found))]
    Unexpected {
        /// The expected item.
        wanted: Wanted,
        /// The text that was found.
        found: String,
    },
    /// The act is not in the standard.
    #[error("there is no communicative act {}{}", Found(name), DidYouMean(.nearest.map(Performative::name)))]
    UnknownAct {
        /// The item found.
        name: String,
        /// The act with the most similar name, if there is one.
        nearest: Option<Performative>,
    },
    /// The parameter is not in the standard, and its name is not marked as a user parameter.
    #[error(
        "the standard has no parameter `:{}`, and those of your own begin with `:X-`{}",
        name.escape_debug(),
        DidYouMean(*.nearest)
    )]
    UnknownParameter {
        /// The name without the colon.
        name: String,
        /// The parameter with the most similar name, if there is one.
        nearest: Option<&'static str>,
    },
    /// A parameter occurs twice.
    #[error("`:{name}` stands a second time; remove one of them")]
    Duplicate {
        /// The name without the colon.
        name: String,
    },
    /// A parameter has no value: it is followed by another one, or by the end of the message.
    #[error("`:{name}` has no value; put one after it, in quotes if it begins with a colon")]
    MissingValue {
        /// The name without the colon.
        name: String,
    },
    /// An agent identifier has no name.
    #[error("an agent has no name; put `:name` and its name after `agent-identifier`")]
    NamelessAgent,
    /// A text that looks like a time is not a valid time.
    #[error("there is no {part} {value} in the time {found}")]
    NoSuchTime {
        /// The text.
        found: String,
        /// The invalid part: `month`.
        part: &'static str,
        /// The value of that part.
        value: u16,
    },
    /// A quoted text does not end.
    #[error("the quotation mark that opens here is never closed; inside a text write it as \\\"")]
    UnclosedText,
    /// A parenthesis in a content without quotes is not closed.
    #[error("the parenthesis that opens here is never closed; put the content in quotes if that is meant")]
    UnclosedParenthesis,
    /// The declared length of a string of bytes is greater than the rest of the input.
    #[error("a string of {length} bytes begins here, but only {left} follow")]
    LengthBeyondInput {
        /// The declared length.
        length: usize,
        /// The number of remaining bytes.
        left: usize,
    },
    /// A word, a number, a name or an address is not UTF-8.
    #[error("this is not UTF-8; only contents and strings may have any bytes")]
    NotUtf8,
    /// Lists or resolvers are nested too deeply.
    #[error("no more than {most} parentheses are read inside one another here")]
    TooDeep {
        /// The maximum number.
        most: usize,
    },
    /// A message or an agent has too many user parameters.
    #[error("no more than {most} parameters of users are read")]
    TooManyParameters {
        /// The maximum number.
        most: usize,
    },
    /// Something follows the message.
    #[error("the message has ended, but {} follows; `decode_prefix` reads one message after another", Found(found))]
    DataAfterEnd {
        /// The text that follows.
        found: String,
    },
}

/// An expected item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wanted {
    /// A message.
    #[error("a message: `(` and an act")]
    Message,
    /// A parameter, or the end of the message or agent.
    #[error("a parameter such as `:content`, or `)`")]
    Parameter,
    /// An agent.
    #[error("an agent: `(agent-identifier :name a)`")]
    Agent,
    /// A set of agents.
    #[error("agents: `(set (agent-identifier :name a))`")]
    Agents,
    /// A sequence of agents.
    #[error("agents: `(sequence (agent-identifier :name a))`")]
    Resolvers,
    /// A sequence of addresses.
    #[error("addresses: `(sequence http://host/acc)`")]
    Addresses,
    /// An address, or the end of the sequence.
    #[error("an address, or `)`")]
    Address,
    /// The name of an agent.
    #[error("a name: a word, or a text in quotes")]
    Name,
    /// A content.
    #[error("a text in quotes")]
    Text,
    /// A word.
    #[error("a word: it has no blanks and no parentheses, and begins neither with a digit nor with one of \"#-@")]
    Word,
    /// A time.
    #[error("a time such as 20300101T120000000Z or +00000000T000500000")]
    Time,
    /// A value of any kind.
    #[error("a value: a word, a number, a time, a list, or anything in quotes")]
    Value,
}

/// Returns the beginning of the input that was found, as text.
pub(super) fn excerpt(found: &[u8]) -> String {
    let letters = &found[..found.len().min(4 * REPEATED)];
    String::from_utf8_lossy(letters).chars().take(REPEATED).collect()
}

/// Returns the act with the most similar name, if one is similar.
pub(super) fn nearest_act(name: &str) -> Option<Performative> {
    nearest(name, Performative::ALL.into_iter().map(Performative::name))?.parse().ok()
}

/// Returns the most similar name, if one is similar enough for a typing error.
pub(super) fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let scored = known.map(|known| (strsim::jaro_winkler(&name, known), known));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|best| best.0 > 0.8).map(|best| best.1)
}

struct Found<'a>(&'a str);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("the end of the input") } else { write!(f, "`{}`", self.0.escape_debug()) }
    }
}

struct DidYouMean(Option<&'static str>);

impl fmt::Display for DidYouMean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, "; did you mean `{name}`?"))
    }
}

/// A message that was read leniently, with all repairs.
pub type Repaired<'a> = crate::Repaired<Message<'a>, RepairKind>;

/// A place where the text deviates from the grammar.
pub type Repair = crate::Repair<RepairKind>;

/// The way in which a deviating text was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RepairKind {
    /// `:sender A`: an agent with only a name.
    #[error("a name alone was read as an agent of that name")]
    BareName,
    /// `:receiver (agent-identifier :name A)`: a set with one agent.
    #[error("an agent alone was read as a set with that agent")]
    NoSet,
    /// `A:receiver B`: a name, and the parameter that follows it.
    #[error("a name was taken to end where a parameter begins")]
    NameEndsAtParameter,
    /// `:content <p>x</p>`: everything up to the next parameter, or the end of the message.
    #[error("content without quotes was read up to the next parameter")]
    UnquotedContent,
    /// `:content (inform :sender B)`: parameters in parentheses belong to the content.
    #[error("parameters in parentheses were left to the content without quotes")]
    NestedParameters,
    /// `:conversation-id 2000-06-10-384`: a text, as if it were quoted.
    #[error("what is neither word, number nor time was read as a text")]
    UnquotedText,
    /// U+00A0, which is a letter in the standard, is read as a blank. Only its first place is reported.
    #[error("no-break spaces were read as blanks")]
    NoBreakSpaces,
    /// `:envelope x`: kept as a user parameter, under its own name.
    #[error("a parameter that the standard does not know was kept as one of the user's")]
    UnknownParameter,
    /// `:language :x`: a word, as JADE writes it.
    #[error("a word after the name of a parameter begins with a colon")]
    ColonValue,
    /// `:content "a\"`: the quotation mark ends the text, as JADE writes it. Only the first place is reported.
    #[error("a text was taken to end with a backslash")]
    LastBackslash,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_show_only_the_beginning_of_the_input() {
        assert_eq!(excerpt(&[b'a'; 1000]).len(), REPEATED);
        assert_eq!(excerpt("é".repeat(1000).as_bytes()), "é".repeat(REPEATED));
    }

    #[test]
    fn errors_suggest_similar_names() {
        let reason = Reason::UnknownAct { name: "infrom".into(), nearest: nearest_act("infrom") };
        assert_eq!(reason.to_string(), "there is no communicative act `infrom`; did you mean `inform`?");
        assert_eq!(nearest_act("xyzzy"), None);
        let reason = Reason::UnknownParameter { name: "name\u{a0}a".into(), nearest: Some("name") };
        let said = reason.to_string();
        assert!(said.starts_with("the standard has no parameter `:name\\u{a0}a`"), "{said}");
        assert!(said.ends_with("; did you mean `name`?"), "{said}");
    }
}
