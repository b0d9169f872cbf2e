//! The requests. Each is a type with its parameters as fields. One table declares everything else about them.

mod acting;
mod agents;
mod environments;
mod hosting;
mod local;
mod mail;
mod observing;
mod perceiving;
mod session;

#[cfg(feature = "schema")]
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;
use situated::data;
use situated::interface::Moment;
use situated::names::{did_you_mean, nearest};
use situated::reading;

use crate::{Code, Error, Method, Needs, Request, Subject};

pub use acting::{Act, Acted, EntityResult, Pass, Step, Stepped, Turn, TurnTaken};
pub use agents::{
    Associate, Entities, EntityGiven, EntityListed, Free, ListEntities, Register, Registered, RequestEntity, Unregister,
};
pub use environments::{
    Advance, AgentRule, BuiltInAgent, CreateEnvironment, DataStatus, Describe, DescribeKind, Description,
    EnvironmentStatus, Environments, Examine, Examined, GetOutcome, Kind, KindDescription, ListEnvironments, Manage,
    OutcomeAnswer, RecordingStatus, RemoveEnvironment, SetSpeed, Status, StatusAnswer,
};
pub use hosting::{AnswerOfHost, CallToHost, Host, Hosting, UpdateHosted};
pub use local::{AnswerHostRequest, Decode, Decoded, DescribeEncoding, Encode, EncodedNow, EncodingOfType, Remark};
pub use mail::{AcknowledgeMail, AskDirectory, CloseMailbox, DirectoryAnswer, MailboxOpened, OpenMailbox, SendMessage};
pub use observing::{
    ConversationFilter, GetScene, Property, Query, RemarkFilter, SceneAnswer, Subscribe, Subscribed, Topic, Unsubscribe,
};
pub use perceiving::{Acknowledge, Acknowledged, EntityPerception, GetMenu, MenuAnswer, Perceive, Perceived, Wait};
pub use session::{Bye, Greeting, Hello, Limits, Ping, Role, ServerTime};

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
    /// The rights that it may need, depending on its parameters.
    pub needs: &'static [Needs],
    /// The parameters.
    pub parameters: Schema,
    /// The response.
    pub answer: Schema,
}

