//! Several messages in one request. FIPA has no such bodies: a platform says first that it reads them.

use super::multipart::{self, Part};
use super::parcel::Packed;
use super::unreadable::Unreadable;

/// The type of bodies with several messages.
const KIND: &str = "multipart/x-situated-bundle";

/// The header with the number of a message, so that a server of situated accepts it once.
pub const NUMBER: &str = "X-Situated-Number";

const CONTENT_TYPE: &str = "Content-Type";

/// A message in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled<'b> {
    /// Its number. The platform counts its messages upwards.
    pub number: Option<u64>,
    /// The type of its body.
    pub content_type: &'b str,
    /// Its body, for [`unpack`](super::unpack).
    pub body: &'b [u8],
}

/// Writes messages, each with its number, into one body.
pub fn bundle(messages: &[(u64, Packed)]) -> Packed {
    let headers =
        |(number, packed): &(u64, Packed)| format!("{NUMBER}: {number}\r\n{CONTENT_TYPE}: {}", packed.content_type);
    let headers: Vec<String> = messages.iter().map(headers).collect();
    let parts = headers.iter().zip(messages);
    let parts: Vec<_> =
        parts.map(|(headers, (_, packed))| Part { headers: headers.as_bytes(), content: &packed.body }).collect();
    let (boundary, body) = multipart::write(&parts);
    Packed { content_type: format!("{KIND}; boundary={boundary}"), body }
}

/// Returns the messages of a body with at most this number of them; `None` if the type of the body is not that of a
/// bundle.
///
/// # Errors
/// Returns an error if the bundle is damaged, empty, or has more messages.
pub fn unbundle<'b>(content_type: &str, body: &'b [u8], most: usize) -> Result<Option<Vec<Bundled<'b>>>, Unreadable> {
    if !content_type.starts_with(KIND) {
        return Ok(None);
    }
    let parts = multipart::read(content_type, body, most)?;
    if parts.is_empty() {
        return Err(Unreadable::Parts);
    }
    let bundled = |part: Part<'b>| {
        let header = |name| part.header(name).ok_or(Unreadable::Parts);
        let number = header(NUMBER)?.parse().map_err(|_| Unreadable::Parts)?;
        Ok(Bundled { number: Some(number), content_type: header(CONTENT_TYPE)?, body: part.content })
    };
    parts.into_iter().map(bundled).collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(content_type: &str, body: &str) -> Packed {
        Packed { content_type: content_type.into(), body: body.into() }
    }

    #[test]
    fn messages_are_equal_after_writing_and_reading() {
        let messages = [
            (7, message("multipart/mixed ; boundary=\"b\"", "--b\r\n\r\n<a/>\r\n--b\r\n\r\n(inform)\r\n--b--\r\n")),
            (9, message("text/plain", "part-of-a-message-7")),
            (u64::MAX, message("", "")),
        ];
        let packed = bundle(&messages);
        let read = unbundle(&packed.content_type, &packed.body, 3).expect("it is a bundle").expect("it is one");
        let read: Vec<_> = read
            .iter()
            .map(|one| {
                (
                    one.number.unwrap_or_default(),
                    Packed { content_type: one.content_type.into(), body: one.body.into() },
                )
            })
            .collect();
        assert_eq!(read, messages);
        assert_eq!(unbundle(&packed.content_type, &packed.body, 2), Err(Unreadable::Parts), "it has three");
    }

    #[test]
    fn other_bodies_are_not_bundles() {
        assert_eq!(unbundle("multipart/mixed; boundary=b", b"--b--", 3), Ok(None));
        let kind = format!("{KIND}; boundary=b");
        for body in ["", "--b--", "--b\r\nX-Situated-Number: x\r\nContent-Type: y\r\n\r\n\r\n--b--"] {
            assert_eq!(unbundle(&kind, body.as_bytes(), 3), Err(Unreadable::Parts), "{body:?}");
        }
    }
}
