//! XML as in the files of the original: nested elements, texts, and no attributes. Errors name a line and an element.

use std::fmt::Display;
use std::str::FromStr;

use roxmltree::{Document, Error, Node};
use situated::document::{Examination, Finding, Severity};

/// The reason why a text is no map or no team, or an environment cannot begin with one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{part}: {problem}", .line.map_or_else(String::new, |line| format!("line {line}, ")))]
pub struct FileError {
    /// The line of the problem in the text, from 1; `None` if there is no text.
    pub line: Option<usize>,
    /// The faulty part, and its name if it has one: `<zones> RoomA1`, `[[bots]] Big`.
    pub part: String,
    /// The problem.
    pub problem: String,
}

impl From<FileError> for Examination {
    fn from(FileError { line, part, problem }: FileError) -> Self {
        let (severity, path) = (Severity::Error, String::new());
        Examination::new(vec![Finding { severity, line, place: part, path, text: problem }], Vec::new())
    }
}

/// An element, without its attributes.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a>(Node<'a, 'a>);

/// A kind of documents.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// The noun for such a document: `map`.
    pub(crate) name: &'static str,
    /// The name of its root.
    pub(crate) root: &'static str,
}

/// A document that is being written, indented by two blanks per level, with a line for each value.
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

/// Reads the root of a document of this kind.
pub(crate) fn read<T>(
    text: &str,
    kind: Kind,
    read: impl FnOnce(Element<'_>) -> Result<T, FileError>,
) -> Result<T, FileError> {
    let document = Document::parse(text).map_err(|error| ill_formed(text, kind, &error))?;
    let root = Element(document.root_element());
    if root.name() != kind.root {
        let problem = format!("the root is <{}>, but a {} has <{}>", excerpt(root.name()), kind.name, kind.root);
        return Err(FileError { line: Some(root.line()), part: DOCUMENT.to_owned(), problem });
    }
    read(root)
}

/// The place of errors that concern no element.
const DOCUMENT: &str = "the document";

/// Returns the error for a text that is not a document.
fn ill_formed(text: &str, kind: Kind, error: &Error) -> FileError {
    let line_at = |offset: usize| text[..offset].matches('\n').count() + 1;
    let (line, element, problem) = match error {
        Error::NoRootNode => (line_at(text.len()), None, format!("there is no <{}>", kind.root)),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            (line_at(text.len()), Some(kind.root), "the text ends before it does".to_owned())
        }
        // Document types could expand a short text to a long one.
        Error::DtdDetected => {
            let line = line_at(text.find("<!DOCTYPE").unwrap_or_default());
            (line, None, format!("{}s have no document type", kind.name))
        }
        Error::UnexpectedCloseTag(open, found, place) => {
            (place.row as usize, Some(open.as_str()), format!("it ends with </{}>", excerpt(found)))
        }
        error => {
            let place = error.pos();
            (place.row as usize, None, excerpt(&error.to_string().replace(&format!(" at {place}"), "")))
        }
    };
    let part = element.map_or(DOCUMENT.to_owned(), |element| label(element, ""));
    FileError { line: Some(line), part, problem }
}

impl<'a> Element<'a> {
    /// Returns its name.
    pub(crate) fn name(self) -> &'a str {
        self.0.tag_name().name()
    }

    /// Returns the line of its opening tag, from 1. Takes time linear in the text before it.
    pub(crate) fn line(self) -> usize {
        self.0.document().text_pos_at(self.0.range().start).row as usize
    }

    /// Returns all its text outside of children, without blanks around it.
    pub(crate) fn text(self) -> String {
        let texts = self.0.children().filter(Node::is_text).filter_map(|node| node.text());
        texts.collect::<String>().trim().to_owned()
    }

    /// Returns its children.
    pub(crate) fn elements(self) -> impl DoubleEndedIterator<Item = Element<'a>> {
        self.0.children().filter(Node::is_element).map(Element)
    }

    /// Returns the child with this name; the last one if there are several.
    pub(crate) fn child(self, name: &str) -> Option<Element<'a>> {
        self.elements().rfind(|child| child.name() == name)
    }

    /// Returns the children with this name, in order.
    pub(crate) fn children(self, name: &str) -> impl Iterator<Item = Element<'a>> {
        self.elements().filter(move |child| child.name() == name)
    }

    /// Parses its text as a value of a type; `expected` describes the type: `a number`.
    pub(crate) fn value<T: FromStr>(self, expected: &str) -> Result<T, FileError> {
        self.text().parse().map_err(|_| self.wrong(expected))
    }

    /// Parses its text as a truth value.
    pub(crate) fn truth_value(self) -> Result<bool, FileError> {
        self.one_of(&[("true", true), ("false", false), ("1", true), ("0", false)])
    }

    /// Returns the value whose name is its text.
    pub(crate) fn one_of<T: Copy>(self, values: &[(&str, T)]) -> Result<T, FileError> {
        let found = values.iter().find(|(name, _)| *name == self.text());
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
            self.wrong(&format!("one of {}", names.join(", ")))
        })
    }

    /// Returns the error for a text of another type.
    pub(crate) fn wrong(self, expected: &str) -> FileError {
        self.flaw(format!("<{}> is `{}`, expected {expected}", self.name(), excerpt(&self.text())))
    }

    /// Returns the error for a problem with this element.
    pub(crate) fn flaw(self, problem: String) -> FileError {
        FileError { line: Some(self.line()), part: label(self.name(), ""), problem }
    }
}

impl Writer {
    /// Writes a document with this root and content.
    pub(crate) fn write(root: &str, content: impl FnOnce(&mut Self)) -> String {
        let mut writer = Self { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), depth: 0 };
        writer.element(root, content);
        writer.text
    }

    /// Writes an element with this content.
    pub(crate) fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.line(&format!("<{name}>"));
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    /// Writes an element with a text.
    pub(crate) fn value(&mut self, name: &str, value: impl Display) {
        let text = value.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.line(&format!("<{name}>{text}</{name}>"));
    }

    fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// Returns the reason why a text cannot be written in a file, or would be ambiguous for readers.
pub(crate) fn fault_of_text(text: &str, longest: usize) -> Option<String> {
    // XML cannot express these two, nor most control characters.
    let unwritable = |c: char| c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    if text.chars().count() > longest {
        Some(format!("has more than {longest} characters"))
    } else if text.contains(unwritable) || text.trim() != text {
        Some("has a control character, or a blank at an end".to_owned())
    } else {
        None
    }
}

/// Returns an element of a file, with its name if it has one: `<zones> RoomA1`.
pub(crate) fn label(element: &str, name: &str) -> String {
    let blank = if name.is_empty() { "" } else { " " };
    format!("<{}>{blank}{}", excerpt(element), excerpt(name))
}

/// Returns a text from outside for an error: the beginning of its first line.
pub(crate) fn excerpt(text: &str) -> String {
    let shown = text.char_indices().find(|&(index, c)| c.is_control() || index > 60);
    match shown {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