/// Passes the table of all requests to a macro. A line has the documentation, the name of the method, the request and its
/// answer; where it is handled: by the `hub` or by an `environment`; whether it `changes` something or only `reads`; the
/// rights that it may need; and its subject. If the contents decide about the last two, `fn access` does.
#[macro_export]
macro_rules! with_requests {
    ($macro:ident) => {
        $macro! {
            methods {
                /// Begins or resumes a session. It is the first request of a client. An agent belongs to its session,
                /// not to a connection: when the connection is lost, agents keep their entities during the grace, and a
                /// client with the resume token continues the session on any connection.
                "hello" Hello -> Greeting { hub, reads, [Nothing] server };
                /// Ends the session: the server unregisters its agents at once and closes the connection.
                "bye" Bye -> ServerTime { hub, changes, [Nothing] server };
                /// Returns at once. It shows that the server responds, and the time there.
                "ping" Ping -> ServerTime { hub, reads, [Nothing] server };
                /// Lists the environments of the server, and the kinds of environments that it can create.
                "listEnvironments" ListEnvironments -> Environments { hub, reads, [Nothing] server };
                /// Returns the ontology and the status of an environment, and its parameters to observers.
                "describe" Describe -> Description { environment, reads, [Nothing] environment };
                /// Returns the ontology of a kind of environment.
                "describeKind" DescribeKind -> KindDescription { hub, reads, [Nothing] server };
                /// Examines a document, such as a map, without creating an environment: its problems, and the same
                /// document in each format of its kind. A frame limits the size of documents.
                "examine" Examine -> Examined { hub, reads, [MANAGE] server };
                /// Returns the status of an environment.
                "status" Status -> StatusAnswer { environment, reads, [Nothing] environment };
                /// Returns whether the episode is over, and its results so far. The environment may have to compute
                /// them.
                "outcome" GetOutcome -> OutcomeAnswer { environment, reads, [Nothing] environment };
                /// Creates an environment of a kind.
                "createEnvironment" CreateEnvironment -> StatusAnswer { hub, changes, [MANAGE] server };
                /// Ends an environment for good and removes it.
                "removeEnvironment" RemoveEnvironment -> ServerTime { hub, changes, [MANAGE] environment };
                /// Inits, starts, pauses, resets or kills an environment.
                "manage" Manage -> Done { environment, changes, [MANAGE] environment };
                /// Runs a paused environment for a number of steps and pauses it again. The response comes then. The
                /// steps are made at the speed of the environment, unless `atOnce` is true.
                "advance" Advance -> Done { environment, changes, [MANAGE] environment };
                /// Limits the number of steps per second from now on.
                "setSpeed" SetSpeed -> Done { environment, changes, [MANAGE] environment };
                /// Registers an agent with an environment. Its name is unique there. One session can use it in several
                /// environments, where it is the same agent; other sessions can use it in other environments.
                "register" Register -> Registered { environment, changes, [ACT] newcomer };
                /// Unregisters an agent and frees its entities.
                "unregister" Unregister -> Done { environment, changes, [ACT_OR_MANAGE] agent };
                /// Lists the agents of an environment, and its entities with their agents.
                "listEntities" ListEntities -> Entities { environment, reads, [Nothing] environment };
                /// Associates an agent with an entity, through which it then acts and perceives.
                "associate" Associate -> Done { environment, changes, [ACT] agent };
                /// Ends associations: of an agent with an entity, of an agent with all its entities, or of an entity
                /// with all its agents.
                "free" Free -> Done { environment, changes, [ACT_OR_MANAGE, MANAGE] by_content };
                /// Asks the environment for an entity of a type, and associates the agent with it.
                "requestEntity" RequestEntity -> EntityGiven { environment, changes, [ACT] agent };
                /// Performs an action. The response comes when the action is done: at once, in its turn, or, in
                /// lockstep, when the step is over.
                "act" Act -> Acted { environment, changes, [ACT] agent };
                /// Passes in this step, so that no other agent has to wait (lockstep). The response comes when the step
                /// is over.
                "pass" Pass -> Done { environment, changes, [ACT] agent };
                /// Lets one or many agents act and then perceive. It is the cheapest way to take part: one frame in
                /// each direction per step.
                "step" Step -> Stepped { environment, changes, [ACT] agents };
                /// Lets an agent perceive through its entities.
                "perceive" Perceive -> Perceived { environment, reads, [ACT] agent };
                /// Notes that an agent has received percepts up to a version. It is usually sent without an `id`.
                "acknowledge" Acknowledge -> Done { environment, reads, [ACT] agent };
                /// Returns the choices of a person who acts through an entity, at a point of its scene or without one.
                /// Each choice contains an action. An environment may have no menus.
                "menu" GetMenu -> MenuAnswer { environment, reads, [ACT] agent };
                /// Returns when the environment is later than a moment, and fails when the environment is killed.
                "wait" Wait -> Done { environment, reads, [Nothing] environment };
                /// Subscribes to notifications. A client that is behind later gets the current state in one
                /// notification. It gets every event and happening up to the documented limits, beyond which a count
                /// says how many were dropped.
                "subscribe" Subscribe -> Subscribed { hub, reads, [Nothing, ACT, OBSERVE, OBSERVE_OR_ACT] by_content };
                /// Ends a subscription.
                "unsubscribe" Unsubscribe -> ServerTime { hub, reads, [Nothing] server };
                /// Returns the value of a property of the environment, or of one of its entities. An agent can ask for
                /// the properties of its own entities; a property of the environment as a whole needs the right to
                /// observe.
                "query" Query -> Property { environment, reads, [Nothing, OBSERVE_OR_ACT, OBSERVE] by_content };
                /// Returns the scene of the environment, as a whole or as an entity may see it.
                "scene" GetScene -> SceneAnswer { environment, reads, [OBSERVE, OBSERVE_OR_ACT] by_content };
                /// Opens the mailbox of an agent. An agent that is registered with an environment has one anyway;
                /// another agent is registered with the server by this, without an environment, until it closes its
                /// mailbox or its session ends. Its address is then its name, so no other agent of the server may have
                /// that address.
                "openMailbox" OpenMailbox -> MailboxOpened { hub, changes, [ACT] server };
                /// Closes a mailbox that was opened. If the agent is registered with no environment, its name is free
                /// then, and the senders of its remaining messages get failures.
                "closeMailbox" CloseMailbox -> ServerTime { hub, changes, [ACT] mailbox };
                /// Sends a message from an agent of the session to other agents of the server. A name means first an
                /// agent of the sender's environment, and then the agent on the server that has it as its address;
                /// `NAME~ENVIRONMENT` is the agent of another environment. An agent gets each message with names that
                /// mean the same agents to it. The response means that the message is in the mailboxes of all its receivers. For each receiver that does not
                /// exist, the sender gets a `failure` of the agent `ams`. If a mailbox is full, nothing is sent to any
                /// receiver.
                "send" SendMessage -> ServerTime { hub, changes, [ACT] mailbox };
                /// Asks the directory for an agent of the session. The message is one that the agent could send to
                /// `ams` or `df`; the answer comes as the response instead of through the mailbox. Notifications of a
                /// subscription come to the mailbox.
                "askDirectory" AskDirectory -> DirectoryAnswer { hub, changes, [ACT] mailbox };
                /// Acknowledges the messages of an agent up to a number, which are then removed from its mailbox. It is
                /// usually sent without an `id`.
                "acknowledgeMail" AcknowledgeMail -> ServerTime { hub, reads, [ACT] mailbox };
                /// Offers an environment to the server. Agents use it like any other, and the server calls the host for
                /// it, as listed under *Calls to hosts*.
                "host" Host -> Hosting { hub, changes, [HOST] server };
                /// Reports changes of a hosted environment, without a call of the server.
                "update" UpdateHosted -> Done { environment, changes, [HOST] hosted };
            }
            local {
                /// Records a remark of an agent about itself.
                Remark -> Done { environment, reads, [ACT] agent };
                /// Describes the encoding for entities of a type.
                DescribeEncoding -> EncodingOfType { environment, reads, [Nothing] environment };
                /// Returns the numbers of an entity after the last step.
                Encode -> EncodedNow { environment, reads, [OBSERVE_OR_ACT] entity };
                /// Returns the action with a number.
                Decode -> Decoded { environment, reads, [OBSERVE_OR_ACT] entity };
                /// Answers a call of the server about an environment that the session hosts.
                AnswerHostRequest -> Done { environment, changes, [HOST] hosted };
            }
        }
    };
}

