//! The entries of a recording: one type for each channel. Types are generic where a recorder borrows what a reader
//! owns, so that both have the same fields.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use situated::data;
use situated::environment::{Ending, Measure};
use situated::iil::{EcoString, Parameter, Percept};
use situated::interface::Perception;
use situated::ontology::Pace;
use situated::scene::Shape;
use situated_acl::json::AclMessage;
use situated_runtime::Input;

/// An entry with its number and time in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its number in the file, from 0; it begins again after 2^32.
    pub sequence: u32,
    /// The time of writing: nanoseconds since the beginning of 1970, UTC. It never decreases within a file.
    pub log_time: u64,
    /// The entry.
    pub entry: Entry,
}

/// An entry of a recording: a message in the file, by its channel.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "channel")]
pub enum Entry {
    /// An episode has begun.
    #[serde(rename = "/episode")]
    Episode(EpisodeBegun),
    /// The environment got an input.
    #[serde(rename = "/inputs")]
    Input(InputGiven),
    /// Percepts that were sent to an agent.
    #[serde(rename = "/percepts")]
    Percepts(PerceptsTold),
    /// A remark of an agent.
    #[serde(rename = "/remarks")]
    Remark(RemarkMade),
    /// A message between agents.
    #[serde(rename = "/messages")]
    Message(MessageSent),
    /// The whole state.
    #[serde(rename = "/checkpoints")]
    Checkpoint(Checkpoint),
    /// The episode is over, or was interrupted.
    #[serde(rename = "/outcome")]
    Outcome(EpisodeOutcome),
    /// The environment has crashed.
    #[serde(rename = "/crash")]
    Crash(Crash),
    /// The scene of an environment that a host ran elsewhere has changed.
    #[serde(rename = "/scenes")]
    Scene(SceneChanged),
}

impl Entry {
    /// The time: episode, step, and milliseconds since the beginning of 1970, UTC.
    pub(crate) fn moment(&self) -> (u64, u64, u64) {
        match self {
            Entry::Episode(EpisodeBegun { episode, step, time, .. })
            | Entry::Input(InputGiven { episode, step, time, .. })
            | Entry::Percepts(PerceptsTold { episode, step, time, .. })
            | Entry::Remark(RemarkMade { episode, step, time, .. })
            | Entry::Message(MessageSent { episode, step, time, .. })
            | Entry::Checkpoint(Checkpoint { episode, step, time, .. })
            | Entry::Outcome(EpisodeOutcome { episode, step, time, .. })
            | Entry::Crash(Crash { episode, step, time, .. })
            | Entry::Scene(SceneChanged { episode, step, time, .. }) => (*episode, *step, *time),
        }
    }
}

/// An episode has begun.
#[data]
pub struct EpisodeBegun {
    /// Its number, from 1.
    pub episode: u64,
    /// The number of steps when it was first recorded; 0 except in recordings that begin in the middle of an episode.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The environment's name.
    pub environment: String,
    /// The environment's version.
    pub version: String,
    /// The version of situated.
    pub situated: String,
    /// The parameters with their values; those that are files carry the contents.
    pub parameters: BTreeMap<String, Parameter>,
    /// The seed.
    pub seed: u64,
    /// The generator of random numbers, `situated::random::GENERATOR`.
    pub generator: String,
    /// The pace that the environment declares.
    pub pace: Pace,
    /// Whether a host ran the environment elsewhere. The inputs are then the reports of the host, and cannot be
    /// replayed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hosted: bool,
}

/// The environment got an input.
#[data]
#[cfg_attr(feature = "schema", schemars(rename = "InputGiven"))]
pub struct InputGiven<I = Input, R = Vec<Acted>, N = EcoString, E = String> {
    /// The number of the episode after the input; 0 before the first.
    pub episode: u64,
    /// The number of steps after the input. After a kill, and for an input that crashed the environment, the number
    /// before it.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The input: the word `step`, or an object with one key, the kind of input, such as `act` or `manage`.
    #[cfg_attr(feature = "schema", schemars(extend("type" = ["string", "object"])))]
    pub input: I,
    /// The result for each entity, if the input was an action.
    #[serde(default = "none::<R>", skip_serializing_if = "Option::is_none")]
    pub results: Option<R>,
    /// The name of the entity, if the input requested one.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub entity: Option<N>,
    /// The reason, if the environment itself rejected the input.
    #[serde(default = "none::<E>", skip_serializing_if = "Option::is_none")]
    pub error: Option<E>,
}

