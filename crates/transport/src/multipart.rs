//! Bodies in two parts (`multipart/mixed`, RFC 2046).

use memchr::memmem;

use crate::parcel::Unreadable;

/// Writes two parts, and returns the value of `Content-Type` with the body. JADE needs the words before the first part and
/// the quotation marks around the boundary.
pub(crate) fn write(first: &[u8], second: &[u8], second_type: &str) -> (String, Vec<u8>) {
    let boundary = boundary(first, second);
    let mut body = Vec::with_capacity(first.len() + second.len() + 256);
    body.extend_from_slice(b"This is not part of the MIME multipart encoded message.\r\n");
    for (kind, part) in [("application/xml", first), (second_type, second)] {
        body.extend_from_slice(format!("--{boundary}\r\nContent-Type: {kind}\r\n\r\n").as_bytes());
        body.extend_from_slice(part);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/mixed ; boundary=\"{boundary}\""), body)
}

/// A boundary that neither part contains.
fn boundary(first: &[u8], second: &[u8]) -> String {
    let mut number = first.len() + second.len();
    loop {
        let boundary = format!("part-of-a-message-{number:x}");
        if memmem::find(first, boundary.as_bytes()).or(memmem::find(second, boundary.as_bytes())).is_none() {
            return boundary;
        }
        number += 1;
    }
}

/// Reads two parts.
pub(crate) fn read<'b>(content_type: &str, body: &'b [u8]) -> Result<(&'b [u8], &'b [u8]), Unreadable> {
    let boundary = read_boundary(content_type).ok_or(Unreadable::NoBoundary)?;
    let delimiter = format!("--{boundary}");
    // The first one may begin the body, where no line end comes before it.
    let begin = match body.starts_with(delimiter.as_bytes()) {
        true => delimiter.len(),
        false => after(body, 0, &delimiter)?,
    };
    let (first, next) = part(body, begin, &delimiter)?;
    let (second, next) = part(body, next, &delimiter)?;
    if body[next..].starts_with(b"--") { Ok((first, second)) } else { Err(Unreadable::NotTwoParts) }
}

/// The content of the part whose delimiter ends here, and the end of the next delimiter.
fn part<'b>(body: &'b [u8], begin: usize, delimiter: &str) -> Result<(&'b [u8], usize), Unreadable> {
    let next = after(body, begin, delimiter)?;
    // Without its line end, which belongs to the delimiter.
    let part = &body[begin..next - delimiter.len() - 2];
    // A part without headers has only the empty line.
    let from = memmem::find(part, b"\r\n\r\n").map(|at| at + 4).or(part.starts_with(b"\r\n").then_some(2));
    from.map(|from| (&part[from..], next)).ok_or(Unreadable::NotTwoParts)
}

/// The end of the next delimiter.
fn after(body: &[u8], from: usize, delimiter: &str) -> Result<usize, Unreadable> {
    let line = format!("\r\n{delimiter}");
    memmem::find(&body[from..], line.as_bytes()).map(|at| from + at + line.len()).ok_or(Unreadable::NotTwoParts)
}

/// The boundary in a value of `Content-Type`.
fn read_boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().to_ascii_lowercase().starts_with("multipart/") {
        return None;
    }
    let found = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then_some(value.trim())
    })?;
    let boundary = found.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"')).unwrap_or(found);
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_equal_after_writing_and_reading() {
        for second in [b"(inform)".as_slice(), b"", b"\r\n\r\n--\r\n", b"part-of-a-message-5", &[0, 255, 13]] {
            let (kind, body) = write(b"<a/>", second, "application/text");
            assert_eq!(read(&kind, &body), Ok((b"<a/>".as_slice(), second)));
        }
    }

    #[test]
    fn reads_what_other_platforms_write() {
        let body = b"--b\r\n\r\n<a/>\r\n--b\r\nX: y\r\n\r\n(inform)\r\n--b--\r\n\r\n";
        let wanted = Ok((b"<a/>".as_slice(), b"(inform)".as_slice()));
        assert_eq!(read("Multipart/Mixed; charset=x; BOUNDARY=b", body), wanted);
        assert_eq!(read("multipart/mixed ; boundary=\"b\"", &[b"words\r\n", body.as_slice()].concat()), wanted);
    }

    #[test]
    fn rejects_other_bodies() {
        let kind = "multipart/mixed; boundary=b";
        for body in
            ["", "--b", "--b\r\n\r\nx\r\n--b\r\n\r\ny", "--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b\r\n", "--b\r\nx\r\n--b--"]
        {
            assert_eq!(read(kind, body.as_bytes()), Err(Unreadable::NotTwoParts), "{body:?}");
        }
        for kind in ["text/plain", "text/plain; boundary=b", "multipart/mixed; boundary=", "multipart/mixed"] {
            assert_eq!(read(kind, b""), Err(Unreadable::NoBoundary), "{kind}");
        }
    }
}
