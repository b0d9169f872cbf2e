//! The methods. Each is a type with its parameters as fields, and knows the type of its response.

mod acting;
mod agents;
mod environments;
mod hosting;
mod mail;
mod observing;
mod perceiving;
mod session;

use std::fmt::Debug;

#[cfg(feature = "schema")]
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use situated::data;
use situated::interface::Moment;
use situated::names::{did_you_mean, nearest};

use crate::rpc::{self, Id};
use crate::{Code, Error};

pub use acting::{Act, Acted, EntityResult, Pass, Step, Stepped, Turn, TurnTaken};
pub use agents::{
    Associate, Entities, EntityGiven, EntityListed, Free, ListEntities, Register, RequestEntity, Unregister,
};
pub use environments::{
    Advance, AgentRule, BuiltInAgent, CreateEnvironment, DataStatus, Describe, DescribeKind, Description,
    EnvironmentStatus, Environments, Examine, Examined, GetOutcome, Kind, KindDescription, ListEnvironments, Manage,
    OutcomeAnswer, RecordingStatus, RemoveEnvironment, SetSpeed, Status, StatusAnswer,
};
pub use hosting::{AnswerOfHost, CallToHost, Host, Hosting, UpdateHosted};
pub use mail::{AcknowledgeMail, AskDirectory, CloseMailbox, DirectoryAnswer, OpenMailbox, SendMessage};
pub use observing::{GetScene, Property, Query, SceneAnswer, Subscribe, Subscribed, Topic, Unsubscribe};
pub use perceiving::{Acknowledge, Acknowledged, EntityPerception, GetMenu, MenuAnswer, Perceive, Perceived, Wait};
pub use session::{Bye, Greeting, Hello, Limits, Ping, Right, Role, ServerTime};

/// A method with its parameters.
pub trait Method: Serialize + DeserializeOwned + Debug + Send + 'static {
    /// The name of the method in requests.
    const NAME: &'static str;

    /// The response.
    type Answer: Serialize + DeserializeOwned + Debug + Send + 'static;
}

/// The response of methods without any other result.
#[data(Copy)]
pub struct Done {
    /// The current moment of the environment.
    pub moment: Moment,
}

/// The documentation and schemas of a method.
#[cfg(feature = "schema")]
pub struct MethodDescription {
    /// The name.
    pub name: &'static str,
    /// The description.
    pub documentation: String,
    /// The parameters.
    pub parameters: Schema,
    /// The response.
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

            /// Returns the index of the method in the [names](Self::NAMES).
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

            /// Reads a call of this method. Missing parameters are the same as empty ones.
            ///
            /// # Errors
            /// Returns an error if there is no such method, or if the parameters do not match it.
            pub fn read(method: &str, params: Option<&RawValue>) -> Result<Self, Error> {
                match method {
                    $($name => parameters(method, params).map(Call::$Method),)*
                    _ => Err(no_such_method(method)),
                }
            }

