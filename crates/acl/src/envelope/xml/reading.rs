//! Envelopes as they are read.

use std::borrow::Cow;

use crate::Time;
use crate::envelope::{Envelope, Layer, Received};
use crate::xml::agents::{read_agents, read_either, read_only_agent, read_user_defined};
use crate::xml::document::{Document, Tag};
use crate::xml::reading::once;
use crate::xml::values::read_content;
use crate::xml::{DecodeError, Reason};

/// Reads an envelope, and nothing after it.
pub(super) fn read_envelope<'a>(document: &mut Document<'a>) -> Result<Envelope<'a>, DecodeError> {
    let root = document.root("envelope")?;
    let mut layers: Vec<(u64, Layer<'a>)> = Vec::new();
    while let Some(tag) = document.child(&root)? {
        if tag.name() != "params" {
            return Err(tag.unexpected("the parameters of an envelope (params)"));
        }
        let index = document.attribute(&tag, "index")?.ok_or_else(|| tag.lacks("attribute `index`"))?;
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
        "comments" => once(&mut layer.comments, tag, || document.trimmed(tag)),
        "acl-representation" => once(&mut layer.representation, tag, || document.trimmed(tag)),
        "payload-encoding" => once(&mut layer.payload_encoding, tag, || document.trimmed(tag)),
        "payload-length" => once(&mut layer.payload_length, tag, || {
            let text = document.trimmed(tag)?;
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

/// An address in an attribute, or in an element inside.
fn read_address<'a>(document: &mut Document<'a>, tag: &Tag<'a>) -> Result<Cow<'a, str>, DecodeError> {
    if let Some(address) = document.attribute(tag, "value")? {
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
