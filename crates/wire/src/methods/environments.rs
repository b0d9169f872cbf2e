//! Environments: what there is, how it stands, and managing it.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use situated::environment::Outcome;
use situated::iil::Parameter;
use situated::interface::{Command, Moment, State};
use situated::ontology::{Ontology, Pace};

use crate::Name;

/// Parameters of `listEnvironments`: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListEnvironments {}

/// Answer to `listEnvironments`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Environments {
    /// The environments that there are, by name.
    pub environments: Vec<EnvironmentStatus>,
    /// The kinds of which more can be made.
    pub kinds: Vec<Kind>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// A kind of environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Kind {
    /// Its name.
    pub kind: Name,
    /// What it is about, in a sentence.
    pub summary: String,
}

/// How an environment stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentStatus {
    /// Its name on this server.
    pub environment: Name,
    /// What kind it is: the name that its ontology has.
    pub kind: Name,
    /// Whether it is hosted from outside.
    pub hosted: bool,
    /// Its state.
    pub state: State,
    /// When it is in the environment.
    pub moment: Moment,
    /// Who moves its time.
    pub pace: Pace,
    /// How many steps are made a second at the most; none means as many as possible.
    pub speed: Option<f64>,
    /// Number of steps of this episode that were due and were skipped, because there was no time for them.
    pub skipped_steps: u64,
    /// How many agents are registered.
    pub agents: usize,
    /// How many entities there are.
    pub entities: usize,
    /// Why it has broken down, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// In lockstep, the entities for which a step has waited for more than a second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub awaited: Vec<Name>,
    /// The state of its recording, if it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<RecordingStatus>,
}

/// The state of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RecordingStatus {
    /// Why nothing is recorded any more, such as a full disk; absent while everything is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Parameters of `status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The environment.
    pub environment: Name,
}

/// The answer that says how an environment stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StatusAnswer {
    /// How it stands; its moment is when that was so.
    pub status: EnvironmentStatus,
}

/// Parameters of `outcome`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetOutcome {
    /// The environment.
    pub environment: Name,
}

/// Answer to `outcome`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OutcomeAnswer {
    /// When it was so.
    pub moment: Moment,
    /// How the episode stands, with what has been achieved so far; none if there is no episode.
    pub outcome: Option<Outcome>,
}

/// Parameters of `describe`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Describe {
    /// The environment.
    pub environment: Name,
}

/// Answer to `describe`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Description {
    /// How it stands.
    pub status: EnvironmentStatus,
    /// What it declares about itself.
    pub ontology: Ontology,
    /// The parameters of the episode with their values; none if there is no episode, or without the right to observe:
    /// what an environment hides may follow from them.
    pub parameters: Option<BTreeMap<String, Parameter>>,
}

/// Parameters of `describeKind`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DescribeKind {
    /// The kind.
    pub kind: Name,
}

/// Answer to `describeKind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KindDescription {
    /// What such environments declare about themselves.
    pub ontology: Ontology,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `createEnvironment`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateEnvironment {
    /// What kind it is to be.
    pub kind: Name,
    /// The name that it is to have on this server; by default that of its kind, with a number if there is one already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Name>,
    /// The parameters of its first episode; those left out have their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// Its seed; by default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Who moves its time; by default as it declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// How many steps are made a second at the most; by default that of its real time, else as many as possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// In lockstep, for how many milliseconds a step waits for agents that have not chosen; by default 10 s for agents of clients
    /// without a heartbeat (see `hello`), and without end for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// Whether time is to run at once; otherwise it is paused.
    #[serde(default)]
    pub start: bool,
}

/// Parameters of `removeEnvironment`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveEnvironment {
    /// The environment.
    pub environment: Name,
}

/// Parameters of `manage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manage {
    /// The environment.
    pub environment: Name,
    /// What it is to do.
    pub command: Command,
}

/// Parameters of `advance`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Advance {
    /// The environment.
    pub environment: Name,
    /// For how many steps.
    pub steps: u64,
    /// Whether the steps are made as fast as possible; by default they keep to the speed of the environment.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
}

/// Parameters of `setSpeed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetSpeed {
    /// The environment.
    pub environment: Name,
    /// Steps a second, 0.001 at the least; none means as many as possible.
    pub speed: Option<f64>,
}
