//! XML, in the structure of the EIS paper, section 3.2: `<action name="skip"/>`.
//!
//! Two blanks a level, a newline after every tag. Numbers have the form that they have in [`text`]. A text that
//! XML 1.0 cannot hold, since it contains control characters, stands in `quotedName` or `quotedValue`, in the
//! quotes and escapes of Prolog, so that every document is well-formed and every text comes back. Comments,
//! processing instructions and white space between elements are passed over; document types are refused.

use std::borrow::Cow;
use std::fmt::{self, Formatter, Write};
use std::slice;

use quick_xml::XmlVersion;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::text::{self, Excerpt, Quoted};
use super::{Action, DEEPEST, EcoString, Function, Numeral, PERCEPT_MARGIN, Parameter, Percept, SyntaxError};

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
            #[doc = concat!("As an XML document: `<", $element, " name=\"..\">` around one `<", $wrapper, ">` a parameter.")]
            pub fn to_xml(&self) -> String {
                let (name, parameters) = (&self.name, &self.parameters);
                fmt::from_fn(|f| write_container(f, 0, $element, Some(name), Some($wrapper), parameters))
                    .to_string()
            }

            /// Reads what [`to_xml`](Self::to_xml) prints, in any layout.
            ///
            /// # Errors
            /// Where the text is not well-formed, has other elements, attributes or text than these, or is
            /// nested too deeply (see [`MAX_DEPTH`](super::MAX_DEPTH)).
            pub fn from_xml(text: &str) -> Result<Self, SyntaxError> {
                let (name, parameters) = read(text, |document, root| {
                    document.expect(&root, $element)?;
                    document.data_container(&root, $wrapper, $depth)
                })?;
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
    /// As an XML document: `<number value="2"/>`, `<identifier value=".."/>`, `<truthvalue value="true"/>`,
    /// `<parameterList>..</parameterList>` or `<function name="..">..</function>`.
    pub fn to_xml(&self) -> String {
        fmt::from_fn(|f| write_parameter(f, 0, self)).to_string()
    }

    /// Reads what [`to_xml`](Self::to_xml) prints, in any layout.
    ///
    /// # Errors
    /// Where the text is not well-formed, has other elements, attributes or text than these, or is nested too
    /// deeply (see [`MAX_DEPTH`](super::MAX_DEPTH)).
    pub fn from_xml(text: &str) -> Result<Self, SyntaxError> {
        read(text, |document, root| document.parameter(&root, PERCEPT_MARGIN))
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
        Parameter::Function(Function { name, parameters }) => {
            write_container(f, depth, "function", Some(name), None, parameters)
        }
    }
}

/// Writes an element around parameters, each in a `wrapper` of its own if there is one.
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

/// Escapes what is written for the value of an attribute, where a reader would turn white space into blanks.
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

fn read<T>(
    text: &str,
    root: impl FnOnce(&mut Document<'_>, Tag<'_>) -> Result<T, SyntaxError>,
) -> Result<T, SyntaxError> {
    let mut document = Document::new(text);
    let value = match document.next()? {
        Node::Open(tag) => root(&mut document, tag)?,
        Node::Close | Node::End => return Err(document.unexpected_end("an element")),
    };
    match document.next()? {
        Node::Open(tag) => Err(document.unexpected(&tag, "end of text")),
        Node::Close | Node::End => Ok(value),
    }
}

/// A document as it is read.
struct Document<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
}

/// What a document consists of.
enum Node<'a> {
    Open(Tag<'a>),
    /// The end of the element that was opened last: quick-xml compares the names.
    Close,
    End,
}

/// The opening tag of an element.
struct Tag<'a> {
    /// The byte offset of its `<`.
    start: usize,
    content: BytesStart<'a>,
}

impl Tag<'_> {
    fn name(&self) -> &str {
        self.content.name().into_inner()
    }
}

