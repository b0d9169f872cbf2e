//! Agent identifiers: who sends and who receives (FIPA SC00023, section 3).

use std::borrow::Cow;

use crate::UserParameter;

/// How many agents that know each other's whereabouts are read and written, one inside the other.
pub(crate) const MAX_RESOLVER_DEPTH: usize = 16;

/// Who an agent is and where it can be reached.
///
/// Agents are told apart by name alone ([`AgentIdentifier::is_same_agent`]); two values are equal only if all their parts are.
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

    /// Whether both are the same agent: names are compared without regard to case, and nothing else counts.
    pub fn is_same_agent(&self, other: &AgentIdentifier<'_>) -> bool {
        self.name.eq_ignore_ascii_case(&other.name)
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
