//! What a server says without being asked: what was subscribed to, and that it is closing the connection.

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use situated::iil::Action;
use situated::interface::{Happening, Moment};
use situated::scene::{Scene, Shape};

use crate::methods::{EntityResult, EnvironmentStatus};
use crate::{Code, EntityPerception, Error, Name};

/// The documentation and schema of a notification.
#[cfg(feature = "schema")]
pub struct NotificationDescription {
    /// Its name.
    pub name: &'static str,
    /// What it says.
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
            /// The notification of this name; none for one that this version does not know.
            ///
            /// # Errors
            /// When its parameters are not its own.
            pub fn read(name: &str, params: Option<&RawValue>) -> Result<Option<Self>, Error> {
                let params = params.map_or("{}", RawValue::get);
                let wrong = |error| Error::new(Code::InvalidParameters, format!("the notification `{name}`: {error}"));
                match name {
                    $($name => serde_json::from_str(params).map(|params| Some(Self::$Notification(params))).map_err(wrong),)*
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
    /// Environments have come or gone, or their states have changed: all that there are.
    "environments" Environments(EnvironmentsListed);
    /// What has happened to an environment.
    "happenings" Happenings(Happenings);
    /// What an agent perceives.
    "percepts" Percepts(Percepts);
    /// What the environment looks like: the shapes that have changed since the last notification of the subscription,
    /// by their places; in the first one, all.
    "scene" Scene(SceneUpdate);
    /// What an entity has perceived and done, or what all have done.
    "activity" Activity(Activity);
    /// A subscription has ended by itself: there is nothing more to tell.
    "ended" Ended(Ended);
    /// The server closes the connection after this.
    "closing" Closing(Closing);
}

/// The parameters of a notification.
pub trait Notify: Serialize {
    /// The name of the notification.
    const NAME: &'static str;
}

/// All environments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct EnvironmentsListed {
    /// The subscription.
    pub subscription: u64,
    /// How they stand, by name.
    pub environments: Vec<EnvironmentStatus>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// What has happened to an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Happenings {
    /// The subscription.
    pub subscription: u64,
    /// How the environment stands.
    pub status: EnvironmentStatus,
    /// The happenings, in order. With `resync`, they describe the present state, as if it had come about just now.
    pub happenings: Vec<Happening>,
    /// Whether the happenings describe the present state: in the first notification, and after some were lost.
    pub resync: bool,
    /// Number of happenings that were lost because the client was more than 4096 of them behind.
    pub lost: u64,
}

/// What an agent perceives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Percepts {
    /// The subscription.
    pub subscription: u64,
    /// The environment.
    pub environment: Name,
    /// When it was so.
    pub moment: Moment,
    /// The agent.
    pub agent: Name,
    /// What it perceives through its entities.
    pub perceptions: Vec<EntityPerception>,
}

/// What the environment looks like: the shapes that have changed since the last notification of the subscription, by
/// their places; in the first one, all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SceneUpdate {
    /// The subscription.
    pub subscription: u64,
    /// The environment.
    pub environment: Name,
    /// When it was so.
    pub moment: Moment,
    /// Units from left to right.
    pub width: f64,
    /// Units from bottom to top.
    pub height: f64,
    /// How many shapes there are now; those with higher places are gone.
    pub count: usize,
    /// The shapes that have changed, each with its place, in the order in which they are painted.
    pub shapes: Vec<(usize, Shape)>,
}

/// What an entity has perceived and done, or what all have done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Activity {
    /// The subscription.
    pub subscription: u64,
    /// The environment.
    pub environment: Name,
    /// When it was so.
    pub moment: Moment,
    /// What has begun or ceased to hold for the entity, and what has happened to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perception: Option<EntityPerception>,
    /// What was done, in order.
    pub actions: Vec<ActionSeen>,
    /// Number of actions that were lost because the client was more than 1024 of them behind.
    pub lost: u64,
}

/// An action that somebody has seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ActionSeen {
    /// When it was done.
    pub moment: Moment,
    /// Who did it.
    pub agent: Name,
    /// What was done.
    pub action: Action,
    /// What it has come to.
    pub result: EntityResult,
}

/// A subscription has ended by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Ended {
    /// The subscription.
    pub subscription: u64,
    /// Why.
    pub reason: Error,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// The server closes the connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Closing {
    /// Why.
    pub reason: Error,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

impl SceneUpdate {
    /// Brings a scene up to date with what has changed.
    pub fn apply(&self, scene: &mut Scene) {
        (scene.width, scene.height) = (self.width, self.height);
        scene.shapes.truncate(self.count);
        for (place, shape) in &self.shapes {
            match scene.shapes.get_mut(*place) {
                Some(old) => *old = shape.clone(),
                None => scene.shapes.push(shape.clone()),
            }
        }
    }
}
