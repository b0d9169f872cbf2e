//! Attributes of elements, and their rules for well-formed documents.

use std::borrow::Cow;

use super::characters::{BLANKS, is_name, is_xml};
use super::error::{DecodeError, Reason};

/// The namespaces of the prefix `xml` and of namespace declarations. No other prefix can stand for them.
const RESERVED_NAMESPACES: [&str; 2] = ["http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"];

/// Maximum number of prefixes that are declared at a time.
const MOST_PREFIXES: usize = 256;

/// An attribute.
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    /// Its value, with references replaced and white space converted to blanks.
    pub(super) value: Cow<'a, str>,
    /// Offset of its name in the document.
    pub(super) at: usize,
}

/// Reads the attributes of a tag: each is a blank, a name, `=`, and a quoted value. `text` is the document after the
/// name of the element, or of a declaration, and ends at the offset `end`. Also returns the rest of the text.
pub(super) fn read_attributes(text: &str, end: usize) -> Result<(Vec<Attribute<'_>>, &str), DecodeError> {
    let mut attributes = Vec::new();
    let mut rest = text;
    loop {
        let begin = rest.trim_start_matches(BLANKS);
        if begin.is_empty() || begin.starts_with(['>', '/']) {
            return Ok((attributes, begin));
        }
        let at = end - begin.len();
        if begin.len() == rest.len() {
            return Err(ill_formed(at, "a blank is missing before this attribute"));
        }
        let ends_name = |c: char| matches!(c, '=' | '>' | '/') || BLANKS.contains(&c);
        let (name, after) = begin.split_at(begin.find(ends_name).unwrap_or(begin.len()));
        if !is_name(name) {
            return Err(ill_formed(at, format!("{name:?} is not a valid name of an attribute")));
        }
        let after = after.trim_start_matches(BLANKS);
        let Some(quoted) = after.strip_prefix('=').map(|quoted| quoted.trim_start_matches(BLANKS)) else {
            let what = format!("the attribute `{name}` has no value; write `{name}=\"..\"`");
            return Err(ill_formed(end - after.len(), what));
        };
        let Some(quote @ ('"' | '\'')) = quoted.chars().next() else {
            return Err(ill_formed(end - quoted.len(), format!("the value of `{name}` has no quotation marks")));
        };
        let Some(length) = quoted[1..].find([quote, '<']) else {
            return Err(ill_formed(end, format!("the value of `{name}` does not end")));
        };
        let (value, closing) = quoted[1..].split_at(length);
        rest = closing.strip_prefix(quote).ok_or_else(|| {
            ill_formed(end - closing.len(), format!("the value of `{name}` has a `<`; write it as `&lt;`"))
        })?;
        let value = replaced(value).map_err(|reason| DecodeError { at, reason })?;
        attributes.push(Attribute { name, value, at });
    }
}

/// Returns a value of an attribute with references replaced and white space converted to blanks.
fn replaced(value: &str) -> Result<Cow<'_, str>, Reason> {
    if !value.contains(['&', '\t', '\n', '\r']) {
        return Ok(Cow::Borrowed(value));
    }
    // A carriage return with a newline counts as one character.
    let value = value.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ");
    let mut parts = value.split('&');
    let mut text = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let (reference, after) = part.split_once(';').ok_or_else(|| Reason::Entity(first(part)))?;
        text.push(referred(reference)?);
        text.push_str(after);
    }
    Ok(Cow::Owned(text))
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

    /// Adds the prefixes that an element of this depth declares. Checks that its own prefixes are declared, and that
    /// no attribute occurs twice.
    pub(super) fn enter(
        &mut self,
        name: &str,
        at: usize,
        attributes: &[Attribute<'a>],
        depth: usize,
    ) -> Result<(), DecodeError> {
        attributes.iter().try_for_each(|attribute| self.declare(attribute, depth))?;
        self.check_prefix(name, at)?;
        attributes.iter().try_for_each(|attribute| self.check_prefix(attribute.name, attribute.at))?;
        // Two prefixes may stand for the same namespace.
        let key = |attribute: &Attribute<'a>| match attribute.name.split_once(':') {
            None => (attribute.name, ""),
            Some(("xmlns", own)) => (own, "xmlns"),
            Some((_, own)) => (own, ":"),
        };
        let mut sorted: Vec<&Attribute<'a>> = attributes.iter().collect();
        sorted.sort_by_key(|attribute| key(attribute));
        match sorted.windows(2).find(|pair| key(pair[0]) == key(pair[1])) {
            None => Ok(()),
            Some(pair) => Err(DecodeError { at: pair[1].at, reason: Reason::Duplicate(format!("`{}`", pair[1].name)) }),
        }
    }

    /// If an attribute declares a namespace, checks it and adds the prefix.
    fn declare(&mut self, attribute: &Attribute<'a>, depth: usize) -> Result<(), DecodeError> {
        let uri = &*attribute.value;
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
        match name.split_once(':') {
            None | Some(("xml" | "xmlns", _)) => Ok(()),
            Some((prefix, _)) if self.0.iter().any(|(_, declared)| *declared == prefix) => Ok(()),
            Some((prefix, _)) => Err(ill_formed(at, format!("the prefix `{prefix}` is not declared"))),
        }
    }
}

/// Checks the declaration at the beginning of a document; `raw` is the text between `<?xml` and `?>`, which begins at
/// this offset.
pub(super) fn check_declaration(raw: &str, at: usize) -> Result<(), DecodeError> {
    let is_version = |value: &str| {
        value.strip_prefix("1.").is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
    };
    let is_encoding = |value: &str| {
        value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    let (attributes, rest) = read_attributes(raw, at + raw.len())?;
    if !rest.is_empty() || raw.contains('&') {
        return Err(ill_formed(at, "this is not a declaration; write `<?xml version=\"1.0\"?>`"));
    }
    let mut attributes = attributes.iter().peekable();
    let version = attributes.next_if(|attribute| attribute.name == "version" && is_version(&attribute.value));
    if version.is_none() {
        return Err(ill_formed(at, "the declaration has no version; write `<?xml version=\"1.0\"?>`"));
    }
    attributes.next_if(|attribute| attribute.name == "encoding" && is_encoding(&attribute.value));
    attributes.next_if(|attribute| attribute.name == "standalone" && matches!(&*attribute.value, "yes" | "no"));
    match attributes.next() {
        None => Ok(()),
        Some(Attribute { name, at, .. }) => Err(ill_formed(*at, format!("`{name}` does not belong here"))),
    }
}

/// Returns an error that the document is not well-formed.
pub(super) fn ill_formed(at: usize, what: impl Into<String>) -> DecodeError {
    DecodeError { at, reason: Reason::IllFormed(what.into()) }
}
