//! Tokens, and the rights that they grant.

use subtle::ConstantTimeEq;

use crate::error::Error;
use crate::rights::{Right, Rights};

/// The tokens that a server knows. Without tokens, everybody has all rights.
#[derive(Clone, Debug, Default)]
pub struct Access {
    tokens: Vec<(String, Rights)>,
}

impl Access {
    /// Access without tokens.
    pub fn open() -> Self {
        Self::default()
    }

    /// The same with a token that grants a right, in addition to those that it already grants.
    pub fn with_token(mut self, token: impl Into<String>, right: Right) -> Self {
        let token = token.into();
        match self.tokens.iter_mut().find(|(known, _)| *known == token) {
            Some((_, rights)) => *rights = rights.with(right),
            None => self.tokens.push((token, Rights::NONE.with(right))),
        }
        self
    }

    /// Whether no token is needed.
    pub fn is_open(&self) -> bool {
        self.tokens.is_empty()
    }

    /// A token that grants this right, if one is needed.
    pub fn token_for(&self, right: Right) -> Option<&str> {
        self.tokens.iter().find(|(_, rights)| rights.contains(right)).map(|(token, _)| token.as_str())
    }

    /// The rights of a session that wants this right and shows this token: all that the token grants.
    ///
    /// # Errors
    /// If the token is missing or unknown, or does not grant the right.
    pub fn grant(&self, wanted: Right, token: Option<&str>) -> Result<Rights, Error> {
        if self.is_open() {
            return Ok(Rights::ALL);
        }
        let granted = self.find(token.ok_or(Error::TokenMissing)?).ok_or(Error::TokenUnknown)?;
        if granted.contains(wanted) { Ok(granted) } else { Err(Error::TokenWithout { wanted, granted }) }
    }

    /// Compares in constant time, so that nobody finds out a token letter by letter.
    fn find(&self, token: &str) -> Option<Rights> {
        let mut found = None;
        for (known, rights) in &self.tokens {
            if bool::from(known.as_bytes().ct_eq(token.as_bytes())) {
                found = Some(*rights);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_all_rights_without_tokens() {
        let access = Access::open();
        assert_eq!(access.grant(Right::Act, None), Ok(Rights::ALL));
        assert_eq!(access.grant(Right::Observe, Some("x")), Ok(Rights::ALL));
        assert_eq!(Rights::ALL.iter().collect::<Vec<_>>(), Right::ALL);
    }

    #[test]
    fn grants_what_a_token_is_for_and_no_more() {
        let access = Access::open()
            .with_token("a", Right::Act)
            .with_token("m", Right::Manage)
            .with_token("b", Right::Act)
            .with_token("b", Right::Observe);
        let rights = |wanted, token| access.grant(wanted, Some(token)).map(|rights| rights.iter().collect::<Vec<_>>());
        assert_eq!(rights(Right::Act, "a"), Ok(vec![Right::Act]));
        assert_eq!(rights(Right::Observe, "m"), Ok(vec![Right::Observe, Right::Manage]));
        assert_eq!(rights(Right::Observe, "b"), Ok(vec![Right::Act, Right::Observe]));
        assert_eq!(rights(Right::Act, "b"), Ok(vec![Right::Act, Right::Observe]));
        assert!(matches!(rights(Right::Observe, "a"), Err(Error::TokenWithout { .. })));
        assert!(matches!(rights(Right::Act, "m"), Err(Error::TokenWithout { .. })));
        assert_eq!(rights(Right::Act, "A"), Err(Error::TokenUnknown));
        assert_eq!(access.grant(Right::Act, None), Err(Error::TokenMissing));
    }
}
