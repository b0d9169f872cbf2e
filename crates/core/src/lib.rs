//! `situated` lets any agent live in any environment.
//!
//! An environment is written once, as a deterministic environment with entities that can be controlled. Agents of any
//! kind perceive and act through those entities; an interface between them knows only names. It is the idea of the
//! Environment Interface Standard (Behrens, Hindriks, Bordini and others, 2010).
//!
//! The layers, each of which knows only those before it:
//!
//! 1. [`iil`]: the interface intermediate language, what agents and environments say to each other.
//! 2. [`ontology`]: what an environment declares about itself, made from its Rust types by the derives of this crate.
//! 3. [`environment`]: the trait of environments, and [episodes](environment::Episode), which can be saved, loaded and
//!    hashed; with [`random`], [`scene`] (what an environment looks like), [`menu`] (what people can choose in it) and
//!    [`encoding`] (what learners see of it).
//! 4. [`interface`]: agents, entities, the relation between them, acting and perceiving, management.
//!
//! [`host`] and [`hosted`] are the two sides of an environment that is run elsewhere, in another process or another
//! language. [`agent`] is the trait of programs that decide. Nothing in this crate does I/O, reads a clock or starts a
//! thread.

// The derives speak of this crate by its name, also inside it.
extern crate self as situated;

pub mod agent;
pub mod encoding;
pub mod environment;
pub mod host;
pub mod hosted;
pub mod iil;
pub mod interface;
pub mod menu;
pub mod names;
pub mod ontology;
pub mod random;
mod roster;
pub mod scene;

pub use situated_macros::{Action, InitParameters, ParameterType, Percept};

/// What every environment needs.
pub mod prelude {
    pub use crate::environment::{Context, EntityId, Environment, Failure, Percepts};
    pub use crate::ontology::Ontology;
    pub use crate::{Action, InitParameters, ParameterType, Percept};
}

/// The code of the book is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/agent.md")]
struct Book;
