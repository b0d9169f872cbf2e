//! Agent identifiers as elements. In messages, names and addresses are attributes; in envelopes, they are texts. The
//! decoder accepts both everywhere.

use std::borrow::Cow;

use super::characters::{can_hold, write_quoted, write_trimmed};
use super::document::{Document, Tag};
use super::error::{DecodeError, Reason};
use super::values::{read_value, write_value};
use crate::agent_identifier::{MAX_RESOLVER_DEPTH, check_address};
use crate::word::is_address;
use crate::{AgentIdentifier, Unencodable, UserParameter, Word};

/// The reason why some names cannot be written.
pub(crate) const FOREIGN_CHARACTERS: &str = "which has characters that XML does not allow; choose another";

/// The place of names and addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentStyle {
    /// In attributes, as in messages (SC00071).
    Attributes,
    /// In texts, as in envelopes (SC00085).
    Texts,
}

/// Reads the agents in an element.
pub(crate) fn read_agents<'a>(
    document: &mut Document<'a>,
    parent: &Tag<'a>,
    agents: &mut Vec<AgentIdentifier<'a>>,
) -> Result<(), DecodeError> {
    read_agents_inside(document, parent, agents, 0)
}

fn read_agents_inside<'a>(
    document: &mut Document<'a>,
    parent: &Tag<'a>,
    agents: &mut Vec<AgentIdentifier<'a>>,
    depth: usize,
) -> Result<(), DecodeError> {
    while let Some(tag) = document.child(parent)? {
        agents.push(read_agent(document, &tag, depth)?);
    }
    Ok(())
}

/// Reads the only agent in an element.
pub(crate) fn read_only_agent<'a>(
    document: &mut Document<'a>,
    parent: &Tag<'a>,
) -> Result<AgentIdentifier<'a>, DecodeError> {
    let mut agents = Vec::new();
    read_agents(document, parent, &mut agents)?;
    match agents.len() {
        0 => Err(parent.lacks("agent identifier")),
        1 => Ok(agents.remove(0)),
        _ => Err(parent.error(Reason::Duplicate("`<agent-identifier>`".into()))),
    }
}

fn read_agent<'a>(
    document: &mut Document<'a>,
    tag: &Tag<'a>,
    depth: usize,
) -> Result<AgentIdentifier<'a>, DecodeError> {
    if tag.name() != "agent-identifier" {
        return Err(tag.unexpected("an agent identifier"));
    }
    if depth > MAX_RESOLVER_DEPTH {
        return Err(tag.error(Reason::TooDeep));
    }
    let mut name = None;
    let mut agent = AgentIdentifier::new("");
    while let Some(part) = document.child(tag)? {
        match part.name() {
            "name" if name.is_some() => return Err(part.error(Reason::Duplicate("`<name>`".into()))),
            "name" => name = Some(read_either(document, &part, &["id", "refid"])?),
            "addresses" => {
                while let Some(url) = document.child(&part)? {
                    agent.addresses.push(read_address(document, &url)?);
                }
            }
            "resolvers" => read_agents_inside(document, &part, &mut agent.resolvers, depth + 1)?,
            "user-defined" => agent.user_parameters.push(read_user_defined(document, &part)?),
            _ => return Err(part.unexpected("a part of an agent identifier")),
        }
    }
    agent.name = name.ok_or_else(|| tag.lacks("name"))?;
    Ok(agent)
}

fn read_address<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Cow<'a, str>, DecodeError> {
    if tag.name() != "url" {
        return Err(tag.unexpected("an address (url)"));
    }
    let address = read_either(document, tag, &["href"])?;
    if is_address(&address) { Ok(address) } else { Err(tag.error(Reason::NotAnAddress(address.into_owned()))) }
}

/// Returns the value of one of these attributes, or else the text of the element.
pub(crate) fn read_either<'a>(
    document: &mut Document<'a>,
    tag: &Tag<'a>,
    attributes: &[&str],
) -> Result<Cow<'a, str>, DecodeError> {
    for name in attributes {
        if let Some(value) = tag.attribute(name) {
            document.close(tag)?;
            return Ok(value);
        }
    }
    document.trimmed()
}

/// Reads a user parameter, whose name is in an attribute.
pub(crate) fn read_user_defined<'a>(
    document: &mut Document<'a>,
    tag: &Tag<'a>,
) -> Result<UserParameter<'a>, DecodeError> {
    let name = tag.attribute("href").ok_or_else(|| tag.lacks("attribute `href`, the name of the parameter"))?;
    let name = Word::new(name).map_err(|error| tag.error(error))?;
    Ok(UserParameter { name, value: read_value(document, tag)? })
}

