//! Numbers in their written form.

use std::borrow::Cow;
use std::fmt;

/// A number (SC00070, `Number`) in its written form: `1.50`, `+3`, `200006101030`, `1e3`.
///
/// Two numbers are equal if their written forms are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number<'a>(Cow<'a, str>);

/// A text that is not a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no number, such as 12, -1.5 or 1e3")]
pub struct NotANumber(pub String);

impl<'a> Number<'a> {
    /// A number.
    ///
    /// # Errors
    /// Returns an error if the text is not valid.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, NotANumber> {
        let text = text.into();
        if is_number(&text) { Ok(Self(text)) } else { Err(NotANumber(text.into_owned())) }
    }

    /// Wraps a text that is known to be a number.
    pub(crate) fn known(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        debug_assert!(is_number(&text), "{text:?}");
        Self(text)
    }

    /// The written form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest floating-point number.
    pub fn value(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// Returns the same number with its own copy of all borrowed data.
    pub fn into_owned(self) -> Number<'static> {
        Number(Cow::Owned(self.0.into_owned()))
    }
}

/// Whether a text is a number: digits with or without a point, a sign and an exponent.
pub(crate) fn is_number(text: &str) -> bool {
    let (whole, rest) = digits(unsigned(text.as_bytes()));
    let (part, rest) = match rest {
        [b'.', rest @ ..] => digits(rest),
        _ => (0, rest),
    };
    let exponent_fits = match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => matches!(digits(unsigned(exponent)), (1.., [])),
        _ => false,
    };
    whole + part > 0 && exponent_fits
}

fn unsigned(number: &[u8]) -> &[u8] {
    match number {
        [b'+' | b'-', rest @ ..] => rest,
        _ => number,
    }
}

/// Returns the number of digits at the beginning, and the rest.
fn digits(bytes: &[u8]) -> (usize, &[u8]) {
    let count = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count, &bytes[count..])
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<i64> for Number<'_> {
    fn from(value: i64) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_numbers_from_words() {
        for number in ["1", "-1", "+12", "1.", ".5", "1.5e3", "1E-3", "200006101030", "+.5e+1"] {
            assert!(Number::new(number).unwrap().value().is_finite(), "{number}");
        }
        for other in ["", "+", ".", "e3", "1e", "1e+", "1d", "NaN", "inf", "1.2.3", "--1", "2000-06-10"] {
            assert_eq!(Number::new(other), Err(NotANumber(other.into())));
        }
        assert_ne!(Number::new("1e3"), Number::new("1E3"));
        assert_ne!(Number::new("1"), Number::new("1.0"));
    }
}
