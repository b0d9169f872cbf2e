//! `situated` connects any agent with any environment.
//!
//! An environment is written once, as a deterministic simulation with entities that can be controlled. Agents of any
//! kind perceive and act through those entities; an interface between them knows only names. This is the idea of the
//! Environment Interface Standard (Behrens, Hindriks, Bordini and others, 2010).
//!
//! Each layer knows only the layers before it:
//!
//! 1. [`iil`]: the interface intermediate language, in which agents and environments exchange actions and percepts.
//! 2. [`ontology`]: what an environment declares about itself, derived from its Rust types.
//! 3. [`environment`]: the trait of environments, and [episodes](environment::Episode), which can be saved, loaded
//!    and hashed; with [`random`] numbers, the [`scene`] (the picture of an environment), the [`menu`] (choices for
//!    people) and the [`encoding`] (the numeric interface for learners).
//! 4. [`interface`]: agents, entities, the relation between them, acting and perceiving, management.
//!
//! [`host`] and [`hosted`] are the two sides of an environment that runs elsewhere, in another process or another
//! language. [`agent`] is the trait of programs that decide. This crate does no I/O, reads no clock and starts no
//! threads.

// The derives refer to this crate by its name, also inside it.
extern crate self as situated;

pub mod agent;
pub mod document;
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
pub mod reading;
mod roster;
pub mod scene;
pub mod size;

#[doc(hidden)]
pub use situated_macros::data;
pub use situated_macros::{Action, InitParameters, ParameterType, Percept};

/// The items that most environments and their tests need: rules and their declaration, results, scenes and menus;
/// built-in agents; the encoding for learners; the interface, through which tests play.
pub mod prelude {
    pub use crate::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
    pub use crate::encoding::{Buffers, Element, Encode, Encoding};
    pub use crate::environment::{Context, Ending, EntityId, Environment, Failure, Measure, News, Percepts};
    pub use crate::iil::Parameter;
    pub use crate::interface::{Interface, Perception};
    pub use crate::menu::{Menu, MenuItem, MenuRequest};
    pub use crate::ontology::typed::{InitParameters, ParameterType, TypedAction, TypedPercept};
    pub use crate::ontology::{FileContents, Ontology, Pace, Restriction};
    pub use crate::scene::{Color, Scene, Shape};
    pub use crate::{Action, InitParameters, ParameterType, Percept};
}

/// Compiles the code in the book with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/agent.md")]
struct Book;
