//! Envelopes as they are written.

use crate::envelope::{Envelope, Layer, Received};
use crate::time::checked;
use crate::xml::agents::{
    FOREIGN_CHARACTERS, Form, write_agents, write_attribute, write_element, write_end, write_only_agent, write_start,
    write_user_defined,
};
use crate::xml::characters::can_hold;
use crate::xml::values::write_content;
use crate::{Time, Unencodable};

/// Writes an envelope.
pub(super) fn write_envelope(out: &mut Vec<u8>, envelope: &Envelope<'_>) -> Result<(), Unencodable> {
    out.extend_from_slice(b"<?xml version=\"1.0\"?>\n<envelope>");
    write_layer(out, 1, &envelope.base).map_err(|error| error.of("the base"))?;
    for (place, layer) in envelope.added.iter().enumerate() {
        write_layer(out, place + 2, layer).map_err(|error| error.of(format_args!("added layer {}", place + 1)))?;
    }
    write_end(out, "envelope");
    Ok(())
}

fn write_layer(out: &mut Vec<u8>, index: usize, layer: &Layer<'_>) -> Result<(), Unencodable> {
    out.extend_from_slice(format!("<params index=\"{index}\">").as_bytes());
    write_agents(out, "to", &layer.to, Form::Texts)?;
    if let Some(from) = &layer.from {
        write_only_agent(out, "from", from, Form::Texts)?;
    }
    write_text(out, "comments", layer.comments.as_deref())?;
    write_text(out, "acl-representation", layer.representation.as_deref())?;
    let length = layer.payload_length.map(|length| length.to_string());
    write_text(out, "payload-length", length.as_deref())?;
    write_text(out, "payload-encoding", layer.payload_encoding.as_deref())?;
    if let Some(date) = &layer.date {
        write_element(out, "date", &time(date, "date")?);
    }
    write_agents(out, "intended-receiver", &layer.intended_receivers, Form::Texts)?;
    layer.user_parameters.iter().try_for_each(|parameter| write_user_defined(out, parameter))?;
    if let Some(behaviour) = &layer.transport_behaviour {
        out.extend_from_slice(b"<transport-behaviour");
        write_content(out, behaviour);
        write_end(out, "transport-behaviour");
    }
    if let Some(received) = &layer.received {
        write_received(out, received).map_err(|error| error.of("the stamp"))?;
    }
    write_end(out, "params");
    Ok(())
}

fn write_received(out: &mut Vec<u8>, received: &Received<'_>) -> Result<(), Unencodable> {
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
fn write_text(out: &mut Vec<u8>, element: &str, text: Option<&str>) -> Result<(), Unencodable> {
    if let Some(text) = text {
        write_element(out, element, held(text, element)?);
    }
    Ok(())
}

/// Writes an element with a value, if there is one.
fn write_value(out: &mut Vec<u8>, element: &str, value: Option<&str>) -> Result<(), Unencodable> {
    if let Some(value) = value {
        write_attribute(out, element, "value", held(value, element)?);
    }
    Ok(())
}

/// A text, if XML can hold it.
fn held<'t>(text: &'t str, element: &str) -> Result<&'t str, Unencodable> {
    if can_hold(text) { Ok(text) } else { Err(Unencodable::new(element, text, FOREIGN_CHARACTERS)) }
}

fn time(time: &Time, element: &str) -> Result<String, Unencodable> {
    Ok(checked(time).map_err(|error| error.of(element))?.to_string())
}
