//! Documents as they are read: elements, their attributes and texts. Comments, processing instructions and blanks
//! between elements are passed over; document types are refused, and nothing that a document refers to is opened.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use super::characters::{BLANKS, foreign_character, is_xml};
use super::{DecodeError, Reason, Repair, RepairKind};
use crate::{NotATime, Time};

/// A document of which some has been read.
pub(crate) struct Document<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// What was mended so far, if anything may be.
    repairs: Option<Vec<Repair>>,
}

/// The beginning of an element.
pub(crate) struct Tag<'a> {
    /// Offset of its `<`.
    pub(crate) at: usize,
    content: BytesStart<'a>,
}

impl Tag<'_> {
    pub(crate) fn name(&self) -> &str {
        self.content.name().into_inner()
    }

    /// An error that has to do with this element.
    #[cold]
    pub(crate) fn error(&self, reason: impl Into<Reason>) -> DecodeError {
        DecodeError { at: self.at, reason: reason.into() }
    }

    /// That this element should not stand here.
    #[cold]
    pub(crate) fn unexpected(&self, expected: &'static str) -> DecodeError {
        self.error(Reason::Element { found: self.name().into(), expected })
    }

    /// That this element lacks something.
    #[cold]
    pub(crate) fn lacks(&self, what: &'static str) -> DecodeError {
        self.error(Reason::Missing { element: self.name().into(), what })
    }
}

impl<'a> Document<'a> {
    /// A document that must keep to the standard.
    pub(crate) fn strict(data: &'a [u8]) -> Result<Self, DecodeError> {
        let text = std::str::from_utf8(data)
            .map_err(|error| DecodeError { at: error.valid_up_to(), reason: Reason::NotUtf8 })?;
        if let Some((at, character)) = foreign_character(text) {
            return Err(DecodeError { at, reason: Reason::Character(character) });
        }
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Ok(Self { text, reader, repairs: None })
    }

    /// A document in which something may be mended.
    pub(crate) fn lenient(data: &'a [u8]) -> Result<Self, DecodeError> {
        Ok(Self { repairs: Some(Vec::new()), ..Self::strict(data)? })
    }

