//! Names from outside: their length, characters that could make one name look like another, and suggestions for
//! misspelled ones.

use std::fmt::Write;

/// Maximum number of names that are compared with an unknown one, so that an error costs little.
const COMPARED: usize = 256;

/// Maximum number of bytes of a name that is compared.
const COMPARABLE: usize = 64;

/// Returns the name that is most similar to `name`, if it is similar enough for a typing error. Only the first 256
/// names are compared, and no names of more than 64 bytes.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let short = |name: &str| name.len() <= COMPARABLE;
    let wanted = Some(name).filter(|name| short(name))?.to_lowercase();
    let candidates = known.into_iter().take(COMPARED).filter(|candidate| short(candidate));
    let score = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        // In a short word, two letters in the wrong order leave little that is alike.
        let is_slip = wanted.len() > 2 && strsim::osa_distance(&wanted, &candidate) == 1;
        strsim::jaro_winkler(&wanted, &candidate).max(if is_slip { 0.9 } else { 0.0 })
    };
    let scored = candidates.map(|candidate| (score(candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.8).then_some(best.1)
}

/// Returns `; did you mean ..?` for a suggestion, or nothing.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Maximum number of bytes in the name of an agent, of a requested entity, and in every name that a host reports.
pub const NAME_LENGTH: usize = 256;

/// Returns the problem of a name, if there is one.
pub(crate) fn fault_of_name(name: &str) -> Option<&'static str> {
    match name.len() {
        0 => Some("a name has at least one character"),
        1..=NAME_LENGTH => None,
        _ => Some("a name has at most 256 bytes"),
    }
}

/// Number of characters of a name that an error shows.
const SHOWN: usize = 64;

/// A name that could look like another one, for example `ada` with a blank at its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}`: {reason}")]
pub struct UnclearName {
    /// The beginning of the name, with codes for characters that people do not see.
    shown: String,
    /// The reason.
    reason: &'static str,
}

/// Checks that a name looks like no other one of different characters: people see all its characters, and it neither
/// begins nor ends with a blank. Names in recordings and stored data may break this rule, so it holds only for names
/// that a client gives.
///
/// # Errors
/// Returns the name with the reason.
pub fn check_clear(name: &str) -> Result<(), UnclearName> {
    let is_blank_of_names = |c: char| c == ' ' || c == '\u{3000}';
    let is_unclear = |c: char| is_hidden(c) || is_blank(c) && !is_blank_of_names(c);
    let reason = if name.starts_with(is_blank) || name.ends_with(is_blank) {
        "a name begins and ends with a character that people can see"
    } else if name.contains(is_unclear) {
        "a name has only characters that people can see, of any script, and ordinary blanks between them"
    } else {
        return Ok(());
    };
    let shown: String = name.chars().take(SHOWN).collect();
    Err(UnclearName { shown: with_codes(&shown, is_unclear), reason })
}

/// Writes characters that people do not see as codes, such as `\u{200b}`.
pub fn visible(text: &str) -> String {
    with_codes(text, is_hidden)
}

fn with_codes(text: &str, is_coded: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_coded(character) {
            // Writing to a string never fails.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Blanks, also that of Braille, which Unicode counts as a letter.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{2800}'
}

/// Controls, line breaks, and characters that Unicode lists as `Default_Ignorable_Code_Point`
/// (DerivedCoreProperties.txt), among them all of `Bidi_Control` (PropList.txt); also the marks of annotations between
/// lines.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_scripts_are_clear() {
        for name in [
            "ada",
            "Zoë 1",
            "O'Neil-2 (left)",
            "Ада",
            "علي",
            "דנה",
            "अनु",
            "小明\u{3000}一",
            "한글",
            "🤖",
            "a\u{301}da",
            "<b>",
            "",
        ] {
            assert_eq!(check_clear(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn names_that_look_like_others_are_errors_that_show_codes() {
        let ends = "a name begins and ends with a character that people can see";
        let inside = "a name has only characters that people can see, of any script, and ordinary blanks between them";
        for (name, shown, reason) in [
            ("ada ", "ada ", ends),
            (" ada", " ada", ends),
            ("ada\n", "ada\\u{a}", ends),
            ("ada\u{a0}", "ada\\u{a0}", ends),
            ("ada\u{3000}", "ada\u{3000}", ends),
            ("ada\u{2800}", "ada\\u{2800}", ends),
            (" ", " ", ends),
            ("ada\nbob", "ada\\u{a}bob", inside),
            ("ada\u{2028}bob", "ada\\u{2028}bob", inside),
            ("ada\u{a0}bob", "ada\\u{a0}bob", inside),
            ("a\u{0}da", "a\\u{0}da", inside),
            ("\u{202e}ada", "\\u{202e}ada", inside),
            ("ada\u{200d}", "ada\\u{200d}", inside),
            ("a\u{ad}da", "a\\u{ad}da", inside),
            ("ada\u{3164}", "ada\\u{3164}", inside),
            ("ada\u{e0041}", "ada\\u{e0041}", inside),
            ("\u{1b}[31mada", "\\u{1b}[31mada", inside),
        ] {
            let error = check_clear(name).expect_err(name);
            assert_eq!(error.to_string(), format!("`{shown}`: {reason}"));
        }
        let long = check_clear(&"\n".repeat(1 << 20)).expect_err("it is unclear").to_string();
        assert!(long.len() < 1000, "{long}");
    }
}
