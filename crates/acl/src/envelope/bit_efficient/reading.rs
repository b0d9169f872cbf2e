//! Envelopes as they are read.

use std::borrow::Cow;

use super::{REPRESENTATIONS, codes};
use crate::agent_identifier::MAX_RESOLVER_DEPTH;
use crate::bit_efficient::codes::{agent, value};
use crate::bit_efficient::error::{DecodeError, Read, Reason};
use crate::bit_efficient::half_bytes::{read_number, read_time};
use crate::bit_efficient::input::Input;
use crate::bit_efficient::reading::read_counted;
use crate::envelope::{Envelope, Layer, Received};
use crate::word::is_address;
use crate::xml::values::value_of;
use crate::{AgentIdentifier, Content, Expression, UserParameter, Word};

/// Reads an envelope: what was added, the newest first, and then the base.
pub(super) fn read_envelope<'a>(input: &mut Input<'a>) -> Read<Envelope<'a>> {
    let mut added = Vec::new();
    loop {
        let start = input.at();
        let code = input.byte("an envelope")?;
        if !matches!(code, codes::BASE | codes::ADDED) {
            return input.refuse(Reason::Unexpected { found: code, expected: "an envelope (FE or FD)" });
        }
        let claimed = read_length(input)?;
        let layer = read_layer(input, code)?;
        let actual = input.at() - start;
        if claimed != actual {
            return Err(DecodeError::new(start + 1, Reason::WrongLength { claimed, actual }));
        }
        if code == codes::BASE {
            added.reverse();
            return Ok(Envelope { base: layer, added });
        }
        added.push(layer);
    }
}

/// A length of 16 bits or, where that is 0, of 32.
fn read_length(input: &mut Input<'_>) -> Read<usize> {
    match input.length(2)? {
        0 => input.length(4),
        length => Ok(length),
    }
}

fn read_layer<'a>(input: &mut Input<'a>, code: u8) -> Read<Layer<'a>> {
    let mut layer = Layer::default();
    if code == codes::BASE {
        layer.representation = Some(read_representation(input)?);
        layer.date = Some(read_time(input)?);
    } else {
        layer.received = Some(read_received(input)?);
    }
    while input.goes_on() {
        read_parameter(input, &mut layer)?;
    }
    Ok(layer)
}

fn read_parameter<'a>(input: &mut Input<'a>, layer: &mut Layer<'a>) -> Read<()> {
    let code = input.byte("a parameter, or the end of the envelope")?;
    if let Some(name) = name_if_there(layer, code) {
        return input.refuse(Reason::Duplicate(name));
    }
    match code {
        codes::TO => layer.to = read_agents(input, 0)?,
        codes::FROM => layer.from = Some(read_agent(input, 0)?),
        codes::REPRESENTATION => layer.representation = Some(read_representation(input)?),
        codes::COMMENTS => layer.comments = Some(input.text()?.into()),
        codes::PAYLOAD_LENGTH => layer.payload_length = Some(read_payload_length(input)?),
        codes::PAYLOAD_ENCODING => layer.payload_encoding = Some(input.text()?.into()),
        codes::INTENDED_RECEIVER => layer.intended_receivers = read_agents(input, 0)?,
        codes::RECEIVED => layer.received = Some(read_received(input)?),
        codes::TRANSPORT_BEHAVIOUR => layer.transport_behaviour = Some(read_any(input)?),
        codes::USER_DEFINED => layer.user_parameters.push(read_user_parameter(input)?),
        unknown => return input.refuse(Reason::UnknownParameter(unknown)),
    }
    Ok(())
}

