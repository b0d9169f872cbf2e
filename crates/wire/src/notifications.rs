//! Messages that a server sends without a request: for subscriptions, and when it closes the connection.

#[cfg(feature = "schema")]
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use situated::data;
use situated::iil::Action;
use situated::interface::{Happening, Moment};
use situated::reading::{self, Unreadable};
use situated::scene::{Scene, Shape};

use crate::methods::{EntityResult, EnvironmentStatus};
use crate::{AclMessage, Code, EntityPerception, Error, Name};

/// The documentation and schema of a notification.
#[cfg(feature = "schema")]
pub struct NotificationDescription {
    /// The name.
    pub name: &'static str,
    /// The description.
    pub documentation: String,
    /// Its parameters.
    pub parameters: Schema,
}

macro_rules! notifications {
    ($($(#[doc = $documentation:literal])+ $name:literal $Notification:ident($Parameters:ty);)*) => {
        /// A notification.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Notification {
            $($(#[doc = $documentation])+ $Notification($Parameters),)*
        }

        impl Notification {
            /// Reads the notification with this name. Returns `None` for one that this version does not know.
            ///
            /// # Errors
            /// Returns an error if the parameters do not match the notification.
            pub fn read(name: &str, params: Option<&RawValue>) -> Result<Option<Self>, Error> {
                let params = params.map_or("{}", RawValue::get);
                let wrong = |error: Unreadable| Error::new(Code::InvalidParameters, format!("the notification `{name}`: {error}"));
                match name {
                    $($name => reading::json(params).map(|params| Some(Self::$Notification(params))).map_err(wrong),)*
                    _ => Ok(None),
                }
            }
        }

        $(impl Notify for $Parameters {
            const NAME: &'static str = $name;
        })*

        /// Describes all notifications, with their schemas.
        #[cfg(feature = "schema")]
        pub fn describe(generator: &mut SchemaGenerator) -> Vec<NotificationDescription> {
            vec![$(NotificationDescription {
                name: $name,
                documentation: [$($documentation.trim()),+].join(" "),
                parameters: generator.subschema_for::<$Parameters>(),
            }),*]
        }
    };
}

notifications! {
    /// Environments were created, removed or changed their states. It lists all environments.
    "environments" Environments(EnvironmentsListed);
    /// Changes of an environment.
    "happenings" Happenings(Happenings);
    /// New percepts of an agent.
    "percepts" Percepts(Percepts);
    /// Shapes of the scene that changed since the last notification of the subscription, with their positions in the
    /// list; in the first notification, all shapes.
    "scene" Scene(SceneUpdate);
    /// Percepts and actions of an entity, or actions of all entities.
    "activity" Activity(Activity);
    /// Messages for an agent. They are sent again after a lost connection, until the agent has acknowledged them; it
    /// ignores those with numbers that it knows. At most 256 are sent without an acknowledgement.
    "mail" Mail(Mail);
    /// Messages between agents. After a lost connection, those that the server remembers are sent again; a client ignores
    /// those with numbers that it knows.
    "conversations" Conversations(Conversations);
    /// Remarks of agents. After a lost connection, those that the server remembers are sent again; a client ignores those with
    /// numbers that it knows.
    "remarks" Remarks(Remarks);
    /// The server ended a subscription, because there will be no more notifications.
    "ended" Ended(Ended);
    /// The server closes the connection after this notification.
    "closing" Closing(Closing);
}

/// The parameters of a notification.
pub trait Notify: Serialize {
    /// The name of the notification.
    const NAME: &'static str;
}

/// All environments.
#[data]
pub struct EnvironmentsListed {
    /// The subscription.
    pub subscription: u64,
    /// The status of each environment, by name.
    pub environments: Vec<EnvironmentStatus>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Changes of an environment.
#[data]
pub struct Happenings {
    /// The subscription.
    pub subscription: u64,
    /// The status of the environment.
    pub status: EnvironmentStatus,
    /// The happenings, in order. With `resync`, they describe the current state, as if it had come about just now.
    pub happenings: Vec<Happening>,
    /// Whether the happenings describe the current state: in the first notification, and after some were lost.
    pub resync: bool,
    /// Number of happenings that were lost because the client was more than 4096 of them behind.
    pub lost: u64,
}

/// New percepts of an agent.
#[data]
pub struct Percepts {
    /// The subscription.
    pub subscription: u64,
    /// The environment.
    pub environment: Name,
    /// The moment that the response describes.
    pub moment: Moment,
    /// The agent.
    pub agent: Name,
    /// The perception of each entity.
    pub perceptions: Vec<EntityPerception>,
}

/// Shapes of the scene that changed since the last notification of the subscription, with their positions in the
/// list; in the first notification, all shapes.
#[data]
pub struct SceneUpdate {
    /// The subscription.
    pub subscription: u64,
    /// The environment.
    pub environment: Name,
    /// The moment that the response describes.
    pub moment: Moment,
    /// Units from left to right.
    pub width: f64,
    /// Units from bottom to top.
    pub height: f64,
    /// The number of shapes; shapes from this index on are removed.
    pub count: usize,
    /// The changed shapes with their positions, in the order in which they are painted.
    pub shapes: Vec<(usize, Shape)>,
}

/// Percepts and actions of an entity, or actions of all entities.
#[data]
pub struct Activity {
    /// The subscription.
    pub subscription: u64,
    /// The environment.
    pub environment: Name,
    /// The moment that the response describes.
    pub moment: Moment,
    /// Percepts that began or ceased to hold for the entity, and its events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perception: Option<EntityPerception>,
    /// The actions, in order.
    pub actions: Vec<ActionSeen>,
    /// Number of actions that were lost because the client was more than 1024 of them behind.
    pub lost: u64,
}

/// An action that an observer sees.
#[data]
pub struct ActionSeen {
    /// The moment of the action.
    pub moment: Moment,
    /// The agent.
    pub agent: Name,
    /// The action.
    pub action: Action,
    /// The result.
    pub result: EntityResult,
}

/// Messages for an agent.
#[data]
pub struct Mail {
    /// The subscription.
    pub subscription: u64,
    /// The agent.
    pub agent: Name,
    /// The messages, in order.
    pub messages: Vec<MessageReceived>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// A message that an agent gets.
#[data]
pub struct MessageReceived {
    /// The number for its acknowledgement. Later messages have higher numbers, which can have gaps.
    pub number: u64,
    /// The message.
    pub message: AclMessage,
    /// The server's wall-clock time when it accepted the message, in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Messages between agents.
#[data]
pub struct Conversations {
    /// The subscription.
    pub subscription: u64,
    /// The messages, in order.
    pub messages: Vec<MessageSeen>,
    /// Number of messages that were lost because the client was more than 1024 of them, or 4 MiB, behind.
    pub lost: u64,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// A message that an observer sees.
#[data]
pub struct MessageSeen {
    /// Its number. Later messages have higher numbers, which can have gaps.
    pub number: u64,
    /// The message. Agents of the server have their names without that of its platform.
    pub message: AclMessage,
    /// The rules of its interaction protocol that it breaks, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<String>,
    /// The server's wall-clock time when it accepted the message, in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Remarks of agents.
#[data]
pub struct Remarks {
    /// The subscription.
    pub subscription: u64,
    /// The remarks, in order.
    pub remarks: Vec<RemarkSeen>,
    /// Number of remarks that were lost because the client was more than 1024 of them, or 4 MiB, behind.
    pub lost: u64,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// A remark that an observer sees.
#[data]
pub struct RemarkSeen {
    /// Its number. Later remarks have higher numbers, which can have gaps.
    pub number: u64,
    /// The environment.
    pub environment: Name,
    /// The moment of the remark.
    pub moment: Moment,
    /// The agent.
    pub agent: Name,
    /// The entities that the agent had then; none in a recording.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// The remark, in the agent's own form; `{"omittedBytes": size}` for one of more than 128 KiB.
    pub remark: Value,
    /// The server's wall-clock time of the remark, in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// The server ended a subscription.
#[data]
pub struct Ended {
    /// The subscription.
    pub subscription: u64,
    /// The reason.
    pub reason: Error,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// The server closes the connection.
#[data]
pub struct Closing {
    /// The reason.
    pub reason: Error,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

impl SceneUpdate {
    /// Applies the changes to a scene.
    pub fn apply(&self, scene: &mut Scene) {
        (scene.width, scene.height) = (self.width, self.height);
        scene.change(self.count, &self.shapes);
    }
}
