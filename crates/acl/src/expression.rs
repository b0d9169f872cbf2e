//! Values of parameters.

use std::borrow::Cow;

use crate::word::is_word;
use crate::{Number, Time, Word};

/// Maximum depth of nested lists, when reading and writing: messages from outside must not exhaust the stack.
pub(crate) const MAX_LIST_DEPTH: usize = 256;

/// The value of a parameter (SC00070, `Expression`). It keeps its kind: a word is not equal to a string with the same
/// characters, although both are [equivalent](Expression::says_same) for people and when an answer is compared with a
/// question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression<'a> {
    /// A word.
    Word(Word<'a>),
    /// A quoted text.
    String(Cow<'a, str>),
    /// Bytes that are not necessarily text.
    Bytes(Cow<'a, [u8]>),
    /// A number.
    Number(Number<'a>),
    /// A point in time, or a duration.
    Time(Time),
    /// Several values in parentheses.
    List(Vec<Expression<'a>>),
}

impl<'a> Expression<'a> {
    /// Returns the characters of a word, a string, a number, or bytes that are text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Expression::Word(word) => Some(word.as_str()),
            Expression::String(text) => Some(text),
            Expression::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            Expression::Number(number) => Some(number.as_str()),
            Expression::Time(_) | Expression::List(_) => None,
        }
    }

    /// Whether both are equivalent, quoted or not: agents of other platforms return the values that they were sent in
    /// their own form.
    pub fn says_same(&self, other: &Expression<'_>) -> bool {
        match (self, other) {
            (Expression::Time(one), Expression::Time(other)) => one == other,
            (Expression::Bytes(one), Expression::Bytes(other)) => one == other,
            (Expression::List(one), Expression::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.says_same(other))
            }
            _ => self.as_text().is_some_and(|text| other.as_text() == Some(text)),
        }
    }

    /// Returns the same value with its own copy of all borrowed data.
    pub fn into_owned(self) -> Expression<'static> {
        match self {
            Expression::Word(word) => Expression::Word(word.into_owned()),
            Expression::String(text) => Expression::String(Cow::Owned(text.into_owned())),
            Expression::Bytes(bytes) => Expression::Bytes(Cow::Owned(bytes.into_owned())),
            Expression::Number(number) => Expression::Number(number.into_owned()),
            Expression::Time(time) => Expression::Time(time),
            Expression::List(values) => Expression::List(values.into_iter().map(Expression::into_owned).collect()),
        }
    }
}

/// Converts a text to a word if it is one, and otherwise to a string.
impl<'a> From<Cow<'a, str>> for Expression<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        if is_word(&text) { Expression::Word(Word::known(text)) } else { Expression::String(text) }
    }
}

/// Converts a text to a word if it is one, and otherwise to a string.
impl<'a> From<&'a str> for Expression<'a> {
    fn from(text: &'a str) -> Self {
        Cow::Borrowed(text).into()
    }
}

/// Converts a text to a word if it is one, and otherwise to a string.
impl From<String> for Expression<'_> {
    fn from(text: String) -> Self {
        Cow::<str>::Owned(text).into()
    }
}

impl<'a> From<Word<'a>> for Expression<'a> {
    fn from(word: Word<'a>) -> Self {
        Expression::Word(word)
    }
}

impl<'a> From<Number<'a>> for Expression<'a> {
    fn from(number: Number<'a>) -> Self {
        Expression::Number(number)
    }
}

impl From<i64> for Expression<'_> {
    fn from(number: i64) -> Self {
        Expression::Number(number.into())
    }
}

impl From<Time> for Expression<'_> {
    fn from(time: Time) -> Self {
        Expression::Time(time)
    }
}

impl<'a> From<Vec<Expression<'a>>> for Expression<'a> {
    fn from(values: Vec<Expression<'a>>) -> Self {
        Expression::List(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_texts_that_look_like_numbers_or_times_to_strings() {
        assert!(matches!(Expression::from("fipa-sl"), Expression::Word(_)));
        for text in ["2000-06-10-384", "12", "two words", "", "20300101T120000000Z"] {
            assert!(matches!(Expression::from(text), Expression::String(_)), "{text}");
        }
        assert!(Expression::from("c1").says_same(&Expression::String("c1".into())));
        assert!(Expression::from(12).says_same(&Expression::from("12")));
        assert!(!Expression::from("c1").says_same(&Expression::List(vec![])));
    }
}
