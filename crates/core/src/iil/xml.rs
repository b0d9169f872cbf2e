//! XML, in the structure of the EIS paper, section 3.2: `<action name="skip"/>`.
//!
//! It has two blanks per level and a newline after every tag. Numbers look as in [`text`]. A text that XML 1.0 cannot
//! represent, because it contains control characters, stands in `quotedName` or `quotedValue`, in the quotes and
//! escapes of Prolog. So every document is well-formed and every text can be read back. Comments, processing
//! instructions and white space between elements are skipped; document types are refused.

use std::fmt::{self, Formatter, Write};
use std::slice;

use roxmltree::{Document, Error, Node, TextPos};

use super::text::{self, Excerpt, Quoted};
use super::{
    Action, DEEPEST, EcoString, Function, Numeral, PERCEPT_MARGIN, Parameter, Parameters, Percept, SyntaxError,
};

/// The attribute for a text, and the one for its quoted form.
type Keys = [&'static str; 2];

const NAME: Keys = ["name", "quotedName"];
const VALUE: Keys = ["value", "quotedValue"];

/// White space between elements.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

const PARAMETER: &str = "`<number>`, `<identifier>`, `<truthvalue>`, `<parameterList>` or `<function>`";

macro_rules! data_container {
    ($($Name:ident, $element:literal, $wrapper:literal, $depth:expr;)*) => {$(
        impl $Name {
            #[doc = concat!(
                "As an XML document: `<", $element, " name=\"..\">` around one `<", $wrapper, ">` a parameter.",
            )]
            pub fn to_xml(&self) -> String {
                let (name, parameters) = (&self.name, &self.parameters);
                fmt::from_fn(|f| write_container(f, 0, $element, Some(name), Some($wrapper), parameters))
                    .to_string()
            }

            /// Reads what [`to_xml`](Self::to_xml) prints, in any layout.
            ///
            /// # Errors
            /// Returns an error if the text is not well-formed, has other elements, attributes or text than these, or
            /// is nested too deeply (see [`MAX_DEPTH`](super::MAX_DEPTH)).
            pub fn from_xml(text: &str) -> Result<Self, SyntaxError> {
                let (name, parameters) = read(text, |root| root.expect($element)?.data_container($wrapper, $depth))?;
                Ok(Self { name, parameters })
            }
        }
    )*};
}

data_container! {
    Action, "action", "actionParameter", PERCEPT_MARGIN;
    Percept, "percept", "perceptParameter", 0;
}

impl Parameter {
    /// Returns an XML document: `<number value="2"/>`, `<identifier value=".."/>`, `<truthvalue value="true"/>`,
    /// `<parameterList>..</parameterList>` or `<function name="..">..</function>`.
    pub fn to_xml(&self) -> String {
        fmt::from_fn(|f| write_parameter(f, 0, self)).to_string()
    }

    /// Reads what [`to_xml`](Self::to_xml) prints, in any layout.
    ///
    /// # Errors
    /// Returns an error if the text is not well-formed, has other elements, attributes or text than these, or is
    /// nested too deeply (see [`MAX_DEPTH`](super::MAX_DEPTH)).
    pub fn from_xml(text: &str) -> Result<Self, SyntaxError> {
        read(text, |root| root.parameter(PERCEPT_MARGIN))
    }
}

fn write_parameter(f: &mut Formatter<'_>, depth: usize, parameter: &Parameter) -> fmt::Result {
    let indent = 2 * depth;
    match parameter {
        Parameter::Identifier(value) => {
            write!(f, "{:indent$}<identifier", "")?;
            write_attribute(f, VALUE, value)?;
            f.write_str("/>\n")
        }
        Parameter::Numeral(value) => writeln!(f, "{:indent$}<number value=\"{value}\"/>", ""),
        Parameter::TruthValue(value) => {
            writeln!(f, "{:indent$}<truthvalue value=\"{value}\"/>", "")
        }
        Parameter::List(items) => write_container(f, depth, "parameterList", None, None, items),
        Parameter::Function(function) => {
            write_container(f, depth, "function", Some(&function.name), None, &function.parameters)
        }
    }
}

