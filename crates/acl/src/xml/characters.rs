//! The characters of XML, and the escaping of special characters.

/// White space between elements.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Whether a byte is white space.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether a text is a name of an element or an attribute, with at most one prefix (Namespaces in XML, `QName`).
pub(super) fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.iter().all(|byte| CONTINUES_PLAIN_NAME[usize::from(*byte)]) {
        return bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    }
    is_unusual_name(text)
}

/// For each byte, whether it is an ASCII character that names can contain after the first one.
static CONTINUES_PLAIN_NAME: [bool; 256] = {
    let mut continues = [false; 256];
    let mut byte = 0;
    while byte < 128_u8 {
        continues[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        byte += 1;
    }
    continues
};

#[cold]
fn is_unusual_name(text: &str) -> bool {
    let is_part = |part: &str| part.starts_with(begins_name) && part.chars().all(continues_name);
    match text.split_once(':') {
        None => is_part(text),
        Some((prefix, own)) => is_part(prefix) && is_part(own),
    }
}

/// Whether names can begin with a character (production `NameStartChar` without the colon).
fn begins_name(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '_')
        || matches!(c, '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}')
        || matches!(c, '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}')
        || matches!(c, '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}')
        || matches!(c, '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Whether names can have a character after the first (production `NameChar` without the colon).
fn continues_name(c: char) -> bool {
    begins_name(c) || matches!(c, '0'..='9' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Whether a character is one of XML 1.0 (production `Char`).
pub(super) fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Returns the first character of a text that XML does not allow, and its position.
pub(super) fn foreign_character(text: &str) -> Option<(usize, char)> {
    // U+FFFE and U+FFFF begin with EF in UTF-8. A text without this byte and without control characters is valid.
    let suspicious = |byte| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r') || byte == 0xEF;
    if !any(text.as_bytes(), suspicious) {
        return None;
    }
    text.char_indices().find(|(_, c)| !is_xml(*c))
}

/// Whether any byte matches. It checks all bytes of a chunk, which is faster than stopping at the first match.
fn any(bytes: &[u8], is_such: impl Fn(u8) -> bool) -> bool {
    bytes.chunks(64).any(|chunk| chunk.iter().fold(false, |any, byte| any | is_such(*byte)))
}

/// Whether XML can contain a text.
pub(crate) fn can_hold(text: &str) -> bool {
    foreign_character(text).is_none()
}

/// Writes the text of an element.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    write_escaped(out, text, |byte| matches!(byte, b'<' | b'>' | b'&' | b'\r'));
}

/// Writes the text of an element that is read without the blanks at both ends. Escapes such blanks of this text, so
/// that they count.
pub(crate) fn write_trimmed(out: &mut Vec<u8>, text: &str) {
    if !text.bytes().next().is_some_and(is_blank) && !text.bytes().next_back().is_some_and(is_blank) {
        return write_text(out, text);
    }
    let inner = text.trim_matches(BLANKS);
    let start = text.len() - text.trim_start_matches(BLANKS).len();
    write_escaped(out, &text[..start], is_blank);
    write_text(out, inner);
    write_escaped(out, &text[start + inner.len()..], is_blank);
}

/// Writes the quoted value of an attribute. Escapes white space, which a reader would convert to blanks.
pub(crate) fn write_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_escaped(out, text, |byte| matches!(byte, b'<' | b'>' | b'&' | b'"' | b'\t' | b'\n' | b'\r'));
    out.push(b'"');
}

fn write_escaped(out: &mut Vec<u8>, text: &str, needs: impl Fn(u8) -> bool) {
    let bytes = text.as_bytes();
    if !any(bytes, &needs) {
        return out.extend_from_slice(bytes);
    }
    let mut from = 0;
    while let Some(length) = bytes[from..].iter().position(|byte| needs(*byte)) {
        out.extend_from_slice(&bytes[from..from + length]);
        from += length + 1;
        match bytes[from - 1] {
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            blank => out.extend_from_slice(format!("&#{blank};").as_bytes()),
        }
    }
    out.extend_from_slice(&bytes[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_special_characters() {
        let written = |write: fn(&mut Vec<u8>, &str), text| {
            let mut out = Vec::new();
            write(&mut out, text);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(write_text, " a<b & \"c\"]]>\r\n"), " a&lt;b &amp; \"c\"]]&gt;&#13;\n");
        assert_eq!(written(write_trimmed, "\t a b\n"), "&#9;&#32;a b&#10;");
        assert_eq!(written(write_trimmed, "  "), "&#32;&#32;");
        assert_eq!(written(write_quoted, "a\n\"<"), "\"a&#10;&quot;&lt;\"");
    }

    #[test]
    fn xml_allows_no_control_characters_and_no_noncharacters() {
        assert!(can_hold("\t\r\n é\u{FFFD}\u{1FFFF}\u{7F}"));
        assert_eq!(foreign_character("ab\u{FFFE}"), Some((2, '\u{FFFE}')));
        assert!(!can_hold("\u{1}") && !can_hold("\0") && !can_hold("\u{FFFF}"));
    }
}
