//! The bit-efficient encoding of envelopes (SC00088, `fipa.mts.env.rep.bitefficient.std`). The message follows the
//! envelope.
//!
//! Numbers and times are encoded as in messages. Names and texts end with a zero and have no code. There is no form
//! for texts with a zero character, lists that contain bytes, a base without date or representation, and added layers
//! with a date or without a stamp.

use std::borrow::Cow;

use super::{Envelope, Layer, Received};
use crate::bit_efficient::DecodeError;
use crate::bit_efficient::agents::{AgentCodec, read_agent, read_agents, write_agent, write_agents};
use crate::bit_efficient::codes::{END, value};
use crate::bit_efficient::error::{Read, Reason};
use crate::bit_efficient::half_bytes::{read_number, read_time, write_number, write_time};
use crate::bit_efficient::input::Input;
use crate::bit_efficient::values::{Written, read_counted, write_bytes};
use crate::time::checked;
use crate::xml::values::{text_of, value_of};
use crate::{Content, Encoding, Expression, Time, Unencodable, UserParameter, Word};

/// The codes: bytes that identify what follows.
mod codes {
    pub(super) const BASE: u8 = 0xFE;
    pub(super) const ADDED: u8 = 0xFD;

    pub(super) const USER_DEFINED: u8 = 0x00;
    pub(super) const TO: u8 = 0x02;
    pub(super) const FROM: u8 = 0x03;
    pub(super) const REPRESENTATION: u8 = 0x04;
    pub(super) const COMMENTS: u8 = 0x05;
    pub(super) const PAYLOAD_LENGTH: u8 = 0x06;
    pub(super) const PAYLOAD_ENCODING: u8 = 0x07;
    pub(super) const INTENDED_RECEIVER: u8 = 0x09;
    pub(super) const RECEIVED: u8 = 0x0A;
    pub(super) const TRANSPORT_BEHAVIOUR: u8 = 0x0B;

    pub(super) const AGENT_USER_PARAMETER: u8 = 0x05;
    pub(super) const RECEIVED_FROM: u8 = 0x02;
    pub(super) const RECEIVED_ID: u8 = 0x03;
    pub(super) const RECEIVED_VIA: u8 = 0x04;
}

/// The representations that have a code.
const REPRESENTATIONS: [(u8, Encoding); 3] =
    [(0x10, Encoding::BitEfficient), (0x11, Encoding::String), (0x12, Encoding::Xml)];

/// Encodes an envelope.
///
/// # Errors
/// Returns an error if a part of it has no form in this encoding.
pub fn encode(envelope: &Envelope<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut data = Vec::new();
    write_envelope(&mut data, envelope)?;
    Ok(data)
}

/// Decodes data that are exactly one envelope.
///
/// # Errors
/// Returns an error if the data do not conform to the standard, or if more data follow.
pub fn decode(data: &[u8]) -> Result<Envelope<'_>, DecodeError> {
    let mut input = Input::strict(data);
    let envelope = read_envelope(&mut input)?;
    input.end()?;
    Ok(envelope)
}

/// Decodes the envelope at the beginning of the data, and returns its number of bytes. The message follows.
///
/// # Errors
/// Returns an error if the data do not conform to the standard.
pub fn decode_prefix(data: &[u8]) -> Result<(Envelope<'_>, usize), DecodeError> {
    let mut input = Input::strict(data);
    let envelope = read_envelope(&mut input)?;
    Ok((envelope, input.at()))
}

/// Reads an envelope: first the added layers, the newest first, then the base.
fn read_envelope<'a>(input: &mut Input<'a>) -> Read<Envelope<'a>> {
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

/// Reads a length of 16 bits or, if that is 0, of 32.
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
        codes::TO => layer.to = read_agents::<Bare>(input, 0)?,
        codes::FROM => layer.from = Some(read_agent::<Bare>(input, 0)?),
        codes::REPRESENTATION => layer.representation = Some(read_representation(input)?),
        codes::COMMENTS => layer.comments = Some(input.text()?.into()),
        codes::PAYLOAD_LENGTH => layer.payload_length = Some(read_payload_length(input)?),
        codes::PAYLOAD_ENCODING => layer.payload_encoding = Some(input.text()?.into()),
        codes::INTENDED_RECEIVER => layer.intended_receivers = read_agents::<Bare>(input, 0)?,
        codes::RECEIVED => layer.received = Some(read_received(input)?),
        codes::TRANSPORT_BEHAVIOUR => layer.transport_behaviour = Some(read_any(input)?),
        codes::USER_DEFINED => layer.user_parameters.push(read_user_parameter(input)?),
        unknown => return input.refuse(Reason::UnknownParameter(unknown)),
    }
    Ok(())
}

/// Returns the name of the parameter with this code, if the layer has already got it.
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

