//! The built-in agents. Each knows only the percepts of its own entity, and answers questions.
//!
//! * [`Explorer`] is a robot that works alone. It can be given the contents of rooms beforehand.
//! * [`Teammate`] is a robot that works in a team;
//! * [`Companion`] is an e-partner.

mod answers;
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

use situated::agent::{BuiltInAgent, BuiltInAgents, Translated};

use crate::Bw4t;
use crate::team::{BOT, EPARTNER, HUMAN};

pub use explorer::Explorer;
pub use memory::Contents;
pub use partner::Companion;
pub use team::Teammate;

impl BuiltInAgents for Bw4t {
    /// E-partners get the same program with either agent.
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![
            BuiltInAgent {
                name: "team",
                documentation: "Robots share out rooms and colours by messages.",
                make: |_, entity_type| match entity_type {
                    BOT | HUMAN => Some(Box::new(Translated::new(Teammate::new()))),
                    EPARTNER => Some(Box::new(Translated::new(Companion::new()))),
                    _ => None,
                },
            },
            BuiltInAgent {
                name: "explorer",
                documentation: "A robot works alone, and finds out where blocks are.",
                make: |_, entity_type| match entity_type {
                    BOT | HUMAN => Some(Box::new(Translated::new(Explorer::new()))),
                    EPARTNER => Some(Box::new(Translated::new(Companion::new()))),
                    _ => None,
                },
            },
        ]
    }
}
