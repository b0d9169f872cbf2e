//! Agents of language models. A [`ModelAgent`] is an agent of the hub with one entity, which a model controls by
//! calling tools. Everything that brings a model to an environment, by a protocol or as a program of a team, uses it.
//!
//! The feature `endpoint` adds the programs of a team: a [`Player`] lets a model behind an HTTP endpoint of the OpenAI
//! kind (`/chat/completions` with tools) call the tools of its agent. The messages to the model, its answers and their
//! costs are recorded as remarks of the agent.

mod agent;
#[cfg(feature = "endpoint")]
mod conversation;
#[cfg(feature = "endpoint")]
mod endpoint;
mod mail;
#[cfg(feature = "endpoint")]
mod player;
mod remarks;
mod surroundings;
mod tools;

pub use agent::{CannotJoin, ModelAgent, ToolAnswer};
#[cfg(feature = "endpoint")]
pub use endpoint::{Endpoint, NoAnswer};
#[cfg(feature = "endpoint")]
pub use player::{Player, Settings, Spent};
pub use surroundings::Surroundings;
pub use tools::tools;
