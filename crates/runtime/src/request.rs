//! What can be asked of an owner, and what it answers.

use situated::iil::{Action, EcoString};
use situated::interface::{Form, Moment, Perception, Since, State, Version};
use situated::ontology::Pace;

use crate::error::Error;
use crate::speed::Speed;
use situated::interface::{Effect, Input};

/// Something that is asked of an owner.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// What is done at once: management, registering, the relation. An action is taken as one without a number; steps
    /// are made at the pace of the environment.
    Input(Input),
    /// An agent acts. When the action is done depends on the pace; the answer comes when it is.
    Act {
        /// The agent's name.
        agent: EcoString,
        /// What it does.
        action: Action,
        /// The entities through which it does so; none means all that it has.
        entities: Vec<EcoString>,
        /// A number greater than those of the agent's actions before. The action with one number is done once: asked for
        /// again, it is answered again.
        number: Option<u64>,
    },
    /// An agent does nothing in this step (lockstep). The answer comes when the step is over.
    Pass {
        /// The agent's name.
        agent: EcoString,
        /// The entities; none means all entities of the agent.
        entities: Vec<EcoString>,
    },
    /// An agent perceives.
    Perceive {
        /// The agent's name.
        agent: EcoString,
        /// The entities; none means all entities of the agent.
        entities: Vec<EcoString>,
        /// The form of the perception.
        form: Form,
        /// Since when.
        since: Since,
    },
    /// An agent has received what it was told.
    Acknowledge {
        /// The agent's name.
        agent: EcoString,
        /// The entity of which it was told.
        entity: EcoString,
        /// What it knows.
        version: Version,
    },
    /// Is answered when the environment is further than this, with the moment that it is at then.
    Wait {
        /// Episode and step that the asker knows.
        after: Moment,
    },
    /// From pause, time runs for so many steps and is then paused again; the answer comes then, or when somebody else pauses
    /// it, with the moment that it is at.
    Advance {
        /// How many.
        steps: u64,
        /// Whether the steps are made as fast as possible, whatever the speed.
        at_once: bool,
    },
    /// From now on, steps are made at this speed at the most.
    SetSpeed(Speed),
    /// How things stand.
    Status,
}

/// What an owner answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// An input or action has led to this.
    Effect(Effect),
    /// What an agent is told, by entity.
    Perceptions(Vec<(EcoString, Perception)>),
    /// The environment is at this moment.
    Moment(Moment),
    /// How things stand.
    Status(Status),
}

/// How an owner answers: a reply, or why there is none.
pub type Answered = Result<Reply, Error>;

/// How things stand with an owner.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// The state of the environment.
    pub state: State,
    /// When it is in the environment.
    pub moment: Moment,
    /// Who moves its time.
    pub pace: Pace,
    /// How fast at the most.
    pub speed: Speed,
    /// How many steps were due and have been left out in this episode, because there was no time for them.
    pub missed: u64,
    /// Why the environment has broken down, if it has.
    pub crash: Option<String>,
    /// In lockstep, the entities for which a step has waited for more than [a second](crate::NOTICE).
    pub awaited: Vec<EcoString>,
    /// The state of its recording, if it is recorded.
    pub recording: Option<RecordingStatus>,
}

/// The state of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingStatus {
    /// Why nothing is recorded any more; `None` while everything is.
    pub error: Option<String>,
}

impl Reply {
    /// It is done; there is no more to say.
    pub(crate) const DONE: Reply = Reply::Effect(Effect::Done);
}