/// The name of the parameter with this code, if the layer has it.
fn name_if_there(layer: &Layer<'_>, code: u8) -> Option<&'static str> {
    let (is_there, name) = match code {
        codes::TO => (!layer.to.is_empty(), "to"),
        codes::FROM => (layer.from.is_some(), "from"),
        codes::REPRESENTATION => (layer.representation.is_some(), "acl-representation"),
        codes::COMMENTS => (layer.comments.is_some(), "comments"),
        codes::PAYLOAD_LENGTH => (layer.payload_length.is_some(), "payload-length"),
        codes::PAYLOAD_ENCODING => (layer.payload_encoding.is_some(), "payload-encoding"),
        codes::INTENDED_RECEIVER => (!layer.intended_receivers.is_empty(), "intended-receiver"),
        codes::RECEIVED => (layer.received.is_some(), "received"),
        codes::TRANSPORT_BEHAVIOUR => (layer.transport_behaviour.is_some(), "transport-behaviour"),
        _ => (false, ""),
    };
    is_there.then_some(name)
}

fn read_representation<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
    match input.byte("the representation of the message")? {
        codes::USER_DEFINED => Ok(input.text()?.into()),
        code => match REPRESENTATIONS.iter().find(|(known, _)| *known == code) {
            Some((_, encoding)) => Ok(encoding.name().into()),
            None => input.refuse(Reason::Unexpected { found: code, expected: "the representation of the message" }),
        },
    }
}

fn read_payload_length(input: &mut Input<'_>) -> Read<u64> {
    let at = input.at();
    input.expect(value::NUMBER, "a number (12)")?;
    let number = read_number(input)?;
    let whole = number.as_str().parse();
    whole.map_err(|_| DecodeError::new(at, Reason::NotANumber(number.as_str().into())))
}

fn read_agents<'a>(input: &mut Input<'a>, depth: usize) -> Read<Vec<AgentIdentifier<'a>>> {
    let mut agents = Vec::new();
    while input.goes_on() {
        agents.push(read_agent(input, depth)?);
    }
    Ok(agents)
}

fn read_agent<'a>(input: &mut Input<'a>, depth: usize) -> Read<AgentIdentifier<'a>> {
    if depth > MAX_RESOLVER_DEPTH {
        return input.refuse(Reason::TooDeep("resolvers"));
    }
    input.expect(agent::IDENTIFIER, "an agent identifier (02)")?;
    let mut agent = AgentIdentifier::new(input.text()?);
    if input.passes(agent::ADDRESSES) {
        while input.goes_on() {
            agent.addresses.push(read_address(input)?);
        }
    }
    if input.passes(agent::RESOLVERS) {
        agent.resolvers = read_agents(input, depth + 1)?;
    }
    while input.goes_on() {
        input.expect(codes::AGENT_USER_PARAMETER, "a part of an agent identifier, or its end")?;
        agent.user_parameters.push(read_agent_parameter(input)?);
    }
    Ok(agent)
}

fn read_address<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
    let at = input.at();
    let address = input.text()?;
    if is_address(address) {
        Ok(address.into())
    } else {
        Err(DecodeError::new(at, Reason::NotAnAddress(address.into())))
    }
}

fn read_agent_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
    let name = read_name(input)?;
    let value = match read_any(input)? {
        Content::Text(text) => value_of(text),
        Content::Bytes(bytes) => Expression::Bytes(bytes),
    };
    Ok(UserParameter { name, value })
}

fn read_received<'a>(input: &mut Input<'a>) -> Read<Received<'a>> {
    let by = input.text()?.into();
    let date = read_time(input)?;
    let mut received = Received { by, from: None, date, id: None, via: None, user_parameters: Vec::new() };
    if input.passes(codes::RECEIVED_FROM) {
        received.from = Some(input.text()?.into());
    }
    if input.passes(codes::RECEIVED_ID) {
        received.id = Some(input.text()?.into());
    }
    if input.passes(codes::RECEIVED_VIA) {
        received.via = Some(input.text()?.into());
    }
    while input.goes_on() {
        input.expect(codes::USER_DEFINED, "a part of a stamp, or its end")?;
        received.user_parameters.push(read_user_parameter(input)?);
    }
    Ok(received)
}

fn read_user_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
    Ok(UserParameter { name: read_name(input)?, value: value_of(input.text()?.into()) })
}

fn read_name<'a>(input: &mut Input<'a>) -> Read<Word<'a>> {
    let at = input.at();
    Word::new(input.text()?).map_err(|error| DecodeError::new(at, Reason::NotAWord(error.0)))
}

/// Reads a text, or bytes with their length.
fn read_any<'a>(input: &mut Input<'a>) -> Read<Content<'a>> {
    match input.byte("a text or bytes")? {
        value::STRING => Ok(Content::Text(input.text()?.into())),
        code => Ok(Content::Bytes(read_counted(input, code)?.bytes.into())),
    }
}
