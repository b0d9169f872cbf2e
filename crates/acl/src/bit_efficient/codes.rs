//! The codes: bytes that identify what follows (SC00069, section 2).

/// A message without code tables, and those with one.
pub(crate) const MESSAGE: u8 = 0xFA;
pub(crate) const CODE_TABLE_MESSAGES: [u8; 2] = [0xFB, 0xFC];
/// Version 1.0.
pub(crate) const VERSION: u8 = 0x10;
/// A user-defined act, and a user-defined parameter of a message.
pub(crate) const USER_DEFINED: u8 = 0x00;
/// The end of a message, of a set, of an agent identifier.
pub(crate) const END: u8 = 0x01;

/// The parts of agent identifiers.
pub(crate) mod agent {
    pub(crate) const IDENTIFIER: u8 = 0x02;
    pub(crate) const ADDRESSES: u8 = 0x02;
    pub(crate) const RESOLVERS: u8 = 0x03;
    pub(crate) const USER_PARAMETER: u8 = 0x04;
}

/// Values.
pub(crate) mod value {
    pub(crate) const WORD: u8 = 0x10;
    pub(crate) const WORD_INDEX: u8 = 0x11;
    pub(crate) const NUMBER: u8 = 0x12;
    /// A number that was originally written in hexadecimal digits; it is sent in decimal digits.
    pub(crate) const HEXADECIMAL: u8 = 0x13;
    pub(crate) const STRING: u8 = 0x14;
    pub(crate) const STRING_INDEX: u8 = 0x15;
    pub(crate) const BYTES_8: u8 = 0x16;
    pub(crate) const BYTES_16: u8 = 0x17;
    pub(crate) const BYTES_INDEX: u8 = 0x18;
    pub(crate) const BYTES_32: u8 = 0x19;
    /// A string that contains an expression.
    pub(crate) const UNINTERPRETED: u8 = 0xFF;
}

/// Lists. An opening or closing byte with a kind is followed by a value of that kind: the first value of the list, or
/// the next one after it.
pub(crate) mod list {
    pub(crate) const OPEN: u8 = 0x60;
    pub(crate) const CLOSE: u8 = 0x40;
    pub(crate) const OPEN_WITH: u8 = 0x70;
    pub(crate) const CLOSE_WITH: u8 = 0x50;
    /// The mask that removes the kind from such a byte.
    pub(crate) const KIND_MASK: u8 = 0xF0;
}

/// Times, each also in a form with a time zone letter at the end.
pub(crate) mod time {
    pub(crate) const ABSOLUTE: u8 = 0x20;
    pub(crate) const AFTER: u8 = 0x21;
    pub(crate) const BEFORE: u8 = 0x22;
    pub(crate) const ZONED: u8 = 0x04;
}
