//! JSON as a person would write it: `{"name": "moveTo", "args": [2, 3]}`.
//!
//! Identifiers are strings, numerals numbers, truth values booleans and lists arrays. Functions, actions and percepts
//! are objects with `name` and `args`; `args` is optional. A number with a point or an exponent is a float, any other
//! is an integer (except that `-0` is the float). A number that JSON cannot represent is an object with its form in
//! [`text`]: `{"numeral": "1.0Inf"}`. Binary formats contain the [`text`] itself.

use std::fmt::{self, Formatter};
use std::str::FromStr;

use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::{self, Excerpt};
use super::{
    Action, DEEPEST, EcoString, Function, Numeral, PERCEPT_MARGIN, Parameter, Parameters, Percept, SyntaxError,
};

macro_rules! json_text {
    ($($Name:ident)*) => {$(
        impl $Name {
            /// Returns JSON on one line.
            pub fn to_json(&self) -> String {
                serde_json::to_string(self).expect("every key is a string and no writer is involved")
            }

            /// Reads what [`to_json`](Self::to_json) prints, in any layout.
            ///
            /// # Errors
            /// Returns an error if the text is not JSON, has other values or keys than these, has an integer that
            /// does not fit 64 bits, or is nested too deeply (see [`MAX_DEPTH`](super::MAX_DEPTH)).
            pub fn from_json(text: &str) -> Result<Self, SyntaxError> {
                read(text)
            }
        }
    )*};
}

json_text!(Parameter Function Action Percept);

impl Serialize for Parameter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.collect_str(self);
        }
        match self {
            Parameter::Identifier(value) => serializer.serialize_str(value),
            Parameter::Numeral(Numeral::Integer(value)) => serializer.serialize_i64(*value),
            Parameter::Numeral(Numeral::Float(value)) if value.is_finite() => serializer.serialize_f64(*value),
            Parameter::Numeral(numeral) => {
                let mut object = serializer.serialize_map(Some(1))?;
                object.serialize_entry("numeral", &format_args!("{numeral}"))?;
                object.end()
            }
            Parameter::TruthValue(value) => serializer.serialize_bool(*value),
            Parameter::List(items) => serializer.collect_seq(items),
            Parameter::Function(function) => function.serialize(serializer),
        }
    }
}

/// Integers beyond 64 bits reach serde as floats. `from_json` refuses them; serde_json's own functions do not.
impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            ParameterIn { depth: PERCEPT_MARGIN }.deserialize(deserializer)
        } else {
            from_text(deserializer)
        }
    }
}

macro_rules! compound_object {
    ($($Name:ident at $depth:expr),*) => {$(
        impl Serialize for $Name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if !serializer.is_human_readable() {
                    return serializer.collect_str(self);
                }
                let mut object = serializer.serialize_struct(stringify!($Name), 2)?;
                object.serialize_field("name", &self.name)?;
                object.serialize_field("args", &self.parameters[..])?;
                object.end()
            }
        }

        impl<'de> Deserialize<'de> for $Name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if !deserializer.is_human_readable() {
                    return from_text(deserializer);
                }
                let (name, parameters) = deserializer.deserialize_map(Compound { depth: $depth })?;
                Ok(Self { name, parameters })
            }
        }
    )*};
}

compound_object!(Function at PERCEPT_MARGIN + 1, Action at PERCEPT_MARGIN, Percept at 0);

/// Reads the text of a binary format.
fn from_text<'de, T: FromStr<Err = SyntaxError>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = EcoString::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

