//! Prolog-like text (EIS paper, section 3.2): `followPath([pos(1,1),pos(2,1)],speed(10.0))`.
//!
//! A Prolog system reads what [`Display`] prints as a ground term: every name that is not a lower-case word is in
//! single quotes, so that nothing can be taken for a variable. [`FromStr`] reads it back bit for bit, and also
//! accepts blanks and newlines between tokens, words with any first letter, double quotes and a final `.`. Reading
//! takes time linear in the text and refuses nesting that is too deep (see [`MAX_DEPTH`]).

use std::fmt::{self, Display, Formatter, Write};
use std::str::FromStr;

use super::{
    Action, DEEPEST, EcoString, Function, MAX_DEPTH, Numeral, PERCEPT_MARGIN, Parameter, Parameters, Percept,
    SyntaxError,
};

/// The expectation that errors state for an integer that is too long, in every notation.
pub(super) const INTEGER: &str = "an integer from -9223372036854775808 to 9223372036854775807";

/// The bit in which the exponent of NaN and the infinities differs from that of the numbers in [1,2).
const SPECIAL: u64 = 1 << 62;

impl Display for Parameter {
    /// As in `[pos(1,1),speed(10.0),roomC1,true]`; the identifiers `'true'` and `'false'` are quoted, since the
    /// bare words are truth values.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Identifier(value) if matches!(value.as_str(), "true" | "false") => {
                write!(f, "{}", Quoted(value))
            }
            Parameter::Identifier(value) => write!(f, "{}", Name(value)),
            Parameter::Numeral(value) => write!(f, "{value}"),
            Parameter::TruthValue(value) => write!(f, "{value}"),
            Parameter::List(items) => write_items(f, '[', items, ']'),
            Parameter::Function(function) => write!(f, "{function}"),
        }
    }
}

impl Display for Numeral {
    /// Floats always show a dot, so that they stay floats and Prolog accepts them: `10.0`, `1.0e21`.
    ///
    /// Infinities and NaN are written by the rule of the SWI-Prolog manual, "NaN and Infinity floats and their
    /// syntax": `1.0Inf`, and a NaN as the float in [1,2) that has the same sign and mantissa: `-1.5NaN`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Numeral::Integer(value) => write!(f, "{value}"),
            Numeral::Float(value) if value.is_finite() => write_finite(f, value),
            Numeral::Float(value) => {
                let mantissa = f64::from_bits(value.to_bits() & !SPECIAL);
                write!(f, "{mantissa:?}{}", if value.is_nan() { "NaN" } else { "Inf" })
            }
        }
    }
}

impl Display for Function {
    /// As in `pos(1,1)`; without parameters as in `f()`, since `f` is an identifier.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_compound(f, &self.name, &self.parameters)
    }
}

impl FromStr for Parameter {
    type Err = SyntaxError;

    /// Returns an error if the text is not a parameter, is nested more deeply than [`MAX_DEPTH`], or continues after
    /// it.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        term(text, |parser| parser.parameter(PERCEPT_MARGIN))
    }
}

impl FromStr for Function {
    type Err = SyntaxError;

    /// Returns an error if the text is not a function, is nested more deeply than [`MAX_DEPTH`], or continues after
    /// it.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let (name, parameters) = term(text, |parser| parser.compound(PERCEPT_MARGIN + 1))?;
        Ok(Self { name, parameters })
    }
}

macro_rules! data_container {
    ($($Name:ident from $depth:expr),*) => {$(
        impl Display for $Name {
            /// As in `moveTo(2,3)`; without parameters as in `skip`.
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                if self.parameters.is_empty() {
                    write!(f, "{}", Name(&self.name))
                } else {
                    write_compound(f, &self.name, &self.parameters)
                }
            }
        }

        impl FromStr for $Name {
            type Err = SyntaxError;

            /// Returns an error if the text is not a name with parameters, is nested too deeply (see [`MAX_DEPTH`]),
            /// or continues after it.
            fn from_str(text: &str) -> Result<Self, SyntaxError> {
                let (name, parameters) = term(text, |parser| parser.compound($depth))?;
                Ok(Self { name, parameters })
            }
        }
    )*};
}

data_container!(Action from PERCEPT_MARGIN, Percept from 0);

