//! Attributes of elements, and their rules for well-formed documents.

use std::borrow::Cow;

use super::characters::{is_blank, is_name, is_xml};
use super::{DecodeError, Reason};

/// The namespaces of the prefix `xml` and of namespace declarations. No other prefix can stand for them.
const RESERVED_NAMESPACES: [&str; 2] = ["http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"];

/// Maximum number of prefixes that are declared at a time.
const MOST_PREFIXES: usize = 256;

/// The attributes in a tag, in their order.
pub(super) struct Attributes<'a> {
    /// The tag after the name of the element.
    raw: &'a str,
    /// Number of bytes that have been read.
    read: usize,
    /// Its offset in the document.
    at: usize,
}

/// An attribute in its written form.
#[derive(Clone, Copy)]
pub(super) struct Attribute<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The text between its quotation marks.
    pub(super) value: &'a str,
    /// Whether the value has no references, and no white space other than blanks.
    is_plain: bool,
    /// Offset of its name in the document.
    pub(super) at: usize,
}

impl<'a> Attributes<'a> {
    /// Creates the attributes from the rest of a tag after its name, which begins at this offset.
    pub(super) fn new(raw: &'a str, at: usize) -> Self {
        Self { raw, read: 0, at }
    }

    /// Returns the attribute with this name.
    pub(super) fn named(mut self, name: &str) -> Result<Option<Attribute<'a>>, DecodeError> {
        while let Some(attribute) = self.next()? {
            if attribute.name == name {
                return Ok(Some(attribute));
            }
        }
        Ok(None)
    }

    /// Returns the part that has been read, and the rest.
    pub(super) fn into_parts(self) -> (&'a str, &'a str) {
        self.raw.split_at(self.read)
    }

    /// Reads the next attribute: a blank, a name, `=`, and a quoted value. Returns `None` at the end of the tag.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Attribute<'a>>, DecodeError> {
        let before = self.read;
        let Some(first) = self.skip_blanks().filter(|byte| !matches!(byte, b'>' | b'/')) else { return Ok(None) };
        let begin = self.read;
        if begin == before {
            return Err(self.ill_formed("a blank is missing before this attribute"));
        }
        let mut next = Some(first);
        while next.is_some_and(|byte| !matches!(byte, b'=' | b'>' | b'/') && !is_blank(byte)) {
            self.read += 1;
            next = self.peek();
        }
        let name = &self.raw[begin..self.read];
        if !is_name(name) {
            return Err(ill_formed(self.at + begin, format!("{name:?} is not a valid name of an attribute")));
        }
        if self.skip_blanks() != Some(b'=') {
            return Err(self.ill_formed(format!("the attribute `{name}` has no value; write `{name}=\"..\"`")));
        }
        self.read += 1;
        let Some(quote @ (b'"' | b'\'')) = self.skip_blanks() else {
            return Err(self.ill_formed(format!("the value of `{name}` has no quotation marks")));
        };
        let value_begin = self.read + 1;
        let mut is_plain = true;
        loop {
            self.read += 1;
            match self.peek() {
                Some(byte) if byte == quote => break,
                Some(b'&' | b'\t' | b'\n' | b'\r') => is_plain = false,
                Some(b'<') => {
                    return Err(self.ill_formed(format!("the value of `{name}` has a `<`; write it as `&lt;`")));
                }
                Some(_) => {}
                None => return Err(self.ill_formed(format!("the value of `{name}` does not end"))),
            }
        }
        let value = &self.raw[value_begin..self.read];
        self.read += 1;
        Ok(Some(Attribute { name, value, is_plain, at: self.at + begin }))
    }

    /// Skips blanks, and returns the next byte.
    fn skip_blanks(&mut self) -> Option<u8> {
        while self.peek().is_some_and(is_blank) {
            self.read += 1;
        }
        self.peek()
    }

    fn peek(&self) -> Option<u8> {
        self.raw.as_bytes().get(self.read).copied()
    }

    /// Returns an error about this position.
    #[cold]
    fn ill_formed(&self, what: impl Into<String>) -> DecodeError {
        ill_formed(self.at + self.read, what)
    }
}