/// Writes an envelope: first the added layers, the newest first, then the base.
fn write_envelope(out: &mut Vec<u8>, envelope: &Envelope<'_>) -> Written {
    for (place, layer) in envelope.added.iter().enumerate().rev() {
        write_added(out, layer).map_err(|error| error.of(format_args!("added layer {}", place + 1)))?;
    }
    write_base(out, &envelope.base).map_err(|error| error.of("the base"))
}

fn write_base(out: &mut Vec<u8>, layer: &Layer<'_>) -> Written {
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

fn write_added(out: &mut Vec<u8>, layer: &Layer<'_>) -> Written {
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

/// Writes the beginning of a layer, with space for a short length. Returns its position.
fn write_start(out: &mut Vec<u8>, code: u8) -> usize {
    let start = out.len();
    out.extend([code, 0, 0]);
    start
}

/// Writes the end of a layer, and then its length at the beginning.
fn write_end(out: &mut Vec<u8>, start: usize) -> Written {
    out.push(END);
    let length = out.len() - start;
    if let Ok(short) = u16::try_from(length) {
        out[start + 1..start + 3].copy_from_slice(&short.to_be_bytes());
        return Ok(());
    }
    let Ok(long) = u32::try_from(length + 4) else {
        let why = "but lengths have at most 32 bits; shorten the envelope";
        return Err(Unencodable::new("the length", &length.to_string(), why));
    };
    out.splice(start + 3..start + 3, long.to_be_bytes());
    Ok(())
}

/// Writes the parameters that all layers have in the same form.
fn write_parameters(out: &mut Vec<u8>, layer: &Layer<'_>) -> Written {
    write_agents::<Bare>(out, codes::TO, &layer.to, "receiver")?;
    if let Some(from) = &layer.from {
        out.push(codes::FROM);
        write_agent::<Bare>(out, from, 0).map_err(|error| error.of("the sender"))?;
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
    write_agents::<Bare>(out, codes::INTENDED_RECEIVER, &layer.intended_receivers, "intended receiver")?;
    if let Some(behaviour) = &layer.transport_behaviour {
        out.push(codes::TRANSPORT_BEHAVIOUR);
        write_any(out, behaviour).map_err(|error| error.of("the transport behaviour"))?;
    }
    layer.user_parameters.iter().try_for_each(|parameter| write_user_parameter(out, parameter))
}

fn write_representation(out: &mut Vec<u8>, name: &str) -> Written {
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

fn write_date(out: &mut Vec<u8>, date: &Time) -> Written {
    write_time(out, checked(date).map_err(|error| error.of("the date"))?);
    Ok(())
}

fn write_received(out: &mut Vec<u8>, received: &Received<'_>) -> Written {
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

fn write_user_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
    out.push(codes::USER_DEFINED);
    write_text(out, parameter.name.as_str())?;
    write_value(out, &parameter.value).map_err(|error| error.of(&parameter.name))
}

/// Writes the text of a value.
fn write_value(out: &mut Vec<u8>, value: &Expression<'_>) -> Written {
    let text = text_of(value)?;
    match std::str::from_utf8(&text) {
        Ok(text) => write_text(out, text),
        Err(_) => Err(Unencodable::new("the value", &String::from_utf8_lossy(&text), "which is not text; use text")),
    }
}

fn write_any(out: &mut Vec<u8>, content: &Content<'_>) -> Written {
    match content {
        Content::Text(text) => {
            out.push(value::STRING);
            write_text(out, text)
        }
        Content::Bytes(bytes) => write_bytes(out, bytes),
    }
}

/// Writes a text that ends with a zero.
fn write_text(out: &mut Vec<u8>, text: &str) -> Written {
    if text.contains('\0') {
        return Err(Unencodable::new("the text", text, "which contains a zero character; remove it"));
    }
    out.extend_from_slice(text.as_bytes());
    out.push(0);
    Ok(())
}

/// Agent identifiers of envelopes: texts are not preceded by codes.
struct Bare;

impl AgentCodec for Bare {
    const USER_PARAMETER: u8 = codes::AGENT_USER_PARAMETER;

    fn read_name<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
        Ok(input.text()?.into())
    }

    fn read_address<'a>(input: &mut Input<'a>) -> Read<&'a str> {
        input.text()
    }

    fn read_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
        let name = read_name(input)?;
        let value = match read_any(input)? {
            Content::Text(text) => value_of(text),
            Content::Bytes(bytes) => Expression::Bytes(bytes),
        };
        Ok(UserParameter { name, value })
    }

    fn write_name(out: &mut Vec<u8>, name: &str) -> Written {
        write_text(out, name)
    }

    fn write_address(out: &mut Vec<u8>, address: &str) -> Written {
        write_text(out, address)
    }

    fn write_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
        let name = &parameter.name;
        write_text(out, name.as_str()).map_err(|error| error.of(name))?;
        match &parameter.value {
            Expression::Bytes(bytes) => write_bytes(out, bytes).map_err(|error| error.of(name)),
            value => {
                out.push(value::STRING);
                write_value(out, value).map_err(|error| error.of(name))
            }
        }
    }
}
