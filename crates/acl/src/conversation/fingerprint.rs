//! Fingerprints of names and tokens. They are compared often, so they are kept instead of the texts.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use crate::Expression;

/// A random key: without it, an attacker cannot create two texts with the same fingerprint.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The fingerprint of an agent's name, ignoring case.
pub(crate) fn of_name(name: &str) -> u64 {
    let mut hasher = KEYS.build_hasher();
    for part in name.as_bytes().chunks(64) {
        let mut folded = [0; 64];
        let folded = &mut folded[..part.len()];
        folded.copy_from_slice(part);
        folded.make_ascii_lowercase();
        hasher.write(folded);
    }
    hasher.finish()
}

/// The fingerprint of a token, or 0 without one. Equivalent tokens ([`Expression::says_same`]) have the same
/// fingerprint.
pub(crate) fn of_token(token: Option<&Expression<'_>>) -> u64 {
    token.map_or(0, |token| of_text(&text_of(token)))
}

/// The fingerprint of a text, never 0.
pub(crate) fn of_text(text: &str) -> u64 {
    let mut hasher = KEYS.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish().max(1)
}

/// A text that is the same only for equivalent values. Values without a text get one that begins with a NUL, so that
/// no text collides with it.
pub(crate) fn text_of<'a>(value: &'a Expression<'_>) -> Cow<'a, str> {
    match value {
        Expression::Time(time) => Cow::Owned(format!("\0{time}")),
        Expression::List(values) => {
            let mut all = "\0(".to_owned();
            for text in values.iter().map(text_of) {
                all += &text.len().to_string();
                all.push(':');
                all += &text;
            }
            Cow::Owned(all)
        }
        Expression::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(format!("\0{bytes:?}")),
        },
        Expression::Word(_) | Expression::String(_) | Expression::Number(_) => {
            Cow::Borrowed(value.as_text().unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_tokens_have_the_same_fingerprint() {
        let token = |value: Expression<'_>| of_token(Some(&value));
        assert_eq!(token("c1".into()), token(Expression::String("c1".into())));
        assert_eq!(token(12.into()), token("12".into()));
        assert_ne!(token("12".into()), token("13".into()));
        assert_ne!(token(vec!["a".into(), "b".into()].into()), token(vec!["ab".into()].into()));
        assert_eq!(of_name("Buyer@Market"), of_name("buyer@market"));
        assert_eq!(of_token(None), 0);
    }
}
