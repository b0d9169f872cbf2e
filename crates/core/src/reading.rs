//! Texts from outside, in JSON or TOML, that cannot be read: where the mistake is, and the problem in words for people
//! who know neither serde nor Rust.

mod words;

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::iil::json::{message, offset};
use crate::iil::text::Excerpt;
use words::Notation;

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The member that the mistake is in, such as `params.action.args[1]`; empty for the whole text, and in TOML.
    pub path: String,
    /// The problem, such as "found `5`, expected a string".
    pub problem: String,
    /// Whether the text has the form of its notation, so that only its contents are wrong.
    pub is_well_formed: bool,
}

/// Reads JSON.
///
/// ```
/// let unreadable = situated::reading::json::<Vec<String>>(r#"["a", 5]"#).expect_err("5 is no string");
/// assert_eq!(unreadable.to_string(), "line 1, column 7 (`[1]`): found `5`, expected a string");
/// ```
///
/// # Errors
/// Returns an error with the place if the text is not JSON, or not of this type.
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    json_in(text, text)
}

/// Reads JSON that is a part of a longer text in JSON, such as the parameters in a frame. Places in errors are those
/// in the whole text.
///
/// # Errors
/// Returns an error with the place if the part is not JSON, or not of this type.
pub fn json_in<T: DeserializeOwned>(whole: &str, part: &str) -> Result<T, Unreadable> {
    let read = serde_json::from_str(part);
    read.map_err(|error| explain(whole, part, &error, &|text| serde_json::from_str::<T>(text).err()))
}

/// Reads JSON, like [`json_in`], into values that borrow from the text.
///
/// # Errors
/// Returns an error as [`json_in`] does. It does not list the names that a value can have.
pub fn borrowed_json_in<'a, T: Deserialize<'a>>(whole: &str, part: &'a str) -> Result<T, Unreadable> {
    serde_json::from_str(part).map_err(|error| explain(whole, part, &error, &|_| None))
}

impl Unreadable {
    /// Explains an error of the TOML reader, which has a message and the bytes that it concerns.
    pub fn in_toml(text: &str, message: &str, bytes: Option<Range<usize>>) -> Self {
        let at = bytes.map_or(0, |bytes| bytes.start);
        let mut problem = words::problem(message, Notation::Toml);
        if at == 0 && message.starts_with(words::MISSING) {
            problem += "; add it above all tables";
        }
        Self::at(text, at, String::new(), problem, words::is_from_serde(message))
    }

    fn at(text: &str, offset: usize, path: String, problem: String, is_well_formed: bool) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        Self { line, column, path, problem, is_well_formed }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, path, problem, .. } = self;
        match path.as_str() {
            "" => write!(f, "line {line}, column {column}: {problem}"),
            path => write!(f, "line {line}, column {column} (`{path}`): {problem}"),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Reads a text again, and returns the error.
type Again<'a> = dyn Fn(&str) -> Option<serde_json::Error> + 'a;

fn explain(whole: &str, part: &str, error: &serde_json::Error, again: &Again<'_>) -> Unreadable {
    let is_well_formed = error.is_data() || serde_json::from_str::<IgnoredAny>(part).is_ok();
    let (mut offset, message) = (offset(part, error), message(error));
    // serde_json places an error about a name in the object around it.
    if message.starts_with(words::NAME_ALONE) {
        offset = part.as_bytes().iter().take(offset + 1).rposition(|byte| *byte == b'"').unwrap_or(offset);
    }
    // serde_json says no more if it finds something else than one of several names.
    let is_no_name = is_well_formed && message == "expected value";
    let problem = if is_no_name {
        among_names(part, offset, again).unwrap_or_else(|| "expected an object with exactly one key".to_owned())
    } else {
        words::problem(&message, Notation::Json)
    };
    let begin = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize);
    let (whole, begin) = match begin.filter(|begin| begin + part.len() <= whole.len()) {
        Some(begin) => (whole, begin),
        None => (part, 0),
    };
    Unreadable::at(whole, begin + offset, path_at(whole, begin + offset), problem, is_well_formed)
}

/// Returns the problem of a value that should be one of several names: reads the text again with an empty name in its
/// place, so that the reader lists them.
fn among_names(text: &str, offset: usize, again: &Again<'_>) -> Option<String> {
    let (before, rest) = text.split_at_checked(offset)?;
    let (found, name, after) = if rest.starts_with('}') {
        ("an object without a key".to_owned(), r#""":0"#, rest)
    } else {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let (value, after) = rest.split_at_checked(values.byte_offset())?;
        (format!("`{}`", Excerpt(value)), r#""""#, after)
    };
    let error = again(&format!("{before}{name}{after}"))?;
    let message = message(&error);
    let (_, expected) = message.strip_prefix(words::UNKNOWN_VALUE)?.split_once(words::EXPECTED)?;
    Some(format!("found {found}, expected {expected}"))
}

/// A list or an object around a place.
enum Around<'a> {
    /// A list, and the index of its current item.
    List(usize),
    /// An object, and the key of its current member.
    Object(Option<&'a str>),
}

/// Returns the path of the value at this offset in JSON. The end of a list or an object belongs to the whole of it.
fn path_at(text: &str, offset: usize) -> String {
    let bytes = text.as_bytes();
    let mut around = Vec::new();
    let mut at = 0;
    while at < offset.min(bytes.len()) {
        match bytes[at] {
            b'[' => around.push(Around::List(0)),
            b'{' => around.push(Around::Object(None)),
            b']' | b'}' => drop(around.pop()),
            b',' => match around.last_mut() {
                Some(Around::List(index)) => *index += 1,
                Some(Around::Object(key)) => *key = None,
                None => {}
            },
            b'"' => {
                let begin = at + 1;
                at = end_of_string(bytes, begin);
                if let Some(Around::Object(key @ None)) = around.last_mut()
                    && at < offset
                {
                    *key = Some(&text[begin..at]);
                }
            }
            _ => {}
        }
        at += 1;
    }
    if matches!(bytes.get(offset), Some(b']' | b'}')) {
        around.pop();
    }
    let mut path = String::new();
    for level in around {
        match level {
            Around::List(index) => path += &format!("[{index}]"),
            Around::Object(Some(key)) if key.chars().all(|c| c.is_alphanumeric() || "_-$".contains(c)) => {
                path += if path.is_empty() { "" } else { "." };
                path += key;
            }
            Around::Object(Some(key)) => path += &format!("[\"{key}\"]"),
            Around::Object(None) => {}
        }
    }
    Excerpt(&path).to_string()
}

/// Returns the place of the quote that ends a string, given that of its first character.
fn end_of_string(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests;