impl<'a> Attribute<'a> {
    /// The value, with references replaced and white space converted to blanks.
    pub(super) fn text(&self) -> Result<Cow<'a, str>, Reason> {
        if self.is_plain { Ok(Cow::Borrowed(self.value)) } else { self.replaced().map(Cow::Owned) }
    }

    fn replaced(&self) -> Result<String, Reason> {
        let mut text = String::with_capacity(self.value.len());
        let mut rest = self.value;
        while let Some(length) = rest.bytes().position(|byte| matches!(byte, b'&' | b'\t' | b'\n' | b'\r')) {
            text.push_str(&rest[..length]);
            let special = rest.as_bytes()[length];
            rest = &rest[length + 1..];
            if special != b'&' {
                // A carriage return with a newline counts as one character.
                rest = if special == b'\r' { rest.strip_prefix('\n').unwrap_or(rest) } else { rest };
                text.push(' ');
                continue;
            }
            let Some((reference, after)) = rest.split_once(';') else { return Err(Reason::Entity(first(rest))) };
            text.push(referred(reference)?);
            rest = after;
        }
        text.push_str(rest);
        Ok(text)
    }
}

/// The beginning of a text, for an error.
fn first(text: &str) -> String {
    text.chars().take(20).collect()
}

/// Returns the character of a reference; `reference` is the text between `&` and `;`.
pub(super) fn referred(reference: &str) -> Result<char, Reason> {
    let unknown = || Reason::Entity(first(reference));
    match reference {
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "amp" => return Ok('&'),
        "quot" => return Ok('"'),
        "apos" => return Ok('\''),
        _ => {}
    }
    let number = reference.strip_prefix('#').ok_or_else(unknown)?;
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(unknown());
    }
    match u32::from_str_radix(digits, radix).ok().and_then(char::from_u32) {
        Some(character) if is_xml(character) => Ok(character),
        Some(character) => Err(Reason::Character(character)),
        None => Err(unknown()),
    }
}

/// Declared prefixes of namespaces, each with the depth of the element that declares it.
#[derive(Default)]
pub(super) struct Prefixes<'a>(Vec<(usize, &'a str)>);

