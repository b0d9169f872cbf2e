//! The seat of a language model: an agent of the hub with one entity, which a model controls by calling tools. Whoever
//! brings a model to an environment, by a protocol or as a program of a team, gives it a [`Seat`].

mod mail;
mod remarks;
mod seat;
mod tools;

pub use mail::SEND;
pub use remarks::HIDDEN;
pub use seat::{CannotTake, Seat, Surroundings, ToolAnswer};
pub use tools::tools;
