//! The state of an entity in a few words, for the person who plays it.

use super::offers::Offers;
use crate::map::ZoneKind;
use crate::robot::{Robot, State};

/// Returns where the entity is, where it goes, and what it carries.
pub(super) fn in_words(offers: &Offers<'_>) -> String {
    let ground = offers.world.ground();
    let name = |zone: usize| {
        let site = ground.zone(zone);
        match site.kind {
            ZoneKind::Room | ZoneKind::ChargingZone => format!("in {}", site.name),
            ZoneKind::Corridor | ZoneKind::Blockade => "in the hall".to_owned(),
        }
    };
    let Some(robot) = offers.robot else {
        let place = offers.partner.filter(|partner| partner.functions.gps).and_then(|partner| partner.zone);
        return place.map(|zone| format!("You are {}.", name(zone))).unwrap_or_default();
    };
    let here = robot.zones.first().map_or_else(|| "here".to_owned(), |zone| name(*zone));
    let place = match (robot.state, robot.goal.and_then(|goal| ground.zone_at(goal))) {
        (State::Traveling, Some(zone)) if ground.zone(zone).kind == ZoneKind::Room => {
            format!("You are on the way to {}", ground.zone(zone).name)
        }
        (State::Traveling, _) => "You are on the way".to_owned(),
        (State::Collided, _) => format!("Something is in your way; you are {here}"),
        (State::Arrived, _) => format!("You are {here}"),
    };
    format!("{place}. You carry {}.", load_in_words(offers, robot))
}

fn load_in_words(offers: &Offers<'_>, robot: &Robot) -> String {
    let blocks = robot.load.iter().rev().map(|block| match offers.seen(offers.world.blocks()[*block].color) {
        Some(color) => format!("a {} block", color.name()),
        None => "a block".to_owned(),
    });
    let load: Vec<String> = blocks.collect();
    if load.is_empty() { "nothing".to_owned() } else { load.join(", ") }
}
