//! Language models in a team file.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use serde::Deserialize;

/// A language model that plays, as a team file describes it: `[agents.model]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct ModelProgram {
    /// The address of an endpoint of the OpenAI kind: `http://127.0.0.1:11434/v1`.
    pub(crate) base_url: String,
    /// The name of the model at this endpoint.
    pub(crate) name: String,
    /// The environment variable with the key of the endpoint.
    pub(crate) key: Option<String>,
    /// The temperature, 0 to 2.
    pub(crate) temperature: Option<f64>,
    /// Maximum number of requests in an episode.
    pub(crate) calls: Option<NonZeroU64>,
    /// Maximum number of tokens in an episode.
    pub(crate) tokens: Option<NonZeroU64>,
    /// The tools that the model does not get.
    #[serde(default)]
    pub(crate) without: Vec<String>,
    /// The number of answers that the model remembers.
    pub(crate) memory: Option<NonZeroUsize>,
    /// A file that describes the task of the model.
    pub(crate) prompt: Option<PathBuf>,
    /// Maximum time of a request in seconds.
    pub(crate) timeout: Option<f64>,
}
