//! What every request declares: its answer, the rights that it needs, and its subject.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::methods::{Answer, Call};
use crate::rights::Needs;

/// A request of a session. The table of [`methods`](crate::methods) declares them all.
pub trait Request: Into<Call> + Debug + Send + 'static {
    /// The answer.
    type Answer: Into<Answer> + TryFrom<Answer> + Debug + Send + 'static;

    /// The rights that such a request may need, depending on its contents.
    const NEEDS: &'static [Needs];

    /// Whether such a request changes neither an environment nor anything that sessions own in it.
    const ONLY_READS: bool;

    /// The rights that the request needs.
    fn needs(&self) -> Needs;

    /// The subject of the request.
    fn subject(&self) -> Subject<'_>;
}

/// A request that clients send. Its fields are the parameters.
pub trait Method: Request<Answer: Serialize + DeserializeOwned> + Serialize + DeserializeOwned {
    /// The name of the method.
    const NAME: &'static str;
}

/// The subject of a request. A session whose only relevant right is [`Right::Act`](crate::Right::Act) can name only its own
/// agents, and entities that are associated with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The server.
    Server,
    /// An environment.
    Environment(&'a str),
    /// An environment that the session hosts.
    Hosted(&'a str),
    /// An environment in which the session gets another agent.
    Newcomer(&'a str),
    /// Agents in an environment. Each is checked by itself.
    Agents(&'a str),
    /// An agent in an environment.
    Agent {
        /// The environment.
        environment: &'a str,
        /// The agent.
        agent: &'a str,
    },
    /// An agent of the session, in any environment or none.
    Mailbox(&'a str),
    /// An entity in an environment.
    Entity {
        /// The environment.
        environment: &'a str,
        /// The entity.
        entity: &'a str,
    },
}

impl<'a> Subject<'a> {
    /// Returns the environment that the subject belongs to.
    pub fn environment(self) -> Option<&'a str> {
        match self {
            Subject::Server | Subject::Mailbox(_) => None,
            Subject::Environment(environment)
            | Subject::Hosted(environment)
            | Subject::Newcomer(environment)
            | Subject::Agents(environment)
            | Subject::Agent { environment, .. }
            | Subject::Entity { environment, .. } => Some(environment),
        }
    }
}