    /// What was mended.
    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.repairs.unwrap_or_default()
    }

    /// The element that the whole document is.
    pub(crate) fn root(&mut self, name: &'static str) -> Result<Tag<'a>, DecodeError> {
        match self.element(None)? {
            Some(tag) if tag.name() == name => Ok(tag),
            Some(tag) => Err(tag.unexpected(name)),
            None => Err(self.truncated(name)),
        }
    }

    /// Makes sure that nothing follows.
    pub(crate) fn end(&mut self) -> Result<(), DecodeError> {
        match self.element(None)? {
            None => Ok(()),
            Some(tag) => Err(tag.error(Reason::Outside)),
        }
    }

    /// The next element in one, or none if that ends.
    pub(crate) fn child(&mut self, parent: &Tag<'_>) -> Result<Option<Tag<'a>>, DecodeError> {
        self.element(Some(parent))
    }

    /// The next element in one, or outside of all; none if that ends.
    fn element(&mut self, parent: Option<&Tag<'_>>) -> Result<Option<Tag<'a>>, DecodeError> {
        loop {
            let at = self.at();
            match self.event(at)? {
                Event::Start(content) => return Ok(Some(Tag { at, content })),
                Event::End(_) => return Ok(None),
                Event::Eof => return parent.map_or(Ok(None), |parent| Err(self.truncated(parent.name()))),
                Event::Text(text) if text.trim_matches(BLANKS).is_empty() => {}
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                    let reason = parent.map_or(Reason::Outside, |parent| Reason::Text(parent.name().into()));
                    return Err(DecodeError { at, reason });
                }
                _ => {}
            }
        }
    }

    /// The text of an element to its end.
    pub(crate) fn text(&mut self, parent: &Tag<'_>) -> Result<Cow<'a, str>, DecodeError> {
        self.gather(parent, false)
    }

    /// The text of an element to its end, without the blanks that are there for the looks: those at its beginning and
    /// its end that are no references.
    pub(crate) fn trimmed(&mut self, parent: &Tag<'_>) -> Result<Cow<'a, str>, DecodeError> {
        self.gather(parent, true)
    }

    fn gather(&mut self, parent: &Tag<'_>, trims: bool) -> Result<Cow<'a, str>, DecodeError> {
        let mut whole = Cow::Borrowed("");
        let mut kept = 0;
        loop {
            let at = self.at();
            match self.event(at)? {
                Event::Text(text) => {
                    let text = text.xml10_content();
                    let text = if trims && whole.is_empty() { trimmed_start(text) } else { text };
                    let written = if trims { text.trim_end_matches(BLANKS).len() } else { text.len() };
                    kept = if written > 0 { whole.len() + written } else { kept };
                    append(&mut whole, text);
                }
                Event::CData(text) => {
                    append(&mut whole, text.xml10_content());
                    kept = whole.len();
                }
                Event::GeneralRef(reference) => {
                    whole.to_mut().push(referred(&reference).map_err(|reason| DecodeError { at, reason })?);
                    kept = whole.len();
                }
                Event::End(_) => break,
                Event::Start(content) => {
                    return Err(Tag { at, content }.unexpected("a text"));
                }
                Event::Eof => return Err(self.truncated(parent.name())),
                _ => {}
            }
        }
        Ok(match whole {
            Cow::Borrowed(text) => Cow::Borrowed(&text[..kept]),
            Cow::Owned(mut text) => {
                text.truncate(kept);
                Cow::Owned(text)
            }
        })
    }

    /// Makes sure that an element holds nothing.
    pub(crate) fn close(&mut self, tag: &Tag<'_>) -> Result<(), DecodeError> {
        match self.child(tag)? {
            None => Ok(()),
            Some(child) => Err(child.unexpected("the end of the element around it")),
        }
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, tag: &Tag<'_>, name: &str) -> Result<Option<Cow<'a, str>>, DecodeError> {
        for attribute in tag.content.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| tag.error(Reason::IllFormed(error.to_string())))?;
            if attribute.key.into_inner() != name {
                continue;
            }
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| {
                let reference = attribute.value.split_once('&').map_or("", |(_, rest)| rest);
                tag.error(Reason::Entity(reference.split(';').next().unwrap_or_default().into()))
            })?;
            return match value {
                // What is a part of the document has been looked at with all of it.
                Cow::Borrowed(value) => Ok(Some(self.of_document(value))),
                Cow::Owned(value) => match foreign_character(&value) {
                    None => Ok(Some(value.into())),
                    Some((_, character)) => Err(tag.error(Reason::Character(character))),
                },
            };
        }
        Ok(None)
    }

    /// The same text as a part of the document, if it is one.
    fn of_document(&self, text: &str) -> Cow<'a, str> {
        let at = (text.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let part = at.and_then(|at| self.text.get(at..at + text.len())).filter(|part| *part == text);
        part.map_or_else(|| Cow::Owned(text.into()), Cow::Borrowed)
    }

    /// The time that a text is.
    pub(crate) fn time(&mut self, tag: &Tag<'_>, text: &str) -> Result<Time, DecodeError> {
        match Time::read(text.as_bytes()) {
            Err(NotATime::Form(_)) if let Some(mended) = self.with_time_letter(text) => {
                let time = Time::read(mended.as_bytes()).map_err(|error| tag.error(error))?;
                self.repairs.get_or_insert_default().push(Repair { at: tag.at, kind: RepairKind::TimeLetter });
                Ok(time)
            }
            read => read.map_err(|error| tag.error(error)),
        }
    }

    /// The text with the letter that belongs between date and time, if another is there and it may be mended.
    fn with_time_letter(&self, text: &str) -> Option<String> {
        self.repairs.as_ref()?;
        let (date, rest) = text.split_at_checked(text.find(|c: char| c.is_ascii_alphabetic())?)?;
        let mended = format!("{date}T{}", rest.get(1..)?);
        (mended != text).then_some(mended)
    }

    fn event(&mut self, at: usize) -> Result<Event<'a>, DecodeError> {
        match self.reader.read_event() {
            Ok(Event::DocType(_)) => Err(DecodeError { at, reason: Reason::DocumentType }),
            Ok(event) => Ok(event),
            Err(Error::IllFormed(IllFormedError::MissingEndTag(name))) => Err(self.truncated(&name)),
            Err(error) => Err(DecodeError { at, reason: Reason::IllFormed(error.to_string()) }),
        }
    }

    /// How much of the document has been read.
    fn at(&self) -> usize {
        self.text.len() - self.reader.get_ref().len()
    }

    #[cold]
    fn truncated(&self, inside: &str) -> DecodeError {
        DecodeError { at: self.text.len(), reason: Reason::Truncated(inside.into()) }
    }
}

fn append<'a>(whole: &mut Cow<'a, str>, text: Cow<'a, str>) {
    if whole.is_empty() { *whole = text } else { whole.to_mut().push_str(&text) }
}

fn trimmed_start(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches(BLANKS)),
        Cow::Owned(text) => Cow::Owned(text.trim_start_matches(BLANKS).into()),
    }
}

/// The character that a reference stands for.
fn referred(reference: &BytesRef<'_>) -> Result<char, Reason> {
    let unknown = || Reason::Entity(String::from(&**reference));
    match &**reference {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => match reference.resolve_char_ref() {
            Ok(Some(character)) if is_xml(character) => Ok(character),
            Ok(Some(character)) => Err(Reason::Character(character)),
            _ => Err(unknown()),
        },
    }
}
