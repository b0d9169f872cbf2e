//! Agent identifiers: who sends and who receives (FIPA SC00023, section 3); parameters that are not of the standard.

use std::borrow::Cow;

use crate::word::is_address;
use crate::{Expression, Unencodable, Word};

/// How many agents that know each other's whereabouts are read and written, one inside the other.
pub(crate) const MAX_RESOLVER_DEPTH: usize = 16;

/// The name and the addresses of an agent.
///
/// Agents are the same if their names are ([`AgentIdentifier::is_same_agent`]); two values are equal only if all
/// their parts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentIdentifier<'a> {
    /// Its name, unique among all agents: `buyer@market.example`, by convention its own and that of its platform.
    pub name: Cow<'a, str>,
    /// Transport addresses (URLs), those to be tried first before others.
    pub addresses: Vec<Cow<'a, str>>,
    /// Agents that know where it can be reached.
    pub resolvers: Vec<AgentIdentifier<'a>>,
    /// What else is said of it.
    pub user_parameters: Vec<UserParameter<'a>>,
}

impl<'a> AgentIdentifier<'a> {
    /// An agent of which nothing but the name is known.
    pub fn new(name: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), addresses: Vec::new(), resolvers: Vec::new(), user_parameters: Vec::new() }
    }

    /// With one more address.
    pub fn address(mut self, url: impl Into<Cow<'a, str>>) -> Self {
        self.addresses.push(url.into());
        self
    }

    /// With one more agent that knows where it is.
    pub fn resolver(mut self, agent: impl Into<AgentIdentifier<'a>>) -> Self {
        self.resolvers.push(agent.into());
        self
    }

    /// Returns whether both are the same agent: names are compared without regard to case, and nothing else counts.
    pub fn is_same_agent(&self, other: &AgentIdentifier<'_>) -> bool {
        self.name.eq_ignore_ascii_case(&other.name)
    }

    /// Checks that an agent that is inside so many resolvers can be written there.
    #[inline(always)]
    pub(crate) fn check_depth(&self, depth: usize) -> Result<(), Unencodable> {
        if depth <= MAX_RESOLVER_DEPTH {
            return Ok(());
        }
        let why = "which knows where an agent is that knows where an agent is, and so on; 16 times are the most";
        Err(Unencodable::new("the name", &self.name, why))
    }

    /// The same identifier with its own memory.
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
#[inline(always)]
pub(crate) fn check_address(address: &str) -> Result<(), Unencodable> {
    if is_address(address) {
        return Ok(());
    }
    let why = "which is no URL: write blanks and parentheses as %20, %28 and %29";
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

/// The same agent, sharing the memory of this value.
impl<'a> From<&'a AgentIdentifier<'_>> for AgentIdentifier<'a> {
    fn from(of: &'a AgentIdentifier<'_>) -> Self {
        of.clone()
    }
}

/// A parameter of a message or of an agent identifier that the standard does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserParameter<'a> {
    /// Its name without the colon, with the prefix `X-` that the standard asks for (SC00061), whose case does not matter.
    pub name: Word<'a>,
    /// Its value.
    pub value: Expression<'a>,
}

impl UserParameter<'_> {
    /// Whether its name has the prefix.
    pub fn is_prefixed(&self) -> bool {
        self.name.as_str().get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("X-"))
    }

    /// The same parameter with its own memory.
    pub fn into_owned(self) -> UserParameter<'static> {
        UserParameter { name: self.name.into_owned(), value: self.value.into_owned() }
    }
}
