//! Errors of XML documents, and repairs of documents that are nearly correct.

use crate::{NotATime, NotAWord, UnknownAct};

/// The place and the reason of a decoding error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct DecodeError {
    /// Offset of the byte, from 0.
    pub at: usize,
    /// The problem.
    pub reason: Reason,
}

/// The reason why a document could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It is not UTF-8.
    #[error("the document is not in UTF-8, the only encoding that is read")]
    NotUtf8,
    /// A character that XML 1.0 does not allow, written or as a reference.
    #[error("XML has no character {0:?}; what holds it is written in Base64")]
    Character(char),
    /// It has a document type, which could make a reader open files or exhaust memory.
    #[error("the document has a document type (`<!DOCTYPE ..>`), which is not read; leave it out")]
    DocumentType,
    /// An entity that only document types can define.
    #[error("`&{0};` is not known; there are `&lt;`, `&gt;`, `&amp;`, `&quot;`, `&apos;` and `&#..;`")]
    Entity(String),
    /// It is not well-formed.
    #[error("the document is not well-formed: {0}")]
    IllFormed(String),
    /// It ends too early.
    #[error("the document ends before `</{0}>`")]
    Truncated(String),
    /// Text before the first element, or text or elements after its end.
    #[error("something stands outside of the element that the document is")]
    Outside,
    /// An element that is not known here.
    #[error("`<{found}>` stands where {expected} should be")]
    Element {
        /// Its name.
        found: String,
        /// The expected element.
        expected: &'static str,
    },
    /// Text where elements are expected.
    #[error("`<{0}>` has a text; it holds elements only")]
    Text(String),
    /// A missing part of an element.
    #[error("`<{element}>` has no {what}")]
    Missing {
        /// The element.
        element: String,
        /// The missing item.
        what: &'static str,
    },
    /// A part that occurs twice.
    #[error("{0} stands there twice")]
    Duplicate(String),
    /// An act that is not in the standard.
    #[error(transparent)]
    UnknownAct(#[from] UnknownAct),
    /// A text that is not a word.
    #[error(transparent)]
    NotAWord(#[from] NotAWord),
    /// An address that contains blanks, control characters or parentheses.
    #[error("{0:?} is no address; blanks and parentheses are written as %20, %28 and %29")]
    NotAnAddress(String),
    /// A text that is not a time.
    #[error(transparent)]
    NotATime(#[from] NotATime),
    /// A text that is not a whole number.
    #[error("{0:?} is no whole number from 0 to 18446744073709551615")]
    NotANumber(String),
    /// A value that is declared as Base64 is not valid.
    #[error("the text is not in Base64")]
    NotBase64,
    /// Another encoding than Base64.
    #[error("the encoding {0:?} is not known, only `base64`")]
    UnknownEncoding(String),
    /// The text in Base64 is not a valid value.
    #[error("the text in Base64 is no value in the string encoding")]
    NotAValue,
    /// Resolvers are nested too deeply.
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
    /// Between date and time there was another letter than `T`; it is read as `T`. JADE writes `Z`, and means local
    /// time.
    #[error("a letter between date and time was read as `T`")]
    TimeLetter,
    /// A text of JADE contained `<`, `&` or `\"`, which are read as the characters themselves, without the backslash.
    #[error("a text was read as JADE writes it, without references")]
    Unescaped,
}
