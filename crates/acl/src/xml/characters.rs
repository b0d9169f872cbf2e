//! The characters of XML, and the escaping of special characters.

/// White space between elements.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Whether a text is a name of an element or an attribute, with at most one prefix (Namespaces in XML, `QName`).
pub(super) fn is_name(text: &str) -> bool {
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
    text.char_indices().find(|(_, c)| !is_xml(*c))
}

/// Whether XML can contain a text.
pub(crate) fn can_hold(text: &str) -> bool {
    foreign_character(text).is_none()
}

/// Writes the text of an element.
pub(crate) fn write_text(out: &mut String, text: &str) {
    write_escaped(out, text, &['<', '>', '&', '\r']);
}

/// Writes the text of an element that is read without the blanks at both ends. Escapes such blanks of this text, so
/// that they count.
pub(crate) fn write_trimmed(out: &mut String, text: &str) {
    let inner = text.trim_matches(BLANKS);
    let start = text.len() - text.trim_start_matches(BLANKS).len();
    write_escaped(out, &text[..start], &BLANKS);
    write_text(out, inner);
    write_escaped(out, &text[start + inner.len()..], &BLANKS);
}

/// Writes the quoted value of an attribute. Escapes white space, which a reader would convert to blanks.
pub(crate) fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    write_escaped(out, text, &['<', '>', '&', '"', '\t', '\n', '\r']);
    out.push('"');
}

/// Writes a text with references for these characters.
fn write_escaped(out: &mut String, text: &str, escaped: &[char]) {
    for c in text.chars() {
        match c {
            c if !escaped.contains(&c) => out.push(c),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            blank => out.push_str(&format!("&#{};", blank as u32)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_special_characters() {
        let written = |write: fn(&mut String, &str), text| {
            let mut out = String::new();
            write(&mut out, text);
            out
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