/// A name, in quotes where Prolog needs them.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plain = self.0.starts_with(|c: char| c.is_ascii_lowercase())
            && self.0.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if plain { f.write_str(self.0) } else { write!(f, "{}", Quoted(self.0)) }
    }
}

/// Any text in single quotes, with the escapes of Prolog.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('\'')?;
        for c in self.0.chars() {
            if matches!(c, '\'' | '\\') {
                f.write_char('\\')?;
            }
            write_visible(f, c)?;
        }
        f.write_char('\'')
    }
}

/// The beginning of a text, for messages, which stay short whatever was read.
pub(crate) struct Excerpt<'a>(pub(crate) &'a str);

impl Display for Excerpt<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.chars();
        rest.by_ref().take(60).try_for_each(|c| write_visible(f, c))?;
        if rest.next().is_some() { f.write_str("...") } else { Ok(()) }
    }
}

/// Number of bytes of a term that an error repeats.
const EXCERPT: usize = 160;

/// Returns a term or name for messages: with visible characters, and cut if it is long. The rest of it is never
/// printed.
pub(crate) fn excerpt(term: &impl Display) -> String {
    let mut bounded = Bounded(String::new());
    // Writing fails only at the bound.
    if write!(bounded, "{term}").is_err() {
        bounded.0.push_str("...");
    }
    bounded.0
}

/// A text that refuses more beyond a length.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| {
            if self.0.len() + c.len_utf8() > EXCERPT {
                return Err(fmt::Error);
            }
            write_visible(&mut self.0, c)
        })
    }
}

/// Reads a number that is the whole text.
pub(super) fn numeral(text: &str) -> Result<Numeral, SyntaxError> {
    whole(text, |parser| parser.numeral())
}

/// Reads a name, in quotes or not, that is the whole text.
pub(super) fn name(text: &str) -> Result<EcoString, SyntaxError> {
    whole(text, |parser| parser.name())
}

/// The expectation that errors state for nesting that is too deep, in every notation.
pub(super) fn shallower() -> String {
    format!("at most {MAX_DEPTH} levels of lists and functions, {DEEPEST} in a percept")
}

impl SyntaxError {
    /// Returns the error for `found` at a byte offset of the text, where `expected` was expected.
    pub(super) fn at(text: &str, offset: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// Returns the error for the character at a byte offset of the text, or for its end.
    pub(super) fn unexpected(text: &str, offset: usize, expected: impl Into<String>) -> Self {
        let found = match text.get(offset..).and_then(|rest| rest.chars().next()) {
            Some(c) => format!("`{}`", Excerpt(c.encode_utf8(&mut [0; 4]))),
            None => "end of text".to_owned(),
        };
        Self::at(text, offset, found, expected)
    }
}

fn write_compound(f: &mut Formatter<'_>, name: &str, parameters: &[Parameter]) -> fmt::Result {
    write!(f, "{}", Name(name))?;
    write_items(f, '(', parameters, ')')
}

fn write_items(f: &mut Formatter<'_>, open: char, items: &[Parameter], close: char) -> fmt::Result {
    f.write_char(open)?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        write!(f, "{item}")?;
    }
    f.write_char(close)
}

fn write_finite(f: &mut Formatter<'_>, value: f64) -> fmt::Result {
    // In this range `{:?}` writes no exponent, and always a dot.
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) {
        return write!(f, "{value:?}");
    }
    let scientific = format!("{value:e}");
    match scientific.split_once('e') {
        // Prolog would read `1e21` as an integer, or not at all.
        Some((mantissa, exponent)) if !mantissa.contains('.') => {
            write!(f, "{mantissa}.0e{exponent}")
        }
        _ => f.write_str(&scientific),
    }
}

/// Writes a character so that it can be seen and reorders nothing around it.
fn write_visible(f: &mut impl Write, c: char) -> fmt::Result {
    match c {
        '\n' => f.write_str("\\n"),
        '\t' => f.write_str("\\t"),
        '\r' => f.write_str("\\r"),
        c if is_invisible(c) => write!(f, "\\x{:02X}\\", u32::from(c)),
        c => f.write_char(c),
    }
}

/// Returns whether a character is invisible or changes how its neighbours look: controls, line and paragraph
/// separators, the byte order mark, controls of bidirectional text; and two characters that XML cannot represent.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61C}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2066}'..='\u{2069}'
                | '\u{FEFF}'
                | '\u{FFFE}'
                | '\u{FFFF}'
        )
}

