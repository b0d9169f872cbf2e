//! The programs that ship with the world: built-in agents. Each knows only what its own body is told.
//!
//! * [`Explorer`] is a robot that works alone, and can be told beforehand what lies where;
//! * [`Teammate`] is a robot that works in a team;
//! * [`Companion`] is an e-partner.
//!
//! [`programs`] lists them with the names under which [`program`] makes them.

mod atlas;
mod board;
mod body;
mod device;
mod explorer;
mod guide;
mod hunt;
mod mates;
mod memory;
mod partner;
mod planning;
mod robot;
mod team;
mod walker;

use situated::agent::{Agent, Translated};

use crate::team::{BOT, EPARTNER, HUMAN};

pub use explorer::Explorer;
pub use memory::Contents;
pub use partner::Companion;
pub use team::Teammate;

/// A program that ships with the world.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    /// The types of the entities that it can control.
    pub entity_types: &'static [&'static str],
    make: fn() -> Box<dyn Agent>,
}

/// All programs.
pub fn programs() -> &'static [Program] {
    const ROBOTS: &[&str] = &[BOT, HUMAN];
    const EPARTNERS: &[&str] = &[EPARTNER];
    &[
        Program {
            name: "team",
            description: "a robot that shares out rooms and colours with others of its kind, by messages",
            entity_types: ROBOTS,
            make: || Box::new(Translated::new(Teammate::new())),
        },
        Program {
            name: "explorer",
            description: "a robot that works alone: it searches rooms, remembers what is in them, and delivers in order",
            entity_types: ROBOTS,
            make: || Box::new(Translated::new(Explorer::new())),
        },
        Program {
            name: "epartner",
            description: "an e-partner: as a GPS it shows the way, as a Forget-me-not it calls after who leaves it behind",
            entity_types: EPARTNERS,
            make: || Box::new(Translated::new(Companion::new())),
        },
    ]
}

/// Makes the program of this name for an entity of this type, if it can control one.
pub fn program(name: &str, entity_type: &str) -> Option<Box<dyn Agent>> {
    let mut fitting = programs().iter().filter(|program| program.entity_types.contains(&entity_type));
    fitting.find(|program| program.name == name).map(|program| (program.make)())
}
