//! Errors of XML documents, and repairs of documents that are nearly correct.

use crate::{NotATime, NotAWord, UnknownAct};

/// Where and why a document could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct DecodeError {
    /// Offset of the byte, from 0.
    pub at: usize,
    /// The problem.
    pub reason: Reason,
}

/// Why a document could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It is not in UTF-8.
    #[error("the document is not in UTF-8, the only encoding that is read")]
    NotUtf8,
    /// A character that XML 1.0 does not have, be it written or referred to.
    #[error("XML has no character {0:?}; what holds it is written in Base64")]
    Character(char),
    /// It has a document type, with which a reader could be made to open files, or to exhaust memory.
    #[error("the document has a document type (`<!DOCTYPE ..>`), which is not read; leave it out")]
    DocumentType,
    /// A name for a text that is known to document types alone.
    #[error("`&{0};` is not known; there are `&lt;`, `&gt;`, `&amp;`, `&quot;`, `&apos;` and `&#..;`")]
    Entity(String),
    /// It is not well-formed.
    #[error("the document is not well-formed: {0}")]
    IllFormed(String),
    /// It ends too early.
    #[error("the document ends before `</{0}>`")]
    Truncated(String),
    /// A text before the first element, or more after its end.
    #[error("something stands outside of the element that the document is")]
    Outside,
    /// An element that is not known there.
    #[error("`<{found}>` stands where {expected} should be")]
    Element {
        /// Its name.
        found: String,
        /// What could have stood there.
        expected: &'static str,
    },
    /// A text where there should be elements.
    #[error("`<{0}>` has a text; it holds elements only")]
    Text(String),
    /// Something that an element must have.
    #[error("`<{element}>` has no {what}")]
    Missing {
        /// The element.
        element: String,
        /// The missing item.
        what: &'static str,
    },
    /// Something that stands there twice.
    #[error("{0} stands there twice")]
    Duplicate(String),
    /// An act that is not of the standard.
    #[error(transparent)]
    UnknownAct(#[from] UnknownAct),
    /// A text that should be a word.
    #[error(transparent)]
    NotAWord(#[from] NotAWord),
    /// An address with blanks or the like.
    #[error("{0:?} is no address; blanks and parentheses are written as %20, %28 and %29")]
    NotAnAddress(String),
    /// A text that should be a time.
    #[error(transparent)]
    NotATime(#[from] NotATime),
    /// A text that should be a whole number.
    #[error("{0:?} is no whole number from 0 to 18446744073709551615")]
    NotANumber(String),
    /// A value that is declared as Base64 is not.
    #[error("the text is not in Base64")]
    NotBase64,
    /// Another encoding than Base64.
    #[error("the encoding {0:?} is not known, only `base64`")]
    UnknownEncoding(String),
    /// A value in Base64 is not a valid value.
    #[error("the text in Base64 is no value in the string encoding")]
    NotAValue,
    /// Agents that know agents, and so on.
    #[error("resolvers are nested too deeply: no more than 16 are read")]
    TooDeep,
}

/// A message with its repairs.
pub type Repaired<T> = crate::Repaired<T, RepairKind>;

/// A repair.
pub type Repair = crate::Repair<RepairKind>;

/// The repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RepairKind {
    /// Between the date and the time stood another letter than `T`: it is taken as one. JADE writes `Z` there, and
    /// means local time.
    #[error("a letter between date and time was read as `T`")]
    TimeLetter,
    /// A text of JADE had `<`, `&` or `\"` in it, which stand for themselves there, but for the backslash.
    #[error("a text was read as JADE writes it, without references")]
    Unescaped,
}