/// Writes an element around parameters, each in its own `wrapper` if there is one.
fn write_container(
    f: &mut Formatter<'_>,
    depth: usize,
    element: &str,
    name: Option<&str>,
    wrapper: Option<&str>,
    parameters: &[Parameter],
) -> fmt::Result {
    let indent = 2 * depth;
    write!(f, "{:indent$}<{element}", "")?;
    if let Some(name) = name {
        write_attribute(f, NAME, name)?;
    }
    if parameters.is_empty() {
        return f.write_str("/>\n");
    }
    f.write_str(">\n")?;
    for parameter in parameters {
        match wrapper {
            None => write_parameter(f, depth + 1, parameter)?,
            Some(wrapper) => {
                write_container(f, depth + 1, wrapper, None, None, slice::from_ref(parameter))?;
            }
        }
    }
    writeln!(f, "{:indent$}</{element}>", "")
}

fn write_attribute(f: &mut Formatter<'_>, [plain, quoted]: Keys, text: &str) -> fmt::Result {
    if text.chars().all(is_xml) {
        write!(f, " {plain}=\"")?;
        Escaper(f).write_str(text)?;
    } else {
        write!(f, " {quoted}=\"")?;
        write!(Escaper(f), "{}", Quoted(text))?;
    }
    f.write_char('"')
}

/// Escapes text for an attribute, in which a reader would turn white space into blanks.
struct Escaper<'a, 'b>(&'a mut Formatter<'b>);

impl Write for Escaper<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| match c {
            '<' => self.0.write_str("&lt;"),
            '>' => self.0.write_str("&gt;"),
            '&' => self.0.write_str("&amp;"),
            '"' => self.0.write_str("&quot;"),
            '\t' | '\n' | '\r' => write!(self.0, "&#{};", u32::from(c)),
            c => self.0.write_char(c),
        })
    }
}

/// The characters of XML 1.0 (production `Char`).
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Reads the element that a document is.
fn read<T>(text: &str, root: impl FnOnce(Element<'_>) -> Result<T, SyntaxError>) -> Result<T, SyntaxError> {
    let document = Document::parse(text).map_err(|error| ill_formed(text, &error))?;
    root(Element(document.root_element()))
}

/// An element of a document.
#[derive(Clone, Copy)]
struct Element<'a>(Node<'a, 'a>);

impl<'a> Element<'a> {
    fn name(self) -> &'a str {
        self.0.tag_name().name()
    }

    fn data_container(self, wrapper: &str, depth: usize) -> Result<(EcoString, Parameters), SyntaxError> {
        let name = self.any_text(NAME)?;
        let parameters = self.children().map(|wrapping| {
            let wrapping = wrapping?.expect(wrapper)?;
            wrapping.attribute(&[])?;
            match wrapping.children().collect::<Result<Vec<_>, _>>()?[..] {
                [] => Err(wrapping.unexpected(PARAMETER)),
                [parameter] => parameter.parameter(depth),
                [_, second, ..] => Err(second.unexpected(&format!("`</{wrapper}>`"))),
            }
        });
        Ok((name, parameters.collect::<Result<_, _>>()?))
    }

    /// Returns the parameter of the element, at this depth of lists and functions.
    fn parameter(self, depth: usize) -> Result<Parameter, SyntaxError> {
        let parameter = match self.name() {
            "identifier" => Parameter::Identifier(self.any_text(VALUE)?),
            "number" => Parameter::Numeral(self.number()?),
            "truthvalue" => Parameter::TruthValue(self.truth_value()?),
            "parameterList" => {
                self.attribute(&[])?;
                return self.parameters(depth + 1).map(Parameter::from);
            }
            "function" => {
                let name = self.any_text(NAME)?;
                let parameters = self.parameters(depth + 1)?;
                return Ok(Function { name, parameters }.into());
            }
            _ => return Err(self.unexpected(PARAMETER)),
        };
        match self.children().next() {
            None => Ok(parameter),
            Some(child) => Err(child?.unexpected(&format!("`</{}>`", self.name()))),
        }
    }

    fn parameters(self, depth: usize) -> Result<Parameters, SyntaxError> {
        if depth > DEEPEST {
            return Err(self.unexpected(&text::shallower()));
        }
        self.children().map(|child| child?.parameter(depth)).collect()
    }

    fn number(self) -> Result<Numeral, SyntaxError> {
        let (_, value) = self.attribute_value(&VALUE[..1])?;
        text::numeral(value).map_err(|error| self.inside(error))
    }

    fn truth_value(self) -> Result<bool, SyntaxError> {
        let (_, value) = self.attribute_value(&VALUE[..1])?;
        value.parse().map_err(|_| self.error(format!("`{}`", Excerpt(value)), "`true` or `false`"))
    }

    /// Returns the text in an attribute, plain or quoted.
    fn any_text(self, keys: Keys) -> Result<EcoString, SyntaxError> {
        let (key, value) = self.attribute_value(&keys)?;
        if key == keys[0] { Ok(value.into()) } else { text::name(value).map_err(|error| self.inside(error)) }
    }

    fn attribute_value(self, keys: &[&str]) -> Result<(&'a str, &'a str), SyntaxError> {
        self.attribute(keys)?.ok_or_else(|| self.unexpected(&one_of(keys)))
    }

    /// Returns the key and the value of the only attribute, which must have one of these keys.
    fn attribute(self, keys: &[&str]) -> Result<Option<(&'a str, &'a str)>, SyntaxError> {
        let mut only = None;
        for attribute in self.0.attributes() {
            let key = attribute.name();
            if only.is_some() || !keys.contains(&key) {
                return Err(self.error(format!("attribute `{}`", Excerpt(key)), one_of(keys)));
            }
            only = Some((key, attribute.value()));
        }
        Ok(only)
    }

    fn expect(self, name: &str) -> Result<Self, SyntaxError> {
        if self.name() == name { Ok(self) } else { Err(self.unexpected(&format!("`<{name}>`"))) }
    }

    /// Returns the child elements. Text between them is an error.
    fn children(self) -> impl Iterator<Item = Result<Element<'a>, SyntaxError>> {
        self.0.children().filter_map(|node| {
            if node.is_element() {
                return Some(Ok(Element(node)));
            }
            let blank = !node.is_text() || node.text().is_some_and(|text| text.trim_matches(BLANKS).is_empty());
            let (text, place) = (node.document().input_text(), node.range());
            let start = place.end - text[place].trim_start_matches(BLANKS).len();
            (!blank).then(|| Err(SyntaxError::unexpected(text, start, "a tag")))
        })
    }

    fn unexpected(self, expected: &str) -> SyntaxError {
        self.error(format!("`<{}>`", Excerpt(self.name())), expected)
    }

    /// Moves an error inside the value of an attribute, which has its own lines and columns.
    fn inside(self, error: SyntaxError) -> SyntaxError {
        self.error(error.found, error.expected)
    }

    fn error(self, found: impl Into<String>, expected: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.0.document().input_text(), self.0.range().start, found, expected)
    }
}

