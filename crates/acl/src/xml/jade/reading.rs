//! Reads documents of JADE, whose texts may contain unescaped `<` and `&`. A text ends at its end tag, if the next
//! parameter or the end of the message follows that. Literal texts (CDATA) are read as such, and references are not
//! replaced.

use std::borrow::Cow;

use crate::agent_identifier::MAX_RESOLVER_DEPTH;
use crate::parameter::Parameter;
use crate::word::is_address;
use crate::xml::attributes::{ill_formed, referred};
use crate::xml::characters::BLANKS;
use crate::xml::error::{DecodeError, Reason, Repair, RepairKind, Repaired};
use crate::{AgentIdentifier, Content, Expression, Message, Performative, Time, UnknownAct, UserParameter, Word};

/// Decodes a message of JADE.
///
/// # Errors
/// Returns an error if the meaning is unclear.
pub(crate) fn decode(document: &[u8]) -> Result<Repaired<Message<'_>>, DecodeError> {
    let text = std::str::from_utf8(document)
        .map_err(|error| DecodeError { at: error.valid_up_to(), reason: Reason::NotUtf8 })?;
    let mut reader = Reader { text, at: 0, repairs: Vec::new() };
    let message = reader.message()?;
    Ok(Repaired { message, repairs: reader.repairs })
}

struct Reader<'a> {
    text: &'a str,
    /// The position.
    at: usize,
    repairs: Vec<Repair>,
}

/// A tag that opens an element.
struct Tag<'a> {
    at: usize,
    name: &'a str,
    /// The only attribute: JADE writes at most one.
    attribute: Option<(&'a str, Cow<'a, str>)>,
    is_empty: bool,
}

impl<'a> Tag<'a> {
    fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attribute.as_ref().filter(|(found, _)| *found == name).map(|(_, value)| value.clone())
    }

    fn error(&self, reason: impl Into<Reason>) -> DecodeError {
        DecodeError { at: self.at, reason: reason.into() }
    }

    fn unexpected(&self, expected: &'static str) -> DecodeError {
        self.error(Reason::Element { found: self.name.into(), expected })
    }

    fn lacks(&self, what: &'static str) -> DecodeError {
        self.error(Reason::Missing { element: self.name.into(), what })
    }
}

