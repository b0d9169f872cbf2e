//! Messages with their envelopes.

use std::str::FromStr;

use situated_acl::envelope::{self, Envelope, Layer};
use situated_acl::{AgentIdentifier, Dialect, Encoding, Message, Time, Unencodable};

use super::multipart::{self, Part};
use super::platform::Platform;
use super::unreadable::{STAMPS, Unreadable};
use crate::names::{AMS, DF, platform_of};

/// The form in which a platform gets messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The encoding.
    pub encoding: Encoding,
    /// The dialect.
    pub dialect: Dialect,
}

/// A text that names no form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no form of messages; write string, xml, bit-efficient, or jade for a platform of JADE")]
pub struct UnknownForm(String);

/// The body of a request, and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The value of `Content-Type`.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

/// A message from another platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// The platform that sends it. The message may claim to be from another one.
    pub platform: String,
    /// The message.
    pub message: Message<'static>,
    /// The names of the agents that get it here.
    pub receivers: Vec<String>,
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Self, UnknownForm> {
        let (encoding, dialect) = match text {
            "string" => (Encoding::String, Dialect::Standard),
            "xml" => (Encoding::Xml, Dialect::Standard),
            "bit-efficient" => (Encoding::BitEfficient, Dialect::Standard),
            "jade" => (Encoding::String, Dialect::Jade),
            other => return Err(UnknownForm(other.into())),
        };
        Ok(Self { encoding, dialect })
    }
}

/// Writes a message from an agent of a platform for the receivers on another platform. The time is in milliseconds.
///
/// # Errors
/// Returns an error if the message has no form in this encoding.
pub fn pack(
    platform: &Platform,
    to: &str,
    message: &Message<'static>,
    form: Form,
    now: u64,
) -> Result<Packed, Unencodable> {
    let mut message = message.clone();
    let is_of_directory = matches!(message.sender_name(), Some(AMS | DF));
    platform.qualify(&mut message);
    if is_of_directory {
        platform.qualify_content(&mut message);
    }
    let payload = form.dialect.encode(form.encoding, &message)?;
    let receivers: Vec<_> =
        message.receivers.iter().filter(|receiver| platform_of(&receiver.name) == Some(to)).cloned().collect();
    let envelope = Envelope::new(Layer {
        to: receivers.clone(),
        from: message.sender,
        representation: Some(form.encoding.name().into()),
        payload_length: Some(payload.len() as u64),
        payload_encoding: Some("UTF-8".into()),
        date: Some(Time::at(i64::try_from(now).unwrap_or(i64::MAX))),
        intended_receivers: receivers,
        ..Layer::default()
    });
    let kind = match form.encoding {
        Encoding::String => "application/text",
        Encoding::Xml => "application/xml",
        Encoding::BitEfficient => "application/octet-stream",
    };
    let envelope = envelope::xml::encode(&envelope)?;
    let headers = format!("Content-Type: {kind}");
    let (boundary, body) = multipart::write(&[
        Part { headers: b"Content-Type: application/xml", content: &envelope },
        Part { headers: headers.as_bytes(), content: &payload },
    ]);
    // JADE needs the quotation marks.
    Ok(Packed { content_type: format!("multipart/mixed ; boundary=\"{boundary}\""), body })
}

/// Reads a message. The envelope names its encoding, and the platform that sends it; `form_of` returns the form of
/// messages of a platform that may send any.
///
/// # Errors
/// Returns an error if the body contains no message.
pub fn unpack(
    content_type: &str,
    body: &[u8],
    form_of: impl FnOnce(&str) -> Option<Form>,
) -> Result<Parcel, Unreadable> {
    let parts = multipart::read(content_type, body, 2)?;
    let [envelope, payload] = parts.as_slice() else { return Err(Unreadable::Parts) };
    let envelope = envelope::xml::decode_leniently(envelope.content);
    let envelope = envelope.map_err(|error| Unreadable::Envelope(error.to_string()))?.message;
    if envelope.stamps().count() > STAMPS {
        return Err(Unreadable::Loop);
    }
    let Layer { to, from, intended_receivers, representation, .. } = envelope.effective();
    let from = from.map(AgentIdentifier::into_owned).ok_or_else(|| Unreadable::Stranger(String::new()))?;
    let platform = platform_of(&from.name).unwrap_or_default();
    let stranger = || Unreadable::Stranger(platform.chars().take(100).collect());
    let form = form_of(platform).ok_or_else(stranger)?;
    let encoding = match representation.as_deref() {
        None => Encoding::String,
        Some(name) => Encoding::named(name).ok_or_else(|| Unreadable::Encoding(name.chars().take(100).collect()))?,
    };
    let read = form.dialect.decode(encoding, payload.content);
    let mut message = read.map_err(|error| Unreadable::Message(error.to_string()))?.message.into_owned();
    let platform = platform.to_owned();
    message.sender.get_or_insert(from);
    let receivers = if intended_receivers.is_empty() { to } else { intended_receivers };
    if receivers.is_empty() {
        return Err(Unreadable::NoReceiver);
    }
    Ok(Parcel {
        platform,
        message,
        receivers: receivers.into_iter().map(|receiver| receiver.name.into_owned()).collect(),
    })
}
