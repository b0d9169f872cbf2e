//! Agent identifiers of senders and receivers (FIPA SC00023, section 3), and parameters that are not in the standard.

use std::borrow::Cow;

use crate::word::is_address;
use crate::{Expression, Unencodable, Word};

/// Maximum nesting depth of resolvers, when reading and writing.
pub(crate) const MAX_RESOLVER_DEPTH: usize = 16;

/// Maximum number of user parameters of a message or an agent, in text.
pub(crate) const MOST_USER_PARAMETERS: usize = 256;

/// The name and the addresses of an agent.
///
/// Two identifiers refer to the same agent if their names are equal ([`AgentIdentifier::is_same_agent`]). Two values
/// are equal only if all their parts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentIdentifier<'a> {
    /// The name, unique among all agents: `buyer@market.example`. By convention, it consists of the agent's own name
    /// and the name of its platform.
    pub name: Cow<'a, str>,
    /// Transport addresses (URLs), in order of preference.
    pub addresses: Vec<Cow<'a, str>>,
    /// Agents that know the addresses of this agent.
    pub resolvers: Vec<AgentIdentifier<'a>>,
    /// Further parameters.
    pub user_parameters: Vec<UserParameter<'a>>,
}

impl<'a> AgentIdentifier<'a> {
    /// Creates an identifier with only a name.
    pub fn new(name: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), addresses: Vec::new(), resolvers: Vec::new(), user_parameters: Vec::new() }
    }

    /// Adds an address.
    pub fn address(mut self, url: impl Into<Cow<'a, str>>) -> Self {
        self.addresses.push(url.into());
        self
    }

    /// Adds a resolver.
    pub fn resolver(mut self, agent: impl Into<AgentIdentifier<'a>>) -> Self {
        self.resolvers.push(agent.into());
        self
    }

    /// Returns whether both identify the same agent. Compares only the names, ignoring case.
    pub fn is_same_agent(&self, other: &AgentIdentifier<'_>) -> bool {
        self.name.eq_ignore_ascii_case(&other.name)
    }

    /// Checks that an agent at this depth of resolvers can be written.
    pub(crate) fn check_depth(&self, depth: usize) -> Result<(), Unencodable> {
        if depth <= MAX_RESOLVER_DEPTH {
            return Ok(());
        }
        let why = "which is nested in too many resolvers; at most 16 levels are allowed";
        Err(Unencodable::new("the name", &self.name, why))
    }

    /// Returns the same identifier with its own copy of all borrowed data.
    pub fn into_owned(self) -> AgentIdentifier<'static> {
        AgentIdentifier {
            name: Cow::Owned(self.name.into_owned()),
            addresses: self.addresses.into_iter().map(|url| Cow::Owned(url.into_owned())).collect(),
            resolvers: self.resolvers.into_iter().map(AgentIdentifier::into_owned).collect(),
            user_parameters: self.user_parameters.into_iter().map(UserParameter::into_owned).collect(),
        }
    }
}

/// Checks that an address can be written.
pub(crate) fn check_address(address: &str) -> Result<(), Unencodable> {
    if is_address(address) {
        return Ok(());
    }
    let why = "which is not a URL; write blanks and parentheses as %20, %28 and %29";
    Err(Unencodable::new("an address", address, why))
}

impl<'a> From<&'a str> for AgentIdentifier<'a> {
    fn from(name: &'a str) -> Self {
        Self::new(name)
    }
}

impl From<String> for AgentIdentifier<'_> {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// Returns the same agent, which borrows the data of this value.
impl<'a> From<&'a AgentIdentifier<'_>> for AgentIdentifier<'a> {
    fn from(of: &'a AgentIdentifier<'_>) -> Self {
        of.clone()
    }
}

/// A parameter of a message or of an agent identifier that is not in the standard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserParameter<'a> {
    /// The name without the colon, with the prefix `X-` that the standard requires (SC00061). Case does not matter.
    pub name: Word<'a>,
    /// Its value.
    pub value: Expression<'a>,
}

impl UserParameter<'_> {
    /// Whether its name has the prefix.
    pub fn is_prefixed(&self) -> bool {
        self.name.as_str().get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("X-"))
    }

    /// Returns the same parameter with its own copy of all borrowed data.
    pub fn into_owned(self) -> UserParameter<'static> {
        UserParameter { name: self.name.into_owned(), value: self.value.into_owned() }
    }
}
