//! Contents that are bytes, in messages of JADE: text in Base64, which a parameter marks as such.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::{Content, Expression, Message};

/// The parameter with which JADE marks a content as bytes in Base64.
pub(crate) const CONTENT_ENCODING: &str = "X-JADE-Encoding";
/// Its value.
pub(crate) const BASE64: &str = "Base64";

/// Whether a parameter declares the encoding of a content.
pub(crate) fn is_content_encoding(name: &str) -> bool {
    name.eq_ignore_ascii_case(CONTENT_ENCODING)
}

/// Returns bytes as text in Base64.
pub(crate) fn in_base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Decodes a content that is marked as Base64, if it is valid.
pub(crate) fn decode_content(message: &mut Message<'_>) {
    let says_so = |value: &Expression<'_>| value.as_text().is_some_and(|text| text.eq_ignore_ascii_case(BASE64));
    let mut parameters = message.user_parameters.iter();
    let place = parameters.position(|user| is_content_encoding(user.name.as_str()) && says_so(&user.value));
    let (Some(place), Some(Content::Text(text))) = (place, &message.content) else { return };
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if let Ok(bytes) = BASE64_STANDARD.decode(digits) {
        message.content = Some(Content::from(bytes));
        message.user_parameters.remove(place);
    }
}
