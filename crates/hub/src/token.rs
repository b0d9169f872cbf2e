//! Tokens: secrets that grant rights.

use std::{fmt, io};

use subtle::ConstantTimeEq;

/// The minimum number of characters of a token.
const TOKEN_LENGTH: usize = 16;

/// A secret that grants rights to clients that know it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// The error for a token that is so short that it can be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a token of {length} characters can be guessed; use at least {TOKEN_LENGTH}: `situated token` makes a good one"
)]
pub struct ShortToken {
    /// The number of characters of the token.
    pub length: usize,
}

impl Token {
    /// Creates a token with this text.
    ///
    /// # Errors
    /// Returns an error if the text has fewer than 16 characters.
    pub fn new(text: impl Into<String>) -> Result<Self, ShortToken> {
        let text = text.into();
        let length = text.chars().count();
        if length < TOKEN_LENGTH { Err(ShortToken { length }) } else { Ok(Self(text)) }
    }

    /// Creates a token of 128 random bits, written as 32 hexadecimal digits.
    ///
    /// # Errors
    /// Returns an error if the system provides no random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The text of the token.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the token has this text. Compares in constant time, so that a client cannot find out a token character by
    /// character.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

/// Does not show the token, which could appear in logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_tokens_that_can_be_guessed() {
        assert_eq!(Token::new("s3cret"), Err(ShortToken { length: 6 }));
        // The length counts characters, not bytes.
        assert_eq!(Token::new("äöü-äöü-äöü-äöü"), Err(ShortToken { length: 15 }));
        assert!(Token::new("sixteen letters!").is_ok());
    }

    #[test]
    fn makes_different_tokens_that_are_long_enough() {
        let (one, other) = (Token::random().expect("random numbers"), Token::random().expect("random numbers"));
        assert_ne!(one, other);
        assert_eq!(Token::new(one.as_str()), Ok(one));
    }

    #[test]
    fn does_not_appear_in_logs() {
        let token = Token::new("sixteen letters!").expect("long enough");
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
