//! Envelopes as XML (SC00085, `fipa.mts.env.rep.xml.std`), in the form that JADE reads, too: one `to` and one
//! `intended-receiver` for each agent, addresses of stamps as attributes `value`.
//!
//! Names and addresses are read as texts and as attributes, layers in any order. Stamps have no place for parameters of
//! users.

mod reading;
mod writing;

use super::Envelope;
use crate::Unencodable;
use crate::xml::document::Document;
use crate::xml::{DecodeError, Repaired};

/// Encodes an envelope as a document.
///
/// # Errors
/// When a part of it has no form.
pub fn encode(envelope: &Envelope<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut document = Vec::new();
    encode_into(envelope, &mut document)?;
    Ok(document)
}

/// Encodes an envelope as a document, after what is already there.
///
/// # Errors
/// As with [`encode`]; nothing is added then.
pub fn encode_into(envelope: &Envelope<'_>, document: &mut Vec<u8>) -> Result<(), Unencodable> {
    let length = document.len();
    writing::write_envelope(document, envelope).inspect_err(|_| document.truncate(length))
}

/// Decodes the envelope that a document is.
///
/// # Errors
/// When it is not well-formed, or has something that envelopes do not have.
pub fn decode(document: &[u8]) -> Result<Envelope<'_>, DecodeError> {
    reading::read_envelope(&mut Document::strict(document)?)
}

/// Decodes an envelope as [`decode`] does, and mends the dates that JADE writes.
///
/// # Errors
/// When it cannot be mended.
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
    let message = reading::read_envelope(&mut document)?;
    Ok(Repaired { message, repairs: document.into_repairs() })
}