impl<'a> Document<'a> {
    fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().enable_all_checks(true);
        Self { text, reader }
    }

    fn data_container(
        &mut self,
        tag: &Tag<'_>,
        wrapper: &str,
        depth: usize,
    ) -> Result<(EcoString, Vec<Parameter>), SyntaxError> {
        let name = self.any_text(tag, NAME)?;
        let mut parameters = Vec::new();
        while let Some(wrapping) = self.child(tag)? {
            self.expect(&wrapping, wrapper)?;
            self.attribute(&wrapping, &[])?;
            match self.child(&wrapping)? {
                Some(child) => parameters.push(self.parameter(&child, depth)?),
                None => return Err(self.unexpected(&wrapping, PARAMETER)),
            }
            self.close(&wrapping)?;
        }
        Ok((name, parameters))
    }

    /// The parameter that a tag opens, inside as many lists and functions as `depth` says.
    fn parameter(&mut self, tag: &Tag<'_>, depth: usize) -> Result<Parameter, SyntaxError> {
        let parameter = match tag.name() {
            "identifier" => Parameter::Identifier(self.any_text(tag, VALUE)?),
            "number" => Parameter::Numeral(self.number(tag)?),
            "truthvalue" => Parameter::TruthValue(self.truth_value(tag)?),
            "parameterList" => {
                self.attribute(tag, &[])?;
                return self.parameters(tag, depth + 1).map(Parameter::List);
            }
            "function" => {
                let name = self.any_text(tag, NAME)?;
                let parameters = self.parameters(tag, depth + 1)?;
                return Ok(Parameter::Function(Function { name, parameters }));
            }
            _ => return Err(self.unexpected(tag, PARAMETER)),
        };
        self.close(tag)?;
        Ok(parameter)
    }

    fn parameters(&mut self, tag: &Tag<'_>, depth: usize) -> Result<Vec<Parameter>, SyntaxError> {
        if depth > DEEPEST {
            return Err(self.unexpected(tag, &text::shallower()));
        }
        let mut parameters = Vec::new();
        while let Some(child) = self.child(tag)? {
            parameters.push(self.parameter(&child, depth)?);
        }
        Ok(parameters)
    }

    fn number(&self, tag: &Tag<'_>) -> Result<Numeral, SyntaxError> {
        let (_, value) = self.attribute_value(tag, &VALUE[..1])?;
        text::numeral(&value).map_err(|error| self.inside(tag, error))
    }

    fn truth_value(&self, tag: &Tag<'_>) -> Result<bool, SyntaxError> {
        let (_, value) = self.attribute_value(tag, &VALUE[..1])?;
        let found = || format!("`{}`", Excerpt(&value));
        value.parse().map_err(|_| self.error(tag.start, found(), "`true` or `false`"))
    }

    /// The text in an attribute, plain or quoted.
    fn any_text(&self, tag: &Tag<'_>, keys: Keys) -> Result<EcoString, SyntaxError> {
        let (key, value) = self.attribute_value(tag, &keys)?;
        if key == keys[0] { Ok(value.into()) } else { text::name(&value).map_err(|error| self.inside(tag, error)) }
    }

    fn attribute_value<'t>(&self, tag: &'t Tag<'_>, keys: &[&str]) -> Result<(&'t str, Cow<'t, str>), SyntaxError> {
        let Some(attribute) = self.attribute(tag, keys)? else {
            return Err(self.unexpected(tag, &one_of(keys)));
        };
        let raw = &attribute.value;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok();
        match value.filter(|value| value.chars().all(is_xml) && !raw.contains('<')) {
            Some(value) => Ok((attribute.key.into_inner(), value)),
            None => Err(self.error(
                tag.start,
                format!("`{}`", Excerpt(raw)),
                "characters and references of XML 1.0 without document type",
            )),
        }
    }

    /// The attribute of a tag, which must be the only one, under one of these keys.
    fn attribute<'t>(&self, tag: &'t Tag<'_>, keys: &[&str]) -> Result<Option<Attribute<'t>>, SyntaxError> {
        let mut only = None;
        for attribute in tag.content.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.bad_attribute(tag, &error))?;
            let key = attribute.key.into_inner();
            if only.is_some() || !keys.contains(&key) {
                let found = format!("attribute `{}`", Excerpt(key));
                return Err(self.error(tag.start, found, one_of(keys)));
            }
            only = Some(attribute);
        }
        Ok(only)
    }

    fn expect(&self, tag: &Tag<'_>, name: &str) -> Result<(), SyntaxError> {
        if tag.name() == name { Ok(()) } else { Err(self.unexpected(tag, &format!("`<{name}>`"))) }
    }

    /// Passes over the end of an element that has no content.
    fn close(&mut self, tag: &Tag<'_>) -> Result<(), SyntaxError> {
        match self.child(tag)? {
            None => Ok(()),
            Some(child) => Err(self.unexpected(&child, &format!("`</{}>`", tag.name()))),
        }
    }

    /// The next element in one that is open, or none if that ends.
    fn child(&mut self, parent: &Tag<'_>) -> Result<Option<Tag<'a>>, SyntaxError> {
        match self.next()? {
            Node::Open(tag) => Ok(Some(tag)),
            Node::Close => Ok(None),
            Node::End => Err(self.unexpected_end(&format!("`</{}>`", Excerpt(parent.name())))),
        }
    }

    fn next(&mut self) -> Result<Node<'a>, SyntaxError> {
        loop {
            let start = self.offset();
            let event = self.reader.read_event().map_err(|error| self.ill_formed(start, &error))?;
            match event {
                Event::Start(content) => return Ok(Node::Open(Tag { start, content })),
                Event::End(_) => return Ok(Node::Close),
                Event::Eof => return Ok(Node::End),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Decl(_) if start == 0 => {}
                Event::Text(content) => {
                    let rest = content.trim_start_matches(BLANKS);
                    if !rest.is_empty() {
                        let start = self.offset() - rest.len();
                        return Err(SyntaxError::unexpected(self.text, start, "a tag"));
                    }
                }
                Event::DocType(_) => {
                    return Err(self.error(start, "a document type", "an element"));
                }
                _ => return Err(SyntaxError::unexpected(self.text, start, "a tag")),
            }
        }
    }

    /// How much of the text has been read; the reader's own count leaves out a byte order mark.
    fn offset(&self) -> usize {
        self.text.len() - self.reader.get_ref().len()
    }

    fn unexpected(&self, tag: &Tag<'_>, expected: &str) -> SyntaxError {
        self.error(tag.start, format!("`<{}>`", Excerpt(tag.name())), expected)
    }

    fn unexpected_end(&self, expected: &str) -> SyntaxError {
        SyntaxError::unexpected(self.text, self.text.len(), expected)
    }

    /// An error in the value of an attribute, which has lines and columns of its own.
    fn inside(&self, tag: &Tag<'_>, error: SyntaxError) -> SyntaxError {
        self.error(tag.start, error.found, error.expected)
    }

    fn bad_attribute(&self, tag: &Tag<'_>, error: &AttrError) -> SyntaxError {
        let (AttrError::ExpectedEq(offset)
        | AttrError::ExpectedValue(offset)
        | AttrError::UnquotedValue(offset)
        | AttrError::ExpectedQuote(offset, _)
        | AttrError::Duplicated(offset, _)) = error;
        let offset = tag.start + "<".len() + offset;
        SyntaxError::unexpected(self.text, offset, "an attribute such as `value=\"2\"`")
    }

    fn ill_formed(&self, start: usize, error: &Error) -> SyntaxError {
        match error {
            Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                let (found, expected) = (Excerpt(found), Excerpt(expected));
                self.error(start, format!("`</{found}>`"), format!("`</{expected}>`"))
            }
            Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                self.error(start, format!("`</{}>`", Excerpt(found)), "end of text")
            }
            error => self.error(start, error.to_string(), "well-formed XML"),
        }
    }

    fn error(&self, offset: usize, found: impl Into<String>, expected: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.text, offset, found, expected)
    }
}

/// Which attributes could have stood there.
fn one_of(keys: &[&str]) -> String {
    match keys {
        [] => "no attribute".to_owned(),
        [key] => format!("one attribute, `{key}`"),
        keys => format!("one attribute, `{}`", keys.join("` or `")),
    }
}

#[cfg(test)]
mod tests;
