//! The messages of the WebSocket.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use situated::environment::{Ending, Measure};
use situated::iil::EcoString;
use situated::reading::{self, Unreadable};

use crate::error::{Code, OpenEnvError};

/// A message of a learner, whose data is not read yet.
#[derive(Debug, Deserialize)]
pub(crate) struct Message<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    /// The whole message.
    #[serde(skip)]
    text: &'a str,
}

impl<'a> Message<'a> {
    /// Reads a message.
    pub(crate) fn read(text: &'a str) -> Result<Self, OpenEnvError> {
        let read = reading::borrowed_json_in(text, text);
        read.map(|message| Self { text, ..message }).map_err(|error: Unreadable| {
            let code = if error.is_well_formed { Code::ValidationError } else { Code::InvalidJson };
            OpenEnvError::new(code, format!("the message is not an object with `type` and `data`: {error}"))
        })
    }

    /// Reads the data; without any, the default.
    pub(crate) fn data<T: Default + Deserialize<'a>>(&self) -> Result<T, OpenEnvError> {
        let Some(data) = self.data else { return Ok(T::default()) };
        let read = reading::borrowed_json_in(self.text, data.get());
        read.map_err(|error: Unreadable| {
            OpenEnvError::invalid(format!("the data of `{}` are wrong: {error}", self.kind))
        })
    }
}

/// A response: `{"type": ..., "data": ...}`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "lowercase")]
pub(crate) enum Response {
    Observation(Box<Observed>),
    State(State),
    Error { message: String, code: Code },
}

/// The result of a reset or a step.
#[derive(Debug, Serialize)]
pub(crate) struct Observed {
    pub(crate) observation: Observation,
    /// `None` after a reset, and without an encoding.
    pub(crate) reward: Option<f32>,
    pub(crate) done: bool,
    /// The end of the episode. The observation has it too, since typed clients read it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<End>,
}

/// The observation of a learner with one entity, or with several.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Observation {
    One(Box<Seen>),
    Several {
        step: u64,
        entities: BTreeMap<EcoString, SeenByOne>,
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<End>,
    },
}

/// The observation of one of several entities.
#[derive(Debug, Serialize)]
pub(crate) struct SeenByOne {
    #[serde(flatten)]
    pub(crate) seen: Seen,
    pub(crate) reward: Option<f32>,
    pub(crate) done: bool,
}

/// The observation of one entity.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Seen {
    pub(crate) step: u64,
    #[serde(flatten)]
    pub(crate) sight: Sight,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) numbers: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mask: Option<Vec<bool>>,
    /// Those of the result, for a learner with one entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<End>,
}

/// The percepts of an entity.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sight {
    /// Percepts that hold now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) percepts: Option<Vec<String>>,
    /// Instead of those that hold: percepts that have begun to hold, and those that have ceased to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) new: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gone: Option<Vec<String>>,
    /// Percepts that happened in this step, and those that the action returned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) events: Vec<String>,
    /// The reason why the action failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
    /// The rules of the environment, after a reset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
}

/// The numbers of an observation.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Numbers {
    U8(Vec<u8>),
    F32(Vec<f32>),
}

/// The end of an episode.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct End {
    pub(crate) ending: Ending,
    pub(crate) results: Vec<Measure>,
}

/// The state of a session.
#[derive(Debug, Default, Serialize)]
pub(crate) struct State {
    pub(crate) episode_id: Option<String>,
    pub(crate) step_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) world: Option<WorldState>,
}

/// The state of a world.
#[derive(Debug, Serialize)]
pub(crate) struct WorldState {
    /// The name of the environment on this server.
    pub(crate) environment: EcoString,
    pub(crate) seed: u64,
    pub(crate) entities: Vec<EcoString>,
    pub(crate) done: bool,
    pub(crate) results: Vec<Measure>,
}