impl<'a> Prefixes<'a> {
    /// Removes the prefixes that an element of this depth declares.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.0.pop_if(|(declared, _)| *declared == depth).is_some() {}
    }

    /// Checks the attributes of an element of this depth, whose name has been checked. Returns the attribute, if
    /// there is only one.
    pub(super) fn check_tag(
        &mut self,
        name: &str,
        attributes: &mut Attributes<'a>,
        depth: usize,
    ) -> Result<Option<Attribute<'a>>, DecodeError> {
        let name_at = attributes.at - name.len();
        let Some(first) = attributes.next()? else {
            self.check_prefix(name, name_at)?;
            return Ok(None);
        };
        self.declare(&first, depth)?;
        let mut others = Vec::new();
        while let Some(attribute) = attributes.next()? {
            self.declare(&attribute, depth)?;
            others.push(attribute);
        }
        self.check_prefix(name, name_at)?;
        self.check_prefix(first.name, first.at)?;
        if others.is_empty() {
            return Ok(Some(first));
        }
        others.push(first);
        self.check_names(&mut others)?;
        Ok(None)
    }

    /// Checks that the prefixes of attributes are declared, and that no attribute occurs twice.
    fn check_names(&self, attributes: &mut [Attribute<'a>]) -> Result<(), DecodeError> {
        // Two prefixes may stand for the same namespace.
        let key = |attribute: &Attribute<'a>| match attribute.name.split_once(':') {
            None => (attribute.name, ""),
            Some(("xmlns", own)) => (own, "xmlns"),
            Some((_, own)) => (own, ":"),
        };
        for attribute in &*attributes {
            self.check_prefix(attribute.name, attribute.at)?;
        }
        attributes.sort_unstable_by_key(|attribute| (key(attribute), attribute.at));
        match attributes.windows(2).find(|pair| key(&pair[0]) == key(&pair[1])) {
            None => Ok(()),
            Some(pair) => Err(DecodeError { at: pair[1].at, reason: Reason::Duplicate(format!("`{}`", pair[1].name)) }),
        }
    }

    /// Checks the value of an attribute. If it declares a namespace, adds the prefix.
    #[inline]
    fn declare(&mut self, attribute: &Attribute<'a>, depth: usize) -> Result<(), DecodeError> {
        let uri = attribute.text().map_err(|reason| DecodeError { at: attribute.at, reason })?;
        if attribute.name.starts_with("xmlns") { self.declare_namespace(attribute, &uri, depth) } else { Ok(()) }
    }

    #[cold]
    fn declare_namespace(&mut self, attribute: &Attribute<'a>, uri: &str, depth: usize) -> Result<(), DecodeError> {
        let refused = || Err(ill_formed(attribute.at, format!("`{}` declares no namespace", attribute.name)));
        match attribute.name.split_once(':') {
            Some(("xmlns", "xml")) if uri == RESERVED_NAMESPACES[0] => Ok(()),
            Some(("xmlns", "xml" | "xmlns")) => refused(),
            Some(("xmlns", _)) if uri.is_empty() || RESERVED_NAMESPACES.contains(&uri) => refused(),
            Some(("xmlns", _)) if self.0.len() == MOST_PREFIXES => {
                Err(ill_formed(attribute.at, "at most 256 namespace prefixes can be declared at a time"))
            }
            Some(("xmlns", prefix)) => {
                self.0.push((depth, prefix));
                Ok(())
            }
            None if attribute.name == "xmlns" && RESERVED_NAMESPACES.contains(&uri) => refused(),
            _ => Ok(()),
        }
    }

    fn check_prefix(&self, name: &str, at: usize) -> Result<(), DecodeError> {
        match name.bytes().position(|byte| byte == b':').map(|colon| name.split_at(colon)) {
            None | Some(("xml" | "xmlns", _)) => Ok(()),
            Some((prefix, _)) if self.0.iter().any(|(_, declared)| *declared == prefix) => Ok(()),
            Some((prefix, _)) => Err(ill_formed(at, format!("the prefix `{prefix}` is not declared"))),
        }
    }
}

/// Checks the declaration at the beginning of a document; `raw` is the text between `<?xml` and `?>`.
pub(super) fn check_declaration(raw: &str, at: usize) -> Result<(), DecodeError> {
    let mut attributes = Attributes::new(raw, at);
    let mut next = attributes.next()?;
    let is_version = |value: &str| {
        value.strip_prefix("1.").is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
    };
    let is_encoding = |value: &str| {
        value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    if next.as_ref().is_some_and(|attribute| attribute.name == "version" && is_version(attribute.value)) {
        next = attributes.next()?;
    } else {
        return Err(ill_formed(at, "the declaration has no version; write `<?xml version=\"1.0\"?>`"));
    }
    if next.as_ref().is_some_and(|attribute| attribute.name == "encoding" && is_encoding(attribute.value)) {
        next = attributes.next()?;
    }
    if next.as_ref().is_some_and(|attribute| attribute.name == "standalone" && matches!(attribute.value, "yes" | "no"))
    {
        next = attributes.next()?;
    }
    match next {
        None if attributes.into_parts().1.is_empty() => Ok(()),
        None => Err(ill_formed(at, "this is not a declaration; write `<?xml version=\"1.0\"?>`")),
        Some(Attribute { name, at, .. }) => Err(ill_formed(at, format!("`{name}` does not belong here"))),
    }
}

/// Returns an error that the document is not well-formed.
#[cold]
pub(super) fn ill_formed(at: usize, what: impl Into<String>) -> DecodeError {
    DecodeError { at, reason: Reason::IllFormed(what.into()) }
}
