//! Values and contents as the texts of elements.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::characters::{can_hold, write_text, write_trimmed};
use super::document::{Document, Tag};
use super::error::{DecodeError, Reason};
use crate::string::{read_expression, write_expression};
use crate::{Content, Expression, Message, Unencodable};

/// Ends an opening tag whose text is in Base64, after its name and other attributes.
const BASE64_FOLLOWS: &str = " encoding=\"base64\">";

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
    match tag.attribute("href") {
        Some(reference) => match read_value(document, tag)? {
            Expression::String(text) if text.is_empty() => Ok(Expression::String(reference)),
            value => Ok(value),
        },
        None => read_value(document, tag),
    }
}

/// Reads the value of an element.
pub(crate) fn read_value<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Expression<'a>, DecodeError> {
    let is_base64 = is_base64(tag)?;
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
pub(crate) fn write_value(out: &mut String, value: &Expression<'_>) -> Result<(), Unencodable> {
    let text = text_of(value)?;
    match std::str::from_utf8(&text) {
        Ok(text) if can_hold(text) => {
            out.push('>');
            write_trimmed(out, text);
        }
        _ => {
            out.push_str(BASE64_FOLLOWS);
            write_base64(out, &text);
        }
    }
    Ok(())
}

/// Calls `write` with the name and value of each parameter that is an expression, in the order of the standard.
pub(crate) fn each_value(
    message: &Message<'_>,
    mut write: impl FnMut(&'static str, &Expression<'_>) -> Result<(), Unencodable>,
) -> Result<(), Unencodable> {
    let protocol = message.protocol.clone().map(Expression::Word);
    for (name, value) in [
        ("language", &message.language),
        ("encoding", &message.encoding),
        ("ontology", &message.ontology),
        ("protocol", &protocol),
        ("conversation-id", &message.conversation_id),
        ("reply-with", &message.reply_with),
        ("in-reply-to", &message.in_reply_to),
    ] {
        if let Some(value) = value {
            write(name, value)?;
        }
    }
    Ok(())
}

/// Reads the content of an element, with all its blanks.
pub(crate) fn read_content<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Content<'a>, DecodeError> {
    let is_base64 = is_base64(tag)?;
    let is_text = tag.attribute("type").is_some_and(|kind| kind == "text");
    let text = document.text()?;
    if is_base64 {
        let bytes = decoded(tag, &text)?;
        return match is_text {
            false => Ok(Content::from(bytes)),
            true => String::from_utf8(bytes).map(Content::from).map_err(|_| tag.error(Reason::NotUtf8)),
        };
    }
    match tag.attribute("href") {
        Some(reference) if text.is_empty() => Ok(Content::Text(reference)),
        _ => Ok(Content::Text(text)),
    }
}

/// Writes a content into an element whose opening tag is written except for its end.
pub(crate) fn write_content(out: &mut String, content: &Content<'_>) {
    match content {
        Content::Text(text) if can_hold(text) => {
            out.push('>');
            write_text(out, text);
        }
        Content::Text(text) => {
            out.push_str(" type=\"text\"");
            out.push_str(BASE64_FOLLOWS);
            write_base64(out, text.as_bytes());
        }
        Content::Bytes(bytes) => {
            out.push_str(BASE64_FOLLOWS);
            write_base64(out, bytes);
        }
    }
}

fn is_base64(tag: &Tag<'_>) -> Result<bool, DecodeError> {
    match tag.attribute("encoding") {
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

fn write_base64(out: &mut String, bytes: &[u8]) {
    BASE64_STANDARD.encode_string(bytes, out);
}
