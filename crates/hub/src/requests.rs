//! The requests of the hub. One table declares for each of them its answer, the place where it is handled, the right
//! that it needs, and its subject. Dispatch and checks are generated from this table.

mod acting;
mod environments;
mod mail;
mod observing;

use crate::answers::{
    ActionResults, Answer, Decoded, Description, DirectoryAnswer, Done, DoneByHub, EncodedNow, EncodingOfType,
    Entities, EntityGiven, EnvironmentList, EnvironmentStatus, Examined, Hosting, KindDescription, MenuOffered,
    OutcomeSoFar, Perceived, Property, SceneSeen, Stepped, Subscribed,
};
use crate::rights::{Needs, Right};

pub use acting::{
    Acknowledge, Act, Associate, FreeAgent, FreeEntity, GetMenu, Pass, Perceive, Register, Remark, RequestEntity, Step,
    Turn, Unregister,
};
pub use environments::{
    Advance, AgentRule, AnswerHostRequest, Beginning, CreateEnvironment, DescribeEnvironment, DescribeKind, Examine,
    GetOutcome, GetStatus, HostEnvironment, ListEntities, ListEnvironments, Manage, RemoveEnvironment, SetSpeed,
    UpdateHosted, Wait,
};
pub use mail::{
    AcknowledgeMail, AskDirectory, CloseMailbox, ConversationFilter, OpenMailbox, SendMessage,
    SubscribeToConversations, SubscribeToMail,
};
pub use observing::{
    Decode, DescribeEncoding, Encode, GetEntityScene, GetScene, QueryEntityProperty, QueryOpenProperty, QueryProperty,
    RemarkFilter, SubscribeToActivity, SubscribeToEntityScene, SubscribeToEnvironments, SubscribeToHappenings,
    SubscribeToPercepts, SubscribeToRemarks, SubscribeToScene, Unsubscribe, query,
};

/// A request of the hub.
pub trait Request: Into<AnyRequest> {
    /// The answer to the request.
    type Answer: Into<Answer> + TryFrom<Answer>;

    /// The rights that the request needs.
    const NEEDS: Needs;

    /// The subject of the request.
    fn subject(&self) -> Subject<'_>;
}

/// The subject of a request. A session whose only relevant right is [`Right::Act`] can name only its own agents, and
/// entities that are associated with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The server.
    Server,
    /// An environment.
    Environment(&'a str),
    /// An environment that the session hosts.
    Hosted(&'a str),
    /// An agent in an environment.
    Agent {
        /// The environment.
        environment: &'a str,
        /// The agent.
        agent: &'a str,
    },
    /// An agent of the session, in any environment or none.
    Mailbox(&'a str),
    /// An entity in an environment.
    Entity {
        /// The environment.
        environment: &'a str,
        /// The entity.
        entity: &'a str,
    },
}

impl Subject<'_> {
    /// Returns the environment that the subject belongs to.
    pub fn environment(&self) -> Option<&str> {
        match self {
            Subject::Server | Subject::Mailbox(_) => None,
            Subject::Environment(environment)
            | Subject::Hosted(environment)
            | Subject::Agent { environment, .. }
            | Subject::Entity { environment, .. } => Some(environment),
        }
    }
}

/// The place where a request is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Hub,
    Environment,
}

macro_rules! declare {
    ($($Request:ident -> $Answer:ty, $place:ident, $needs:expr, $subject:ident;)*) => {
        /// Any request.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyRequest {
            $(
                #[doc = concat!("A [`", stringify!($Request), "`].")]
                $Request($Request),
            )*
        }

        /// The type of a request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RequestKind {
            $(
                #[doc = concat!("A [`", stringify!($Request), "`].")]
                $Request,
            )*
        }

        impl RequestKind {
            /// All types of requests.
            pub const ALL: &'static [RequestKind] = &[$(RequestKind::$Request),*];

            /// Returns the rights that such a request needs.
            pub const fn needs(self) -> Needs {
                match self {
                    $(RequestKind::$Request => <$Request as Request>::NEEDS,)*
                }
            }
        }

        impl AnyRequest {
            /// The type of the request.
            pub fn kind(&self) -> RequestKind {
                match self {
                    $(AnyRequest::$Request(_) => RequestKind::$Request,)*
                }
            }

            /// The subject of the request.
            pub fn subject(&self) -> Subject<'_> {
                match self {
                    $(AnyRequest::$Request(request) => request.subject(),)*
                }
            }

            pub(crate) fn place(&self) -> Place {
                match self {
                    $(AnyRequest::$Request(_) => Place::$place,)*
                }
            }

        }

        $(
            impl Request for $Request {
                type Answer = $Answer;
                const NEEDS: Needs = $needs;

                fn subject(&self) -> Subject<'_> {
                    subject!($subject, self)
                }
            }

            impl From<$Request> for AnyRequest {
                fn from(request: $Request) -> Self {
                    AnyRequest::$Request(request)
                }
            }
        )*
    };
}

