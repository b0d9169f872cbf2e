//! Methods for perceiving, acknowledging, menus and waiting.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use situated::iil::Percept;
use situated::interface::{Form, Moment, Since, Version};
use situated::menu::Menu;

use crate::{EntityPerception, Name};

/// Parameters of `perceive`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Perceive {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The entities; none means all entities of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// The form of the perception.
    #[serde(default)]
    pub form: Form,
    /// The version that perceptions are relative to: that of the last call, which this call acknowledges, or the last
    /// acknowledged one.
    #[serde(default)]
    pub since: Since,
}

/// Answer to `perceive`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Perceived {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The perception of each entity.
    pub perceptions: Vec<EntityPerception>,
}

/// Parameters of `acknowledge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Acknowledge {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The versions that the agent knows.
    pub versions: Vec<Acknowledged>,
}

/// The version of an entity's percepts that an agent knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Acknowledged {
    /// The entity.
    pub entity: Name,
    /// The version.
    pub version: Version,
}

/// Parameters of `menu`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetMenu {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The entity, one of the agent's own.
    pub entity: Name,
    /// The point of the scene at which the person points, in units from the left and from the bottom; none means no
    /// point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(f64, f64)>,
    /// A percept of the entity about which the person asks, such as a message. The subject of the menu is then the
    /// percept as a sentence, and the items are replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Percept>,
    /// A text that the person has typed. The items are then what it can mean, and without items the subject says why
    /// it means nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Answer to `menu`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MenuAnswer {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The choices.
    pub menu: Menu,
}

/// Parameters of `wait`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The environment.
    pub environment: Name,
    /// The last moment that the client knows. Its `time` does not matter and can be 0.
    pub after: Moment,
}