            /// Reads a frame that is a call in the usual form: `jsonrpc`, `id`, `method` and `params` in this order, the
            /// id a number, and no space between them but one after each colon and comma. It scans the text once. Returns `None` for any other frame, which
            /// [`rpc::read`] and [`Call::read`] handle.
            pub fn read_usual(frame: &str) -> Option<(Id, Self)> {
                let (id, method, params) = rpc::usual_call(frame)?;
                let call = match method {
                    $($name => usual_parameters(params).map(Call::$Method),)*
                    _ => None,
                };
                Some((id, call?))
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
    /// Begins or resumes a session. It is the first request of a client. An agent belongs to its session, not to a
    /// connection: when the connection is lost, agents keep their entities during the grace, and a client with the
    /// resume token continues the session on any connection.
    "hello" Hello -> Greeting;
    /// Ends the session: the server unregisters its agents at once and closes the connection.
    "bye" Bye -> ServerTime;
    /// Returns at once. It shows that the server responds, and the time there.
    "ping" Ping -> ServerTime;
    /// Lists the environments of the server, and the kinds of environments that it can create.
    "listEnvironments" ListEnvironments -> Environments;
    /// Returns the ontology and the status of an environment, and its parameters to observers.
    "describe" Describe -> Description;
    /// Returns the ontology of a kind of environment.
    "describeKind" DescribeKind -> KindDescription;
    /// Examines a document, such as a map, without creating an environment: its problems, and the same document in each
    /// format of its kind. A frame limits the size of documents.
    "examine" Examine -> Examined;
    /// Returns the status of an environment.
    "status" Status -> StatusAnswer;
    /// Returns whether the episode is over, and its results so far. The environment may have to compute them.
    "outcome" GetOutcome -> OutcomeAnswer;
    /// Creates an environment of a kind.
    "createEnvironment" CreateEnvironment -> StatusAnswer;
    /// Ends an environment for good and removes it.
    "removeEnvironment" RemoveEnvironment -> ServerTime;
    /// Inits, starts, pauses, resets or kills an environment.
    "manage" Manage -> Done;
    /// Runs a paused environment for a number of steps and pauses it again. The response comes then. The steps are
    /// made at the speed of the environment, unless `atOnce` is true.
    "advance" Advance -> Done;
    /// Limits the number of steps per second from now on.
    "setSpeed" SetSpeed -> Done;
    /// Registers an agent with an environment. Its name is unique on the server: one session can use it in several
    /// environments, and no other session can.
    "register" Register -> Done;
    /// Unregisters an agent and frees its entities.
    "unregister" Unregister -> Done;
    /// Lists the agents of an environment, and its entities with their agents.
    "listEntities" ListEntities -> Entities;
    /// Associates an agent with an entity, through which it then acts and perceives.
    "associate" Associate -> Done;
    /// Ends associations: of an agent with an entity, of an agent with all its entities, or of an entity with all its
    /// agents.
    "free" Free -> Done;
    /// Asks the environment for an entity of a type, and associates the agent with it.
    "requestEntity" RequestEntity -> EntityGiven;
    /// Performs an action. The response comes when the action is done: at once, in its turn, or, in lockstep, when the
    /// step is over.
    "act" Act -> Acted;
    /// Passes in this step, so that no other agent has to wait (lockstep). The response comes when the step is over.
    "pass" Pass -> Done;
    /// Lets one or many agents act and then perceive. It is the cheapest way to take part: one frame in each
    /// direction per step.
    "step" Step -> Stepped;
    /// Lets an agent perceive through its entities.
    "perceive" Perceive -> Perceived;
    /// Notes that an agent has received percepts up to a version. It is usually sent without an `id`.
    "acknowledge" Acknowledge -> Done;
    /// Returns the choices of a person who acts through an entity, at a point of its scene or without one. Each choice
    /// contains an action. An environment may have no menus.
    "menu" GetMenu -> MenuAnswer;
    /// Returns when the environment is later than a moment, and fails when the environment is killed.
    "wait" Wait -> Done;
    /// Subscribes to notifications. A client that is behind later gets the current state in one notification. It gets
    /// every event and happening up to the documented limits, beyond which a count says how many were dropped.
    "subscribe" Subscribe -> Subscribed;
    /// Ends a subscription.
    "unsubscribe" Unsubscribe -> ServerTime;
    /// Returns the value of a property of the environment, or of one of its entities. An agent can ask for the properties
    /// of its own entities; a property of the environment as a whole needs the right to observe.
    "query" Query -> Property;
    /// Returns the scene of the environment, as a whole or as an entity may see it.
    "scene" GetScene -> SceneAnswer;
    /// Opens the mailbox of an agent. An agent that is registered with an environment has one anyway; another agent is
    /// registered with the server by this, without an environment, until it closes its mailbox or its session ends.
    "openMailbox" OpenMailbox -> ServerTime;
    /// Closes a mailbox that was opened. If the agent is registered with no environment, its name is free then, and the
    /// senders of its remaining messages get failures.
    "closeMailbox" CloseMailbox -> ServerTime;
    /// Sends a message from an agent of the session to other agents of the server, by name. The response means that the
    /// message is in the mailboxes of all its receivers. For each receiver that does not exist, the sender gets a
    /// `failure` of the agent `ams`. If a mailbox is full, nothing is sent to any receiver.
    "send" SendMessage -> ServerTime;
    /// Asks the directory for an agent of the session. The message is one that the agent could send to `ams` or `df`; the
    /// answer comes as the response instead of through the mailbox. Notifications of a subscription come to the mailbox.
    "askDirectory" AskDirectory -> DirectoryAnswer;
    /// Acknowledges the messages of an agent up to a number, which are then removed from its mailbox. It is usually sent
    /// without an `id`.
    "acknowledgeMail" AcknowledgeMail -> ServerTime;
    /// Offers an environment to the server. Agents use it like any other, and the server calls the host for it, as
    /// listed under *Calls to hosts*.
    "host" Host -> Hosting;
    /// Reports changes of a hosted environment, without a call of the server.
    "update" UpdateHosted -> Done;
}

fn parameters<M: Method>(method: &str, params: Option<&RawValue>) -> Result<M, Error> {
    let text = params.map_or("{}", RawValue::get);
    // serde would accept an array of the values.
    if !text.starts_with('{') {
        let message = format!("the parameters of `{method}` are invalid: expected an object keyed by name");
        return Err(Error::new(Code::InvalidParameters, message));
    }
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the parameters of `{method}` are invalid: {error}");
        Error::new(Code::InvalidParameters, message)
    })
}

/// Reads the parameters at the end of a frame, before its closing bracket.
fn usual_parameters<M: Method>(text: &str) -> Option<M> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let parameters = values.next()?.ok()?;
    (&text[values.byte_offset()..] == "}").then_some(parameters)
}

fn no_such_method(method: &str) -> Error {
    let near = nearest(method, Call::NAMES.iter().copied());
    let method: String = method.chars().take(64).collect();
    Error::new(Code::NoSuchMethod, format!("there is no method `{method}`{}", did_you_mean(near)))
}
