//! Envelopes as they are written.

use super::{REPRESENTATIONS, codes};
use crate::agent_identifier::MAX_RESOLVER_DEPTH;
use crate::bit_efficient::codes::{END, agent, value};
use crate::bit_efficient::half_bytes::{write_number, write_time};
use crate::bit_efficient::writing::write_bytes;
use crate::envelope::{Envelope, Layer, Received};
use crate::time::checked;
use crate::word::is_address;
use crate::xml::values::text_of;
use crate::{AgentIdentifier, Content, Expression, Time, Unencodable, UserParameter};

/// Writes an envelope: what was added, the newest first, and then the base.
pub(super) fn write_envelope(out: &mut Vec<u8>, envelope: &Envelope<'_>) -> Result<(), Unencodable> {
    for (place, layer) in envelope.added.iter().enumerate().rev() {
        write_added(out, layer).map_err(|error| error.of(format_args!("added layer {}", place + 1)))?;
    }
    write_base(out, &envelope.base).map_err(|error| error.of("the base"))
}

fn write_base(out: &mut Vec<u8>, layer: &Layer<'_>) -> Result<(), Unencodable> {
    let missing = |what| Unencodable::new(what, "", "but every base has one; set it");
    let start = write_start(out, codes::BASE);
    write_representation(out, layer.representation.as_ref().ok_or_else(|| missing("the representation"))?)?;
    write_date(out, layer.date.as_ref().ok_or_else(|| missing("the date"))?)?;
    write_parameters(out, layer)?;
    if let Some(received) = &layer.received {
        out.push(codes::RECEIVED);
        write_received(out, received).map_err(|error| error.of("the stamp"))?;
    }
    write_end(out, start)
}

fn write_added(out: &mut Vec<u8>, layer: &Layer<'_>) -> Result<(), Unencodable> {
    let start = write_start(out, codes::ADDED);
    let Some(received) = &layer.received else {
        return Err(Unencodable::new("the stamp", "", "but every layer that was added has one; set `received`"));
    };
    write_received(out, received).map_err(|error| error.of("the stamp"))?;
    if let Some(date) = &layer.date {
        return Err(Unencodable::new("the date", &date.to_string(), "but only the base has one; leave it out"));
    }
    if let Some(representation) = &layer.representation {
        out.push(codes::REPRESENTATION);
        write_representation(out, representation)?;
    }
    write_parameters(out, layer)?;
    write_end(out, start)
}

/// Writes the beginning of a layer, with room for a short length, and returns where it is.
fn write_start(out: &mut Vec<u8>, code: u8) -> usize {
    let start = out.len();
    out.extend([code, 0, 0]);
    start
}

/// Writes the end of a layer, and its length where that belongs.
fn write_end(out: &mut Vec<u8>, start: usize) -> Result<(), Unencodable> {
    out.push(END);
    let length = out.len() - start;
    if let Ok(short) = u16::try_from(length) {
        out[start + 1..start + 3].copy_from_slice(&short.to_be_bytes());
        return Ok(());
    }
    let Ok(long) = u32::try_from(length + 4) else {
        let why = "but no length has more than 32 bits; write less";
        return Err(Unencodable::new("the length", &length.to_string(), why));
    };
    out.splice(start + 3..start + 3, long.to_be_bytes());
    Ok(())
}

/// Writes what every layer can have in the same form.
fn write_parameters(out: &mut Vec<u8>, layer: &Layer<'_>) -> Result<(), Unencodable> {
    write_agents(out, codes::TO, &layer.to, "receiver")?;
    if let Some(from) = &layer.from {
        out.push(codes::FROM);
        write_agent(out, from, 0).map_err(|error| error.of("the sender"))?;
    }
    if let Some(comments) = &layer.comments {
        out.push(codes::COMMENTS);
        write_text(out, comments).map_err(|error| error.of("the comments"))?;
    }
    if let Some(length) = layer.payload_length {
        out.push(codes::PAYLOAD_LENGTH);
        write_number(out, &length.to_string());
    }
    if let Some(encoding) = &layer.payload_encoding {
        out.push(codes::PAYLOAD_ENCODING);
        write_text(out, encoding).map_err(|error| error.of("the payload encoding"))?;
    }
    write_agents(out, codes::INTENDED_RECEIVER, &layer.intended_receivers, "intended receiver")?;
    if let Some(behaviour) = &layer.transport_behaviour {
        out.push(codes::TRANSPORT_BEHAVIOUR);
        write_any(out, behaviour).map_err(|error| error.of("the transport behaviour"))?;
    }
    layer.user_parameters.iter().try_for_each(|parameter| write_user_parameter(out, parameter))
}

