//! The state of the task: the results, and the announcements to observers. Players do not perceive these facts
//! directly.

use situated::environment::{Context, Measure};
use situated::iil::Parameter;

use crate::percept::Percept;
use crate::robot::Deeds;
use crate::world::{TICKS_PER_SECOND, World};

/// The state of the task at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    is_solvable: bool,
    is_completed: bool,
}

impl Standing {
    /// The expected state at the beginning.
    pub(crate) const AT_FIRST: Standing = Standing { is_solvable: true, is_completed: false };

    /// Returns the present state.
    pub(crate) fn of(world: &World) -> Self {
        Self { is_solvable: world.is_solvable(), is_completed: world.completed().is_some() }
    }

    /// Announces what has changed since this state.
    pub(crate) fn announce_changes(self, world: &World, context: &mut Context<Percept>) {
        if let Some(color) = world.missing().filter(|_| self.is_solvable) {
            let color = color.name();
            let text = format!("the sequence can no longer be completed: it needs more {color} blocks than are left");
            context.announce("unsolvable", text);
        }
        if let Some(tick) = world.completed().filter(|_| !self.is_completed) {
            context.announce(
                "completed",
                format!("the sequence is complete after {tick} steps; the environment continues"),
            );
        }
    }
}

/// The subject of the team's measures.
const TEAM: &str = "team";

/// Returns the results so far.
pub(crate) fn results(world: &World) -> Vec<Measure> {
    let taken = world.completed().unwrap_or(world.tick_count());
    let robots = world.robots();
    let total = |count: fn(&Deeds) -> u64| robots.iter().map(|robot| count(&robot.deeds)).sum::<u64>();
    let mut results = vec![
        Measure::new(TEAM, "completed", world.completed().is_some()),
        Measure::new(TEAM, "delivered", world.delivered()),
        Measure::new(TEAM, "wanted", world.sequence().len()),
        Measure::new(TEAM, "solvable", world.is_solvable()),
        Measure::new(TEAM, "steps", taken),
        Measure::new(TEAM, "simulated seconds", taken as f64 / TICKS_PER_SECOND),
        Measure::new(TEAM, "wrong drops", total(|deeds| deeds.wrong_drops)),
        Measure::new(TEAM, "messages", total(|deeds| deeds.messages)),
    ];
    for robot in robots {
        let measure = |name: &'static str, value: Parameter| Measure::new(robot.name.clone(), name, value);
        let deeds = &robot.deeds;
        results.extend([
            measure("good drops", deeds.good_drops.into()),
            measure("wrong drops", deeds.wrong_drops.into()),
            measure("rooms entered", deeds.rooms_entered.into()),
            measure("distance", deeds.distance.into()),
            measure("battery used", deeds.battery_used.into()),
            measure("messages", deeds.messages.into()),
            measure("idle steps", deeds.idle_steps.into()),
        ]);
    }
    results
}