/// Writes each agent in its own element: JADE would read only the last of several agents in one element.
///
/// # Errors
/// Returns an error if a part of an agent has no form in XML.
pub(crate) fn write_agents(
    out: &mut String,
    element: &str,
    agents: &[AgentIdentifier<'_>],
    form: AgentStyle,
) -> Result<(), Unencodable> {
    for (place, agent) in agents.iter().enumerate() {
        let number = |error: Unencodable| error.of(format_args!("{element} {}", place + 1));
        write_inside(out, element, agent, form).map_err(number)?;
    }
    Ok(())
}

/// Writes an element with one agent.
///
/// # Errors
/// Returns an error if a part of the agent has no form in XML.
pub(crate) fn write_only_agent(
    out: &mut String,
    element: &str,
    agent: &AgentIdentifier<'_>,
    form: AgentStyle,
) -> Result<(), Unencodable> {
    write_inside(out, element, agent, form).map_err(|error| error.of(element))
}

fn write_inside(
    out: &mut String,
    element: &str,
    agent: &AgentIdentifier<'_>,
    form: AgentStyle,
) -> Result<(), Unencodable> {
    write_start(out, element);
    write_agent(out, agent, form, 0)?;
    write_end(out, element);
    Ok(())
}

fn write_agent(
    out: &mut String,
    agent: &AgentIdentifier<'_>,
    form: AgentStyle,
    depth: usize,
) -> Result<(), Unencodable> {
    agent.check_depth(depth)?;
    if !can_hold(&agent.name) {
        return Err(Unencodable::new("the name", &agent.name, FOREIGN_CHARACTERS));
    }
    out.push_str("<agent-identifier>");
    match form {
        AgentStyle::Attributes => write_attribute(out, "name", "id", &agent.name),
        AgentStyle::Texts => write_element(out, "name", &agent.name),
    }
    if !agent.addresses.is_empty() {
        out.push_str("<addresses>");
        for address in &agent.addresses {
            write_address(out, address, form)?;
        }
        out.push_str("</addresses>");
    }
    if !agent.resolvers.is_empty() {
        out.push_str("<resolvers>");
        for resolver in &agent.resolvers {
            write_agent(out, resolver, form, depth + 1).map_err(|error| error.of("a resolver"))?;
        }
        out.push_str("</resolvers>");
    }
    for parameter in &agent.user_parameters {
        write_user_defined(out, parameter)?;
    }
    out.push_str("</agent-identifier>");
    Ok(())
}

fn write_address(out: &mut String, address: &str, form: AgentStyle) -> Result<(), Unencodable> {
    check_address(address)?;
    if !can_hold(address) {
        return Err(Unencodable::new("an address", address, FOREIGN_CHARACTERS));
    }
    match form {
        AgentStyle::Attributes => write_attribute(out, "url", "href", address),
        AgentStyle::Texts => write_element(out, "url", address),
    }
    Ok(())
}

/// Writes an element with only an attribute.
pub(crate) fn write_attribute(out: &mut String, element: &str, attribute: &str, value: &str) {
    out.push_str(&format!("<{element} {attribute}="));
    write_quoted(out, value);
    out.push_str("/>");
}

/// Writes an element with only a text, in which blanks at both ends count.
pub(crate) fn write_element(out: &mut String, element: &str, text: &str) {
    write_start(out, element);
    write_trimmed(out, text);
    write_end(out, element);
}

/// Writes the beginning of an element without attributes.
pub(crate) fn write_start(out: &mut String, element: &str) {
    out.push_str(&format!("<{element}>"));
}

/// Writes the end of an element.
pub(crate) fn write_end(out: &mut String, element: &str) {
    out.push_str(&format!("</{element}>"));
}

/// Writes a parameter of users.
pub(crate) fn write_user_defined(out: &mut String, parameter: &UserParameter<'_>) -> Result<(), Unencodable> {
    let name = parameter.name.as_str();
    if !can_hold(name) {
        return Err(Unencodable::new("the name of a parameter", name, FOREIGN_CHARACTERS));
    }
    out.push_str("<user-defined href=");
    write_quoted(out, name);
    write_value(out, &parameter.value).map_err(|error| error.of(name))?;
    write_end(out, "user-defined");
    Ok(())
}
