//! The answers to requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use situated::agent::BuiltInAgent;
use situated::document::Examination;
use situated::encoding::{Encoded, Encoding};
use situated::environment::{Ending, Outcome};
use situated::iil::{Action, EcoString, Parameter};
use situated::interface::{ActionResult, Moment, Perception, Results};
use situated::menu::Menu;
use situated::ontology::Ontology;
use situated::scene::Scene;
use situated_acl::Message;
use situated_runtime::Status;

use crate::error::Error;
use crate::rights::{Right, Rights};

/// Declares the answers, and for each answer the fields that need a further right.
macro_rules! answers {
    ($($Answer:ident $({ $($field:ident: $right:ident),+ })?,)*) => {
        /// Any answer.
        #[derive(Debug)]
        pub enum Answer {
            $(
                #[doc = concat!("See [`", stringify!($Answer), "`].")]
                $Answer($Answer),
            )*
        }

        impl Answer {
            /// Clears the fields for which these rights do not suffice.
            pub(crate) fn withhold(&mut self, rights: Rights) {
                match self {
                    $(Answer::$Answer(_answer) => {
                        $($(if !rights.contains(Right::$right) {
                            _answer.$field = Default::default();
                        })+)?
                    })*
                }
            }
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
    Done, DoneByHub, EnvironmentList, EnvironmentStatus, Description { parameters: Observe }, KindDescription, Examined, OutcomeSoFar,
    EncodingOfType, EncodedNow, Decoded, Entities, Hosting, ActionResults, EntityGiven, Stepped, Perceived, MenuOffered, Property, SceneSeen, Subscribed, DirectoryAnswer,
}

/// The request is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    /// The moment in the environment.
    pub moment: Moment,
}

/// The request is done. It concerned no environment, so it has no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoneByHub;

/// The environments, and the kinds of environments that can be created.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentList {
    /// The environments, by name.
    pub environments: Vec<EnvironmentStatus>,
    /// The ontologies of the kinds.
    pub kinds: Vec<Arc<Ontology>>,
}

/// The status of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentStatus {
    /// Its name on this server.
    pub environment: EcoString,
    /// The name of its kind.
    pub kind: EcoString,
    /// Whether it runs in the process of a host.
    pub hosted: bool,
    /// Its state, moment, pace and speed.
    pub status: Status,
    /// The number of registered agents.
    pub agents: usize,
    /// The number of entities.
    pub entities: usize,
}

/// The declaration of an environment, and its status.
#[derive(Clone, Debug)]
pub struct Description {
    /// Its status.
    pub status: EnvironmentStatus,
    /// The declaration.
    pub ontology: Arc<Ontology>,
    /// The parameters of the episode; `None` if there is no episode, or if the session lacks the right to observe
    /// (hidden state could be derived from them).
    pub parameters: Option<BTreeMap<String, Parameter>>,
}

/// The declaration that all environments of a kind share.
#[derive(Clone, Debug)]
pub struct KindDescription {
    /// The declaration.
    pub ontology: Arc<Ontology>,
    /// The agents that ship with the environment.
    pub agents: Vec<BuiltInAgent>,
}

/// The examination of a document; `None` if environments of the kind have no such documents.
#[derive(Clone, Debug)]
pub struct Examined(pub Option<Examination>);

/// The outcome of an episode so far.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeSoFar {
    /// The moment at which this was true.
    pub moment: Moment,
    /// The outcome; `None` if there is no episode.
    pub outcome: Option<Outcome>,
}

/// The encoding for entities of a type; `None` if the type has none, or if there is no episode.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodingOfType(pub Option<Encoding>);

/// The numbers of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedNow {
    /// The moment at which they were true.
    pub moment: Moment,
    /// How the episode ended, or `None` if it continues.
    pub ending: Option<Ending>,
    /// The numbers; `None` if the entity's type has no encoding, or if there is no episode.
    pub encoded: Option<Encoded>,
}

/// The action with a number; `None` if the entity has no such action or cannot do it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded(pub Option<Action>);

/// The entities and agents of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Entities {
    /// The moment at which this was true.
    pub moment: Moment,
    /// The entities, in order of creation.
    pub entities: Vec<Entity>,
    /// The registered agents, in order of registration.
    pub agents: Vec<EcoString>,
}

/// An entity with its agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Its name.
    pub name: EcoString,
    /// The name of its type.
    pub entity_type: EcoString,
    /// The agents associated with it.
    pub agents: Vec<EcoString>,
}

/// The environment that a session hosts from now on. Its first episode has not started yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Hosting {
    /// The name of the environment on this server.
    pub environment: EcoString,
}

/// The results of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionResults {
    /// The moment after the action.
    pub moment: Moment,
    /// The result for each entity.
    pub results: Results,
}

/// The entity that an agent was given.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityGiven {
    /// The moment after the request.
    pub moment: Moment,
    /// The name of the entity.
    pub entity: EcoString,
}

/// The result of a step of many agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped {
    /// The moment after the step.
    pub moment: Moment,
    /// The result for each agent, in the order of the request.
    pub turns: Vec<TurnResult>,
}

/// The result of a step for one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnResult {
    /// The agent.
    pub agent: EcoString,
    /// The results for those entities for which the action returned a percept or failed.
    pub results: Vec<(EcoString, ActionResult)>,
    /// The reason why the agent could not act or perceive at all.
    pub error: Option<Box<Error>>,
    /// The perception of each entity.
    pub perceptions: Vec<(EcoString, Perception)>,
}

/// The perceptions of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Perceived {
    /// The moment at which they were true.
    pub moment: Moment,
    /// The perception of each entity.
    pub perceptions: Vec<(EcoString, Perception)>,
}

/// The menu of a person who controls an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct MenuOffered {
    /// The moment at which this was true.
    pub moment: Moment,
    /// The items.
    pub menu: Menu,
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The moment at which this was true.
    pub moment: Moment,
    /// The value; `None` if there is no such property.
    pub value: Option<Parameter>,
}

/// A scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneSeen {
    /// The moment at which this was true.
    pub moment: Moment,
    /// The scene.
    pub scene: Scene,
}

/// The answer of the directory.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectoryAnswer {
    /// The message in which it answers.
    pub message: Box<Message<'static>>,
}

/// A subscription that was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscribed {
    /// The number of the subscription in this session.
    pub subscription: u64,
}