/// Reads a term that is the whole text, except for the full stop that ends Prolog facts.
fn term<T>(text: &str, rule: impl FnOnce(&mut Parser<'_>) -> Result<T, SyntaxError>) -> Result<T, SyntaxError> {
    whole(text, |parser| {
        let value = rule(parser)?;
        parser.skip_blanks();
        parser.eat(&['.']);
        Ok(value)
    })
}

fn whole<T>(text: &str, rule: impl FnOnce(&mut Parser<'_>) -> Result<T, SyntaxError>) -> Result<T, SyntaxError> {
    let mut parser = Parser { text, at: 0 };
    parser.skip_blanks();
    let value = rule(&mut parser)?;
    parser.skip_blanks();
    if parser.at == text.len() { Ok(value) } else { Err(parser.error("end of text")) }
}

/// A recursive-descent parser. Each rule begins at its first character and ends after its last one; `depth` counts
/// the surrounding lists and functions.
struct Parser<'a> {
    text: &'a str,
    /// The byte offset of the next character.
    at: usize,
}

impl<'a> Parser<'a> {
    fn parameter(&mut self, depth: usize) -> Result<Parameter, SyntaxError> {
        match self.peek() {
            Some('[') => self.items(depth + 1, ']').map(Parameter::from),
            Some('+' | '-' | '0'..='9') => self.numeral().map(Parameter::Numeral),
            Some(c) if starts_name(c) => self.named_parameter(depth),
            _ => Err(self.error("a parameter")),
        }
    }

    /// Reads a function, a truth value or an identifier. The text after the name decides which.
    fn named_parameter(&mut self, depth: usize) -> Result<Parameter, SyntaxError> {
        let start = self.at;
        let name = self.name()?;
        let token = &self.text[start..self.at];
        Ok(match self.arguments(depth + 1)? {
            Some(parameters) => Function { name, parameters }.into(),
            None if token == "true" => Parameter::TruthValue(true),
            None if token == "false" => Parameter::TruthValue(false),
            None => Parameter::Identifier(name),
        })
    }

    fn compound(&mut self, depth: usize) -> Result<(EcoString, Parameters), SyntaxError> {
        let name = self.name()?;
        let parameters = self.arguments(depth)?.unwrap_or_default();
        Ok((name, parameters))
    }

    /// Reads the parameters in brackets after a name, if there are brackets.
    fn arguments(&mut self, depth: usize) -> Result<Option<Parameters>, SyntaxError> {
        self.skip_blanks();
        if self.peek() == Some('(') { self.items(depth, ')').map(Some) } else { Ok(None) }
    }

    /// Reads parameters between the next bracket and `close`.
    fn items(&mut self, depth: usize, close: char) -> Result<Parameters, SyntaxError> {
        if depth > DEEPEST {
            return Err(self.error(shallower()));
        }
        self.eat(&['[', '(']);
        self.skip_blanks();
        let mut items = Parameters::new();
        while !self.eat(&[close]) {
            if !items.is_empty() && !self.eat(&[',']) {
                return Err(self.error(format!("`,` or `{close}`")));
            }
            self.skip_blanks();
            items.push(self.parameter(depth)?);
            self.skip_blanks();
        }
        Ok(items)
    }

    fn name(&mut self) -> Result<EcoString, SyntaxError> {
        match self.peek() {
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some(c) if starts_name(c) => Ok(self.take_while(|c| c.is_alphanumeric() || c == '_').into()),
            _ => Err(self.error("a name")),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<EcoString, SyntaxError> {
        self.eat(&[quote]);
        let mut value = EcoString::new();
        loop {
            value.push_str(self.take_while(|c| c != quote && c != '\\'));
            if self.eat_word("\\\n") || self.eat_word("\\\r\n") {
                // The text continues in the next line.
            } else if self.eat(&['\\']) {
                value.push(self.escaped()?);
            } else if !self.eat(&[quote]) {
                return Err(self.error(format!("closing quote `{quote}`")));
            } else if self.eat(&[quote]) {
                value.push(quote);
            } else {
                return Ok(value);
            }
        }
    }

    /// Returns the character that an escape sequence represents, after the backslash.
    fn escaped(&mut self) -> Result<char, SyntaxError> {
        if self.eat(&['x']) {
            return self.numbered(16, None);
        }
        if self.eat(&['u']) {
            return self.numbered(16, Some(4));
        }
        if self.eat(&['U']) {
            return self.numbered(16, Some(8));
        }
        let c = match self.peek() {
            Some('0'..='7') => return self.numbered(8, None),
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('a') => '\x07',
            Some('b') => '\x08',
            Some('f') => '\x0C',
            Some('v') => '\x0B',
            Some(c @ ('\'' | '"' | '\\' | '`')) => c,
            _ => return Err(self.error("an escape such as `\\n`, `\\'` or `\\x41\\`")),
        };
        self.at += 1;
        Ok(c)
    }

    /// Reads a character by its number: `length` digits, or any digits and a backslash.
    fn numbered(&mut self, radix: u32, length: Option<usize>) -> Result<char, SyntaxError> {
        let start = self.at;
        let digits = self.rest().bytes().take_while(|&byte| char::from(byte).is_digit(radix));
        let count = digits.take(length.unwrap_or(usize::MAX)).count();
        self.at += count;
        match length {
            Some(length) if count < length => return Err(self.error("a hexadecimal digit")),
            None if count == 0 => return Err(self.error("a hexadecimal digit")),
            None if !self.eat(&['\\']) => return Err(self.error("a digit or `\\`")),
            _ => {}
        }
        let number = u32::from_str_radix(&self.text[start..start + count], radix).ok();
        let c = number.and_then(char::from_u32);
        c.ok_or_else(|| self.token_error(start, "the number of a Unicode character"))
    }

    fn numeral(&mut self) -> Result<Numeral, SyntaxError> {
        let start = self.at;
        self.eat(&['+', '-']);
        self.digits()?;
        let fraction = self.eat_point();
        if fraction {
            self.digits()?;
        }
        let mantissa = self.at;
        if fraction && self.eat_word("Inf") {
            return self.float(start, mantissa).map(|f| Numeral::Float(f64::INFINITY.copysign(f)));
        }
        if fraction && self.eat_word("NaN") {
            return self.nan(start, mantissa);
        }
        let exponent = self.eat(&['e', 'E']);
        if exponent {
            self.eat(&['+', '-']);
            self.digits()?;
        }
        if fraction || exponent {
            return self.float(start, self.at).map(Numeral::Float);
        }
        let integer = self.text[start..self.at].parse();
        integer.map(Numeral::Integer).map_err(|_| self.token_error(start, INTEGER))
    }

    fn float(&self, start: usize, end: usize) -> Result<f64, SyntaxError> {
        let value = self.text[start..end].parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| self.token_error(start, "a float of at most 1.7976931348623157e308, or `1.0Inf`"))
    }

    fn nan(&self, start: usize, mantissa: usize) -> Result<Numeral, SyntaxError> {
        let value = self.float(start, mantissa)?;
        // 1.0 itself has the mantissa of infinity.
        if value.abs() > 1.0 && value.abs() < 2.0 {
            Ok(Numeral::Float(f64::from_bits(value.to_bits() | SPECIAL)))
        } else {
            Err(self.token_error(start, "a number between 1.0 and 2.0 before `NaN`"))
        }
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        match self.take_while(|c| c.is_ascii_digit()) {
            "" => Err(self.error("a digit")),
            _ => Ok(()),
        }
    }

    /// Skips the point of a float. A point without a digit after it ends a fact.
    fn eat_point(&mut self) -> bool {
        let point = matches!(self.rest().as_bytes(), [b'.', b'0'..=b'9', ..]);
        point && self.eat(&['.'])
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn eat(&mut self, any_of: &[char]) -> bool {
        match self.peek() {
            Some(c) if any_of.contains(&c) => {
                self.at += c.len_utf8();
                true
            }
            _ => false,
        }
    }

    fn skip_blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = rest.find(|c| !accepts(c)).map_or(rest, |end| &rest[..end]);
        self.at += taken.len();
        taken
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the error that the next character was not expected.
    fn error(&self, expected: impl Into<String>) -> SyntaxError {
        SyntaxError::unexpected(self.text, self.at, expected)
    }

    /// Returns the error that the token from `start` to here was not expected.
    fn token_error(&self, start: usize, expected: &str) -> SyntaxError {
        let found = format!("`{}`", Excerpt(&self.text[start..self.at]));
        SyntaxError::at(self.text, start, found, expected)
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '\'' | '"')
}

#[cfg(test)]
mod tests;
