//! Converts documentation for readers who do not know Rust: removes line breaks within paragraphs, and replaces links
//! to Rust items by their texts.

use schemars::Schema;
use serde_json::Value;

/// Writes the description of a schema plainly.
pub(super) fn write_plainly(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = plain(description);
    }
}

fn plain(documentation: &str) -> String {
    let paragraphs = documentation.split("\n\n").map(|paragraph| without_links(&paragraph.replace('\n', " ")));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        rest = match after.split_once(']') {
            Some((label, target)) if target.starts_with('(') => {
                plain.push_str(label);
                target.split_once(')').map_or("", |(_, rest)| rest)
            }
            Some((label, rest)) if label.starts_with('`') && label.ends_with('`') => {
                plain.push_str(&last_segment(label));
                rest
            }
            _ => {
                plain.push('[');
                after
            }
        };
    }
    plain + rest
}

/// Returns the name of a Rust item without its path.
fn last_segment(code: &str) -> String {
    match code.rsplit_once("::") {
        Some((_, name)) => format!("`{name}"),
        None => code.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn links_to_rust_items_leave_their_text() {
        for (documentation, expected) in [
            ("As told\nby [delivery](crate::ontology::Delivery):\nso.\n\nMore.", "As told by delivery: so.\n\nMore."),
            ("See [`Code`].", "See `Code`."),
            ("A type of [`Ontology::types`] or [`Self::of`](Self::of).", "A type of `types` or `Self::of`."),
            ("A list `[1, 2]`, or [none](", "A list `[1, 2]`, or none"),
            ("An open [ stays.", "An open [ stays."),
        ] {
            assert_eq!(plain(documentation), expected);
        }
    }
}
