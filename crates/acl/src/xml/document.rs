//! A reader of documents: elements, their attributes and texts. It skips comments, processing instructions and blanks
//! between elements, rejects document types, and never opens references to other files. It rejects malformed
//! documents, even in skipped parts.

use std::borrow::Cow;

use super::attributes::{Attribute, Prefixes, check_declaration, ill_formed, read_attributes, referred};
use super::characters::{BLANKS, foreign_character, is_name};
use super::error::{DecodeError, Reason, Repair, RepairKind};
use crate::{NotATime, Time};

/// The UTF-8 byte order mark, with which a document may begin.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A document of which a part has been read.
pub(crate) struct Document<'a> {
    text: &'a str,
    /// The position.
    at: usize,
    /// The names of the elements that are open.
    open: Vec<&'a str>,
    /// Whether the last opened element ended with its tag.
    is_empty: bool,
    /// The declared prefixes; `None` in a fragment, whose prefixes and entities may be declared elsewhere.
    prefixes: Option<Prefixes<'a>>,
    /// The repairs so far, if repairs are allowed.
    repairs: Option<Vec<Repair>>,
}

/// The beginning of an element.
pub(crate) struct Tag<'a> {
    /// Offset of its `<`.
    pub(crate) at: usize,
    name: &'a str,
    attributes: Vec<Attribute<'a>>,
}

/// A piece of a document.
enum Event<'a> {
    Start(Tag<'a>),
    End,
    Text(&'a str),
    /// A literal text: `<![CDATA[..]]>`.
    Literal(&'a str),
    Reference(char),
    /// A part without content: a comment, a processing instruction, the declaration.
    Aside,
    EndOfDocument,
}

impl<'a> Tag<'a> {
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value.clone())
    }

    /// Returns an error at this element.
    pub(crate) fn error(&self, reason: impl Into<Reason>) -> DecodeError {
        DecodeError { at: self.at, reason: reason.into() }
    }

    /// Returns the error that something else was expected here.
    pub(crate) fn unexpected(&self, expected: &'static str) -> DecodeError {
        self.error(Reason::Element { found: self.name().into(), expected })
    }

    /// Returns the error that this element lacks something.
    pub(crate) fn lacks(&self, what: &'static str) -> DecodeError {
        self.error(Reason::Missing { element: self.name().into(), what })
    }
}

impl<'a> Document<'a> {
    /// Creates a reader that rejects deviations from the standard.
    pub(crate) fn strict(data: &'a [u8]) -> Result<Self, DecodeError> {
        let text = std::str::from_utf8(data)
            .map_err(|error| DecodeError { at: error.valid_up_to(), reason: Reason::NotUtf8 })?;
        if let Some((at, character)) = foreign_character(text) {
            return Err(DecodeError { at, reason: Reason::Character(character) });
        }
        let at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        Ok(Self { at, prefixes: Some(Prefixes::default()), ..Self::fragment(text) })
    }

    /// Creates a reader of a part of a document.
    pub(crate) fn fragment(text: &'a str) -> Self {
        Self { text, at: 0, open: Vec::new(), is_empty: false, prefixes: None, repairs: None }
    }

    /// Creates a reader that repairs known deviations.
    pub(crate) fn lenient(data: &'a [u8]) -> Result<Self, DecodeError> {
        Ok(Self { repairs: Some(Vec::new()), ..Self::strict(data)? })
    }

