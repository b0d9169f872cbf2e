//! The tokens that a server knows, and the rights that they grant.

use situated_wire::{Right, Rights};

use crate::error::Error;
use crate::token::Token;

/// The tokens that a server knows. Without tokens, every session has all rights.
#[derive(Clone, Debug, Default)]
pub struct Access {
    tokens: Vec<(Token, Rights)>,
}

/// The rights that a token grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The rights.
    pub rights: Rights,
    /// The number of the token among those of the server; `None` without tokens.
    pub token: Option<usize>,
}

impl Access {
    /// Access without tokens.
    pub fn open() -> Self {
        Self::default()
    }

    /// Returns the same access with one more right for this token.
    pub fn with_token(mut self, token: Token, right: Right) -> Self {
        match self.tokens.iter_mut().find(|(known, _)| *known == token) {
            Some((_, rights)) => *rights = rights.with(right),
            None => self.tokens.push((token, Rights::NONE.with(right))),
        }
        self
    }

    /// Returns whether clients need no token.
    pub fn is_open(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns a token that grants this right, or `None` if clients need no token.
    pub fn token_for(&self, right: Right) -> Option<&str> {
        self.tokens.iter().find(|(_, rights)| rights.contains(right)).map(|(token, _)| token.as_str())
    }

    /// Grants the rights of a token to a session that wants at least this right.
    ///
    /// # Errors
    /// Returns an error if the token is missing or unknown, or does not grant the right.
    pub fn grant(&self, wanted: Right, token: Option<&str>) -> Result<Grant, Error> {
        if self.is_open() {
            return Ok(Grant { rights: Rights::ALL, token: None });
        }
        let granted = self.find(token.ok_or(Error::TokenMissing)?).ok_or(Error::TokenUnknown)?;
        if granted.rights.contains(wanted) {
            return Ok(granted);
        }
        Err(Error::TokenWithout { wanted, granted: granted.rights })
    }

    /// Compares with all tokens, so that the response time does not reveal which one matched.
    fn find(&self, token: &str) -> Option<Grant> {
        let mut found = None;
        for (number, (known, rights)) in self.tokens.iter().enumerate() {
            if known.is(token) {
                found = Some(Grant { rights: *rights, token: Some(number) });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: &str) -> Token {
        Token::new(format!("a token for the right {name}")).expect("long enough")
    }

    #[test]
    fn grants_all_rights_without_tokens() {
        let access = Access::open();
        let everything = Ok(Grant { rights: Rights::ALL, token: None });
        assert_eq!(access.grant(Right::Act, None), everything);
        assert_eq!(access.grant(Right::Observe, Some("x")), everything);
        assert_eq!(Rights::ALL.iter().collect::<Vec<_>>(), Right::ALL);
    }

    #[test]
    fn grants_exactly_the_rights_of_the_token() {
        let access = Access::open()
            .with_token(token("a"), Right::Act)
            .with_token(token("m"), Right::Manage)
            .with_token(token("b"), Right::Act)
            .with_token(token("b"), Right::Observe);
        let rights = |wanted, name| {
            let granted = access.grant(wanted, Some(token(name).as_str()))?;
            Ok((granted.rights.iter().collect::<Vec<_>>(), granted.token))
        };
        assert_eq!(rights(Right::Act, "a"), Ok((vec![Right::Act], Some(0))));
        assert_eq!(rights(Right::Observe, "m"), Ok((vec![Right::Observe, Right::Manage], Some(1))));
        assert_eq!(rights(Right::Observe, "b"), Ok((vec![Right::Act, Right::Observe], Some(2))));
        assert_eq!(rights(Right::Act, "b"), Ok((vec![Right::Act, Right::Observe], Some(2))));
        assert!(matches!(rights(Right::Observe, "a"), Err(Error::TokenWithout { .. })));
        assert!(matches!(rights(Right::Act, "m"), Err(Error::TokenWithout { .. })));
        assert_eq!(rights(Right::Act, "A"), Err(Error::TokenUnknown));
        assert_eq!(access.grant(Right::Act, None), Err(Error::TokenMissing));
    }
}
