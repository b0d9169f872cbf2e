//! The methods: each is a type with its parameters as fields, and knows the type of its answer.

mod acting;
mod agents;
mod environments;
mod hosting;
mod observing;
mod perceiving;
mod session;

use std::fmt::Debug;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use situated::interface::Moment;
use situated::names::{did_you_mean, nearest};

use crate::{Code, Error};

pub use acting::{Act, Acted, EntityResult, Pass, Step, Stepped, Turn, TurnTaken};
pub use agents::{
    Associate, Entities, EntityGiven, EntityListed, Free, ListEntities, Register, RequestEntity, Unregister,
};
pub use environments::{
    Advance, CreateEnvironment, Describe, DescribeKind, Description, EnvironmentStatus, Environments, GetOutcome, Kind,
    KindDescription, ListEnvironments, Manage, OutcomeAnswer, RemoveEnvironment, SetSpeed, Status, StatusAnswer,
};
pub use hosting::{AnswerOfHost, CallToHost, Host, Hosting, UpdateHosted};
pub use observing::{GetScene, Property, Query, SceneAnswer, Subscribe, Subscribed, Topic, Unsubscribe};
pub use perceiving::{Acknowledge, Acknowledged, GetMenu, MenuAnswer, Perceive, Perceived, Wait};
pub use session::{Bye, Greeting, Hello, Limits, Ping, Right, Role, ServerTime};

/// A method: what is asked, with its parameters.
pub trait Method: Serialize + DeserializeOwned + Debug + Send + 'static {
    /// Its name in calls.
    const NAME: &'static str;

    /// What is answered.
    type Answer: Serialize + DeserializeOwned + Debug + Send + 'static;
}

/// The answer where there is nothing to say but that it is done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Done {
    /// When it is in the environment.
    pub moment: Moment,
}

/// The documentation and schemas of a method.
#[cfg(feature = "schema")]
pub struct MethodDescription {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub documentation: String,
    /// Its parameters.
    pub parameters: Schema,
    /// Its answer.
    pub answer: Schema,
}

