//! Errors of bit-efficient data, and repairs of data that are nearly correct.

use crate::NotATime;

/// The place and the reason of a decoding error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct DecodeError {
    /// Offset of the byte, from 0.
    pub at: usize,
    /// The problem.
    pub reason: Reason,
}

/// The result of reading.
pub(crate) type Read<T> = Result<T, DecodeError>;

impl DecodeError {
    pub(crate) fn new(at: usize, reason: impl Into<Reason>) -> Self {
        Self { at, reason: reason.into() }
    }
}

/// The reason why data could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The data end too early.
    #[error("the data end where {0} should be")]
    Truncated(&'static str),
    /// More data follow.
    #[error("data follow after the end; use `decode_prefix` for several messages, or one that others follow")]
    Trailing,
    /// A byte that has no meaning at this place.
    #[error("{found:02X} is not the beginning of {expected}")]
    Unexpected {
        /// The byte.
        found: u8,
        /// The expected element.
        expected: &'static str,
    },
    /// The message uses a code table, which only makes sense on a connection where both ends keep the same table.
    #[error("{0:02X} refers to a code table, which is not supported; have the sender write without one (FA)")]
    CodeTable(u8),
    /// Another version than 1.0.
    #[error("version {}.{} is not supported, only 1.0 (10)", .0 >> 4, .0 & 0xF)]
    Version(u8),
    /// An act that is not in the standard.
    #[error("the act is user-defined; only the 22 acts of the standard are supported")]
    UserDefinedAct,
    /// A code without an act.
    #[error("no act has the code {0:02X}; the codes are 01 to 16")]
    UnknownAct(u8),
    /// A code without a parameter.
    #[error("no parameter has the code {0:02X}")]
    UnknownParameter(u8),
    /// A parameter that occurs twice.
    #[error("the parameter {0} stands there twice")]
    Duplicate(&'static str),
    /// A half byte that is neither a digit nor a sign.
    #[error("{0:X} is no half byte of a number or a time")]
    HalfByte(u8),
    /// Digits and signs that do not form a number.
    #[error("{0:?} is no number, such as 12, -1.5 or 1E3")]
    NotANumber(String),
    /// An invalid time.
    #[error(transparent)]
    NotATime(#[from] NotATime),
    /// A word that contains blanks or other invalid characters.
    #[error("{0:?} is no word; such a text is a string (14, in quotes)")]
    NotAWord(String),
    /// An address that contains blanks, control characters or parentheses.
    #[error("{0:?} is no address; blanks and parentheses are written as %20, %28 and %29")]
    NotAnAddress(String),
    /// A text that is not UTF-8.
    #[error("a text is not in UTF-8; bytes are written as a byte string (16, 17 or 19)")]
    NotUtf8,
    /// A string without quotation marks.
    #[error("the string has no quotes: 14 is followed by 22, and by 22 before the 00")]
    MissingQuotes,
    /// A quote inside a string.
    #[error("a quote in a string has no backslash before it (5C 22)")]
    BareQuote,
    /// Lists or resolvers are nested too deeply.
    #[error("{0} are nested too deeply")]
    TooDeep(&'static str),
    /// A byte that closes a list and opens another value, but there is no list to which the value could belong.
    #[error("a value follows the end of the outermost list")]
    AfterList,
    /// An envelope whose length field is wrong.
    #[error("the envelope says that it has {claimed} bytes, but it has {actual}")]
    WrongLength {
        /// The stated length.
        claimed: usize,
        /// The actual length.
        actual: usize,
    },
}

/// A message with its repairs.
pub type Repaired<T> = crate::Repaired<T, RepairKind>;

/// A repair.
pub type Repair = crate::Repair<RepairKind>;

/// The repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RepairKind {
    /// A string had no quotation marks; it is read unchanged. JADE writes contents like this.
    #[error("a string without quotes was read as it stands")]
    MissingQuotes,
    /// A quotation mark in a string had no backslash; it is read as a quotation mark.
    #[error("a quote without a backslash was read as a quote")]
    BareQuote,
    /// A string was not UTF-8; it is read as bytes.
    #[error("a string that is not in UTF-8 was read as bytes")]
    NotUtf8,
    /// A word was invalid; it is read as a number if it is one, and otherwise as a string.
    #[error("what was sent as a word and is none was read as a number or a string")]
    NotAWord,
}
