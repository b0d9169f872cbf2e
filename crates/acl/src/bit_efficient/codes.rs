//! The bytes that tell what follows (SC00069, section 2).

/// A message without code tables, and those with one.
pub(super) const MESSAGE: u8 = 0xFA;
pub(super) const CODE_TABLE_MESSAGES: [u8; 2] = [0xFB, 0xFC];
/// Version 1.0.
pub(super) const VERSION: u8 = 0x10;
/// A user-defined act, and a user-defined parameter of a message.
pub(super) const USER_DEFINED: u8 = 0x00;
/// The end of a message, of a set, of an agent identifier.
pub(crate) const END: u8 = 0x01;

/// The parameters of messages.
pub(super) mod parameter {
    pub(in super::super) const SENDER: u8 = 0x02;
    pub(in super::super) const RECEIVER: u8 = 0x03;
    pub(in super::super) const CONTENT: u8 = 0x04;
    pub(in super::super) const REPLY_WITH: u8 = 0x05;
    pub(in super::super) const REPLY_BY: u8 = 0x06;
    pub(in super::super) const IN_REPLY_TO: u8 = 0x07;
    pub(in super::super) const REPLY_TO: u8 = 0x08;
    pub(in super::super) const LANGUAGE: u8 = 0x09;
    pub(in super::super) const ENCODING: u8 = 0x0A;
    pub(in super::super) const ONTOLOGY: u8 = 0x0B;
    pub(in super::super) const PROTOCOL: u8 = 0x0C;
    pub(in super::super) const CONVERSATION_ID: u8 = 0x0D;
}

/// The parts of agent identifiers.
pub(crate) mod agent {
    pub(crate) const IDENTIFIER: u8 = 0x02;
    pub(crate) const ADDRESSES: u8 = 0x02;
    pub(crate) const RESOLVERS: u8 = 0x03;
    pub(in super::super) const USER_PARAMETER: u8 = 0x04;
}

/// Values.
pub(crate) mod value {
    pub(in super::super) const WORD: u8 = 0x10;
    pub(in super::super) const WORD_INDEX: u8 = 0x11;
    pub(crate) const NUMBER: u8 = 0x12;
    /// A number that somebody wrote in hexadecimal digits; it is sent in decimal ones.
    pub(in super::super) const HEXADECIMAL: u8 = 0x13;
    pub(crate) const STRING: u8 = 0x14;
    pub(in super::super) const STRING_INDEX: u8 = 0x15;
    pub(in super::super) const BYTES_8: u8 = 0x16;
    pub(in super::super) const BYTES_16: u8 = 0x17;
    pub(in super::super) const BYTES_INDEX: u8 = 0x18;
    pub(in super::super) const BYTES_32: u8 = 0x19;
    /// A string that stands for an expression.
    pub(in super::super) const UNINTERPRETED: u8 = 0xFF;
}

/// Lists. An opening or closing byte with a kind is followed by a value of that kind: the first of the list, or the
/// next after it.
pub(super) mod list {
    pub(in super::super) const OPEN: u8 = 0x60;
    pub(in super::super) const CLOSE: u8 = 0x40;
    pub(in super::super) const OPEN_WITH: u8 = 0x70;
    pub(in super::super) const CLOSE_WITH: u8 = 0x50;
    /// What remains of such a byte without the kind.
    pub(in super::super) const KIND_MASK: u8 = 0xF0;
}

/// Times, of which each has a form with the letter of a zone at the end.
pub(super) mod time {
    pub(in super::super) const ABSOLUTE: u8 = 0x20;
    pub(in super::super) const AFTER: u8 = 0x21;
    pub(in super::super) const BEFORE: u8 = 0x22;
    pub(in super::super) const ZONED: u8 = 0x04;
}
