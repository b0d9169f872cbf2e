//! The log in the format of the original, for tools that read it, with simulated time. It is kept only if an episode
//! asks for it.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use situated::iil;

use crate::Color;
use crate::map::ZoneKind;
use crate::robot::{Robot, State};
use crate::world::TICKS_PER_SECOND;
use crate::world::World;

/// Maximum number of lines. Later ones are dropped, except for the summary.
pub(crate) const MOST_LINES: usize = 1 << 20;

/// The lines so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Log {
    lines: Vec<String>,
    /// The state of each robot at the last check.
    states: Vec<State>,
    completed: bool,
}

impl Log {
    /// Creates the log at the beginning of an episode.
    pub(crate) fn of(world: &World) -> Self {
        let mut log = Self::default();
        log.add(world, format!("sequence {}", letters(world.sequence().iter().copied())));
        let rooms = world.ground().zones().iter().enumerate().filter(|(_, zone)| zone.kind == ZoneKind::Room);
        for (index, room) in rooms {
            let colors = world.lying_in(index).iter().map(|block| world.blocks()[*block].color);
            log.add(world, format!("room {} contains blocks:  {}", room.name, letters(colors)));
        }
        log
    }

    /// Logs an action of an entity.
    pub(crate) fn note_action(&mut self, world: &World, name: &str, action: &iil::Action) {
        self.add(world, format!("action {name} {action}"));
    }

    /// Logs changes after some time has passed.
    pub(crate) fn follow(&mut self, world: &World) {
        let states = std::mem::take(&mut self.states);
        for (index, robot) in world.robots().iter().enumerate() {
            let before = states.get(index).copied().unwrap_or(State::Arrived);
            if robot.state == State::Collided && before != State::Collided {
                let what = if robot.is_exhausted() { "could not move because of empty battery." } else { "collided." };
                self.add(world, format!("Bot {} {what}", robot.name));
            }
        }
        self.states = world.robots().iter().map(|robot| robot.state).collect();
        if let (Some(ticks), false) = (world.completed(), self.completed) {
            self.completed = true;
            self.add(world, format!("Time to finish sequence is {}", duration(ticks)));
            self.add(world, format!("Number of Steps taken: {ticks}"));
        }
    }

    /// Returns the whole text, with a summary of each robot at its end.
    pub(crate) fn text(&self, world: &World) -> String {
        let mut all = Self { lines: self.lines.clone(), ..Self::default() };
        for robot in world.robots() {
            let deeds = &robot.deeds;
            let seconds = deeds.idle_steps as f64 / TICKS_PER_SECOND;
            for (what, value) in [
                ("gooddrops", deeds.good_drops.to_string()),
                ("wrongdrops", deeds.wrong_drops.to_string()),
                ("nmessage", deeds.messages.to_string()),
                ("idletime", format!("{seconds:.3}")),
                ("nroomsentered", deeds.rooms_entered.to_string()),
            ] {
                all.lines.push(line(world, &format!("agentsummary {} {what} {value}", robot.name)));
            }
            all.lines.push(line(world, &format!("agentsummary {} handicaps {}", robot.name, handicaps(robot))));
        }
        all.lines.push(line(world, &format!("total time is {}", duration(world.tick_count()))));
        all.lines.concat()
    }

    fn add(&mut self, world: &World, text: String) {
        if self.lines.len() < MOST_LINES {
            self.lines.push(line(world, &text));
        }
    }
}

/// Returns the line `00:01:20,860 - text` with a newline.
fn line(world: &World, text: &str) -> String {
    let milliseconds = (world.tick_count() as f64 * 1000.0 / TICKS_PER_SECOND) as u64;
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02},{rest:03} - {text}\n")
}

fn duration(ticks: u64) -> String {
    let seconds = ticks as f64 / TICKS_PER_SECOND;
    if seconds < 60.0 {
        return format!("{seconds:.1} seconds");
    }
    format!("{} minutes and {} seconds", seconds as u64 / 60, seconds as u64 % 60)
}

fn letters(colors: impl Iterator<Item = Color>) -> String {
    let mut text = String::new();
    for color in colors {
        let separator = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{separator}{}", &color.name()[..1]);
    }
    text
}

/// Returns the handicaps of a robot, in the words of the original.
fn handicaps(robot: &Robot) -> String {
    let build = &robot.build;
    let all = [
        ("ColorBlind", build.color_blind),
        ("Gripper", build.grippers == 0),
        ("SizeOverload", build.size > 2.0),
        ("Human", build.human),
    ];
    let names: String = all.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    if names.is_empty() { "none".to_owned() } else { names }
}