impl<'a> Reader<'a> {
    fn message(&mut self) -> Result<Message<'a>, DecodeError> {
        self.skip_declaration()?;
        let root = self.open()?;
        if root.name != "fipa-message" {
            return Err(root.unexpected("fipa-message"));
        }
        let act = root.attribute("act").ok_or_else(|| root.lacks("attribute `act`"))?;
        let act = Performative::named(act.as_bytes()).ok_or_else(|| root.error(UnknownAct(act.into_owned())))?;
        let mut message = Message::new(act);
        while !root.is_empty && !self.closes(root.name) {
            self.parameter(&mut message)?;
        }
        self.skip_blanks();
        if self.at < self.text.len() { Err(DecodeError { at: self.at, reason: Reason::Outside }) } else { Ok(message) }
    }

    fn parameter(&mut self, message: &mut Message<'a>) -> Result<(), DecodeError> {
        let tag = self.open()?;
        let parameter = Parameter::ALL.into_iter().find(|parameter| parameter.name() == parameter_name(tag.name));
        if let Some(value) = parameter.and_then(|parameter| message.value_mut(parameter)) {
            return self.once(value, &tag, |reader, tag| reader.text_in(tag, false).map(Expression::from));
        }
        match tag.name {
            "sender" => self.once(&mut message.sender, &tag, Self::agent_in),
            "receiver" => self.agent_in(&tag).map(|agent| message.receivers.push(agent)),
            "reply-to" => self.agent_in(&tag).map(|agent| message.reply_to.push(agent)),
            "reply-by" => self.once(&mut message.reply_by, &tag, Self::time),
            "content" => self.once(&mut message.content, &tag, Self::content),
            "protocol" => self.once(&mut message.protocol, &tag, Self::protocol),
            name if is_user_parameter(name) => {
                let name = Word::new(name).map_err(|error| tag.error(error))?;
                let value = self.text_in(&tag, false)?.into();
                message.user_parameters.push(UserParameter { name, value });
                Ok(())
            }
            _ => Err(tag.unexpected("a parameter of a message")),
        }
    }

    fn once<T>(
        &mut self,
        place: &mut Option<T>,
        tag: &Tag<'a>,
        read: impl FnOnce(&mut Self, &Tag<'a>) -> Result<T, DecodeError>,
    ) -> Result<(), DecodeError> {
        if place.is_some() {
            return Err(tag.error(Reason::Duplicate(format!("`<{}>`", tag.name))));
        }
        *place = Some(read(self, tag)?);
        Ok(())
    }

    fn content(&mut self, tag: &Tag<'a>) -> Result<Content<'a>, DecodeError> {
        Ok(Content::Text(self.text_in(tag, true)?))
    }

    fn protocol(&mut self, tag: &Tag<'a>) -> Result<Word<'a>, DecodeError> {
        let text = self.text_in(tag, false)?;
        Word::new(text).map_err(|error| tag.error(error))
    }

    fn time(&mut self, tag: &Tag<'a>) -> Result<Time, DecodeError> {
        let text = match tag.attribute("time") {
            Some(time) => {
                self.close(tag)?;
                time
            }
            None => self.text_in(tag, false)?,
        };
        Time::read(text.as_bytes()).map_err(|error| tag.error(error))
    }

    /// Reads the only agent of an element.
    fn agent_in(&mut self, parent: &Tag<'a>) -> Result<AgentIdentifier<'a>, DecodeError> {
        let agent = self.agent(0)?;
        self.close(parent)?;
        Ok(agent)
    }

    /// Reads an agent at this depth of resolvers; the agents of the message have depth 0.
    fn agent(&mut self, depth: usize) -> Result<AgentIdentifier<'a>, DecodeError> {
        let tag = self.open()?;
        if tag.name != "agent-identifier" {
            return Err(tag.unexpected("an agent identifier"));
        }
        if depth > MAX_RESOLVER_DEPTH {
            return Err(tag.error(Reason::TooDeep));
        }
        let mut name = None;
        let mut agent = AgentIdentifier::new("");
        while !tag.is_empty && !self.closes(tag.name) {
            let part = self.open()?;
            match part.name {
                "name" => {
                    name = Some(part.attribute("id").ok_or_else(|| part.lacks("attribute `id`"))?);
                    self.close(&part)?;
                }
                "addresses" => {
                    while !part.is_empty && !self.closes(part.name) {
                        agent.addresses.push(self.address()?);
                    }
                }
                "resolvers" => {
                    while !part.is_empty && !self.closes(part.name) {
                        agent.resolvers.push(self.agent(depth + 1)?);
                    }
                }
                _ => return Err(part.unexpected("a part of an agent identifier")),
            }
        }
        agent.name = name.ok_or_else(|| tag.lacks("name"))?;
        Ok(agent)
    }

    fn address(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        let tag = self.open()?;
        let address = tag.attribute("href").filter(|_| tag.name == "url");
        let address = address.ok_or_else(|| tag.unexpected("an address (url)"))?;
        self.close(&tag)?;
        if is_address(&address) { Ok(address) } else { Err(tag.error(Reason::NotAnAddress(address.into_owned()))) }
    }

    /// Reads the text of an element up to its end. Quotation marks in contents are preceded by a backslash.
    fn text_in(&mut self, tag: &Tag<'a>, has_backslashes: bool) -> Result<Cow<'a, str>, DecodeError> {
        if tag.is_empty {
            return Ok(Cow::Borrowed(""));
        }
        let begin = self.at;
        if let Some(literal) = self.literal(tag) {
            return Ok(literal);
        }
        let rest = &self.text[begin..];
        let end = format!("</{}>", tag.name);
        let ends = |place: &usize| follows_text(&rest[*place + end.len()..]);
        let length = rest.match_indices(&end).map(|(place, _)| place).find(ends);
        let length = length.ok_or_else(|| self.truncated(tag.name))?;
        self.at = begin + length + end.len();
        let text = &rest[..length];
        let has_backslashes = has_backslashes && text.contains("\\\"");
        if has_backslashes || text.contains(['<', '&']) {
            self.repairs.push(Repair { at: begin, kind: RepairKind::Unescaped });
        }
        Ok(if has_backslashes { text.replace("\\\"", "\"").into() } else { text.into() })
    }

    /// Returns the text of an element that consists of literal texts (CDATA), if it does.
    fn literal(&mut self, tag: &Tag<'a>) -> Option<Cow<'a, str>> {
        let mut rest = &self.text[self.at..];
        let mut whole = Cow::Borrowed("");
        while let Some(literal) = rest.strip_prefix("<![CDATA[") {
            let (text, after) = literal.split_once("]]>")?;
            if whole.is_empty() {
                whole = text.into();
            } else {
                whole.to_mut().push_str(text);
            }
            rest = after;
        }
        let after = rest.strip_prefix("</")?.strip_prefix(tag.name)?.strip_prefix('>')?;
        if rest.len() == self.text.len() - self.at {
            return None;
        }
        self.at = self.text.len() - after.len();
        Some(whole)
    }

    /// Reads an opening tag.
    fn open(&mut self) -> Result<Tag<'a>, DecodeError> {
        self.skip_blanks();
        let at = self.at;
        let Some(inside) = self.text[at..].strip_prefix('<') else {
            return Err(if at == self.text.len() {
                self.truncated("fipa-message")
            } else {
                ill_formed(at, "expected a tag, found text")
            });
        };
        let ends_name = |c: char| matches!(c, '>' | '/') || BLANKS.contains(&c);
        let length = inside.find(ends_name).ok_or_else(|| self.truncated(inside))?;
        let name = &inside[..length];
        self.at += 1 + length;
        let mut attribute = None;
        loop {
            self.skip_blanks();
            let rest = &self.text[self.at..];
            if let Some(end) = ["/>", ">"].into_iter().find(|end| rest.starts_with(end)) {
                self.at += end.len();
                return Ok(Tag { at, name, attribute, is_empty: end == "/>" });
            }
            let found = self.attribute()?;
            attribute.get_or_insert(found);
        }
    }

    /// Reads an attribute. Its value ends at the quotation mark before the end of the tag or another attribute.
    fn attribute(&mut self) -> Result<(&'a str, Cow<'a, str>), DecodeError> {
        let at = self.at;
        let rest = &self.text[at..];
        let ill_formed = || ill_formed(at, "this is not an attribute such as id=\"a\"");
        let (name, value) = rest.split_once("=\"").ok_or_else(ill_formed)?;
        if name.contains(|c: char| matches!(c, '<' | '>' | '"') || c.is_whitespace()) {
            return Err(ill_formed());
        }
        let ends = |quote: &usize| follows_attribute(&value[*quote + 1..]);
        let end = value.match_indices('"').map(|(quote, _)| quote).find(ends).ok_or_else(ill_formed)?;
        self.at = at + name.len() + 2 + end + 1;
        Ok((name, without_references(&value[..end])))
    }

    /// Reads the end tag of an element that has no further contents.
    fn close(&mut self, tag: &Tag<'a>) -> Result<(), DecodeError> {
        if tag.is_empty || self.closes(tag.name) {
            return Ok(());
        }
        Err(ill_formed(self.at, format!("expected `</{}>`", tag.name)))
    }

    /// Skips the end tag of an element, if it follows.
    fn closes(&mut self, name: &str) -> bool {
        self.skip_blanks();
        let rest = self.text[self.at..].strip_prefix("</").and_then(|rest| rest.strip_prefix(name));
        match rest.and_then(|rest| rest.strip_prefix('>')) {
            Some(rest) => {
                self.at = self.text.len() - rest.len();
                true
            }
            None => false,
        }
    }

    fn skip_declaration(&mut self) -> Result<(), DecodeError> {
        self.skip_blanks();
        if self.text[self.at..].starts_with("<?xml") {
            let end = self.text[self.at..].find("?>").ok_or_else(|| self.truncated("?xml"))?;
            self.at += end + 2;
        }
        Ok(())
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start_matches(BLANKS).len();
    }

    fn truncated(&self, inside: &str) -> DecodeError {
        let inside = inside.chars().take(20).collect();
        DecodeError { at: self.text.len(), reason: Reason::Truncated(inside) }
    }
}

/// The name of a parameter in the standard.
fn parameter_name(name: &str) -> &str {
    if name == "content-language-encoding" { "encoding" } else { name }
}

fn is_user_parameter(name: &str) -> bool {
    name.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("X-"))
}

/// Whether this can follow the end tag of a parameter's text.
fn follows_text(rest: &str) -> bool {
    let Some(rest) = rest.trim_ascii_start().strip_prefix('<') else { return false };
    if let Some(end) = rest.strip_prefix('/') {
        return end.strip_prefix("fipa-message>").is_some_and(|rest| rest.trim_ascii().is_empty());
    }
    let name = rest.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next().unwrap_or_default();
    let is_parameter = Parameter::ALL.into_iter().any(|parameter| parameter.name() == parameter_name(name));
    is_parameter || name == "user-defined" || is_user_parameter(name)
}

/// Whether this can follow the quotation mark that ends an attribute's value.
fn follows_attribute(rest: &str) -> bool {
    let trimmed = rest.trim_ascii_start();
    let name = trimmed.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_next = || trimmed.len() < rest.len() && name > 0 && trimmed[name..].starts_with("=\"");
    trimmed.starts_with('>') || trimmed.starts_with("/>") || is_next()
}

/// Replaces the references in the value of an attribute, if there are any.
fn without_references(value: &str) -> Cow<'_, str> {
    let mut parts = value.split('&');
    let mut text = Cow::Borrowed(parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once(';').and_then(|(reference, after)| Some((referred(reference).ok()?, after))) {
            Some((character, after)) => {
                text.to_mut().push(character);
                text.to_mut().push_str(after);
            }
            None => {
                text.to_mut().push('&');
                text.to_mut().push_str(part);
            }
        }
    }
    text
}
