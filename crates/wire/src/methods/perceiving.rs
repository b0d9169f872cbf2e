//! Perceiving, acknowledging, what there is to choose, and waiting.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
    /// The entities; none means all that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// In which form.
    #[serde(default)]
    pub form: Form,
    /// Since when: since the last call, which is thereby acknowledged, or since what was acknowledged.
    #[serde(default)]
    pub since: Since,
}

/// Answer to `perceive`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Perceived {
    /// When it was so.
    pub moment: Moment,
    /// What it perceives through each entity.
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
    /// What it knows.
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
    /// The entity, one of its own.
    pub entity: Name,
    /// Where somebody points, in units of the scene of this entity, from the left and from below; none means without
    /// pointing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(f64, f64)>,
}

/// Answer to `menu`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MenuAnswer {
    /// When it was so.
    pub moment: Moment,
    /// What can be chosen.
    pub menu: Menu,
}

/// Parameters of `wait`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The environment.
    pub environment: Name,
    /// The moment that the client knows. Its time does not count: 0 will do.
    pub after: Moment,
}
