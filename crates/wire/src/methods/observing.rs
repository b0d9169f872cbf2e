//! Methods for observing: subscriptions, properties and scenes.

use situated::data;
use situated::iil::Parameter;
use situated::interface::{Form, Moment, Since};
use situated::ontology::{ENTITY_PROPERTIES, ENVIRONMENT_PROPERTIES};
use situated::scene::Scene;

use crate::{Name, Needs, Subject};

/// Parameters of `subscribe`.
#[data(deny_unknown_fields)]
pub struct Subscribe {
    /// The topic of the notifications.
    pub to: Topic,
}

/// A topic of notifications.
#[data(rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Topic {
    /// All environments of the server, whenever one is created, removed or changes its state: `environments`.
    Environments {},
    /// Changes of an environment: its state and speed, new and deleted agents and entities, associations, the end of
    /// an episode: `happenings`. The first notification describes the current state, as if it had come about just
    /// now. Seeds and announcements need the right to observe.
    Happenings {
        /// The environment.
        environment: Name,
    },
    /// Percepts of an agent: `percepts`.
    Percepts {
        /// The environment.
        environment: Name,
        /// The agent.
        agent: Name,
        /// The form of the perception.
        #[serde(default)]
        form: Form,
        /// The version that perceptions are relative to. With `acknowledged`, the next update about an entity comes
        /// after the agent has acknowledged the last one, so that nothing is lost with a connection. With `lastCall`,
        /// it comes as soon as something changes and the last notification has been sent.
        #[serde(default)]
        since: Since,
        /// Names of percepts and events, at most 256. The server sends a notification only after one of them has
        /// changed or happened; the notification then contains all changes and events since the last one, so that the
        /// agent's beliefs are of one moment. The first notification contains everything that holds. After 512 events,
        /// there is one in any case, so that none is lost. Changes that answers to `perceive` and `step` have told the
        /// agent need no notification. No names (the default) mean that every change is sent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes_of: Vec<Name>,
        /// The minimum time between two notifications in milliseconds. Changes meanwhile are sent together after it.
        /// With 0 (the default), changes are sent at once.
        #[serde(default, skip_serializing_if = "is_zero")]
        interval_ms: u32,
    },
    /// The picture of an environment: `scene`. Needs the right to observe, or an entity of one of the session's
    /// agents.
    Scene {
        /// The environment.
        environment: Name,
        /// The entity whose view is shown; none means the whole environment.
        #[serde(default)]
        viewer: Option<Name>,
    },
    /// Messages for an agent of the session: `mail`. The first notifications contain all messages that the agent has not
    /// acknowledged. A later subscription to the mail of the same agent replaces this one.
    Mail {
        /// The agent.
        agent: Name,
    },
    /// Messages between agents, each with the rules of its interaction protocol that it breaks: `conversations`. The first
    /// notifications contain the last messages, up to 1024. All given filters must match. Needs the right to observe.
    Conversations(ConversationFilter),
    /// Remarks of agents, such as the calls of language models, with what they were told and what they cost: `remarks`. The
    /// first notifications contain the last remarks, up to 1024. All given filters must match. Needs the right to observe.
    Remarks(RemarkFilter),
    /// Percepts and actions of an entity: `activity`. Needs the right to observe.
    Activity {
        /// The environment.
        environment: Name,
        /// The entity; none means the actions of all entities, without percepts.
        #[serde(default)]
        entity: Option<Name>,
    },
}

/// A filter of messages. Missing fields match all messages.
#[data(Default, Eq, deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct ConversationFilter {
    /// The sender or a receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Name>,
    /// The interaction protocol that the message names, ignoring case, such as `fipa-contract-net`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The `conversation-id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
}

/// A filter of remarks. Missing fields match all remarks.
#[data(Default, Eq, deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct RemarkFilter {
    /// The environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Name>,
    /// An entity that the agent had when it made the remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<Name>,
}

impl Subscribe {
    pub(super) fn access(&self) -> (Needs, Subject<'_>) {
        self.to.access()
    }
}

impl Topic {
    /// The environment that the topic is about; `None` if it is about the server.
    pub fn environment(&self) -> Option<&str> {
        self.access().1.environment()
    }

    fn access(&self) -> (Needs, Subject<'_>) {
        match self {
            Topic::Environments {} => (Needs::Nothing, Subject::Server),
            Topic::Happenings { environment } => (Needs::Nothing, Subject::Environment(environment)),
            Topic::Percepts { environment, agent, .. } => (Needs::ACT, Subject::Agent { environment, agent }),
            Topic::Scene { environment, viewer } => access_to_scene(environment, viewer.as_ref()),
            Topic::Mail { agent } => (Needs::ACT, Subject::Mailbox(agent)),
            Topic::Conversations(_) | Topic::Remarks(_) => (Needs::OBSERVE, Subject::Server),
            Topic::Activity { environment, .. } => (Needs::OBSERVE, Subject::Environment(environment)),
        }
    }
}

impl Query {
    pub(super) fn access(&self) -> (Needs, Subject<'_>) {
        let Self { environment, entity, property } = self;
        let standard: &[&str] = if entity.is_some() { &ENTITY_PROPERTIES } else { &ENVIRONMENT_PROPERTIES };
        match entity {
            _ if standard.contains(&property.as_str()) => (Needs::Nothing, Subject::Environment(environment)),
            None => (Needs::OBSERVE, Subject::Environment(environment)),
            Some(entity) => (Needs::OBSERVE_OR_ACT, Subject::Entity { environment, entity }),
        }
    }
}

impl GetScene {
    pub(super) fn access(&self) -> (Needs, Subject<'_>) {
        access_to_scene(&self.environment, self.viewer.as_ref())
    }
}

fn access_to_scene<'a>(environment: &'a str, viewer: Option<&'a Name>) -> (Needs, Subject<'a>) {
    match viewer {
        Some(entity) => (Needs::OBSERVE_OR_ACT, Subject::Entity { environment, entity }),
        None => (Needs::OBSERVE, Subject::Environment(environment)),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Answer to `subscribe`.
#[data(Copy, Eq)]
pub struct Subscribed {
    /// The number of the subscription in this session.
    pub subscription: u64,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `unsubscribe`.
#[data(Copy, Eq, deny_unknown_fields)]
pub struct Unsubscribe {
    /// The number of the subscription.
    pub subscription: u64,
}

/// Parameters of `query`.
#[data(Eq, deny_unknown_fields)]
pub struct Query {
    /// The environment.
    pub environment: Name,
    /// The entity with the property; none means a property of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<Name>,
    /// The name of the property. `name`, `version` and `requiredVersion` of an environment and `type` of an entity need
    /// no right. The ontology declares the others; a name that is not declared is an error (`noSuchProperty`).
    pub property: String,
}

/// Answer to `query`.
#[data]
pub struct Property {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The value; none if the property has none at this time.
    pub value: Option<Parameter>,
}

/// Parameters of `scene`.
#[data(Eq, deny_unknown_fields)]
pub struct GetScene {
    /// The environment.
    pub environment: Name,
    /// The entity whose view is shown; none means the whole environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewer: Option<Name>,
}

/// Answer to `scene`.
#[data]
pub struct SceneAnswer {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The picture.
    pub scene: Scene,
}
