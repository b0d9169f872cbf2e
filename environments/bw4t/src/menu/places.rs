//! Choices about places: rooms, blockades, charging zones and halls.

use situated::iil::EcoString;
use situated::menu::Menu;

use super::offers::{ASK, Offers, TELL};
use super::things::{offer_bypass, offer_put_down, tell_of_load};
use crate::action::Action;
use crate::geometry::Point;
use crate::ground::ZoneIndex;
use crate::map::ZoneKind;
use crate::messages::Message;

/// Maximum number of blocks of a colour in a message about a room.
const MOST_BLOCKS: u32 = 5;

pub(super) fn offer(mut offers: Offers<'_>, zone: ZoneIndex, point: Point) -> Menu<Action> {
    let site = offers.world.ground().zone(zone);
    let name = site.name.clone();
    if site.kind == ZoneKind::Room {
        offer_room(&mut offers, &name);
        let is_occupied = offers.robot.is_some() && offers.world.inside(zone).next().is_some();
        return offers.finish(if is_occupied { format!("{name}, occupied") } else { name.into() });
    }
    if offers.robot.is_some() {
        let label = match site.kind {
            ZoneKind::Corridor => Some("Go to here"),
            ZoneKind::ChargingZone => Some("Go recharge"),
            ZoneKind::Room | ZoneKind::Blockade => None,
        };
        if let Some(label) = label {
            offer_bypass(&mut offers);
            offers.command(label, Action::GoTo { x: point.x, y: point.y });
        }
        offer_put_down(&mut offers);
        tell_of_waiting(&mut offers);
        tell_of_load(&mut offers);
    }
    offers.finish(name)
}

fn offer_room(offers: &mut Offers<'_>, room: &EcoString) {
    if offers.robot.is_some() {
        offer_bypass(offers);
        offers.command(format!("Go to {room}"), Action::GoToPlace { place: room.clone() });
        offer_put_down(offers);
        let here = || room.clone();
        offers.say(&[TELL], &Message::InRoom { room: here() });
        offers.say(&[TELL], &Message::GoingToRoom { room: here() });
        tell_of_contents(offers, room);
        tell_of_drop(offers);
        tell_of_load(offers);
    } else if offers.partner.is_some_and(|partner| partner.functions.forget_me_not) {
        offers.say(&[TELL], &Message::YouForgotMe { room: room.clone() });
    }
    ask_about(offers, room);
}

/// Offers messages about the contents of a room, and about having searched it.
fn tell_of_contents(offers: &mut Offers<'_>, room: &EcoString) {
    let here = || room.clone();
    for color in offers.colors() {
        let sections = [TELL, &format!("{room} contains")];
        offers.say(&sections, &Message::RoomContains { room: here(), color });
    }
    for color in offers.colors() {
        let sections = [TELL, &format!("{room} contains, by number"), color.name()];
        for number in 0..=MOST_BLOCKS {
            offers.say(&sections, &Message::RoomContainsAmount { room: here(), number, color });
        }
    }
    offers.say(&[TELL], &Message::RoomIsEmpty { room: here() });
    offers.say(&[TELL], &Message::Checked { room: here(), player: None });
    for player in offers.players() {
        let sections = [TELL, &format!("{room} has been checked by")];
        offers.say(&sections, &Message::Checked { room: here(), player: Some(player) });
    }
}

/// Offers messages about the block that the robot puts down.
fn tell_of_drop(offers: &mut Offers<'_>) {
    if offers.holds_blocks() {
        let color = offers.held().first().copied();
        offers.say(&[TELL], &Message::AboutToDropOffBlock { color });
    }
    offers.say(&[TELL], &Message::DroppedOffBlock { color: None });
}

fn tell_of_waiting(offers: &mut Offers<'_>) {
    let drop_zone = offers.world.ground().zone(offers.world.ground().drop_zone()).name.clone();
    for room in offers.rooms().chain([drop_zone]) {
        offers.say(&[TELL, "I am waiting outside"], &Message::AmWaitingOutsideRoom { room, color: None });
    }
}

fn ask_about(offers: &mut Offers<'_>, room: &EcoString) {
    let room = || room.clone();
    for question in [
        Message::IsAnybodyGoingToRoom { room: room() },
        Message::WhatIsInRoom { room: room() },
        Message::HasAnybodyCheckedRoom { room: room() },
        Message::WhoIsInRoom { room: room() },
    ] {
        offers.say(&[ASK], &question);
    }
}
