//! JSON as a person would write it: `{"name": "moveTo", "args": [2, 3]}`.
//!
//! Identifiers are strings, numerals numbers, truth values booleans and lists arrays; functions, actions and
//! percepts are objects with `name` and `args`, of which `args` may be missing. A number with a point or an
//! exponent is a float, any other is an integer (but `-0` is the float). What JSON has no number for is an object
//! around its form in [`text`]: `{"numeral": "1.0Inf"}`. Formats that are not for people get the [`text`] itself.

use std::fmt::{self, Formatter};
use std::str::FromStr;

use serde::de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::{self, Excerpt};
use super::{Action, DEEPEST, EcoString, Function, Numeral, PERCEPT_MARGIN, Parameter, Percept, SyntaxError};

macro_rules! json_text {
    ($($Name:ident)*) => {$(
        impl $Name {
            /// As JSON on one line.
            pub fn to_json(&self) -> String {
                serde_json::to_string(self).expect("every key is a string and no writer is involved")
            }

            /// Reads what [`to_json`](Self::to_json) prints, in any layout.
            ///
            /// # Errors
            /// Where the text is not JSON, has other values or keys than these, has an integer that does not
            /// fit 64 bits, or is nested too deeply (see [`MAX_DEPTH`](super::MAX_DEPTH)).
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

/// Integers beyond 64 bits reach serde as floats; `from_json` refuses them, serde_json's own functions do not.
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
                let mut object = serializer.serialize_map(Some(2))?;
                object.serialize_entry("name", &self.name)?;
                object.serialize_entry("args", &self.parameters)?;
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

/// Reads the form of formats that are not for people.
fn from_text<'de, T: FromStr<Err = SyntaxError>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = EcoString::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

/// Reads a parameter inside as many lists and functions as `depth` says.
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
        ParametersIn { depth }.visit_seq(items).map(Parameter::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Parameter, A::Error> {
        let key: Option<EcoString> = object.next_key()?;
        if key.as_deref() == Some("numeral") {
            return special_numeral(object).map(Parameter::Numeral);
        }
        let depth = deeper(self.depth, "a function")?;
        let (name, parameters) = compound(key, object, depth)?;
        Ok(Parameter::Function(Function { name, parameters }))
    }
}

/// Reads a list of parameters inside as many lists and functions as `depth` says.
struct ParametersIn {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for ParametersIn {
    type Value = Vec<Parameter>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ParametersIn {
    type Value = Vec<Parameter>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a list of parameters")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut parameters = Vec::new();
        while let Some(item) = items.next_element_seed(ParameterIn { depth: self.depth })? {
            parameters.push(item);
        }
        Ok(parameters)
    }
}

/// Reads a name with parameters, which are inside as many lists and functions as `depth` says.
struct Compound {
    depth: usize,
}

impl<'de> Visitor<'de> for Compound {
    type Value = (EcoString, Vec<Parameter>);

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `name` and `args`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let key = object.next_key()?;
        compound(key, object, self.depth)
    }
}

/// Reads a name with parameters from an object whose first key has been read.
fn compound<'de, A: MapAccess<'de>>(
    mut key: Option<EcoString>,
    mut object: A,
    depth: usize,
) -> Result<(EcoString, Vec<Parameter>), A::Error> {
    let (mut name, mut parameters) = (None, None);
    while let Some(found) = key {
        match found.as_str() {
            "name" if name.is_none() => name = Some(object.next_value()?),
            "args" if parameters.is_none() => {
                parameters = Some(object.next_value_seed(ParametersIn { depth })?);
            }
            "name" | "args" => {
                return Err(wrong(format_args!("a second `{found}`"), "each key once"));
            }
            _ => return Err(unknown_key(&found, "`name` or `args`")),
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

/// The depth of what is in a list or function at `depth`.
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
    // The opening quote closes nothing.
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
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let offset = if error.is_eof() { text.len() } else { offset(text, error) };

    if let Some(unfinished) = message.strip_prefix("EOF while parsing ") {
        return SyntaxError::unexpected(text, offset, format!("the rest of {unfinished}"));
    }
    if let Some(expected) = message.strip_prefix("expected ") {
        return SyntaxError::unexpected(text, offset, expected);
    }
    let (found, expected) = message.rsplit_once(EXPECTED).unwrap_or((message, "well-formed JSON"));
    let found = found.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ");
    SyntaxError::at(text, offset, Excerpt(found).to_string(), expected)
}

/// The byte offset of an error: serde_json counts columns in bytes, up to the last one read.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let line_start: usize = lines.map(str::len).sum();
    text.floor_char_boundary(line_start + error.column().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::super::MAX_DEPTH;
    use super::*;

    /// The examples of the EIS paper, section 3.2.
    #[test]
    fn paper() {
        let cases = [
            ("moveTo(2,3)", r#"{"name":"moveTo","args":[2,3]}"#),
            (
                "followPath([pos(1,1),pos(2,1)],speed(10.0))",
                concat!(
                    r#"{"name":"followPath","args":[[{"name":"pos","args":[1,1]},"#,
                    r#"{"name":"pos","args":[2,1]}],{"name":"speed","args":[10.0]}]}"#
                ),
            ),
        ];
        for (text, json) in cases {
            let action: Action = text.parse().unwrap();
            assert_eq!(action.to_json(), json);
            assert_eq!(Action::from_json(json), Ok(action));
        }
    }

    #[test]
    fn parameters_print_and_read_back() {
        let cases: Vec<(&str, Parameter)> = vec![
            ("2", 2.into()),
            ("9223372036854775807", i64::MAX.into()),
            ("-9223372036854775808", i64::MIN.into()),
            ("10.0", 10.0.into()),
            ("-0.0", (-0.0).into()),
            ("1e+21", 1e21.into()),
            ("5e-324", f64::from_bits(1).into()),
            ("1.7976931348623157e+308", f64::MAX.into()),
            (r#"{"numeral":"-1.0Inf"}"#, f64::NEG_INFINITY.into()),
            (r#"{"numeral":"1.5NaN"}"#, f64::from_bits(0x7FF8_0000_0000_0000).into()),
            ("true", true.into()),
            (r#""true""#, "true".into()),
            (r#""""#, "".into()),
            (r#""\u0000\n\"\\é😀""#, "\0\n\"\\é😀".into()),
            ("[]", vec![].into()),
            (r#"[1,["a"]]"#, vec![1.into(), vec!["a".into()].into()].into()),
            (r#"{"name":"","args":[]}"#, Function::new("", []).into()),
            (r#"{"name":"f","args":[false]}"#, Function::new("f", [false.into()]).into()),
        ];
        for (json, parameter) in cases {
            assert_eq!(parameter.to_json(), json);
            assert_eq!(Parameter::from_json(json), Ok(parameter));
        }
    }

    #[test]
    fn reading_is_kinder_than_writing() {
        let cases: Vec<(&str, Parameter)> = vec![
            (r#" { "args" : [ 1 ] , "name" : "f" } "#, Function::new("f", [1.into()]).into()),
            (r#"{"name": "f"}"#, Function::new("f", []).into()),
            (r#"{"numeral": "7"}"#, 7.into()),
            ("-0", (-0.0).into()),
            ("1E2", 100.0.into()),
            ("10000000000000000000.0", 1e19.into()),
            (r#"["10000000000000000000", "\"", 1]"#, vec!["10000000000000000000".into(), "\"".into(), 1.into()].into()),
        ];
        for (json, parameter) in cases {
            assert_eq!(Parameter::from_json(json), Ok(parameter), "{json}");
        }
        assert_eq!(Percept::from_json(r#"{"name": "p"}"#), Ok(Percept::new("p", [])));
    }

    #[test]
    fn errors_say_where_and_what() {
        let json = "well-formed JSON";
        let parameter = "a parameter: a string, a number, a truth value, a list or a function";
        let keys = "`name` or `args`";
        let cases = [
            ("", 1, 1, "end of text", "the rest of a value"),
            ("[1,\n", 2, 1, "end of text", "the rest of a value"),
            ("[é", 1, 2, "`é`", "value"),
            ("[1 2]", 1, 4, "`2`", "`,` or `]`"),
            ("[1,]", 1, 4, "trailing comma", json),
            ("1 2", 1, 3, "trailing characters", json),
            ("null", 1, 4, "null", parameter),
            ("[\n \"é\", null]", 2, 10, "null", parameter),
            (r#"{"nme": "f"}"#, 1, 6, "key `nme`", keys),
            (r#"{"args": []}"#, 1, 12, "an object without `name`", "`name` and `args`"),
            ("{}", 1, 2, "an object without `name`", "`name` and `args`"),
            (r#"{"name": "f", "name": "g"}"#, 1, 20, "a second `name`", "each key once"),
            (r#"{"name": "f", "args": [], "args": []}"#, 1, 32, "a second `args`", "each key once"),
            (r#"{"name": "f", "args": {}}"#, 1, 22, "map", "a list of parameters"),
            (r#"{"name": 1}"#, 1, 10, "integer `1`", "a string"),
            (r#"{"numeral": "one"}"#, 1, 18, "`o`", "a digit"),
            (r#"{"numeral": "1", "name": "f"}"#, 1, 23, "key `name`", "no key beside `numeral`"),
            (r#"{"name": "f", "numeral": "1"}"#, 1, 23, "key `numeral`", keys),
            ("9223372036854775808", 1, 19, "`9223372036854775808`", text::INTEGER),
            ("[1,\n 18446744073709551616]", 2, 2, "`18446744073709551616`", text::INTEGER),
            ("[-9223372036854775809]", 1, 2, "`-9223372036854775809`", text::INTEGER),
            ("1e999", 1, 5, "number out of range", json),
        ];
        for (json, line, column, found, expected) in cases {
            let (found, expected) = (found.to_owned(), expected.to_owned());
            let error = SyntaxError { line, column, found, expected };
            assert_eq!(Parameter::from_json(json), Err(error), "{json}");
        }
        for json in ["7", "[\"f\", []]", "\"skip\""] {
            let error = Action::from_json(json).unwrap_err();
            assert_eq!(error.expected, "an object with `name` and `args`", "{json}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let list = |inner: Parameter| Parameter::List(vec![inner]);
        let function = |inner: Parameter| Function::new("f", [inner]).into();
        for nest in [&list as &dyn Fn(Parameter) -> Parameter, &function] {
            let deepest = (0..MAX_DEPTH).fold(1.into(), |inner, _| nest(inner));
            assert_eq!(Parameter::from_json(&deepest.to_json()), Ok(deepest.clone()));
            let action = Action::new("a", [deepest.clone()]);
            assert_eq!(Action::from_json(&action.to_json()), Ok(action));

            let error = Parameter::from_json(&nest(deepest).to_json()).unwrap_err();
            assert_eq!(error.expected, "at most 48 levels of lists and functions, 52 in a percept");
        }
    }

    #[test]
    fn values_and_other_documents_can_contain_them() {
        let action = Action::new("a", [f64::NAN.into(), vec![1.into(), 1.0.into()].into()]);
        let value = serde_json::to_value(&action).unwrap();
        assert_eq!(serde_json::from_value::<Action>(value).unwrap(), action);
    }

    #[test]
    fn the_binary_form_is_text() {
        let percept = Percept::new("at", ["here".into(), (-1).into()]);
        let bytes = postcard::to_allocvec(&percept).unwrap();
        assert_eq!(bytes, b"\x0bat(here,-1)");
        assert_eq!(postcard::from_bytes::<Percept>(&bytes).unwrap(), percept);
    }
}
