//! Envelopes as bytes (SC00088, `fipa.mts.env.rep.bitefficient.std`). The message follows after them.
//!
//! Numbers and times are those of messages; names and texts end with a zero and have no code before them. What has no
//! form here: texts with a zero character, lists with bytes in them, a base without date or representation, and added
//! layers with a date, or without the stamp of a receiver.

mod reading;
mod writing;

use super::Envelope;
use crate::bit_efficient::DecodeError;
use crate::bit_efficient::input::Input;
use crate::{Encoding, Unencodable};

/// The bytes that tell what follows.
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
/// When a part of it has no form.
pub fn encode(envelope: &Envelope<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut data = Vec::new();
    encode_into(envelope, &mut data)?;
    Ok(data)
}

/// Encodes an envelope after what is already there.
///
/// # Errors
/// As with [`encode`]; nothing is added then.
pub fn encode_into(envelope: &Envelope<'_>, data: &mut Vec<u8>) -> Result<(), Unencodable> {
    let length = data.len();
    writing::write_envelope(data, envelope).inspect_err(|_| data.truncate(length))
}

/// Decodes an envelope, which must be all that there is.
///
/// # Errors
/// When the data do not keep to the standard, or more follow.
pub fn decode(data: &[u8]) -> Result<Envelope<'_>, DecodeError> {
    let mut input = Input::strict(data);
    let envelope = reading::read_envelope(&mut input).map_err(|error| *error)?;
    input.end().map_err(|error| *error)?;
    Ok(envelope)
}

/// Decodes the envelope at the beginning of the data, and tells how many bytes it has. The message follows.
///
/// # Errors
/// When the data do not keep to the standard.
pub fn decode_prefix(data: &[u8]) -> Result<(Envelope<'_>, usize), DecodeError> {
    let mut input = Input::strict(data);
    let envelope = reading::read_envelope(&mut input).map_err(|error| *error)?;
    Ok((envelope, input.at()))
}
