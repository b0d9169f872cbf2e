//! The forms in which the command line reads and writes messages.

use std::borrow::Cow;

use anyhow::{Context, bail};
use clap::ValueEnum;
use situated_acl::{Dialect, Encoding};

/// An encoding, or its bytes as hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// Text (SC00070): `(inform :content "x")`.
    String,
    /// XML (SC00071).
    Xml,
    /// Bytes (SC00069).
    BitEfficient,
    /// The bytes as hexadecimal digits.
    Hex,
}

/// A platform that sends or receives messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Platform {
    /// Any platform that conforms to the standard.
    Standard,
    /// JADE with its add-ons, which departs from the standard in some places.
    Jade,
}

impl Platform {
    /// Returns the dialect of its messages.
    pub(super) fn dialect(self) -> Dialect {
        match self {
            Platform::Standard => Dialect::Standard,
            Platform::Jade => Dialect::Jade,
        }
    }
}

impl Form {
    /// Guesses the form of data.
    pub(super) fn detect(data: &[u8]) -> Option<Form> {
        match Encoding::detect(data) {
            Some(Encoding::String) => Some(Form::String),
            Some(Encoding::Xml) => Some(Form::Xml),
            Some(Encoding::BitEfficient) => Some(Form::BitEfficient),
            None => data.trim_ascii_start().first().filter(|byte| byte.is_ascii_hexdigit()).map(|_| Form::Hex),
        }
    }

    /// Returns the encoding of the messages.
    pub(super) fn encoding(self) -> Encoding {
        match self {
            Form::String => Encoding::String,
            Form::Xml => Encoding::Xml,
            Form::BitEfficient | Form::Hex => Encoding::BitEfficient,
        }
    }
}

/// Converts hexadecimal digits to bytes; blanks between digits are ignored.
pub(super) fn read_hex(text: &[u8]) -> anyhow::Result<Vec<u8>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |byte: u8| {
        let value = char::from(byte).to_digit(16).map(|digit| digit as u8);
        value.with_context(|| format!("{:?} is not a hexadecimal digit", char::from(byte)))
    };
    if !digits.len().is_multiple_of(2) {
        bail!("found {} hexadecimal digits, but each byte has two", digits.len());
    }
    digits.chunks(2).map(|pair| Ok(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// Converts bytes to hexadecimal digits.
pub(super) fn write_hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Frames a message so that a file can contain several.
pub(super) fn framed(form: Form, data: Vec<u8>) -> Vec<u8> {
    let line = |mut data: Vec<u8>| {
        data.push(b'\n');
        data
    };
    match form {
        Form::String | Form::Xml => line(data),
        Form::BitEfficient => data,
        Form::Hex => line(write_hex(&data).into_bytes()),
    }
}

/// Returns the data of a file, with hexadecimal digits converted to bytes.
pub(super) fn unframed(form: Form, data: &[u8]) -> anyhow::Result<Cow<'_, [u8]>> {
    Ok(if form == Form::Hex { Cow::Owned(read_hex(data)?) } else { Cow::Borrowed(data) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_digits_can_be_read_back() {
        assert_eq!(read_hex(b"fa 10\n1301").unwrap(), [0xFA, 0x10, 0x13, 0x01]);
        assert_eq!(write_hex(&[0xFA, 0x10, 0x13, 0x01]), "fa101301");
        assert!(read_hex(b"fa1").unwrap_err().to_string().contains("3 hexadecimal digits"));
        assert!(read_hex(b"xy").unwrap_err().to_string().contains("'x'"));
        assert_eq!(Form::detect(b" fa10"), Some(Form::Hex));
        assert_eq!(Form::detect(b"\xFA\x10"), Some(Form::BitEfficient));
    }
}