fn write_representation(out: &mut Vec<u8>, name: &str) -> Result<(), Unencodable> {
    match REPRESENTATIONS.iter().find(|(_, encoding)| encoding.name() == name) {
        Some((code, _)) => {
            out.push(*code);
            Ok(())
        }
        None => {
            out.push(codes::USER_DEFINED);
            write_text(out, name).map_err(|error| error.of("the representation"))
        }
    }
}

fn write_date(out: &mut Vec<u8>, date: &Time) -> Result<(), Unencodable> {
    write_time(out, checked(date).map_err(|error| error.of("the date"))?);
    Ok(())
}

fn write_agents(
    out: &mut Vec<u8>,
    code: u8,
    agents: &[AgentIdentifier<'_>],
    name: &'static str,
) -> Result<(), Unencodable> {
    if agents.is_empty() {
        return Ok(());
    }
    out.push(code);
    for (place, agent) in agents.iter().enumerate() {
        write_agent(out, agent, 0).map_err(|error| error.of(format_args!("{name} {}", place + 1)))?;
    }
    out.push(END);
    Ok(())
}

fn write_agent(out: &mut Vec<u8>, agent: &AgentIdentifier<'_>, depth: usize) -> Result<(), Unencodable> {
    if depth > MAX_RESOLVER_DEPTH {
        let why = "which knows where an agent is that knows where an agent is, and so on; 16 times are the most";
        return Err(Unencodable::new("the name", &agent.name, why));
    }
    out.push(agent::IDENTIFIER);
    write_text(out, &agent.name).map_err(|error| error.of("the name"))?;
    if !agent.addresses.is_empty() {
        out.push(agent::ADDRESSES);
        agent.addresses.iter().try_for_each(|address| write_address(out, address))?;
        out.push(END);
    }
    if !agent.resolvers.is_empty() {
        out.push(agent::RESOLVERS);
        for resolver in &agent.resolvers {
            write_agent(out, resolver, depth + 1).map_err(|error| error.of("a resolver"))?;
        }
        out.push(END);
    }
    for parameter in &agent.user_parameters {
        write_agent_parameter(out, parameter).map_err(|error| error.of(&parameter.name))?;
    }
    out.push(END);
    Ok(())
}

fn write_address(out: &mut Vec<u8>, address: &str) -> Result<(), Unencodable> {
    if !is_address(address) {
        let why = "which is no URL: write blanks and parentheses as %20, %28 and %29";
        return Err(Unencodable::new("an address", address, why));
    }
    write_text(out, address)
}

fn write_agent_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Result<(), Unencodable> {
    out.push(codes::AGENT_USER_PARAMETER);
    write_text(out, parameter.name.as_str())?;
    match &parameter.value {
        Expression::Bytes(bytes) => write_bytes(out, bytes),
        value => {
            out.push(value::STRING);
            write_value(out, value)
        }
    }
}

fn write_received(out: &mut Vec<u8>, received: &Received<'_>) -> Result<(), Unencodable> {
    write_text(out, &received.by)?;
    write_date(out, &received.date)?;
    let parts = [
        (codes::RECEIVED_FROM, &received.from),
        (codes::RECEIVED_ID, &received.id),
        (codes::RECEIVED_VIA, &received.via),
    ];
    for (code, text) in parts {
        if let Some(text) = text {
            out.push(code);
            write_text(out, text)?;
        }
    }
    received.user_parameters.iter().try_for_each(|parameter| write_user_parameter(out, parameter))?;
    out.push(END);
    Ok(())
}

fn write_user_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Result<(), Unencodable> {
    out.push(codes::USER_DEFINED);
    write_text(out, parameter.name.as_str())?;
    write_value(out, &parameter.value).map_err(|error| error.of(&parameter.name))
}

/// Writes the text of a value.
fn write_value(out: &mut Vec<u8>, value: &Expression<'_>) -> Result<(), Unencodable> {
    let text = text_of(value)?;
    match std::str::from_utf8(&text) {
        Ok(text) => write_text(out, text),
        Err(_) => Err(Unencodable::new("the value", &String::from_utf8_lossy(&text), "which is no text; write one")),
    }
}

fn write_any(out: &mut Vec<u8>, content: &Content<'_>) -> Result<(), Unencodable> {
    match content {
        Content::Text(text) => {
            out.push(value::STRING);
            write_text(out, text)
        }
        Content::Bytes(bytes) => write_bytes(out, bytes),
    }
}

/// Writes a text that ends with a zero.
fn write_text(out: &mut Vec<u8>, text: &str) -> Result<(), Unencodable> {
    if text.contains('\0') {
        return Err(Unencodable::new("the text", text, "which has a zero character; leave that out"));
    }
    out.extend_from_slice(text.as_bytes());
    out.push(0);
    Ok(())
}
