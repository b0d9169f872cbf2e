//! Requests to an owner, and its replies.

use situated::iil::{Action, EcoString};
use situated::interface::{Command, Form, Moment, Perception, Since, State, Version};
use situated::ontology::Pace;

use crate::error::Error;
use crate::speed::Speed;
use situated::interface::{Effect, Input};

/// A request to an owner.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// An input that is done at once: management, registering, the relation. An action counts as one without a
    /// number; the pace of the environment decides when steps are made.
    Input(Input),
    /// Performs an action. The pace decides when; the reply comes when it is done.
    Act {
        /// The agent's name.
        agent: EcoString,
        /// The action.
        action: Action,
        /// The entities through which the agent acts; none means all of its entities.
        entities: Vec<EcoString>,
        /// A number greater than those of the agent's earlier actions. A numbered action runs at most once; a
        /// repeated request gets the same reply.
        number: Option<u64>,
    },
    /// Passes in this step (lockstep). The reply comes when the step is over.
    Pass {
        /// The agent's name.
        agent: EcoString,
        /// The entities; none means all entities of the agent.
        entities: Vec<EcoString>,
    },
    /// Perceives.
    Perceive {
        /// The agent's name.
        agent: EcoString,
        /// The entities; none means all entities of the agent.
        entities: Vec<EcoString>,
        /// The form of the perception.
        form: Form,
        /// The version that the perception is relative to.
        since: Since,
    },
    /// Acknowledges percepts.
    Acknowledge {
        /// The agent's name.
        agent: EcoString,
        /// The entity.
        entity: EcoString,
        /// The version that the agent knows.
        version: Version,
    },
    /// Waits until the environment is later than a moment. The reply contains the current moment.
    Wait {
        /// The moment that the caller knows; only episode and step count.
        after: Moment,
    },
    /// Runs a paused environment for a number of steps and pauses it again. The reply comes then, or when another
    /// client pauses it, with the current moment.
    Advance {
        /// The number of steps.
        steps: u64,
        /// Whether to make the steps as fast as possible, whatever the speed.
        at_once: bool,
    },
    /// Sets the maximum speed.
    SetSpeed(Speed),
    /// Returns the status.
    Status,
}

/// A reply of an owner.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The effect of an input or action.
    Effect(Effect),
    /// The perceptions of an agent, by entity.
    Perceptions(Vec<(EcoString, Perception)>),
    /// The present moment.
    Moment(Moment),
    /// The status.
    Status(Status),
}

/// A reply, or the error.
pub type Answered = Result<Reply, Error>;

/// The status of an environment and its owner.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// The state of the environment.
    pub state: State,
    /// The current moment of the environment.
    pub moment: Moment,
    /// The pace.
    pub pace: Pace,
    /// The maximum speed.
    pub speed: Speed,
    /// The number of steps of this episode that were skipped for lack of time.
    pub missed: u64,
    /// The reason of the crash, if the environment crashed.
    pub crash: Option<String>,
    /// In lockstep, the entities for which a step has waited for more than a second.
    pub awaited: Vec<EcoString>,
    /// The state of its recording, if it is recorded.
    pub recording: Option<RecordingStatus>,
    /// Whether it can be kept, if it is.
    pub data: Option<DataStatus>,
}

/// Whether an environment can be stored, so that it continues in another process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataStatus {
    /// The reason why changes cannot be stored, so that inputs are rejected; `None` while they are stored.
    pub error: Option<String>,
}

/// The state of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingStatus {
    /// The reason why recording stopped; `None` while everything is recorded.
    pub error: Option<String>,
}

impl Request {
    /// Whether something of the environment or its owner may be other after this.
    pub(crate) fn changes_something(&self) -> bool {
        match self {
            Request::Input(Input::Manage(Command::Kill)) => false,
            Request::Input(_) | Request::Act { .. } | Request::Pass { .. } => true,
            Request::Advance { .. } | Request::SetSpeed(_) => true,
            Request::Perceive { .. } | Request::Acknowledge { .. } | Request::Wait { .. } | Request::Status => false,
        }
    }
}

impl Reply {
    /// The reply without further data.
    pub(crate) const DONE: Reply = Reply::Effect(Effect::Done);
}