macro_rules! subject {
    (server, $request:ident) => {
        Subject::Server
    };
    (environment, $request:ident) => {
        Subject::Environment(&$request.environment)
    };
    (hosted, $request:ident) => {
        Subject::Hosted(&$request.environment)
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

impl RequestKind {
    /// Whether the request changes neither an environment nor anything that sessions own in it.
    pub fn only_reads(self) -> bool {
        use RequestKind::*;
        match self {
            CreateEnvironment | RemoveEnvironment | HostEnvironment | Manage | Advance | SetSpeed => false,
            Register | Unregister | Associate | FreeAgent | FreeEntity | RequestEntity | Act | Pass | Step => false,
            UpdateHosted | AnswerHostRequest | OpenMailbox | CloseMailbox | SendMessage | AskDirectory => false,
            ListEnvironments | DescribeKind | Examine | DescribeEnvironment | GetStatus | GetOutcome | ListEntities
            | Wait => true,
            DescribeEncoding | Encode | Decode => true,
            AcknowledgeMail | SubscribeToMail | Perceive | Acknowledge | Remark | GetMenu | QueryOpenProperty
            | QueryProperty | QueryEntityProperty => true,
            GetScene | GetEntityScene | Unsubscribe | SubscribeToEnvironments | SubscribeToHappenings => true,
            SubscribeToPercepts | SubscribeToScene | SubscribeToEntityScene | SubscribeToActivity => true,
            SubscribeToConversations | SubscribeToRemarks => true,
        }
    }
}

use Needs::{Either, Nothing};
use Right::{Host, Observe};

const ACT: Needs = Needs::Right(Right::Act);
const MANAGE: Needs = Needs::Right(Right::Manage);
const OBSERVE: Needs = Needs::Right(Observe);

/// Passes the table of requests to a macro: for each request its answer, the place where it is handled, the rights
/// that it needs, and its subject.
macro_rules! with_requests {
    ($macro:ident) => {
        $macro! {
            ListEnvironments -> EnvironmentList, Hub, Nothing, server;
            DescribeKind -> KindDescription, Hub, Nothing, server;
            Examine -> Examined, Hub, MANAGE, server;
            CreateEnvironment -> EnvironmentStatus, Hub, MANAGE, server;
            RemoveEnvironment -> DoneByHub, Hub, MANAGE, environment;
            HostEnvironment -> Hosting, Hub, Needs::Right(Host), server;
            SubscribeToEnvironments -> Subscribed, Hub, Nothing, server;
            Unsubscribe -> DoneByHub, Hub, Nothing, server;

            OpenMailbox -> DoneByHub, Hub, ACT, server;
            CloseMailbox -> DoneByHub, Hub, ACT, mailbox;
            SendMessage -> DoneByHub, Hub, ACT, mailbox;
            AskDirectory -> DirectoryAnswer, Hub, ACT, mailbox;
            AcknowledgeMail -> DoneByHub, Hub, ACT, mailbox;
            SubscribeToMail -> Subscribed, Hub, ACT, mailbox;
            SubscribeToConversations -> Subscribed, Hub, OBSERVE, server;
            SubscribeToRemarks -> Subscribed, Hub, OBSERVE, server;

            DescribeEnvironment -> Description, Environment, Nothing, environment;
            GetStatus -> EnvironmentStatus, Environment, Nothing, environment;
            GetOutcome -> OutcomeSoFar, Environment, Nothing, environment;
            ListEntities -> Entities, Environment, Nothing, environment;
            Wait -> Done, Environment, Nothing, environment;
            Manage -> Done, Environment, MANAGE, environment;
            Advance -> Done, Environment, MANAGE, environment;
            SetSpeed -> Done, Environment, MANAGE, environment;

            Register -> Done, Environment, ACT, environment;
            Unregister -> Done, Environment, Either(Right::Act, Right::Manage), agent;
            Associate -> Done, Environment, ACT, agent;
            FreeAgent -> Done, Environment, Either(Right::Act, Right::Manage), agent;
            FreeEntity -> Done, Environment, MANAGE, environment;
            RequestEntity -> EntityGiven, Environment, ACT, agent;
            Act -> ActionResults, Environment, ACT, agent;
            Pass -> Done, Environment, ACT, agent;
            Step -> Stepped, Environment, ACT, environment;
            Perceive -> Perceived, Environment, ACT, agent;
            Acknowledge -> Done, Environment, ACT, agent;
            Remark -> Done, Environment, ACT, agent;
            GetMenu -> MenuOffered, Environment, ACT, agent;

            QueryOpenProperty -> Property, Environment, Nothing, environment;
            QueryProperty -> Property, Environment, OBSERVE, environment;
            QueryEntityProperty -> Property, Environment, Either(Observe, Right::Act), entity;
            GetScene -> SceneSeen, Environment, OBSERVE, environment;
            GetEntityScene -> SceneSeen, Environment, Either(Observe, Right::Act), entity;
            SubscribeToHappenings -> Subscribed, Environment, Nothing, environment;
            SubscribeToPercepts -> Subscribed, Environment, ACT, agent;
            SubscribeToScene -> Subscribed, Environment, OBSERVE, environment;
            SubscribeToEntityScene -> Subscribed, Environment, Either(Observe, Right::Act), entity;
            SubscribeToActivity -> Subscribed, Environment, OBSERVE, environment;

            DescribeEncoding -> EncodingOfType, Environment, Nothing, environment;
            Encode -> EncodedNow, Environment, Either(Observe, Right::Act), entity;
            Decode -> Decoded, Environment, Either(Observe, Right::Act), entity;

            UpdateHosted -> Done, Environment, Needs::Right(Host), hosted;
            AnswerHostRequest -> Done, Environment, Needs::Right(Host), hosted;
        }
    };
}

pub(crate) use with_requests;

with_requests!(declare);
