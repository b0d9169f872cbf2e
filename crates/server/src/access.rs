//! Who may do what: tokens, and the rights that come with them.

use situated_wire::methods::{Right, Role};
use situated_wire::{Code, Error};
use subtle::ConstantTimeEq;

/// The tokens that a server knows. Where there are none, everybody may do what their role is for, and manage.
#[derive(Clone, Debug, Default)]
pub struct Access {
    tokens: Vec<(String, Vec<Right>)>,
}

impl Access {
    /// Everybody may do everything.
    pub fn open() -> Self {
        Self::default()
    }

    /// The same with a token that gives a right, beside those that it gives already.
    pub fn with_token(mut self, token: impl Into<String>, right: Right) -> Self {
        let token = token.into();
        match self.tokens.iter_mut().find(|(known, _)| *known == token) {
            Some((_, rights)) => rights.push(right),
            None => self.tokens.push((token, vec![right])),
        }
        self
    }

    /// Whether no token is needed.
    pub fn is_open(&self) -> bool {
        self.tokens.is_empty()
    }

    /// A token that gives this right, if one is needed.
    pub fn token_for(&self, right: Right) -> Option<&str> {
        self.tokens.iter().find(|(_, rights)| rights.contains(&right)).map(|(token, _)| token.as_str())
    }

    /// What somebody may do who comes in this role with this token: what the role is for, and managing, as far as the token
    /// gives the right. Whoever may manage may observe.
    pub(crate) fn rights(&self, role: Role, token: Option<&str>) -> Result<Vec<Right>, Error> {
        let main = match role {
            Role::Agent | Role::Platform => Right::Act,
            Role::Observer => Right::Observe,
            Role::Host => Right::Host,
        };
        if self.is_open() {
            return Ok(vec![main, Right::Manage]);
        }
        let unauthorized = |message: &str| Error::new(Code::Unauthorized, message);
        let token = token.ok_or_else(|| unauthorized("this server wants a token; say it in `hello`"))?;
        let given = self.find(token).ok_or_else(|| unauthorized("the server does not know this token"))?;
        let manages = given.contains(&Right::Manage);
        let suits = given.contains(&main) || main == Right::Observe && manages;
        if !suits {
            return Err(Error::new(Code::Forbidden, format!("this token does not give the right to come as {role:?}"))
                .with_details(given));
        }
        Ok(if manages { vec![main, Right::Manage] } else { vec![main] })
    }

    /// Compares in constant time, so that nobody finds out a token letter by letter.
    fn find(&self, token: &str) -> Option<&[Right]> {
        let mut found = None;
        for (known, rights) in &self.tokens {
            if bool::from(known.as_bytes().ct_eq(token.as_bytes())) {
                found = Some(rights.as_slice());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_tokens_a_role_gives_its_right() {
        let access = Access::open();
        assert_eq!(access.rights(Role::Agent, None), Ok(vec![Right::Act, Right::Manage]));
        assert_eq!(access.rights(Role::Observer, Some("x")), Ok(vec![Right::Observe, Right::Manage]));
    }

    #[test]
    fn a_token_gives_what_it_is_for_and_no_more() {
        let access = Access::open()
            .with_token("a", Right::Act)
            .with_token("m", Right::Manage)
            .with_token("b", Right::Act)
            .with_token("b", Right::Observe);
        assert_eq!(access.rights(Role::Platform, Some("a")), Ok(vec![Right::Act]));
        assert_eq!(access.rights(Role::Observer, Some("m")), Ok(vec![Right::Observe, Right::Manage]));
        assert_eq!(access.rights(Role::Observer, Some("b")), Ok(vec![Right::Observe]));
        let code = |role, token| access.rights(role, token).map_err(|error| error.code());
        assert_eq!(code(Role::Observer, Some("a")), Err(Some(Code::Forbidden)));
        assert_eq!(code(Role::Agent, Some("m")), Err(Some(Code::Forbidden)));
        assert_eq!(code(Role::Agent, Some("A")), Err(Some(Code::Unauthorized)));
        assert_eq!(code(Role::Agent, None), Err(Some(Code::Unauthorized)));
    }
}