macro_rules! declare {
    (
        methods {$(
            $(#[doc = $documentation:literal])+
            $name:literal $Method:ident -> $MethodAnswer:ty { $($method_declared:tt)* };
        )*}
        local {$(
            $(#[doc = $local_documentation:literal])+
            $Local:ident -> $LocalAnswer:ty { $($local_declared:tt)* };
        )*}
    ) => {
        /// Any request.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Call {
            $($(#[doc = $documentation])+ $Method($Method),)*
            $($(#[doc = $local_documentation])+ $Local($Local),)*
        }

        impl Call {
            /// The names of all methods.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name of the method; that of the type for a request that clients cannot send.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Call::$Method(_) => $name,)*
                    $(Call::$Local(_) => stringify!($Local),)*
                }
            }

            /// The rights that the request needs.
            pub fn needs(&self) -> Needs {
                match self {
                    $(Call::$Method(request) => request.needs(),)*
                    $(Call::$Local(request) => request.needs(),)*
                }
            }

            /// The subject of the request.
            pub fn subject(&self) -> Subject<'_> {
                match self {
                    $(Call::$Method(request) => request.subject(),)*
                    $(Call::$Local(request) => request.subject(),)*
                }
            }

            /// Whether the request changes neither an environment nor anything that sessions own in it.
            pub fn only_reads(&self) -> bool {
                match self {
                    $(Call::$Method(_) => $Method::ONLY_READS,)*
                    $(Call::$Local(_) => $Local::ONLY_READS,)*
                }
            }

            /// Reads a call of this method, whose parameters are a part of the frame. Missing parameters are the same as
            /// empty ones.
            ///
            /// # Errors
            /// Returns an error if there is no such method, or if the parameters do not match it; with their place in the
            /// frame.
            pub fn read(frame: &str, method: &str, params: Option<&RawValue>) -> Result<Self, Error> {
                match method {
                    $($name => parameters(frame, method, params).map(Call::$Method),)*
                    _ => Err(no_such_method(method)),
                }
            }
        }

        $(
            declare_request!($Method -> $MethodAnswer { $($method_declared)* });

            impl Method for $Method {
                const NAME: &'static str = $name;
            }
        )*
        $(declare_request!($Local -> $LocalAnswer { $($local_declared)* });)*

        /// Describes all methods, with their schemas.
        #[cfg(feature = "schema")]
        pub fn describe(generator: &mut SchemaGenerator) -> Vec<MethodDescription> {
            vec![$(MethodDescription {
                name: $name,
                documentation: [$($documentation.trim()),+].join(" "),
                needs: $Method::NEEDS,
                parameters: generator.subschema_for::<$Method>(),
                answer: generator.subschema_for::<$MethodAnswer>(),
            }),*]
        }
    };
}

macro_rules! declare_request {
    ($Request:ident -> $Answer:ty { $place:ident, $effect:ident, [$($needs:ident),+] $subject:ident }) => {
        impl Request for $Request {
            type Answer = $Answer;
            const NEEDS: &'static [Needs] = &[$(Needs::$needs),+];
            const ONLY_READS: bool = only_reads!($effect);

            fn needs(&self) -> Needs {
                needs!($subject, self)
            }

            fn subject(&self) -> Subject<'_> {
                subject!($subject, self)
            }
        }

        impl From<$Request> for Call {
            fn from(request: $Request) -> Self {
                Call::$Request(request)
            }
        }
    };
}

macro_rules! only_reads {
    (reads) => {
        true
    };
    (changes) => {
        false
    };
}

macro_rules! needs {
    (by_content, $request:ident) => {
        $request.access().0
    };
    ($subject:ident, $request:ident) => {
        Self::NEEDS[0]
    };
}

macro_rules! subject {
    (by_content, $request:ident) => {
        $request.access().1
    };
    (server, $request:ident) => {
        Subject::Server
    };
    (environment, $request:ident) => {
        Subject::Environment(&$request.environment)
    };
    (hosted, $request:ident) => {
        Subject::Hosted(&$request.environment)
    };
    (newcomer, $request:ident) => {
        Subject::Newcomer(&$request.environment)
    };
    (agents, $request:ident) => {
        Subject::Agents(&$request.environment)
    };
    (agent, $request:ident) => {
        Subject::Agent { environment: &$request.environment, agent: &$request.agent }
    };
    (mailbox, $request:ident) => {
        Subject::Mailbox(&$request.agent)
    };
    (entity, $request:ident) => {
        Subject::Entity { environment: &$request.environment, entity: &$request.entity }
    };
}

with_requests!(declare);

macro_rules! answers {
    ($($(#[$attribute:meta])* $Answer:ident,)*) => {
        /// Any answer. As JSON, it is the answer itself; answers to requests of local programs have no JSON.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        #[expect(clippy::large_enum_variant, reason = "an answer is made and written once")]
        pub enum Answer {
            $(
                $(#[$attribute])*
                #[doc = concat!("See [`", stringify!($Answer), "`].")]
                $Answer($Answer),
            )*
        }

        $(
            impl From<$Answer> for Answer {
                fn from(answer: $Answer) -> Self {
                    Answer::$Answer(answer)
                }
            }

            impl TryFrom<Answer> for $Answer {
                type Error = Answer;

                fn try_from(answer: Answer) -> Result<Self, Answer> {
                    match answer {
                        Answer::$Answer(answer) => Ok(answer),
                        other => Err(other),
                    }
                }
            }
        )*
    };
}

answers! {
    Done, ServerTime, Registered, MailboxOpened, Greeting, Environments, Description, KindDescription, Examined, StatusAnswer, OutcomeAnswer, Entities,
    EntityGiven, Acted, Stepped, Perceived, MenuAnswer, Subscribed, Property, SceneAnswer, DirectoryAnswer, Hosting,
    #[serde(skip)]
    EncodingOfType,
    #[serde(skip)]
    EncodedNow,
    #[serde(skip)]
    Decoded,
}

fn parameters<M: Method>(frame: &str, method: &str, params: Option<&RawValue>) -> Result<M, Error> {
    let text = params.map_or("{}", RawValue::get);
    // serde would accept an array of the values.
    if !text.starts_with('{') {
        let message = format!("the parameters of `{method}` are invalid: expected an object keyed by name");
        return Err(Error::new(Code::InvalidParameters, message));
    }
    reading::json_in(frame, text).map_err(|error| {
        let message = format!("the parameters of `{method}` are invalid: {error}");
        Error::new(Code::InvalidParameters, message)
    })
}

fn no_such_method(method: &str) -> Error {
    let near = nearest(method, Call::NAMES.iter().copied());
    let method: String = method.chars().take(64).collect();
    Error::new(Code::NoSuchMethod, format!("there is no method `{method}`{}", did_you_mean(near)))
}
