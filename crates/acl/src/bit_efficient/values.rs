//! Values, contents and words.

use super::codes::{list, value};
use super::error::{DecodeError, Read, Reason, RepairKind};
use super::half_bytes::{read_number, write_number};
use super::input::Input;
use crate::expression::MAX_LIST_DEPTH;
use crate::time::{checked, is_time};
use crate::word::is_word;
use crate::{Content, Expression, Number, Time, Unencodable, UserParameter, Word};

/// The result of writing.
pub(crate) type Written = Result<(), Unencodable>;

pub(super) fn read_user_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
    Ok(UserParameter { name: read_word(input)?, value: read_expression(input)? })
}

pub(super) fn read_word<'a>(input: &mut Input<'a>) -> Read<Word<'a>> {
    let at = input.at();
    let text = read_coded(input, "a word")?;
    Word::new(text).map_err(|error| DecodeError::new(at, Reason::NotAWord(error.0)))
}

/// Reads a text with the code of words.
pub(super) fn read_coded<'a>(input: &mut Input<'a>, expected: &'static str) -> Read<&'a str> {
    match input.byte(expected)? {
        value::WORD => input.text(),
        code @ value::WORD_INDEX => input.refuse(Reason::CodeTable(code)),
        found => input.refuse(Reason::Unexpected { found, expected }),
    }
}

pub(super) fn read_content<'a>(input: &mut Input<'a>) -> Read<Content<'a>> {
    let code = input.byte("a content")?;
    read_string(input, code)
}

pub(super) fn read_expression<'a>(input: &mut Input<'a>) -> Read<Expression<'a>> {
    match input.byte("a value")? {
        code if opens_list(code) => read_list(input, code),
        value::UNINTERPRETED => {
            let code = input.byte("a string")?;
            read_string(input, code).map(string)
        }
        code => read_value(input, code),
    }
}

fn opens_list(code: u8) -> bool {
    code == list::OPEN || code & list::KIND_MASK == list::OPEN_WITH
}

fn closes_list(code: u8) -> bool {
    code == list::CLOSE || code & list::KIND_MASK == list::CLOSE_WITH
}

/// Reads a list, after the byte that opens it. Open lists are kept in a vector, since a value after the end of a list
/// belongs to the list around it.
fn read_list<'a>(input: &mut Input<'a>, code: u8) -> Read<Expression<'a>> {
    let mut outer = Vec::new();
    let mut current = Vec::new();
    read_announced(input, code, &mut current)?;
    loop {
        let code = input.byte("a value in a list, or its end")?;
        if opens_list(code) {
            if outer.len() + 1 == MAX_LIST_DEPTH {
                return input.refuse(Reason::TooDeep("lists"));
            }
            outer.push(std::mem::take(&mut current));
            read_announced(input, code, &mut current)?;
        } else if closes_list(code) {
            let Some(mut around) = outer.pop() else {
                return if code == list::CLOSE {
                    Ok(Expression::List(current))
                } else {
                    input.refuse(Reason::AfterList)
                };
            };
            around.push(Expression::List(current));
            current = around;
            read_announced(input, code, &mut current)?;
        } else {
            current.push(read_value(input, code)?);
        }
    }
}

/// Reads the value that the opening or closing byte of a list has announced, if it has.
fn read_announced<'a>(input: &mut Input<'a>, code: u8, items: &mut Vec<Expression<'a>>) -> Read<()> {
    let kind = code & !list::KIND_MASK;
    let kind = match kind {
        _ if code == list::OPEN || code == list::CLOSE => return Ok(()),
        // Only byte strings with a 32-bit length have another code in lists than outside.
        8 => value::BYTES_32,
        9 => value::BYTES_INDEX,
        0..8 => value::WORD | kind,
        _ => return input.refuse(Reason::Unexpected { found: code, expected: "a value in a list" }),
    };
    items.push(read_value(input, kind)?);
    Ok(())
}

