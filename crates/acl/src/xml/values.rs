//! Values and contents as the texts of elements.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::characters::{can_hold, write_text, write_trimmed};
use super::document::{Document, Tag};
use super::{DecodeError, Reason};
use crate::string::{read_expression, write_expression};
use crate::{Content, Expression, Unencodable};

/// Ends an opening tag whose text is in Base64, after its name and other attributes.
const BASE64_FOLLOWS: &[u8] = b" encoding=\"base64\">";

/// Parses a text as the string encoding does; other texts become strings.
pub(crate) fn value_of(text: Cow<'_, str>) -> Expression<'_> {
    match text {
        Cow::Borrowed(text) => read_expression(text.as_bytes()).unwrap_or(Expression::String(text.into())),
        Cow::Owned(text) => match read_expression(text.as_bytes()).map(Expression::into_owned) {
            Some(value) => value,
            None => Expression::String(text.into()),
        },
    }
}

/// Returns the text that is parsed as this value. It is not always UTF-8. A string is not quoted if the unquoted text
/// is parsed as the same string; everything else is written as in the string encoding.
///
/// # Errors
/// Returns an error if the value contains an invalid time, or lists nested too deeply.
pub(crate) fn text_of<'v>(value: &'v Expression<'_>) -> Result<Cow<'v, [u8]>, Unencodable> {
    match value {
        Expression::String(text) if value_of(Cow::Borrowed(text)) == *value => Ok(text.as_bytes().into()),
        Expression::Word(word) => Ok(word.as_str().as_bytes().into()),
        value => {
            let mut text = Vec::new();
            write_expression(value, &mut text)?;
            Ok(text.into())
        }
    }
}

/// Reads the value of an element. An empty element with a reference has the reference as a string; the reference is
/// never followed.
pub(super) fn read_parameter<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Expression<'a>, DecodeError> {
    match document.attribute(tag, "href")? {
        Some(reference) => match read_value(document, tag)? {
            Expression::String(text) if text.is_empty() => Ok(Expression::String(reference)),
            value => Ok(value),
        },
        None => read_value(document, tag),
    }
}

/// Reads the value of an element.
pub(crate) fn read_value<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Expression<'a>, DecodeError> {
    let is_base64 = is_base64(document, tag)?;
    let text = document.trimmed()?;
    if !is_base64 {
        return Ok(value_of(text));
    }
    match String::from_utf8(decoded(tag, &text)?) {
        Ok(text) => Ok(value_of(text.into())),
        Err(error) => match read_expression(error.as_bytes()) {
            Some(value) => Ok(value.into_owned()),
            None => Err(tag.error(Reason::NotAValue)),
        },
    }
}

/// Writes a value into an element whose opening tag is written except for its end.
pub(crate) fn write_value(out: &mut Vec<u8>, value: &Expression<'_>) -> Result<(), Unencodable> {
    let text = text_of(value)?;
    match std::str::from_utf8(&text) {
        Ok(text) if can_hold(text) => {
            out.push(b'>');
            write_trimmed(out, text);
        }
        _ => {
            out.extend_from_slice(BASE64_FOLLOWS);
            write_base64(out, &text);
        }
    }
    Ok(())
}

/// Reads the content of an element, with all its blanks.
pub(crate) fn read_content<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Content<'a>, DecodeError> {
    let is_base64 = is_base64(document, tag)?;
    let is_text = document.attribute(tag, "type")?.is_some_and(|kind| kind == "text");
    let text = document.text()?;
    if is_base64 {
        let bytes = decoded(tag, &text)?;
        return match is_text {
            false => Ok(Content::from(bytes)),
            true => String::from_utf8(bytes).map(Content::from).map_err(|_| tag.error(Reason::NotUtf8)),
        };
    }
    match document.attribute(tag, "href")? {
        Some(reference) if text.is_empty() => Ok(Content::Text(reference)),
        _ => Ok(Content::Text(text)),
    }
}

/// Writes a content into an element whose opening tag is written except for its end.
pub(crate) fn write_content(out: &mut Vec<u8>, content: &Content<'_>) {
    match content {
        Content::Text(text) if can_hold(text) => {
            out.push(b'>');
            write_text(out, text);
        }
        Content::Text(text) => {
            out.extend_from_slice(b" type=\"text\"");
            out.extend_from_slice(BASE64_FOLLOWS);
            write_base64(out, text.as_bytes());
        }
        Content::Bytes(bytes) => {
            out.extend_from_slice(BASE64_FOLLOWS);
            write_base64(out, bytes);
        }
    }
}

fn is_base64<'a>(document: &Document<'a>, tag: &Tag<'a>) -> Result<bool, DecodeError> {
    match document.attribute(tag, "encoding")? {
        None => Ok(false),
        Some(encoding) if encoding.eq_ignore_ascii_case("base64") => Ok(true),
        Some(encoding) => Err(tag.error(Reason::UnknownEncoding(encoding.into_owned()))),
    }
}

/// Decodes a text in Base64, in which white space does not count.
fn decoded(tag: &Tag<'_>, text: &str) -> Result<Vec<u8>, DecodeError> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    BASE64_STANDARD.decode(digits).map_err(|_| tag.error(Reason::NotBase64))
}

fn write_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(BASE64_STANDARD.encode(bytes).as_bytes());
}
