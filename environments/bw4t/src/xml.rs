//! XML as the files of the original are: elements in elements, texts, and no attributes. Errors name a line and an
//! element.

use std::fmt::Display;
use std::str::FromStr;

use roxmltree::{Document, Error, Node};

/// A problem of a text, and its place.
pub(crate) struct Flaw {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The element that it concerns, and its name if it has one: `<zones> RoomA1`.
    pub(crate) element: String,
    /// The problem.
    pub(crate) problem: String,
}

/// An element. Its attributes are left out.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a>(Node<'a, 'a>);

/// A kind of documents.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// Such a thing, in one word: `map`.
    pub(crate) name: &'static str,
    /// The name of its root.
    pub(crate) root: &'static str,
}

/// A document as it is written: two blanks a level, and a line for each value.
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

/// Reads the root of a document of this kind.
pub(crate) fn read<T, E: From<Flaw>>(
    text: &str,
    kind: Kind,
    read: impl FnOnce(Element<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let document = Document::parse(text).map_err(|error| ill_formed(text, kind, &error))?;
    let root = Element(document.root_element());
    if root.name() != kind.root {
        let problem = format!("the root is <{}>, where a {} has <{}>", excerpt(root.name()), kind.name, kind.root);
        return Err(Flaw { line: root.line(), element: DOCUMENT.to_owned(), problem }.into());
    }
    read(root)
}

/// What concerns no element.
const DOCUMENT: &str = "the document";

/// Why a text is no document.
fn ill_formed(text: &str, kind: Kind, error: &Error) -> Flaw {
    let line_at = |offset: usize| text[..offset].matches('\n').count() + 1;
    let (line, element, problem) = match error {
        Error::NoRootNode => (line_at(text.len()), None, format!("there is no <{}>", kind.root)),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            (line_at(text.len()), Some(kind.root), "the text ends before it does".to_owned())
        }
        // They could make a short text a long one.
        Error::DtdDetected => {
            let line = line_at(text.find("<!DOCTYPE").unwrap_or_default());
            (line, None, format!("{}s have no document type", kind.name))
        }
        Error::UnexpectedCloseTag(open, found, place) => {
            (place.row as usize, Some(open.as_str()), format!("</{}> stands where it ends", excerpt(found)))
        }
        error => {
            let place = error.pos();
            (place.row as usize, None, excerpt(&error.to_string().replace(&format!(" at {place}"), "")))
        }
    };
    Flaw { line, element: element.map_or(DOCUMENT.to_owned(), |element| label(element, "")), problem }
}

impl<'a> Element<'a> {
    /// As its tags say it.
    pub(crate) fn name(self) -> &'a str {
        self.0.tag_name().name()
    }

    /// The line of its opening tag, from 1, which takes time for the text before it.
    pub(crate) fn line(self) -> usize {
        self.0.document().text_pos_at(self.0.range().start).row as usize
    }

    /// All text between its tags that is not in a child, without blanks around it.
    pub(crate) fn text(self) -> String {
        let texts = self.0.children().filter(Node::is_text).filter_map(|node| node.text());
        texts.collect::<String>().trim().to_owned()
    }

    /// The elements in it.
    pub(crate) fn elements(self) -> impl DoubleEndedIterator<Item = Element<'a>> {
        self.0.children().filter(Node::is_element).map(Element)
    }

    /// The child of this name, the last if there are several.
    pub(crate) fn child(self, name: &str) -> Option<Element<'a>> {
        self.elements().rfind(|child| child.name() == name)
    }

    /// The children of this name, in order.
    pub(crate) fn children(self, name: &str) -> impl Iterator<Item = Element<'a>> {
        self.elements().filter(move |child| child.name() == name)
    }

    /// Its text as a value of a type, which is said in words: `a number`.
    pub(crate) fn value<T: FromStr>(self, expected: &str) -> Result<T, Flaw> {
        self.text().parse().map_err(|_| self.wrong(expected))
    }

    /// Its text as a truth value.
    pub(crate) fn truth_value(self) -> Result<bool, Flaw> {
        self.one_of(&[("true", true), ("false", false), ("1", true), ("0", false)])
    }

    /// That of these values whose name its text is.
    pub(crate) fn one_of<T: Copy>(self, values: &[(&str, T)]) -> Result<T, Flaw> {
        let found = values.iter().find(|(name, _)| *name == self.text());
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
            self.wrong(&format!("one of {}", names.join(", ")))
        })
    }

    /// Its text is not what is expected.
    pub(crate) fn wrong(self, expected: &str) -> Flaw {
        self.flaw(format!("<{}> is `{}`, where {expected} should be", self.name(), excerpt(&self.text())))
    }

    /// Something is wrong with it.
    pub(crate) fn flaw(self, problem: String) -> Flaw {
        Flaw { line: self.line(), element: label(self.name(), ""), problem }
    }
}

impl Writer {
    /// The document with this root, and what is written in it.
    pub(crate) fn write(root: &str, content: impl FnOnce(&mut Self)) -> String {
        let mut writer = Self { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), depth: 0 };
        writer.element(root, content);
        writer.text
    }

    /// An element, and what is written in it.
    pub(crate) fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.line(&format!("<{name}>"));
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    /// An element with a text.
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

/// Why a text cannot stand in a file, or be told apart from others by those who read it.
pub(crate) fn fault_of_text(text: &str, longest: usize) -> Option<String> {
    // XML has no way to write these two, and none for most control characters.
    let unwritable = |c: char| c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    if text.chars().count() > longest {
        Some(format!("has more than {longest} characters"))
    } else if text.contains(unwritable) || text.trim() != text {
        Some("has a control character, or a blank at an end".to_owned())
    } else {
        None
    }
}

/// An element of a file, and its name if it has one: `<zones> RoomA1`.
pub(crate) fn label(element: &str, name: &str) -> String {
    let blank = if name.is_empty() { "" } else { " " };
    format!("<{}>{blank}{}", excerpt(element), excerpt(name))
}

/// A text that may come from anybody, in an error: its first line, and not too much of it.
pub(crate) fn excerpt(text: &str) -> String {
    let shown = text.char_indices().find(|&(index, c)| c.is_control() || index > 60);
    match shown {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