    /// Returns the repairs.
    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.repairs.unwrap_or_default()
    }

    /// Reads the opening tag of the root element.
    pub(crate) fn root(&mut self, name: &'static str) -> Result<Tag<'a>, DecodeError> {
        match self.element(None)? {
            Some(tag) if tag.name() == name => Ok(tag),
            Some(tag) => Err(tag.unexpected(name)),
            None => Err(self.truncated(name)),
        }
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&mut self) -> Result<(), DecodeError> {
        match self.element(None)? {
            None => Ok(()),
            Some(tag) => Err(tag.error(Reason::Outside)),
        }
    }

    /// Reads the next child of an element; `None` at its end.
    pub(crate) fn child(&mut self, parent: &Tag<'_>) -> Result<Option<Tag<'a>>, DecodeError> {
        self.element(Some(parent))
    }

    /// Reads the next element in another one, or outside of all; `None` at the end.
    fn element(&mut self, parent: Option<&Tag<'_>>) -> Result<Option<Tag<'a>>, DecodeError> {
        loop {
            let at = self.at;
            match self.event()? {
                Event::Start(tag) => return Ok(Some(tag)),
                Event::End | Event::EndOfDocument => return Ok(None),
                Event::Aside => {}
                Event::Text(text) if text.trim_matches(BLANKS).is_empty() => {}
                Event::Text(_) | Event::Literal(_) | Event::Reference(_) => {
                    let reason = parent.map_or(Reason::Outside, |parent| Reason::Text(parent.name().into()));
                    return Err(DecodeError { at, reason });
                }
            }
        }
    }

    /// Reads the text of an element up to its end.
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        self.gather(false)
    }

    /// Reads the text of an element up to its end, and removes blanks at both ends, unless they are references.
    pub(crate) fn trimmed(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        self.gather(true)
    }

    fn gather(&mut self, trims: bool) -> Result<Cow<'a, str>, DecodeError> {
        let mut whole = Cow::Borrowed("");
        let mut kept = 0;
        loop {
            match self.event()? {
                Event::Text(text) => {
                    let text = if trims && whole.is_empty() { text.trim_start_matches(BLANKS) } else { text };
                    let text = with_newlines(text);
                    let written = if trims { text.trim_end_matches(BLANKS).len() } else { text.len() };
                    kept = if written > 0 { whole.len() + written } else { kept };
                    append(&mut whole, text);
                }
                Event::Literal(text) => {
                    append(&mut whole, with_newlines(text));
                    kept = whole.len();
                }
                Event::Reference(character) => {
                    whole.to_mut().push(character);
                    kept = whole.len();
                }
                Event::Start(tag) => return Err(tag.unexpected("a text")),
                Event::Aside => {}
                Event::End | Event::EndOfDocument => break,
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

    /// Checks that an element is empty.
    pub(crate) fn close(&mut self, tag: &Tag<'_>) -> Result<(), DecodeError> {
        match self.child(tag)? {
            None => Ok(()),
            Some(child) => Err(child.unexpected("the end of the element around it")),
        }
    }

    /// Returns the text in the next element with this name as it is written, and skips the element; `None` if there is
    /// no further one.
    pub(crate) fn inside_next(&mut self, name: &str) -> Result<Option<&'a str>, DecodeError> {
        loop {
            match self.event()? {
                Event::Start(tag) if tag.name() == name => break,
                Event::EndOfDocument => return Ok(None),
                _ => {}
            }
        }
        let (begin, depth) = (self.at, self.open.len());
        loop {
            let end = self.at;
            self.event()?;
            if self.open.len() < depth {
                return Ok(Some(&self.text[begin..end]));
            }
        }
    }

    /// Parses a text as a time.
    pub(crate) fn time(&mut self, tag: &Tag<'_>, text: &str) -> Result<Time, DecodeError> {
        match Time::read(text.as_bytes()) {
            Err(NotATime::Form(_)) if let Some(repaired) = self.with_time_letter(text) => {
                let time = Time::read(repaired.as_bytes()).map_err(|error| tag.error(error))?;
                self.repairs.get_or_insert_default().push(Repair { at: tag.at, kind: RepairKind::TimeLetter });
                Ok(time)
            }
            read => read.map_err(|error| tag.error(error)),
        }
    }

    /// Replaces a wrong letter between date and time, if repairs are allowed.
    fn with_time_letter(&self, text: &str) -> Option<String> {
        self.repairs.as_ref()?;
        let (date, rest) = text.split_at_checked(text.find(|c: char| c.is_ascii_alphabetic())?)?;
        let repaired = format!("{date}T{}", rest.get(1..)?);
        (repaired != text).then_some(repaired)
    }

    /// Reads the next part.
    fn event(&mut self) -> Result<Event<'a>, DecodeError> {
        if std::mem::take(&mut self.is_empty) {
            return Ok(self.leave());
        }
        let rest = &self.text[self.at..];
        match rest.as_bytes() {
            [] => match self.open.last() {
                None => Ok(Event::EndOfDocument),
                Some(name) => Err(self.truncated(name)),
            },
            [b'<', b'/', ..] => self.end_tag(),
            [b'<', b'!', ..] => self.exclamation(rest),
            [b'<', b'?', ..] => self.instruction(rest),
            [b'<', ..] => self.start_tag().map(Event::Start),
            [b'&', ..] => self.reference(rest),
            _ => {
                let text = &rest[..rest.find(['<', '&']).unwrap_or(rest.len())];
                check_text(text, self.at)?;
                self.at += text.len();
                Ok(Event::Text(text))
            }
        }
    }

    /// Reads `<name ..>` or `<name ../>`.
    fn start_tag(&mut self) -> Result<Tag<'a>, DecodeError> {
        let at = self.at;
        let text = &self.text[at + 1..];
        let ends_name = |c: char| matches!(c, '>' | '/') || BLANKS.contains(&c);
        let (name, rest) = text.split_at(text.find(ends_name).unwrap_or(text.len()));
        if !is_name(name) {
            return Err(ill_formed(at + 1, "`<` begins a tag, but no name follows; in a text write it as `&lt;`"));
        }
        self.open.push(name);
        let (attributes, rest) = read_attributes(rest, self.text.len())?;
        if let Some(prefixes) = &mut self.prefixes {
            prefixes.enter(name, at + 1, &attributes, self.open.len())?;
        }
        if rest.is_empty() {
            return Err(self.truncated(name));
        }
        self.is_empty = rest.starts_with('/');
        self.at = self.text.len() - rest.len();
        let Some(rest) = rest.strip_prefix("/>").or_else(|| rest.strip_prefix('>')) else {
            return Err(ill_formed(self.at, format!("the tag `<{name}` does not end here: `>` is missing")));
        };
        self.at = self.text.len() - rest.len();
        Ok(Tag { at, name, attributes })
    }

    /// Reads `</name>`.
    fn end_tag(&mut self) -> Result<Event<'a>, DecodeError> {
        let Some(name) = self.open.last() else {
            return Err(ill_formed(self.at, "there is no open element that could end here"));
        };
        let rest = self.text[self.at..].strip_prefix("</").and_then(|rest| rest.strip_prefix(name));
        match rest.and_then(|rest| rest.trim_start_matches(BLANKS).strip_prefix('>')) {
            Some(rest) => {
                self.at = self.text.len() - rest.len();
                Ok(self.leave())
            }
            None => Err(ill_formed(self.at, format!("expected `</{name}>`, or further contents of `<{name}>`"))),
        }
    }

    /// Leaves the last opened element.
    fn leave(&mut self) -> Event<'a> {
        if let Some(prefixes) = &mut self.prefixes {
            prefixes.leave(self.open.len());
        }
        self.open.pop();
        Event::End
    }

    /// Reads a comment or a literal text.
    fn exclamation(&mut self, rest: &'a str) -> Result<Event<'a>, DecodeError> {
        if let Some(text) = rest.strip_prefix("<![CDATA[") {
            return self.until(text, "]]>").map(Event::Literal);
        }
        let Some(comment) = rest.strip_prefix("<!--") else {
            let is_type = rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
            let other = || Reason::IllFormed("`<!` begins a comment, `<!--`, or a literal text, `<![CDATA[`".into());
            return Err(DecodeError { at: self.at, reason: if is_type { Reason::DocumentType } else { other() } });
        };
        let at = self.at;
        let comment = self.until(comment, "-->")?;
        if comment.contains("--") || comment.ends_with('-') {
            return Err(ill_formed(at, "a comment has `--` in it"));
        }
        Ok(Event::Aside)
    }

    /// Reads `<?..?>`.
    fn instruction(&mut self, rest: &'a str) -> Result<Event<'a>, DecodeError> {
        let at = self.at;
        let inside = self.until(&rest["<?".len()..], "?>")?;
        let target = inside.split(BLANKS).next().unwrap_or_default();
        let is_first = || self.text[..at].trim_start_matches(BYTE_ORDER_MARK).is_empty();
        match target {
            "xml" if is_first() => check_declaration(&inside[target.len()..], at + "<?xml".len())?,
            "xml" => return Err(ill_formed(at, "`<?xml ..?>` is only allowed at the beginning")),
            _ if target.eq_ignore_ascii_case("xml") || target.contains(':') || !is_name(target) => {
                return Err(ill_formed(at, "after `<?` there must be a name, which is not `xml`"));
            }
            _ => {}
        }
        Ok(Event::Aside)
    }

    /// Returns the text up to this end, and skips both.
    fn until(&mut self, text: &'a str, end: &str) -> Result<&'a str, DecodeError> {
        let Some((inside, rest)) = text.split_once(end) else {
            return Err(ill_formed(self.at, format!("this part does not end with `{end}`")));
        };
        self.at = self.text.len() - rest.len();
        Ok(inside)
    }

    /// Reads `&name;`.
    fn reference(&mut self, rest: &'a str) -> Result<Event<'a>, DecodeError> {
        let ends = |c: char| matches!(c, ';' | '<' | '&') || BLANKS.contains(&c);
        let (reference, end) = rest[1..].split_at(rest[1..].find(ends).unwrap_or(rest.len() - 1));
        if !end.starts_with(';') {
            return Err(ill_formed(self.at, "`&` begins a reference, which ends with `;`; write it as `&amp;`"));
        }
        let at = self.at;
        self.at += 1 + reference.len() + 1;
        match referred(reference) {
            Ok(character) => Ok(Event::Reference(character)),
            Err(Reason::Entity(_)) if self.prefixes.is_none() => Ok(Event::Aside),
            Err(reason) => Err(DecodeError { at, reason }),
        }
    }

    fn truncated(&self, inside: &str) -> DecodeError {
        DecodeError { at: self.text.len(), reason: Reason::Truncated(inside.into()) }
    }
}

fn append<'a>(whole: &mut Cow<'a, str>, text: Cow<'a, str>) {
    if whole.is_empty() { *whole = text } else { whole.to_mut().push_str(&text) }
}

/// Converts all line ends of a text to newlines.
fn with_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// Checks that a text does not contain `]]>`.
fn check_text(text: &str, at: usize) -> Result<(), DecodeError> {
    match text.find("]]>") {
        None => Ok(()),
        Some(place) => Err(ill_formed(at + place + "]]".len(), "a text has `]]>`; write it as `]]&gt;`")),
    }
}
