//! Observing: subscriptions, properties, and what an environment looks like.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use situated::iil::Parameter;
use situated::interface::{Form, Moment, Since};
use situated::scene::Scene;

use crate::Name;

/// Parameters of `subscribe`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Subscribe {
    /// Of what notifications are to tell.
    pub to: Topic,
}

/// Of what notifications tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Topic {
    /// Environments come and go: `environments`.
    Environments {},
    /// What happens to an environment: its state and speed, agents and entities that come and go, who has which, the end of
    /// an episode: `happenings`. The first notification tells how things stand, as if it had happened now. Seeds and
    /// announcements are for sessions with the right to observe.
    Happenings {
        /// The environment.
        environment: Name,
    },
    /// What an agent perceives: `percepts`.
    Percepts {
        /// The environment.
        environment: Name,
        /// The agent.
        agent: Name,
        /// In which form.
        #[serde(default)]
        form: Form,
        /// Since when. With `acknowledged`, an entity's next update comes when the agent has acknowledged the last one, so
        /// that nothing is lost even if the connection is; with `lastCall`, it comes as soon as something changes and the
        /// last notification has been sent.
        #[serde(default)]
        since: Since,
    },
    /// What the environment looks like: `scene`. Needs the right to observe, or an entity of an agent of one's own.
    Scene {
        /// The environment.
        environment: Name,
        /// As this entity may see it; none means as a whole.
        #[serde(default)]
        viewer: Option<Name>,
    },
    /// What an entity perceives and does: `activity`. Needs the right to observe.
    Activity {
        /// The environment.
        environment: Name,
        /// The entity; none means what all entities do, without what they perceive.
        #[serde(default)]
        entity: Option<Name>,
    },
}

/// Answer to `subscribe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Subscribed {
    /// The number of the subscription in this session.
    pub subscription: u64,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `unsubscribe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Unsubscribe {
    /// The number of the subscription.
    pub subscription: u64,
}

/// Parameters of `query`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The environment.
    pub environment: Name,
    /// The entity whose property it is; none means the environment's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<Name>,
    /// The name of the property. `name`, `version` and `requiredVersion` of an environment and `type` of an entity need
    /// no right. Environments may have other properties.
    pub property: String,
}

/// Answer to `query`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Property {
    /// When it was so.
    pub moment: Moment,
    /// The value; none if there is no such property.
    pub value: Option<Parameter>,
}

/// Parameters of `scene`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetScene {
    /// The environment.
    pub environment: Name,
    /// As this entity may see it; none means as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewer: Option<Name>,
}

/// Answer to `scene`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SceneAnswer {
    /// When it was so.
    pub moment: Moment,
    /// What it looks like.
    pub scene: Scene,
}
