//! Requests of programs in the process of the server, such as its gateways. Clients cannot send them.

use serde_json::Value;
use situated::encoding::{Encoded, Encoding};
use situated::environment::Ending;
use situated::host::{HostAnswer, HostUpdate};
use situated::iil::Action;
use situated::interface::Moment;

use crate::Name;

/// Records a remark of an agent about itself, such as how it came to its action. Observers see it, and recordings have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The remark, in the agent's own form.
    pub remark: Value,
}

/// Describes the encoding for entities of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeEncoding {
    /// The environment.
    pub environment: Name,
    /// The type.
    pub entity_type: Name,
}

/// The encoding for entities of a type; `None` if the type has none, or if there is no episode.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodingOfType(pub Option<Encoding>);

/// Asks for the numbers of an entity after the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encode {
    /// The environment.
    pub environment: Name,
    /// The entity.
    pub entity: Name,
}

/// The numbers of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedNow {
    /// The moment at which they were true.
    pub moment: Moment,
    /// How the episode ended, or `None` if it continues.
    pub ending: Option<Ending>,
    /// The numbers; `None` if the entity's type has no encoding, or if there is no episode.
    pub encoded: Option<Encoded>,
}

/// Asks which action of an entity has a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decode {
    /// The environment.
    pub environment: Name,
    /// The entity.
    pub entity: Name,
    /// The number.
    pub action: usize,
}

/// The action with a number; `None` if the entity has no such action or cannot do it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded(pub Option<Action>);

/// Answers a call of the server about an environment that the session hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerHostRequest {
    /// The environment.
    pub environment: Name,
    /// The number of the call.
    pub number: u64,
    /// The answer.
    pub answer: HostAnswer,
    /// The changes.
    pub update: Box<HostUpdate>,
}