/// Reads a parameter at this depth of lists and functions.
struct ParameterIn {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for ParameterIn {
    type Value = Parameter;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Parameter, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ParameterIn {
    type Value = Parameter;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a parameter: a string, a number, a truth value, a list or a function")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Parameter, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Parameter, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Parameter, E> {
        let integer = i64::try_from(value);
        integer.map(Parameter::from).map_err(|_| wrong(format_args!("`{value}`"), text::INTEGER))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Parameter, E> {
        Ok(value.into())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Parameter, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Parameter, A::Error> {
        let depth = deeper(self.depth, "a list")?;
        ParametersIn { depth }.visit_seq(items).map(Parameter::from)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Parameter, A::Error> {
        let key = object.next_key()?;
        if matches!(&key, Some(Key::Other(key)) if key == "numeral") {
            return special_numeral(object).map(Parameter::Numeral);
        }
        let depth = deeper(self.depth, "a function")?;
        let (name, parameters) = compound(key, object, depth)?;
        Ok(Function { name, parameters }.into())
    }
}

/// Reads a list of parameters at this depth of lists and functions.
struct ParametersIn {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for ParametersIn {
    type Value = Parameters;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ParametersIn {
    type Value = Parameters;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a list of parameters")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut parameters = Parameters::new();
        while let Some(item) = items.next_element_seed(ParameterIn { depth: self.depth })? {
            parameters.push(item);
        }
        Ok(parameters)
    }
}

/// Reads a name with parameters, which are at this depth of lists and functions.
struct Compound {
    depth: usize,
}

impl<'de> Visitor<'de> for Compound {
    type Value = (EcoString, Parameters);

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `name` and `args`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let key = object.next_key()?;
        compound(key, object, self.depth)
    }
}

/// A key of an object. The usual ones are not copied.
enum Key {
    Name,
    Args,
    Other(EcoString),
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
                Ok(match key {
                    "name" => Key::Name,
                    "args" => Key::Args,
                    _ => Key::Other(key.into()),
                })
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

/// Reads a name with parameters from an object whose first key has been read.
fn compound<'de, A: MapAccess<'de>>(
    mut key: Option<Key>,
    mut object: A,
    depth: usize,
) -> Result<(EcoString, Parameters), A::Error> {
    let (mut name, mut parameters) = (None, None);
    while let Some(found) = key {
        match found {
            Key::Name if name.is_none() => name = Some(object.next_value()?),
            Key::Args if parameters.is_none() => {
                parameters = Some(object.next_value_seed(ParametersIn { depth })?);
            }
            Key::Name => return Err(wrong("a second `name`", "each key once")),
            Key::Args => return Err(wrong("a second `args`", "each key once")),
            Key::Other(key) => return Err(unknown_key(&key, "`name` or `args`")),
        }
        key = object.next_key()?;
    }
    match name {
        Some(name) => Ok((name, parameters.unwrap_or_default())),
        None => Err(wrong("an object without `name`", "`name` and `args`")),
    }
}

/// Reads the rest of an object whose first key was `numeral`.
fn special_numeral<'de, A: MapAccess<'de>>(mut object: A) -> Result<Numeral, A::Error> {
    let value: EcoString = object.next_value()?;
    if let Some(key) = object.next_key::<EcoString>()? {
        return Err(unknown_key(&key, "no key beside `numeral`"));
    }
    text::numeral(&value).map_err(|error| wrong(error.found, &error.expected))
}

/// Returns the depth of the contents of a list or function at `depth`.
fn deeper<E: Error>(depth: usize, found: &str) -> Result<usize, E> {
    if depth < DEEPEST { Ok(depth + 1) } else { Err(wrong(found, &text::shallower())) }
}

fn unknown_key<E: Error>(key: &str, expected: &str) -> E {
    wrong(format_args!("key `{}`", Excerpt(key)), expected)
}

/// An error in the words of serde, which [`syntax_error`] takes apart.
fn wrong<E: Error>(found: impl fmt::Display, expected: &str) -> E {
    E::custom(format_args!("{found}{EXPECTED}{expected}"))
}

const EXPECTED: &str = ", expected ";

fn read<T: DeserializeOwned>(text: &str) -> Result<T, SyntaxError> {
    let value = serde_json::from_str(text).map_err(|error| syntax_error(text, &error))?;
    refuse_long_integers(text)?;
    Ok(value)
}

/// Finds the integers beyond 64 bits in well-formed JSON, which serde_json has read as floats.
fn refuse_long_integers(text: &str) -> Result<(), SyntaxError> {
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[start..];
        let end = if rest.starts_with('"') { string_length(rest) } else { number_length(rest) };
        let (token, after) = rest.split_at(end);
        let integer = token.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        if integer && token.parse::<i64>().is_err() {
            let found = format!("`{}`", Excerpt(token));
            return Err(SyntaxError::at(text, text.len() - rest.len(), found, text::INTEGER));
        }
        rest = after;
    }
    Ok(())
}

fn string_length(text: &str) -> usize {
    // The opening quote does not end the string.
    let mut escaped = true;
    let end = text.find(|c| {
        let closing = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closing
    });
    end.map_or(text.len(), |end| end + 1)
}

fn number_length(text: &str) -> usize {
    let part_of_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    text.find(|c| !part_of_number(c)).unwrap_or(text.len())
}

/// Places an error of serde_json, whose messages are of the shape "found, expected what at line 1 column 2", or
/// name only one of the two.
fn syntax_error(text: &str, error: &serde_json::Error) -> SyntaxError {
    let (message, offset) = (message(error), offset(text, error));

    if let Some(unfinished) = message.strip_prefix("EOF while parsing ") {
        return SyntaxError::unexpected(text, offset, format!("the rest of {unfinished}"));
    }
    if let Some(expected) = message.strip_prefix("expected ") {
        return SyntaxError::unexpected(text, offset, expected);
    }
    let (found, expected) = message.rsplit_once(EXPECTED).unwrap_or((&message, "well-formed JSON"));
    let found = found.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ");
    SyntaxError::at(text, offset, Excerpt(found).to_string(), expected)
}

/// Returns the message of an error without its place.
pub(crate) fn message(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    message.strip_suffix(&place).map(str::to_owned).unwrap_or(message)
}

/// Returns the byte offset of an error: serde_json counts columns in bytes, up to the last one read.
pub(crate) fn offset(text: &str, error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return text.len();
    }
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let line_start: usize = lines.map(str::len).sum();
    text.floor_char_boundary(line_start + error.column().saturating_sub(1))
}

#[cfg(test)]
mod tests;
