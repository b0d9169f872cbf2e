//! Messages of serde and of the readers of JSON and TOML, reworded.

use crate::iil::text::Excerpt;
use crate::names::{did_you_mean, nearest};

/// The notation of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    Json,
    Toml,
}

/// Begins a message of serde about an unknown name.
pub(super) const UNKNOWN_VALUE: &str = "unknown variant ";

/// Begins a message of serde about a key that is missing.
pub(super) const MISSING: &str = "missing field ";

/// Begins a message of serde about a name that is to have contents.
pub(super) const NAME_ALONE: &str = "invalid type: unit variant";

/// Is between what serde found and what it expected.
pub(super) const EXPECTED: &str = ", expected ";

const UNKNOWN_KEY: &str = "unknown field ";
const TWICE: &str = "duplicate field ";
const LENGTH: &str = "invalid length ";
const TYPE: &str = "invalid type: ";
const VALUE: &str = "invalid value: ";

/// The key that the TOML reader uses for dates.
const DATE: &str = "$__toml_private_datetime";

/// Maximum number of characters of a message that an author of a type has written.
const LONGEST: usize = 300;

/// Beginnings of messages of the JSON reader.
const OF_JSON: &[(&str, &str)] = &[
    ("EOF while parsing a string", "the text ends inside a string"),
    ("EOF while parsing a list", "the text ends inside a list"),
    ("EOF while parsing an object", "the text ends inside an object"),
    ("EOF while parsing a value", "the text ends where a value is expected"),
    ("expected `:`", "expected `:` after a key"),
    ("expected `,` or `]`", "expected `,` or `]` after an item of a list"),
    ("expected `,` or `}`", "expected `,` or `}` after a member of an object"),
    ("expected ident", "expected a value; write a text in double quotes"),
    ("expected value", "expected a value"),
    ("invalid escape", "a backslash in a string begins an escape such as \\n; write \\\\ for a backslash"),
    ("invalid number", "expected a number, such as 0.5 or -2"),
    ("number out of range", "this number is too large for a float of 64 bits"),
    ("invalid unicode code point", "the bytes of this string are not UTF-8"),
    ("control character", "a string contains a line break or another control character; write an escape such as \\n"),
    ("key must be a string", "expected a key: a string in double quotes"),
    ("lone leading surrogate", SURROGATE),
    ("unexpected end of hex escape", SURROGATE),
    ("trailing comma", "a comma is followed by no value; remove it"),
    ("trailing characters", "there is more text after the end of the value; remove it"),
    ("recursion limit exceeded", "lists and objects are nested too deeply"),
];

const SURROGATE: &str = "this escape is half of a character; write both halves, such as \\ud83d\\ude00";