/// Reads a value that is not a list.
fn read_value<'a>(input: &mut Input<'a>, code: u8) -> Read<Expression<'a>> {
    match code {
        value::WORD => read_bare(input),
        value::NUMBER | value::HEXADECIMAL => read_number(input).map(Expression::Number),
        code => read_string(input, code).map(string),
    }
}

/// Reads a word. Times and numbers with a lower-case `e` are also written like words, as this encoding has no other
/// form for them in values.
fn read_bare<'a>(input: &mut Input<'a>) -> Read<Expression<'a>> {
    let at = input.at() - 1;
    let text = input.text()?;
    if is_word(text) {
        return Ok(Expression::Word(Word::known(text)));
    }
    if is_time(text) {
        let time = Time::read(text.as_bytes()).map_err(|error| DecodeError::new(at, error))?;
        return Ok(Expression::Time(time));
    }
    if has_small_exponent(text)
        && let Ok(number) = Number::new(text)
    {
        return Ok(Expression::Number(number));
    }
    input.mend(at, RepairKind::NotAWord, Reason::NotAWord(text.into()))?;
    Ok(Number::new(text).map_or_else(|_| Expression::String(text.into()), Expression::Number))
}

fn string(content: Content<'_>) -> Expression<'_> {
    match content {
        Content::Text(text) => Expression::String(text),
        Content::Bytes(bytes) => Expression::Bytes(bytes),
    }
}

/// Reads a string: quoted text, or bytes.
pub(super) fn read_string<'a>(input: &mut Input<'a>, code: u8) -> Read<Content<'a>> {
    match code {
        value::STRING => read_quoted(input),
        value::BYTES_8 | value::BYTES_16 | value::BYTES_32 => read_bytes(input, code),
        value::WORD_INDEX | value::STRING_INDEX | value::BYTES_INDEX => input.refuse(Reason::CodeTable(code)),
        found => input.refuse(Reason::Unexpected { found, expected: "a value" }),
    }
}

/// Reads bytes with their length. If the length is wider than necessary and the bytes are a text with a zero, they
/// are read as a text, since the form for texts cannot contain a zero.
fn read_bytes<'a>(input: &mut Input<'a>, code: u8) -> Read<Content<'a>> {
    let Counted { bytes, is_wide } = read_counted(input, code)?;
    if is_wide
        && bytes.contains(&0)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Ok(Content::Text(text.into()));
    }
    Ok(Content::Bytes(bytes.into()))
}

/// Bytes that were preceded by their length.
pub(crate) struct Counted<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether the length field is wider than necessary.
    is_wide: bool,
}

/// Reads bytes with their length.
pub(crate) fn read_counted<'a>(input: &mut Input<'a>, code: u8) -> Read<Counted<'a>> {
    let (width, shortest) = match code {
        value::BYTES_8 => (1, 0),
        value::BYTES_16 => (2, 1 << 8),
        value::BYTES_32 => (4, 1 << 16),
        found => return input.refuse(Reason::Unexpected { found, expected: "a byte string" }),
    };
    let length = input.length(width)?;
    let bytes = input.bytes(length, "the rest of a byte string")?;
    Ok(Counted { bytes, is_wide: length < shortest })
}

fn read_quoted<'a>(input: &mut Input<'a>) -> Read<Content<'a>> {
    let at = input.at() - 1;
    let bytes = input.until_zero()?;
    let Ok(text) = std::str::from_utf8(bytes) else {
        input.mend(at, RepairKind::NotUtf8, Reason::NotUtf8)?;
        return Ok(Content::Bytes(bytes.into()));
    };
    let Some(text) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        input.mend(at, RepairKind::MissingQuotes, Reason::MissingQuotes)?;
        return Ok(Content::Text(text.into()));
    };
    if text.match_indices('"').any(|(quote, _)| !text[..quote].ends_with('\\')) {
        input.mend(at, RepairKind::BareQuote, Reason::BareQuote)?;
    }
    Ok(if text.contains('"') { text.replace("\\\"", "\"").into() } else { text.into() })
}