/// The result of an action for one entity: either `found` or `error`.
#[data]
#[cfg_attr(feature = "schema", schemars(rename = "Acted"))]
pub struct Acted<N = EcoString, P = Vec<Percept>, E = String> {
    /// The entity's name.
    pub entity: N,
    /// The percepts that the action returned.
    #[serde(default = "none::<P>", skip_serializing_if = "Option::is_none")]
    pub found: Option<P>,
    /// The error of a rejected action.
    #[serde(default = "none::<E>", skip_serializing_if = "Option::is_none")]
    pub error: Option<E>,
}

/// Percepts that were sent to an agent.
#[data]
#[cfg_attr(feature = "schema", schemars(rename = "PerceptsTold"))]
pub struct PerceptsTold<N = EcoString, P = Perception> {
    /// The number of the episode.
    pub episode: u64,
    /// The number of steps so far.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The agent's name.
    pub agent: N,
    /// The entity's name.
    pub entity: N,
    /// The perception.
    pub perception: P,
}

/// A remark of an agent about itself. Language models remark on each request and on each call of a tool.
#[data]
#[cfg_attr(feature = "schema", schemars(rename = "RemarkMade"))]
pub struct RemarkMade<N = EcoString, V = Value> {
    /// The number of the episode.
    pub episode: u64,
    /// The number of steps so far.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The agent's name.
    pub agent: N,
    /// The remark, in the agent's own form.
    pub remark: V,
}

/// An agent has sent a message. Replays do not need it.
#[data]
#[cfg_attr(feature = "schema", schemars(rename = "MessageSent"))]
pub struct MessageSent<M = Box<AclMessage>, V = Vec<String>> {
    /// The number of the episode.
    pub episode: u64,
    /// The number of steps so far.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The message.
    pub message: M,
    /// The rules of its interaction protocol that it breaks, in words.
    pub violations: V,
}

/// The whole state, for comparing and continuing.
#[data]
pub struct Checkpoint {
    /// The number of the episode.
    pub episode: u64,
    /// The number of steps so far.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The hash of the environment's state; 16 hexadecimal digits in the file.
    #[serde(with = "hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "String", regex(pattern = "^[0-9a-f]{16}$")))]
    pub hash: u64,
    /// The state that `EnvironmentInterface::save` returned; base64 in the file. Exports leave it out.
    #[serde(with = "base64_text", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("contentEncoding" = "base64")))]
    pub state: Vec<u8>,
    /// The results so far.
    pub results: Vec<Measure>,
}

/// An episode is over, or was interrupted.
#[data]
pub struct EpisodeOutcome {
    /// The number of the episode.
    pub episode: u64,
    /// The number of its steps.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// How the episode ended; `None` if it was interrupted.
    pub ending: Option<Ending>,
    /// The results.
    pub results: Vec<Measure>,
    /// The hash of the environment's state; 16 hexadecimal digits in the file.
    #[serde(with = "hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "String", regex(pattern = "^[0-9a-f]{16}$")))]
    pub hash: u64,
}

/// The environment has crashed. If an input caused it, that is the last one on its channel.
#[data]
pub struct Crash {
    /// The number of the episode.
    pub episode: u64,
    /// The number of steps that were completed.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The message of the panic.
    pub reason: String,
}

/// The scene of an environment that a host ran elsewhere has changed. Others can be drawn by replaying them. An episode
/// begins with an empty scene.
#[data]
#[cfg_attr(feature = "schema", schemars(rename = "SceneChanged"))]
pub struct SceneChanged<S = Vec<(usize, Shape)>> {
    /// The number of the episode.
    pub episode: u64,
    /// The number of steps so far.
    pub step: u64,
    /// The time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// Units from left to right.
    pub width: f64,
    /// Units from bottom to top.
    pub height: f64,
    /// The number of shapes; shapes from this index on are removed.
    pub count: usize,
    /// The changed shapes with their positions, in the order in which they are painted.
    pub shapes: S,
    /// Whether this and all later changes of the episode are left out, because the recording has no room for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
}

/// The default for any type; derived bounds would require `T: Default`.
fn none<T>() -> Option<T> {
    None
}

mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{hash:016x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = u64::from_str_radix(&text, 16).ok().filter(|_| digits);
        hash.ok_or_else(|| D::Error::custom("a hash is 16 hexadecimal digits"))
    }
}

mod base64_text {
    use base64::display::Base64Display;
    use base64::engine::{Engine, general_purpose::STANDARD};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(bytes, &STANDARD))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
