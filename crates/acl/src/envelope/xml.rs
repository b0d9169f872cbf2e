//! The XML encoding of envelopes (SC00085, `fipa.mts.env.rep.xml.std`), in the form that JADE also reads: each agent
//! has its own `to` or `intended-receiver`, and addresses of stamps are attributes `value`.
//!
//! The decoder accepts names and addresses as texts and as attributes, and layers in any order. Stamps have no form
//! for user parameters.

use std::borrow::Cow;

use super::{Envelope, Layer, Received};
use crate::time::checked;
use crate::xml::agents::{
    AgentStyle, FOREIGN_CHARACTERS, read_agents, read_either, read_only_agent, read_user_defined, write_agents,
    write_attribute, write_element, write_end, write_only_agent, write_start, write_user_defined,
};
use crate::xml::characters::can_hold;
use crate::xml::document::{Document, Tag};
use crate::xml::values::{read_content, write_content};
use crate::xml::{DecodeError, Reason, Repaired, once};
use crate::{Time, Unencodable};

/// Encodes an envelope as a document.
///
/// # Errors
/// Returns an error if a part of it has no form in this encoding.
pub fn encode(envelope: &Envelope<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut document = String::new();
    write_envelope(&mut document, envelope)?;
    Ok(document.into_bytes())
}

/// Decodes a document as an envelope.
///
/// # Errors
/// Returns an error if it is not well-formed, or contains something that envelopes do not have.
pub fn decode(document: &[u8]) -> Result<Envelope<'_>, DecodeError> {
    read_envelope(&mut Document::strict(document)?)
}

/// Decodes an envelope as [`decode`] does, and repairs the dates that JADE writes.
///
/// # Errors
/// Returns an error if it cannot be repaired.
///
/// ```
/// use situated_acl::envelope;
/// use situated_acl::xml::RepairKind;
///
/// let document = b"<envelope><params index=\"1\"><date>20261120Z125737240</date></params></envelope>";
/// let repaired = envelope::xml::decode_leniently(document)?;
/// assert_eq!(repaired.message.base.date, Some("20261120T125737240".parse()?));
/// assert_eq!(repaired.repairs[0].kind, RepairKind::TimeLetter);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_leniently(document: &[u8]) -> Result<Repaired<Envelope<'_>>, DecodeError> {
    let mut document = Document::lenient(document)?;
    let message = read_envelope(&mut document)?;
    Ok(Repaired { message, repairs: document.into_repairs() })
}

/// Reads an envelope, and checks that nothing follows.
fn read_envelope<'a>(document: &mut Document<'a>) -> Result<Envelope<'a>, DecodeError> {
    let root = document.root("envelope")?;
    let mut layers: Vec<(u64, Layer<'a>)> = Vec::new();
    while let Some(tag) = document.child(&root)? {
        if tag.name() != "params" {
            return Err(tag.unexpected("the parameters of an envelope (params)"));
        }
        let index = tag.attribute("index").ok_or_else(|| tag.lacks("attribute `index`"))?;
        let index = whole_number(&tag, &index)?;
        layers.push((index, read_layer(document, &tag)?));
    }
    document.end()?;
    layers.sort_by_key(|(index, _)| *index);
    if let Some(pair) = layers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(root.error(Reason::Duplicate(format!("`<params index=\"{}\">`", pair[0].0))));
    }
    let mut layers = layers.into_iter().map(|(_, layer)| layer);
    let base = layers.next().ok_or_else(|| root.lacks("parameters (params)"))?;
    Ok(Envelope { base, added: layers.collect() })
}

fn read_layer<'a>(document: &mut Document<'a>, parent: &Tag<'a>) -> Result<Layer<'a>, DecodeError> {
    let mut layer = Layer::default();
    while let Some(tag) = document.child(parent)? {
        read_parameter(document, &tag, &mut layer)?;
    }
    Ok(layer)
}

fn read_parameter<'a>(document: &mut Document<'a>, tag: &Tag<'a>, layer: &mut Layer<'a>) -> Result<(), DecodeError> {
    match tag.name() {
        "to" => read_agents(document, tag, &mut layer.to),
        "intended-receiver" => read_agents(document, tag, &mut layer.intended_receivers),
        "from" => once(&mut layer.from, tag, || read_only_agent(document, tag)),
        "comments" => once(&mut layer.comments, tag, || document.trimmed()),
        "acl-representation" => once(&mut layer.representation, tag, || document.trimmed()),
        "payload-encoding" => once(&mut layer.payload_encoding, tag, || document.trimmed()),
        "payload-length" => once(&mut layer.payload_length, tag, || {
            let text = document.trimmed()?;
            whole_number(tag, &text)
        }),
        "date" => once(&mut layer.date, tag, || read_time(document, tag)),
        "transport-behaviour" => once(&mut layer.transport_behaviour, tag, || read_content(document, tag)),
        "received" => once(&mut layer.received, tag, || read_received(document, tag)),
        "user-defined" => {
            layer.user_parameters.push(read_user_defined(document, tag)?);
            Ok(())
        }
        _ => Err(tag.unexpected("a parameter of an envelope")),
    }
}