/// Returns the error for a text that is not an XML document.
fn ill_formed(text: &str, error: &Error) -> SyntaxError {
    match error {
        Error::NoRootNode if !text.contains('<') => SyntaxError::unexpected(text, text.len(), "an element"),
        Error::NoRootNode | Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            SyntaxError::unexpected(text, text.len(), "the rest of an element")
        }
        Error::UnknownToken(place) | Error::UnexpectedDeclaration(place) => {
            SyntaxError::unexpected(text, offset_of(text, *place), "a tag")
        }
        Error::UnexpectedCloseTag(expected, found, place) => {
            let (found, expected) = (format!("`</{}>`", Excerpt(found)), format!("`</{}>`", Excerpt(expected)));
            SyntaxError::at(text, offset_of(text, *place), found, expected)
        }
        Error::DtdDetected => {
            let offset = text.find("<!DOCTYPE").unwrap_or_default();
            SyntaxError::at(text, offset, "a document type", "an element")
        }
        error => {
            let place = error.pos();
            let found = error.to_string().replace(&format!(" at {place}"), "");
            SyntaxError::at(text, offset_of(text, place), found, "well-formed XML")
        }
    }
}

/// Returns the byte offset of a position.
fn offset_of(text: &str, place: TextPos) -> usize {
    let before: usize = text.split_inclusive('\n').take(place.row as usize - 1).map(str::len).sum();
    let line = &text[before..];
    before + line.char_indices().nth(place.col as usize - 1).map_or(line.len(), |(offset, _)| offset)
}

/// Lists the possible attributes.
fn one_of(keys: &[&str]) -> String {
    match keys {
        [] => "no attribute".to_owned(),
        [key] => format!("one attribute, `{key}`"),
        keys => format!("one attribute, `{}`", keys.join("` or `")),
    }
}

#[cfg(test)]
mod tests;