/// Beginnings of messages of the TOML reader.
const OF_TOML: &[(&str, &str)] = &[
    ("too few unicode value digits", BACKSLASH),
    ("missing escaped value", BACKSLASH),
    ("invalid value, expected unicode", BACKSLASH),
    ("invalid value", "expected a value"),
    ("integer number overflowed", "this whole number does not fit into 64 bits"),
    ("floating-point number overflowed", "this number is too large for a float of 64 bits"),
    // The reader takes an unquoted word that begins like `true` or `false` for one of these.
    ("string values must be quoted", QUOTES),
    ("invalid boolean", QUOTES),
    ("invalid basic string", UNFINISHED),
    ("invalid literal string", UNFINISHED),
    ("invalid multi-line", UNFINISHED),
    ("missing opening quote", UNFINISHED),
    ("invalid integer", "expected a whole number, such as 12 or -3"),
    ("invalid float", "expected a number, such as 0.5 or -2"),
    ("invalid hexadecimal number", RADIX),
    ("invalid octal number", RADIX),
    ("invalid binary number", RADIX),
    ("redundant integer number prefix", RADIX),
    ("integers with a radix cannot be signed", RADIX),
    ("radix must be lowercase", RADIX),
    ("`_` may only go between digits", "`_` can only be between two digits"),
    ("unexpected sign", "a number has at most one sign"),
    ("redundant numeric sign", "a number has at most one sign"),
    ("unexpected leading zero", "a number begins with no zero; remove it"),
    ("invalid date-time", "write a date or a time as a string, in quotes"),
    ("duplicate key", "this key occurs twice"),
    ("unclosed array table", "expected `]]`"),
    ("unclosed table", "expected `]`"),
    ("unclosed array", "expected `]`"),
    ("unclosed inline table", "expected `}`"),
    ("missing array opening", "expected `[`"),
    ("missing inline table opening", "expected `{`"),
    ("missing table open", "expected `[`"),
    ("missing comma", "expected `,`"),
    ("extra comma", "there is a comma too many; remove it"),
    ("unexpected `=`", "there is an `=` too many; remove it"),
    ("extra `=`", "there is an `=` too many; remove it"),
    ("extra assignment", "there is an `=` too many; remove it"),
    ("missing assignment", "expected `=` and a value after the key"),
    ("invalid key-value pair", "expected a key, `=` and a value"),
    ("invalid inline table element", "expected a key, `=` and a value"),
    ("key with no value", "expected `=` and a value after the key"),
    ("missing value", "expected a value after `=`"),
    ("missing key", "expected a key"),
    ("invalid unquoted key", BARE_KEY),
    ("unquoted keys cannot be empty", BARE_KEY),
    ("keys cannot be multi-line", BARE_KEY),
    ("unexpected key or value", "expected the end of the line"),
    ("unexpected content", "expected the end of the line"),
    ("invalid comment character", "a comment contains a control character; remove it"),
    ("carriage return must be followed by newline", "a carriage return is followed by no line break; remove it"),
    ("cannot recurse further", "arrays and tables are nested too deeply"),
    ("recursion limit", "arrays and tables are nested too deeply"),
    ("cannot extend value", "this key already has a value that is no table"),
    ("wanted string or table", "expected a string or a table"),
];

const BACKSLASH: &str = "a backslash in double quotes begins an escape such as \\n; write the string in single quotes, \
                         such as 'C:\\maps', or each backslash twice";
const QUOTES: &str = "write a string in quotes; only numbers, true and false have none";
const UNFINISHED: &str = "expected a string that ends with the quote that it begins with, on the same line";
const RADIX: &str = "expected a whole number, such as 12, or 0xff in hexadecimal digits";
const BARE_KEY: &str = "a key has only letters, digits, `_` and `-`; write others in quotes";

/// Whether a message is about the contents of a well-formed text.
pub(super) fn is_from_serde(message: &str) -> bool {
    [UNKNOWN_VALUE, UNKNOWN_KEY, MISSING, TWICE, LENGTH, TYPE, VALUE].iter().any(|begin| message.starts_with(begin))
}

/// Rewords a message. Other messages than those of serde and its readers are written by the authors of types.
pub(super) fn problem(message: &str, notation: Notation) -> String {
    if let Some(message) = message.strip_prefix(UNKNOWN_KEY) {
        return unknown("key", message);
    }
    if let Some(message) = message.strip_prefix(UNKNOWN_VALUE) {
        return unknown("value", message);
    }
    if let Some(key) = message.strip_prefix(MISSING) {
        return format!("the key {key} is missing");
    }
    if let Some(key) = message.strip_prefix(TWICE) {
        return format!("the key {key} occurs twice");
    }
    if message.contains(DATE) {
        return "a date or a time is not a parameter; write it as a string, in quotes".to_owned();
    }
    if message.contains("` as i128") || message.contains("` as u128") {
        return "this whole number does not fit into 64 bits".to_owned();
    }
    if message.starts_with(NAME_ALONE) {
        return "this name has contents; write an object with the name as its key".to_owned();
    }
    if let Some((length, expected)) = message.strip_prefix(LENGTH).and_then(|rest| rest.split_once(EXPECTED)) {
        return format!("found {length} values, expected {}", expectation(expected, notation));
    }
    let mismatch = message.strip_prefix(TYPE).or_else(|| message.strip_prefix(VALUE));
    if let Some((found, expected)) = mismatch.and_then(|mismatch| mismatch.rsplit_once(EXPECTED)) {
        return format!("found {}, expected {}", finding(found, notation), expectation(expected, notation));
    }
    let table = if notation == Notation::Json { OF_JSON } else { OF_TOML };
    match table.iter().find(|(begin, _)| message.starts_with(begin)) {
        Some((_, words)) => (*words).to_owned(),
        None if message.contains("untagged enum") => "the value has none of the forms that it can have".to_owned(),
        None => match message.rsplit_once(EXPECTED) {
            Some((found, expected)) => format!("found {}, expected {}", shortened(found), shortened(expected)),
            None => shortened(message),
        },
    }
}