macro_rules! methods {
    ($($(#[doc = $documentation:literal])+ $name:literal $Method:ident -> $Answer:ty;)*) => {
        /// A call of a method.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Call {
            $($(#[doc = $documentation])+ $Method($Method),)*
        }

        impl Call {
            /// The names of all methods.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The place of its method among the [names](Self::NAMES).
            pub fn place(&self) -> usize {
                let mut place = 0;
                $(
                    if matches!(self, Call::$Method(_)) {
                        return place;
                    }
                    place += 1;
                )*
                place
            }

            /// The call of this method with these parameters; none given is the same as none needed.
            ///
            /// # Errors
            /// When there is no such method, or the parameters are not its own.
            pub fn read(method: &str, params: Option<&RawValue>) -> Result<Self, Error> {
                match method {
                    $($name => parameters(method, params).map(Call::$Method),)*
                    _ => Err(no_such_method(method)),
                }
            }
        }

        $(impl Method for $Method {
            const NAME: &'static str = $name;
            type Answer = $Answer;
        })*

        /// Describes all methods, with their schemas.
        #[cfg(feature = "schema")]
        pub fn describe(generator: &mut SchemaGenerator) -> Vec<MethodDescription> {
            vec![$(MethodDescription {
                name: $name,
                documentation: [$($documentation.trim()),+].join(" "),
                parameters: generator.subschema_for::<$Method>(),
                answer: generator.subschema_for::<$Answer>(),
            }),*]
        }
    };
}

methods! {
    /// Begins a session, or goes on with one: the first thing that a client says. An agent is known by its session, not
    /// by its connection: when the connection is lost, its agents keep their entities for a while, and whoever comes
    /// back with the resume token goes on, on any connection.
    "hello" Hello -> Greeting;
    /// Ends the session: its agents are unregistered at once, and the connection is closed.
    "bye" Bye -> ServerTime;
    /// Is answered at once: to see whether the other side is there, and what time it is there.
    "ping" Ping -> ServerTime;
    /// Lists the environments of the server, and the kinds of which more can be made.
    "listEnvironments" ListEnvironments -> Environments;
    /// Says what an environment declares about itself, and how it stands.
    "describe" Describe -> Description;
    /// Says what the environments of a kind declare about themselves.
    "describeKind" DescribeKind -> KindDescription;
    /// How an environment stands.
    "status" Status -> StatusAnswer;
    /// How the episode stands: whether it is over, and what has been achieved so far. The environment may have to work
    /// that out.
    "outcome" GetOutcome -> OutcomeAnswer;
    /// Makes an environment of a kind.
    "createEnvironment" CreateEnvironment -> StatusAnswer;
    /// Ends an environment for good and removes it.
    "removeEnvironment" RemoveEnvironment -> ServerTime;
    /// Inits, starts, pauses, resets or kills an environment.
    "manage" Manage -> Done;
    /// From pause, lets time run for so many steps; it is paused then, and that is when the answer comes.
    "advance" Advance -> Done;
    /// From now on, steps are made at this speed at the most.
    "setSpeed" SetSpeed -> Done;
    /// Registers an agent with an environment. Its name is unique on the server: the same agent may live in several
    /// environments, and nobody else can have an agent of this name.
    "register" Register -> Done;
    /// Unregisters an agent; its entities are freed.
    "unregister" Unregister -> Done;
    /// Lists the entities of an environment and the agents that they have.
    "listEntities" ListEntities -> Entities;
    /// Associates an agent with an entity: from now on it acts and perceives through it.
    "associate" Associate -> Done;
    /// Ends associations: of an agent with an entity, of an agent with all of its entities, or of an entity with all of its
    /// agents.
    "free" Free -> Done;
    /// Asks the environment for an entity of a type, with which the agent is associated then.
    "requestEntity" RequestEntity -> EntityGiven;
    /// An agent acts. The answer comes when the action is done: at once, in its turn, or, where all act together
    /// (lockstep), when the step is over.
    "act" Act -> Acted;
    /// An agent does nothing in this step, so that nobody waits for it (lockstep). The answer comes when the step is over.
    "pass" Pass -> Done;
    /// Many agents act at once, or one does; when their actions are done, each of them perceives. It is the cheapest
    /// way to live in an environment: one frame there and one back for a step.
    "step" Step -> Stepped;
    /// An agent perceives through its entities.
    "perceive" Perceive -> Perceived;
    /// An agent has received what it was told. Usually sent without an `id`.
    "acknowledge" Acknowledge -> Done;
    /// What a person can choose who acts through an entity, where they point in its scene or without pointing. Whoever
    /// chooses an item acts, with the action that it has. An environment need not offer any.
    "menu" GetMenu -> MenuAnswer;
    /// Is answered when the environment is further than a moment, and refused when the environment is killed.
    "wait" Wait -> Done;
    /// From now on, notifications tell what happens. Whoever lags is told what holds in one piece later on; of what happens,
    /// nothing is left out up to the documented bounds, beyond which it is said how much was.
    "subscribe" Subscribe -> Subscribed;
    /// Ends a subscription.
    "unsubscribe" Unsubscribe -> ServerTime;
    /// The value of a property of the environment, or of one of its entities.
    "query" Query -> Property;
    /// What the environment looks like: as a whole, or as an entity may see it.
    "scene" GetScene -> SceneAnswer;
    /// Offers an environment to the server, which is then like any other to agents. From now on the server calls the host,
    /// under the method names and with the parameters listed under *Calls to hosts*.
    "host" Host -> Hosting;
    /// The host of an environment tells what has changed in it, without having been called.
    "update" UpdateHosted -> Done;
}

fn parameters<M: Method>(method: &str, params: Option<&RawValue>) -> Result<M, Error> {
    let text = params.map_or("{}", RawValue::get);
    // serde would take an array for the values of the keys.
    if !text.starts_with('{') {
        let message = format!("the parameters of `{method}` are wrong: expected an object with their names");
        return Err(Error::new(Code::InvalidParameters, message));
    }
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the parameters of `{method}` are wrong: {error}");
        Error::new(Code::InvalidParameters, message)
    })
}

fn no_such_method(method: &str) -> Error {
    let near = nearest(method, Call::NAMES.iter().copied());
    let method: String = method.chars().take(64).collect();
    Error::new(Code::NoSuchMethod, format!("there is no method `{method}`{}", did_you_mean(near)))
}
