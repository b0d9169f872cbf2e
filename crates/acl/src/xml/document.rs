//! A reader of documents: elements, their attributes and texts. It skips comments, processing instructions and blanks
//! between elements, rejects document types, and never opens references to other files. It rejects malformed
//! documents, even in skipped parts.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2, memmem};

use super::attributes::{Attribute, Attributes, Prefixes, check_declaration, ill_formed, referred};
use super::characters::{BLANKS, foreign_character, is_blank, is_name};
use super::{DecodeError, Reason, Repair, RepairKind};
use crate::{NotATime, Time};

/// The UTF-8 byte order mark, with which a document may begin.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Initial capacity for open elements, enough for most documents.
const USUAL_DEPTH: usize = 8;

/// A document of which a part has been read.
pub(crate) struct Document<'a> {
    text: &'a str,
    /// The position.
    at: usize,
    /// The names of the elements that are open.
    open: Vec<&'a str>,
    /// Whether the last opened element ended with its tag.
    is_empty: bool,
    prefixes: Prefixes<'a>,
    /// The repairs so far, if repairs are allowed.
    repairs: Option<Vec<Repair>>,
}

/// The beginning of an element.
pub(crate) struct Tag<'a> {
    /// Offset of its `<`.
    pub(crate) at: usize,
    name: &'a str,
    attributes: Found<'a>,
}

/// The attributes of an element.
enum Found<'a> {
    None,
    One(Attribute<'a>),
    /// The rest of the tag after the name.
    Several(&'a str),
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

    /// Returns an error at this element.
    #[cold]
    pub(crate) fn error(&self, reason: impl Into<Reason>) -> DecodeError {
        DecodeError { at: self.at, reason: reason.into() }
    }

    /// Returns the error that something else was expected here.
    #[cold]
    pub(crate) fn unexpected(&self, expected: &'static str) -> DecodeError {
        self.error(Reason::Element { found: self.name().into(), expected })
    }

    /// Returns the error that this element lacks something.
    #[cold]
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
        let open = Vec::with_capacity(USUAL_DEPTH);
        Ok(Self { text, at, open, is_empty: false, prefixes: Prefixes::default(), repairs: None })
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
                Event::Text(text) if text.bytes().all(is_blank) => {}
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

    /// The value of an attribute.
    pub(crate) fn attribute(&self, tag: &Tag<'a>, name: &str) -> Result<Option<Cow<'a, str>>, DecodeError> {
        let found = match tag.attributes {
            Found::None => None,
            Found::One(only) => Some(only).filter(|only| only.name == name),
            Found::Several(raw) => Attributes::new(raw, tag.at + 1 + tag.name.len()).named(name)?,
        };
        found.map(|found| found.text().map_err(|reason| tag.error(reason))).transpose()
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
            bytes => {
                let text = &rest[..memchr2(b'<', b'&', bytes).unwrap_or(rest.len())];
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
        let ends_name = |byte: u8| is_blank(byte) || matches!(byte, b'>' | b'/');
        let (name, rest) = text.split_at(text.bytes().position(ends_name).unwrap_or(text.len()));
        if !is_name(name) {
            return Err(ill_formed(at + 1, "`<` begins a tag, but no name follows; in a text write it as `&lt;`"));
        }
        self.open.push(name);
        let mut attributes = Attributes::new(rest, at + 1 + name.len());
        let only = self.prefixes.check_tag(name, &mut attributes, self.open.len())?;
        let (raw, end) = attributes.into_parts();
        self.at = at + 1 + name.len() + raw.len();
        match end.as_bytes() {
            [b'>', ..] => self.at += 1,
            [b'/', b'>', ..] => {
                self.at += 2;
                self.is_empty = true;
            }
            [] => return Err(self.truncated(name)),
            _ => return Err(ill_formed(self.at, format!("the tag `<{name}` does not end here: `>` is missing"))),
        }
        let attributes = match only {
            Some(only) => Found::One(only),
            None if raw.is_empty() => Found::None,
            None => Found::Several(raw),
        };
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
        self.prefixes.leave(self.open.len());
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
        let target = &inside[..inside.bytes().position(is_blank).unwrap_or(inside.len())];
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
        let Some(length) = memmem::find(text.as_bytes(), end.as_bytes()) else {
            return Err(ill_formed(self.at, format!("this part does not end with `{end}`")));
        };
        self.at = self.text.len() - text.len() + length + end.len();
        Ok(&text[..length])
    }

    /// Reads `&name;`.
    fn reference(&mut self, rest: &'a str) -> Result<Event<'a>, DecodeError> {
        let length = rest.bytes().skip(1).position(|byte| matches!(byte, b';' | b'<' | b'&') || is_blank(byte));
        let (reference, end) = rest[1..].split_at(length.unwrap_or(rest.len() - 1));
        if !end.starts_with(';') {
            return Err(ill_formed(self.at, "`&` begins a reference, which ends with `;`; write it as `&amp;`"));
        }
        let character = referred(reference).map_err(|reason| DecodeError { at: self.at, reason })?;
        self.at += 1 + reference.len() + 1;
        Ok(Event::Reference(character))
    }

    #[cold]
    fn truncated(&self, inside: &str) -> DecodeError {
        DecodeError { at: self.text.len(), reason: Reason::Truncated(inside.into()) }
    }
}

fn append<'a>(whole: &mut Cow<'a, str>, text: Cow<'a, str>) {
    if whole.is_empty() { *whole = text } else { whole.to_mut().push_str(&text) }
}

/// Converts all line ends of a text to newlines.
fn with_newlines(text: &str) -> Cow<'_, str> {
    match memchr(b'\r', text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}

/// Checks that a text does not contain `]]>`.
fn check_text(text: &str, at: usize) -> Result<(), DecodeError> {
    let follows_brackets = |end: &usize| text[..*end].ends_with("]]");
    match memchr_iter(b'>', text.as_bytes()).find(follows_brackets) {
        None => Ok(()),
        Some(end) => Err(ill_formed(at + end, "a text has `]]>`; write it as `]]&gt;`")),
    }
}