/// Writes a user parameter after its code.
pub(super) fn write_user_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
    write_text(out, &[value::WORD], parameter.name.as_str());
    write_expression(out, &parameter.value, 0).map_err(|error| error.of(&parameter.name))
}

pub(super) fn write_content(out: &mut Vec<u8>, content: &Content<'_>) -> Written {
    match content {
        Content::Text(text) => write_string(out, text),
        Content::Bytes(bytes) => write_bytes(out, bytes),
    }
}

/// Writes a value at this depth of lists.
pub(super) fn write_expression(out: &mut Vec<u8>, value: &Expression<'_>, depth: usize) -> Written {
    match value {
        Expression::Word(word) => write_text(out, &[value::WORD], word.as_str()),
        Expression::String(text) => write_string(out, text)?,
        Expression::Bytes(bytes) => write_bytes(out, bytes)?,
        // Half bytes have only one code for the exponent, which is read as `E`.
        Expression::Number(number) if has_small_exponent(number.as_str()) => {
            write_text(out, &[value::WORD], number.as_str());
        }
        Expression::Number(number) => write_number(out, number.as_str()),
        // Times have their own form only in `reply-by`; as a value, a time is written like a word.
        Expression::Time(time) => write_text(out, &[value::WORD], &checked(time)?.to_string()),
        Expression::List(_) if depth == MAX_LIST_DEPTH => {
            let why = "which is nested too deeply; at most 256 levels of lists are allowed";
            return Err(Unencodable::new("the value", "a list", why));
        }
        Expression::List(values) => {
            out.push(list::OPEN);
            for value in values {
                write_expression(out, value, depth + 1)?;
            }
            out.push(list::CLOSE);
        }
    }
    Ok(())
}

/// Whether the exponent of a number has a lower-case `e`.
fn has_small_exponent(number: &str) -> bool {
    number.bytes().any(|byte| byte == b'e')
}

/// Writes a text that has no zero, after these codes.
pub(super) fn write_text(out: &mut Vec<u8>, codes: &[u8], text: &str) {
    out.extend_from_slice(codes);
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Writes a quoted text or, if the text contains a zero, bytes with a length that is wider than necessary.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) -> Written {
    if text.contains('\0') {
        return write_with_zero(out, text.as_bytes());
    }
    write_text(out, &[value::STRING], &format!("\"{}\"", text.replace('"', "\\\"")));
    Ok(())
}

/// Writes a text with a zero as bytes, with a length that is wider than necessary.
fn write_with_zero(out: &mut Vec<u8>, bytes: &[u8]) -> Written {
    let why = "which is too long for a text with a zero character in it; write it as bytes";
    write_counted(out, bytes, 1).map_err(|error| Unencodable { why, ..error })
}

/// Writes bytes with their length.
pub(crate) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Written {
    write_counted(out, bytes, 0)
}

/// Writes bytes with a length field that is this many steps wider than necessary.
fn write_counted(out: &mut Vec<u8>, bytes: &[u8], wider: usize) -> Written {
    let shortest = match bytes.len() {
        0..=0xFF => 0,
        0x100..=0xFFFF => 1,
        0x1_0000..=0xFFFF_FFFF => 2,
        _ => 3,
    };
    let Some((code, width)) = [(value::BYTES_8, 1), (value::BYTES_16, 2), (value::BYTES_32, 4)].get(shortest + wider)
    else {
        let why = "which is too long; lengths have at most 32 bits";
        return Err(Unencodable::new("the value", &format!("{} bytes", bytes.len()), why));
    };
    let length = (bytes.len() as u64).to_be_bytes();
    out.push(*code);
    out.extend_from_slice(&length[8 - width..]);
    out.extend_from_slice(bytes);
    Ok(())
}
