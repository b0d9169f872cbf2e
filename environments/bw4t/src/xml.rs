//! XML as the files of the original are: elements in elements, texts, and no attributes.
//!
//! A document is read one element of its root at a time, each with all that is in it. The errors name a line and an element.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use quick_xml::errors::{Error, IllFormedError};
use quick_xml::escape::{partial_escape, resolve_predefined_entity};
use quick_xml::events::{BytesRef, Event};
use quick_xml::reader::Reader;

/// How deeply elements may be nested; those of the original are four deep.
const DEEPEST: usize = 32;

/// What is wrong with a text, and where.
pub(crate) struct Flaw {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The element that it concerns, and its name if it has one: `<zones> RoomA1`.
    pub(crate) element: String,
    /// What is wrong with it.
    pub(crate) problem: String,
}

/// An element. Its attributes are left out.
pub(crate) struct Element {
    /// As its tags say it.
    pub(crate) name: String,
    /// The line of its opening tag, from 1.
    pub(crate) line: usize,
    /// The elements in it.
    children: Vec<Element>,
    /// All text between its tags that is not in a child.
    text: String,
}

/// A kind of documents.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// Such a thing, in one word: `map`.
    pub(crate) name: &'static str,
    /// The name of its root.
    pub(crate) root: &'static str,
}

/// A document as it is read: its root is open or closed.
pub(crate) struct Document<'a> {
    kind: Kind,
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The line that the reader has come to, and the offset up to which lines are counted.
    line: usize,
    counted: usize,
    /// The elements that are open, outermost first.
    open: Vec<Element>,
}

/// A document as it is written: two blanks a level, and a line for each value.
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Element {
    fn new(name: &str, line: usize) -> Self {
        Self { name: name.to_owned(), line, children: Vec::new(), text: String::new() }
    }

    /// The text in it without blanks around it.
    pub(crate) fn text(&self) -> &str {
        self.text.trim()
    }

    /// The child of this name, the last if there are several.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().rfind(|child| child.name == name)
    }

    /// The children of this name, in order.
    pub(crate) fn children(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Its text as a value of a type, which is said in words: `a number`.
    pub(crate) fn value<T: FromStr>(&self, expected: &str) -> Result<T, Flaw> {
        self.text().parse().map_err(|_| self.wrong(expected))
    }

    /// Its text as a truth value.
    pub(crate) fn truth_value(&self) -> Result<bool, Flaw> {
        self.one_of(&[("true", true), ("false", false), ("1", true), ("0", false)])
    }

    /// That of these values whose name its text is.
    pub(crate) fn one_of<T: Copy>(&self, values: &[(&str, T)]) -> Result<T, Flaw> {
        let found = values.iter().find(|(name, _)| *name == self.text());
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
            self.wrong(&format!("one of {}", names.join(", ")))
        })
    }

    /// Its text is not what is expected.
    pub(crate) fn wrong(&self, expected: &str) -> Flaw {
        let problem = format!("<{}> is `{}`, where {expected} should be", self.name, excerpt(self.text()));
        Flaw { line: self.line, element: label(&self.name, ""), problem }
    }
}

impl<'a> Document<'a> {
    /// Reads the opening tag of the root.
    pub(crate) fn begin(text: &'a str, kind: Kind) -> Result<Self, Flaw> {
        let Kind { name, root } = kind;
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().enable_all_checks(true);
        let mut document = Self { kind, text, reader, line: 1, counted: 0, open: Vec::new() };
        loop {
            match document.next_event()? {
                Event::Start(tag) if tag.name().into_inner() == root => {
                    document.open.push(Element::new(root, document.line));
                    return Ok(document);
                }
                Event::Start(tag) => {
                    let found = excerpt(tag.name().into_inner());
                    return Err(document.flaw(format!("the root is <{found}>, where a {name} has <{root}>")));
                }
                Event::Eof => return Err(document.flaw(format!("there is no <{root}>"))),
                _ => {}
            }
        }
    }

    /// Reads a document as a whole: its root with all that is in it.
    pub(crate) fn read(text: &'a str, kind: Kind) -> Result<Element, Flaw> {
        let mut document = Self::begin(text, kind)?;
        let mut root = Element::new(kind.root, document.line());
        while let Some(child) = document.next_element()? {
            root.children.push(child);
        }
        Ok(root)
    }

    /// The line of the root.
    pub(crate) fn line(&self) -> usize {
        self.open.first().map_or(self.line, |root| root.line)
    }

    /// The next element in the root, or none if the document ends.
    pub(crate) fn next_element(&mut self) -> Result<Option<Element>, Flaw> {
        loop {
            match self.next_event()? {
                Event::Start(_) if self.open.is_empty() => return Err(self.flaw("there is an element after its end")),
                Event::Start(_) if self.open.len() == DEEPEST => {
                    return Err(self.flaw(format!("there are more than {DEEPEST} elements in each other")));
                }
                Event::Start(tag) => self.open.push(Element::new(tag.name().into_inner(), self.line)),
                Event::End(_) => {
                    if let Some(element) = self.close() {
                        return Ok(Some(element));
                    }
                }
                Event::Text(text) => self.add_text(&text.xml10_content()),
                Event::CData(text) => self.add_text(&text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let text = self.resolve(&reference)?;
                    self.add_text(&text);
                }
                Event::Eof if self.open.is_empty() => return Ok(None),
                Event::Eof => return Err(self.flaw("the text ends before it does")),
                _ => {}
            }
        }
    }

    /// Closes the innermost element and gives it to its parent, or to the caller if that is the root.
    fn close(&mut self) -> Option<Element> {
        let element = self.open.pop();
        match self.open.as_mut_slice() {
            [] => None,
            [_] => element,
            [.., parent] => {
                parent.children.extend(element);
                None
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        if let Some(element) = self.open.last_mut() {
            element.text.push_str(text);
        }
    }

    fn resolve(&self, reference: &BytesRef<'_>) -> Result<Cow<'static, str>, Flaw> {
        if let Ok(Some(c)) = reference.resolve_char_ref() {
            return Ok(String::from(c).into());
        }
        let text = resolve_predefined_entity(reference).map(Cow::from);
        text.ok_or_else(|| self.flaw(format!("&{}; stands for nothing", excerpt(reference))))
    }

    fn next_event(&mut self) -> Result<Event<'a>, Flaw> {
        // The reader's own count leaves out a byte order mark.
        let offset = self.text.len() - self.reader.get_ref().len();
        self.line += self.text[self.counted..offset].matches('\n').count();
        self.counted = offset;
        match self.reader.read_event() {
            // They could make a short text a long one.
            Ok(Event::DocType(_)) => Err(self.flaw(format!("{}s have no document type", self.kind.name))),
            Ok(event) => Ok(event),
            Err(Error::IllFormed(IllFormedError::MismatchedEndTag { found, .. })) => {
                Err(self.flaw(format!("</{}> stands where it ends", excerpt(&found))))
            }
            Err(error) => Err(self.flaw(error.to_string())),
        }
    }

    /// Something is wrong where the reader has come to.
    fn flaw(&self, problem: impl Into<String>) -> Flaw {
        let element = self.open.last().map_or("the document".to_owned(), |element| label(&element.name, ""));
        Flaw { line: self.line, element, problem: problem.into() }
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
        self.line(&format!("<{name}>{}</{name}>", partial_escape(value.to_string())));
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
