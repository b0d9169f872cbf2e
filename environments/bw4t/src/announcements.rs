//! What those who watch are told of the task: that it can no longer be done, and that it is done. Players have to find
//! that out for themselves.

use situated::environment::Context;

use crate::percept::Percept;
use crate::world::World;

/// How the task stands, or stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    is_solvable: bool,
    is_completed: bool,
}

impl Standing {
    /// What is expected of every world.
    pub(crate) const AT_FIRST: Standing = Standing { is_solvable: true, is_completed: false };

    /// How it stands in a world.
    pub(crate) fn of(world: &World) -> Self {
        Self { is_solvable: world.is_solvable(), is_completed: world.completed().is_some() }
    }

    /// Announcements what has changed in the world since it stood like this.
    pub(crate) fn announce_changes(self, world: &World, context: &mut Context<Percept>) {
        if let Some(color) = world.missing().filter(|_| self.is_solvable) {
            let color = color.name();
            let text = format!("the sequence can no longer be completed: it needs more {color} blocks than are left");
            context.announce("unsolvable", text);
        }
        if let Some(tick) = world.completed().filter(|_| !self.is_completed) {
            context.announce("completed", format!("the sequence is complete after {tick} steps; the world runs on"));
        }
    }
}
