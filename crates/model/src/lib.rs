//! Language models as programs of a team. A model behind an HTTP endpoint of the OpenAI kind (`/chat/completions` with
//! tools) controls an entity by calling the tools of its [seat](situated_seat). The messages, its answers and
//! their costs are recorded as remarks of its agent.

mod conversation;
mod endpoint;
mod player;

pub use endpoint::{Endpoint, NoAnswer};
pub use player::{Player, Settings, Spent};