/// Rewords a message about an unknown name, which continues with the name and the known ones in backquotes.
fn unknown(what: &str, message: &str) -> String {
    let (name, expected) = message.rsplit_once(EXPECTED).unwrap_or((message, ""));
    let name = name.split_once("`, there are no").map_or(name, |(name, _)| name).trim_matches('`');
    let suggestion = did_you_mean(nearest(name, expected.split('`').skip(1).step_by(2)));
    let name = Excerpt(name);
    match expected {
        "" => format!("unknown {what} `{name}`, expected none"),
        expected => format!("unknown {what} `{name}`, expected {expected}{suggestion}"),
    }
}

/// Rewords a description of a value that was found.
fn finding(found: &str, notation: Notation) -> String {
    let is_json = notation == Notation::Json;
    match found {
        "map" if is_json => "an object".to_owned(),
        "map" => "a table or a date".to_owned(),
        "sequence" if is_json => "a list".to_owned(),
        "sequence" => "an array".to_owned(),
        "null" | "unit value" | "Option value" => "`null`".to_owned(),
        "newtype variant" | "tuple variant" | "struct variant" => "a name with contents".to_owned(),
        other => {
            let kinds = ["boolean ", "integer ", "floating point ", "character ", "string "];
            let value = kinds.into_iter().find_map(|kind| other.strip_prefix(kind)).unwrap_or(other);
            Excerpt(value).to_string()
        }
    }
}

/// Rewords a description of a value that was expected.
fn expectation(expected: &str, notation: Notation) -> String {
    let (object, list) = match notation {
        Notation::Json => ("an object", "a list"),
        Notation::Toml => ("a table", "an array"),
    };
    let is = |begins: &[&str]| begins.iter().any(|begin| expected.starts_with(begin));
    match expected {
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u16" => "a whole number from 0 to 65535".to_owned(),
        "u32" => "a whole number from 0 to 4294967295".to_owned(),
        "u64" | "u128" | "usize" => "a whole number from 0".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a borrowed string" | "str" | "string" => "a string".to_owned(),
        "unit" => "`null`".to_owned(),
        "any valid JSON value" | "any value" => "a value".to_owned(),
        "option" => "a value or `null`".to_owned(),
        "string or map" => format!("a string or {object}"),
        "field identifier" => "a key".to_owned(),
        "variant identifier" => "a name".to_owned(),
        "unit variant" => "a name without contents".to_owned(),
        _ if is(&["a nonzero u", "a nonzero i"]) => "a whole number from 1".to_owned(),
        _ if is(&["a map", "struct "]) => object.to_owned(),
        _ if is(&["a sequence", "a tuple", "tuple ", "an array of length", "fewer elements"]) => list.to_owned(),
        _ if is(&["enum ", "adjacently tagged enum", "internally tagged enum", "variant of enum"]) => {
            format!("a name, or {object} with a name as its key")
        }
        _ if is(&["unit struct"]) => "`null`".to_owned(),
        other => shortened(other),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
