//! A robot's knowledge about its teammates: the blocks that they hold and fetch, and the rooms that they search.

use std::collections::{BTreeMap, BTreeSet};

use situated::iil::EcoString;

use super::planning::Outlook;
use crate::Color;
use crate::messages::Message;

/// Number of steps without a message after which nobody relies on a teammate.
const SILENCE: u64 = 1_500;

/// The teammates of a robot, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Mates(BTreeMap<EcoString, Mate>);

#[derive(Clone, Debug, Default)]
struct Mate {
    /// The step of its last message.
    heard: u64,
    /// Whether it fetches blocks.
    carries: bool,
    held: Vec<Color>,
    plan: Plan,
}

/// The announced plan of a teammate.
#[derive(Clone, Debug, Default, PartialEq)]
enum Plan {
    #[default]
    None,
    Look(EcoString),
    Get(Color, Option<EcoString>),
}

impl Plan {
    fn of(message: &Message) -> Option<Plan> {
        match message {
            Message::GoingToRoom { room } => Some(Plan::Look(room.clone())),
            Message::AmGettingColor { color, room } | Message::WillGetColor { color, room } => {
                Some(Plan::Get(*color, room.clone()))
            }
            Message::HasColorFromRoom { .. }
            | Message::LookingFor { .. }
            | Message::AmWaitingOutsideRoom { .. }
            | Message::AboutToDropOffBlock { .. }
            | Message::CouldNot => Some(Plan::None),
            _ => None,
        }
    }
}

impl Mates {
    /// Processes a message of a teammate.
    pub(super) fn hear(&mut self, from: &EcoString, message: &Message, step: u64) {
        let mate = self.0.entry(from.clone()).or_default();
        mate.heard = step;
        if let Some(plan) = Plan::of(message) {
            mate.plan = plan;
        }
        match message {
            Message::LookingFor { .. } | Message::AmGettingColor { .. } => mate.carries = true,
            Message::HasColorFromRoom { color, .. } => mate.held.push(*color),
            Message::HasColor { color } if !mate.held.contains(color) => mate.held.push(*color),
            Message::DroppedOffBlock { color } => mate.drop(*color),
            Message::Checked { room, player: None } if mate.plan == Plan::Look(room.clone()) => mate.plan = Plan::None,
            // A robot that is stuck keeps its blocks, and the others work without them.
            Message::CouldNot => (mate.carries, mate.held) = (false, Vec::new()),
            _ => {}
        }
    }

    /// Forgets teammates that have left, or are silent.
    pub(super) fn retain(&mut self, players: &BTreeSet<EcoString>, step: u64) {
        self.0.retain(|name, mate| players.contains(name) && step < mate.heard + SILENCE);
    }

    /// Whether a name sorts before those of all teammates except one.
    pub(super) fn are_after(&self, name: &EcoString, except: &EcoString) -> bool {
        self.0.keys().all(|mate| name < mate || mate == except)
    }

    /// Returns what the teammates leave to a robot of this name that has announced its own plan. If two robots have
    /// the same plan, the one whose name sorts first keeps it.
    pub(super) fn outlook(&self, name: &EcoString, said: Option<&Message>) -> Outlook {
        let own = said.and_then(Plan::of).unwrap_or_default();
        let mut outlook = Outlook { must_swap: false, ..Outlook::default() };
        for (mate_name, mate) in &self.0 {
            let is_before = mate_name < name;
            outlook.hands += usize::from(mate.carries);
            let held = if is_before { &mut outlook.held_before } else { &mut outlook.held_after };
            held.extend(&mate.held);
            let is_same = match (&own, &mate.plan) {
                (Plan::Get(color, _), Plan::Get(other, _)) => color == other,
                (own, plan) => own == plan,
            };
            match &mate.plan {
                Plan::Look(room) if is_before || !is_same => drop(outlook.searched.insert(room.clone())),
                Plan::Get(color, room) => {
                    if is_before || !is_same {
                        outlook.promised.push(*color);
                    }
                    outlook.visited.extend(room.clone());
                }
                Plan::Look(_) | Plan::None => {}
            }
        }
        outlook
    }
}

impl Mate {
    fn drop(&mut self, color: Option<Color>) {
        let dropped = self.held.iter().rposition(|held| color.is_none_or(|color| *held == color));
        if let Some(dropped) = dropped {
            self.held.remove(dropped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(mates: &mut Mates, from: &str, message: &Message) {
        mates.hear(&from.into(), message, 0);
    }

    #[test]
    fn the_first_by_name_keeps_a_plan_that_two_robots_have() {
        let get = Message::AmGettingColor { color: Color::Blue, room: None };
        let mut mates = Mates::default();
        said(&mut mates, "B", &get);
        assert_eq!(mates.outlook(&"A".into(), Some(&get)).promised, []);
        assert_eq!(mates.outlook(&"C".into(), Some(&get)).promised, [Color::Blue]);
        assert_eq!(mates.outlook(&"A".into(), None).promised, [Color::Blue]);
    }

    #[test]
    fn forgets_teammates_that_leave_or_are_silent() {
        let mut mates = Mates::default();
        said(&mut mates, "B", &Message::LookingFor { color: Color::Blue });
        let players = BTreeSet::from(["B".into()]);
        mates.retain(&players, 100);
        assert_eq!(mates.outlook(&"A".into(), None).hands, 2);
        let mut silent = mates.clone();
        silent.retain(&players, SILENCE);
        assert_eq!(silent.outlook(&"A".into(), None).hands, 1);
        mates.retain(&BTreeSet::new(), 100);
        assert_eq!(mates.outlook(&"A".into(), None).hands, 1);
    }
}
