//! Bodies in parts (`multipart`, RFC 2046).

use memchr::memmem;

use super::unreadable::Unreadable;

/// A part: its headers, a line each, and its content.
pub(crate) struct Part<'b> {
    pub(crate) headers: &'b [u8],
    pub(crate) content: &'b [u8],
}

/// Writes parts, and returns their boundary with the body. JADE needs the words before the first part.
pub(crate) fn write(parts: &[Part<'_>]) -> (String, Vec<u8>) {
    let boundary = boundary(parts);
    let mut body = Vec::with_capacity(parts.iter().map(Part::space).sum::<usize>() + 128);
    body.extend_from_slice(b"This is not part of the MIME multipart encoded message.\r\n");
    for Part { headers, content } in parts {
        for piece in [b"--", boundary.as_bytes(), b"\r\n", headers, b"\r\n\r\n", content, b"\r\n"] {
            body.extend_from_slice(piece);
        }
    }
    for piece in [b"--", boundary.as_bytes(), b"--\r\n"] {
        body.extend_from_slice(piece);
    }
    (boundary, body)
}

impl<'b> Part<'b> {
    /// The value of a header, without blanks around it.
    pub(crate) fn header(&self, name: &str) -> Option<&'b str> {
        let lines = str::from_utf8(self.headers).ok()?.lines();
        let mut headers = lines.filter_map(|line| line.split_once(':'));
        headers.find(|(header, _)| header.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The number of bytes of the part with its delimiter, at most.
    fn space(&self) -> usize {
        self.headers.len() + self.content.len() + 64
    }
}

/// A boundary that no part contains.
fn boundary(parts: &[Part<'_>]) -> String {
    let mut number: usize = parts.iter().map(|part| part.content.len()).sum();
    loop {
        let boundary = format!("part-of-a-message-{number:x}");
        let is_in = |part: &Part<'_>| memmem::find(part.content, boundary.as_bytes()).is_some();
        if !parts.iter().any(is_in) {
            return boundary;
        }
        number += 1;
    }
}

/// Reads at most this number of parts.
pub(crate) fn read<'b>(content_type: &str, body: &'b [u8], most: usize) -> Result<Vec<Part<'b>>, Unreadable> {
    let boundary = read_boundary(content_type).ok_or(Unreadable::NoBoundary)?;
    let delimiter = format!("--{boundary}");
    // The first one may begin the body, where no line end comes before it.
    let mut next = match body.starts_with(delimiter.as_bytes()) {
        true => delimiter.len(),
        false => after(body, 0, &delimiter)?,
    };
    let mut parts = Vec::new();
    while !body[next..].starts_with(b"--") {
        if parts.len() == most {
            return Err(Unreadable::Parts);
        }
        let (part, end) = part(body, next, &delimiter)?;
        parts.push(part);
        next = end;
    }
    Ok(parts)
}

/// The part whose delimiter ends here, and the end of the next delimiter.
fn part<'b>(body: &'b [u8], begin: usize, delimiter: &str) -> Result<(Part<'b>, usize), Unreadable> {
    let next = after(body, begin, delimiter)?;
    // Without its line end, which belongs to the delimiter.
    let part = &body[begin..next - delimiter.len() - 2];
    // A part without headers has only the empty line.
    let end = match memmem::find(part, b"\r\n\r\n") {
        Some(end) => Some((end, end + 4)),
        None => part.starts_with(b"\r\n").then_some((0, 2)),
    };
    let (headers, content) = end.ok_or(Unreadable::Parts)?;
    Ok((Part { headers: &part[..headers], content: &part[content..] }, next))
}

/// The end of the next delimiter.
fn after(body: &[u8], from: usize, delimiter: &str) -> Result<usize, Unreadable> {
    let line = format!("\r\n{delimiter}");
    memmem::find(&body[from..], line.as_bytes()).map(|at| from + at + line.len()).ok_or(Unreadable::Parts)
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

    fn contents<'b>(kind: &str, body: &'b [u8]) -> Result<Vec<&'b [u8]>, Unreadable> {
        Ok(read(kind, body, 2)?.iter().map(|part| part.content).collect())
    }

    #[test]
    fn parts_are_equal_after_writing_and_reading() {
        for second in [b"(inform)".as_slice(), b"", b"\r\n\r\n--\r\n", b"part-of-a-message-5", &[0, 255, 13]] {
            let parts = [b"<a/>", second].map(|content| Part { headers: b"X: y", content });
            let (boundary, body) = write(&parts);
            let kind = format!("multipart/mixed; boundary={boundary}");
            assert_eq!(contents(&kind, &body), Ok(vec![b"<a/>".as_slice(), second]));
        }
    }

    #[test]
    fn reads_what_other_platforms_write() {
        let body = b"--b\r\n\r\n<a/>\r\n--b\r\nX: y\r\n\r\n(inform)\r\n--b--\r\n\r\n";
        let wanted = Ok(vec![b"<a/>".as_slice(), b"(inform)".as_slice()]);
        assert_eq!(contents("Multipart/Mixed; charset=x; BOUNDARY=b", body), wanted);
        assert_eq!(contents("multipart/mixed ; boundary=\"b\"", &[b"words\r\n", body.as_slice()].concat()), wanted);
    }

    #[test]
    fn rejects_other_bodies() {
        let kind = "multipart/mixed; boundary=b";
        let three = "--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b\r\n\r\nz\r\n--b--\r\n";
        for body in ["", "--b", "--b\r\n\r\nx\r\n--b\r\n\r\ny", "--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b\r\n", three] {
            assert_eq!(contents(kind, body.as_bytes()), Err(Unreadable::Parts), "{body:?}");
        }
        for kind in ["text/plain", "text/plain; boundary=b", "multipart/mixed; boundary=", "multipart/mixed"] {
            assert_eq!(contents(kind, b""), Err(Unreadable::NoBoundary), "{kind}");
        }
    }
}
