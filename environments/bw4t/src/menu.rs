//! The menus for people who control a robot or an e-partner, as in the original's window for human players.
//!
//! A menu is about the object at a point: a colour of the sequence, an e-partner, a block, or the place itself, in
//! this order. It shows no more than the entity perceives: visible blocks, known players and e-partners, and no
//! colours if it is colour-blind.

mod chat;
mod offers;
mod places;
mod things;

use situated::environment::EntityId;
use situated::menu::{Menu, MenuRequest};

use self::offers::Offers;
use crate::action::Action;
use crate::block::Block;
use crate::geometry::{Point, Rectangle};
use crate::ground::ZoneIndex;
use crate::map::ZoneKind;
use crate::map::filling::BLOCK_SIZE;
use crate::robot::{Robot, State};
use crate::scene::Layout;
use crate::world::{EPartner, World};
use crate::{Color, Names};

/// Maximum distance from the centre of an e-partner at which it is meant. Fingers are wider than it is.
const NEAR_PARTNER: f64 = 1.0;

/// Maximum distance beside a block at which it is meant.
const NEAR_BLOCK: f64 = 0.5;

/// The object at which a person points.
enum Thing<'a> {
    /// A colour of the sequence, by its index.
    Goal(usize),
    Partner(&'a EPartner),
    Block(&'a Block, ZoneIndex),
    Place(ZoneIndex, Point),
}

/// Returns the choices of a person who plays this entity.
pub(crate) fn menu(world: &World, names: Names, entity: EntityId, request: &MenuRequest) -> Menu<Action> {
    let Some(mut offers) = Offers::to(world, names, entity, request) else { return Menu::default() };
    let Some(at) = request.at else {
        chat::offer(&mut offers);
        let state = state_in_words(&offers);
        return offers.finish(state);
    };
    match thing_at(&offers, at) {
        Some(Thing::Goal(index)) => things::offer_goal(offers, index),
        Some(Thing::Partner(partner)) => things::offer_partner(offers, partner),
        Some(Thing::Block(block, room)) => things::offer_block(offers, block, room),
        Some(Thing::Place(zone, point)) => places::offer(offers, zone, point),
        None => Menu::default(),
    }
}

/// Returns the replies to a message, or the meanings of a text.
pub(crate) fn words(world: &World, names: Names, entity: EntityId, request: &MenuRequest) -> Menu<Action> {
    let Some(offers) = Offers::to(world, names, entity, request) else { return Menu::default() };
    match &request.about {
        Some(percept) => chat::offer_replies(offers, percept),
        None => chat::offer_typed(offers, &request.text),
    }
}

fn thing_at<'a>(offers: &Offers<'a>, (x, y): (f64, f64)) -> Option<Thing<'a>> {
    let world = offers.world;
    let layout = Layout::of(world);
    let point = layout.point(x, y);
    if let Some(goal) = (0..world.sequence().len()).find(|goal| layout.cell(*goal).contains(point)) {
        return Some(Thing::Goal(goal));
    }
    if let Some(partner) = partner_at(offers, point) {
        return Some(Thing::Partner(partner));
    }
    let kinds = [ZoneKind::Room, ZoneKind::Blockade, ZoneKind::ChargingZone, ZoneKind::Corridor];
    let of_kind = |kind| world.ground().zones_at(point).find(|zone| world.ground().zone(*zone).kind == kind);
    let zone = kinds.into_iter().find_map(of_kind)?;
    Some(block_at(offers, zone, point).map_or(Thing::Place(zone, point), |block| Thing::Block(block, zone)))
}

fn partner_at<'a>(offers: &Offers<'a>, point: Point) -> Option<&'a EPartner> {
    let near = offers.partners().filter(|partner| partner.position.distance(point) <= NEAR_PARTNER);
    near.min_by(|one, other| one.position.distance(point).total_cmp(&other.position.distance(point)))
}

/// Returns the block at a point that is visible in the body's own zone.
fn block_at<'a>(offers: &Offers<'a>, zone: ZoneIndex, point: Point) -> Option<&'a Block> {
    let world = offers.world;
    let own_zone = offers.robot.and_then(|robot| robot.zones.first());
    let lying = own_zone.filter(|own| **own == zone).map_or(&[][..], |zone| world.lying_in(*zone));
    let seen = lying.iter().map(|block| &world.blocks()[*block]);
    let is_hit = |at| Rectangle::around(at, BLOCK_SIZE, BLOCK_SIZE).grown(NEAR_BLOCK).contains(point);
    let distance = |block: &Block| block.position().map_or(f64::INFINITY, |at| at.distance(point));
    let hits = seen.filter(|block| block.position().is_some_and(is_hit));
    hits.min_by(|one, other| distance(one).total_cmp(&distance(other)))
}

/// Returns where the entity is, where it goes, and what it carries.
fn state_in_words(offers: &Offers<'_>) -> String {
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
        // "Orange" is the only one that begins with a vowel.
        Some(Color::Orange) => "an Orange block".to_owned(),
        Some(color) => format!("a {} block", color.name()),
        None => "a block".to_owned(),
    });
    let load: Vec<String> = blocks.collect();
    if load.is_empty() { "nothing".to_owned() } else { load.join(", ") }
}