fn read_received<'a>(document: &mut Document<'a>, parent: &Tag<'a>) -> Result<Received<'a>, DecodeError> {
    let (mut by, mut from, mut date, mut id, mut via) = (None, None, None, None, None);
    while let Some(tag) = document.child(parent)? {
        match tag.name() {
            "received-by" => once(&mut by, &tag, || read_address(document, &tag))?,
            "received-from" => once(&mut from, &tag, || read_address(document, &tag))?,
            "received-date" => once(&mut date, &tag, || read_time(document, &tag))?,
            "received-id" => once(&mut id, &tag, || read_either(document, &tag, &["value"]))?,
            "received-via" => once(&mut via, &tag, || read_either(document, &tag, &["value"]))?,
            _ => return Err(tag.unexpected("a part of a stamp")),
        }
    }
    let by = by.ok_or_else(|| parent.lacks("`<received-by>`"))?;
    let date = date.ok_or_else(|| parent.lacks("`<received-date>`"))?;
    Ok(Received { by, from, date, id, via, user_parameters: Vec::new() })
}

/// Reads an address from an attribute or from a child element.
fn read_address<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Cow<'a, str>, DecodeError> {
    if let Some(address) = tag.attribute("value") {
        document.close(tag)?;
        return Ok(address);
    }
    match document.child(tag)? {
        Some(url) if url.name() == "url" => {
            let address = read_either(document, &url, &["href"])?;
            document.close(tag)?;
            Ok(address)
        }
        Some(other) => Err(other.unexpected("an address (url)")),
        None => Err(tag.lacks("attribute `value`")),
    }
}

fn read_time<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Time, DecodeError> {
    let text = read_either(document, tag, &["value"])?;
    document.time(tag, &text)
}

fn whole_number(tag: &Tag<'_>, text: &str) -> Result<u64, DecodeError> {
    text.parse().map_err(|_| tag.error(Reason::NotANumber(text.into())))
}

/// Writes an envelope.
fn write_envelope(out: &mut String, envelope: &Envelope<'_>) -> Result<(), Unencodable> {
    out.push_str("<?xml version=\"1.0\"?>\n<envelope>");
    write_layer(out, 1, &envelope.base).map_err(|error| error.of("the base"))?;
    for (place, layer) in envelope.added.iter().enumerate() {
        write_layer(out, place + 2, layer).map_err(|error| error.of(format_args!("added layer {}", place + 1)))?;
    }
    write_end(out, "envelope");
    Ok(())
}

fn write_layer(out: &mut String, index: usize, layer: &Layer<'_>) -> Result<(), Unencodable> {
    out.push_str(&format!("<params index=\"{index}\">"));
    write_agents(out, "to", &layer.to, AgentStyle::Texts)?;
    if let Some(from) = &layer.from {
        write_only_agent(out, "from", from, AgentStyle::Texts)?;
    }
    write_text(out, "comments", layer.comments.as_deref())?;
    write_text(out, "acl-representation", layer.representation.as_deref())?;
    let length = layer.payload_length.map(|length| length.to_string());
    write_text(out, "payload-length", length.as_deref())?;
    write_text(out, "payload-encoding", layer.payload_encoding.as_deref())?;
    if let Some(date) = &layer.date {
        write_element(out, "date", &time(date, "date")?);
    }
    write_agents(out, "intended-receiver", &layer.intended_receivers, AgentStyle::Texts)?;
    layer.user_parameters.iter().try_for_each(|parameter| write_user_defined(out, parameter))?;
    if let Some(behaviour) = &layer.transport_behaviour {
        out.push_str("<transport-behaviour");
        write_content(out, behaviour);
        write_end(out, "transport-behaviour");
    }
    if let Some(received) = &layer.received {
        write_received(out, received).map_err(|error| error.of("the stamp"))?;
    }
    write_end(out, "params");
    Ok(())
}

fn write_received(out: &mut String, received: &Received<'_>) -> Result<(), Unencodable> {
    if let Some(parameter) = received.user_parameters.first() {
        let why = "for which XML has no place; leave it out, or put it into the envelope itself";
        return Err(Unencodable::new("a parameter", parameter.name.as_str(), why));
    }
    write_start(out, "received");
    write_value(out, "received-by", Some(&received.by))?;
    write_value(out, "received-from", received.from.as_deref())?;
    write_value(out, "received-date", Some(&time(&received.date, "received-date")?))?;
    write_value(out, "received-id", received.id.as_deref())?;
    write_value(out, "received-via", received.via.as_deref())?;
    write_end(out, "received");
    Ok(())
}

/// Writes an element with a text, if there is one.
fn write_text(out: &mut String, element: &str, text: Option<&str>) -> Result<(), Unencodable> {
    if let Some(text) = text {
        write_element(out, element, held(text, element)?);
    }
    Ok(())
}

/// Writes an element with a value, if there is one.
fn write_value(out: &mut String, element: &str, value: Option<&str>) -> Result<(), Unencodable> {
    if let Some(value) = value {
        write_attribute(out, element, "value", held(value, element)?);
    }
    Ok(())
}

/// Returns the text, if XML can contain it.
fn held<'t>(text: &'t str, element: &str) -> Result<&'t str, Unencodable> {
    if can_hold(text) { Ok(text) } else { Err(Unencodable::new(element, text, FOREIGN_CHARACTERS)) }
}

fn time(time: &Time, element: &str) -> Result<String, Unencodable> {
    Ok(checked(time).map_err(|error| error.of(element))?.to_string())
}
