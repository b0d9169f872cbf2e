//! The journal of an owner: all data with which another process can continue.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use situated::host::{HostTerms, KeptRequests};
use situated::iil::EcoString;
use situated::interface::{self, Effect, EventsHeard, Input, Progress, Results, State};
use situated::ontology::{Ontology, Pace};

/// Stores the records of an environment. An owner that is restored from the last checkpoint and the later records
/// [continues](crate::Owner::resume) from the same state.
pub trait Journal: Send {
    /// Adds a record.
    fn note(&mut self, record: &Record<'_>);

    /// Completes a unit: the records since the last unit are stored as a whole or not at all. Returns whether a
    /// checkpoint is due.
    fn seal(&mut self) -> bool;

    /// Starts over with a checkpoint, and with the state of the environment if it has an episode. Earlier records are
    /// no longer needed.
    fn begin(&mut self, checkpoint: &Checkpoint, state: Option<Vec<u8>>);

    /// Returns the reason why the journal cannot be written at present, or `None` if it can. While there is a reason,
    /// the owner rejects all inputs.
    fn refusal(&self) -> Option<String>;
}

/// A record of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Record<'a> {
    /// An input of the environment, with its time on the wall clock.
    Input {
        /// The input.
        input: Cow<'a, Input>,
        /// The time in milliseconds since the beginning of 1970, UTC.
        time: u64,
    },
    /// The host was asked to execute a numbered action.
    Begun {
        /// The agent.
        agent: EcoString,
        /// The number.
        number: u64,
    },
    /// An action with a number is done.
    Done {
        /// The agent.
        agent: EcoString,
        /// The number.
        number: u64,
        /// The results.
        results: Cow<'a, Results>,
    },
    /// The result of a numbered action is unknown.
    Spent {
        /// The agent.
        agent: EcoString,
        /// The number.
        number: u64,
    },
    /// Events of an entity were sent to an agent, or acknowledged by it.
    Heard {
        /// The agent.
        agent: EcoString,
        /// The entity.
        entity: EcoString,
        /// The number of events that the agent knows.
        heard: EventsHeard,
    },
    /// The host no longer has to answer a request.
    GivenUp {
        /// The number of the request.
        request: u64,
    },
    /// The maximum speed was changed.
    Speed {
        /// The time between two steps.
        period: Duration,
    },
    /// Time runs for a number of steps.
    Advance {
        /// The number of steps.
        steps: u64,
        /// Whether they are made as fast as possible.
        at_once: bool,
    },
    /// The environment has crashed.
    Crashed {
        /// The reason.
        reason: String,
    },
}

/// The state of an owner and its environment, except for the state of the episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// The state of the environment. If there is an episode, its state contains it as well.
    pub(crate) state: State,
    /// The registered agents, which the state of the episode contains as well.
    pub(crate) agents: Vec<EcoString>,
    pub(crate) progress: Progress,
    pub(crate) pace: Pace,
    /// The time between two steps.
    pub(crate) period: Duration,
    pub(crate) patience: Option<Duration>,
    pub(crate) numbers: Vec<KeptNumbers>,
    /// The steps for which time still runs, and whether as fast as possible.
    pub(crate) advance: Option<(u64, bool)>,
    /// The state of the host's requests, if there is a host.
    pub(crate) host: Option<KeptHost>,
    pub(crate) crash: Option<String>,
}

impl Checkpoint {
    /// The ontology of a hosted environment, which its host may have added to.
    pub fn ontology(&self) -> Option<&Ontology> {
        self.host.as_ref().map(|host| &host.ontology)
    }
}

/// The numbers that an agent has used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptNumbers {
    pub(crate) agent: EcoString,
    pub(crate) done: Vec<(u64, Results)>,
    /// The actions that the host was asked to execute.
    pub(crate) begun: Vec<u64>,
    pub(crate) greatest_done: Option<u64>,
}

/// The stored state of the requests to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptHost {
    pub(crate) ontology: Ontology,
    begin: Duration,
    other: Duration,
    #[serde(default)]
    steps_with_actions: bool,
    pub(crate) requests: KeptRequests,
}

impl KeptHost {
    pub(crate) fn new(ontology: Ontology, terms: HostTerms, requests: KeptRequests) -> Self {
        let HostTerms { begin_timeout: begin, answer_timeout: other, steps_with_actions } = terms;
        Self { ontology, begin, other, steps_with_actions, requests }
    }

    pub(crate) fn terms(&self) -> HostTerms {
        let Self { begin, other, steps_with_actions, .. } = *self;
        HostTerms { begin_timeout: begin, answer_timeout: other, steps_with_actions }
    }
}

/// Returns whether an input with this effect may have changed the environment. Otherwise the input had no effect, or
/// was rejected before it reached the environment.
pub fn may_have_changed(input: &Input, effect: &Result<Effect, interface::Error>) -> bool {
    match effect {
        Ok(effect) => *effect != Effect::Nothing,
        Err(interface::Error::NotRegistered { .. } | interface::Error::WrongState { .. }) => false,
        // The environment decides about these, and may change before it rejects them.
        Err(_) => is_decided_by_environment(input),
    }
}

/// Returns whether the environment itself may reject an input.
pub(crate) fn is_decided_by_environment(input: &Input) -> bool {
    matches!(input, Input::RequestEntity { .. } | Input::ActByDefault { .. })
}
