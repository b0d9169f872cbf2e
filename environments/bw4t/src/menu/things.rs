//! Menu items for objects: the colours of the sequence, blocks, e-partners, and the robot's load.

use situated::menu::Menu;

use super::offers::{ASK, Offers, TELL};
use crate::Color;
use crate::action::Action;
use crate::block::Block;
use crate::ground::ZoneIndex;
use crate::messages::Message;
use crate::robot::Robot;
use crate::world::EPartner;

/// A colour of the sequence.
pub(super) fn offer_goal(mut offers: Offers<'_>, index: usize) -> Menu<Action> {
    let color = offers.world.sequence()[index];
    let subject = format!("Goal {}, {}", index + 1, offers.name_of(color));
    let color = offers.seen(color);
    if offers.robot.is_some() {
        offer_put_down(&mut offers);
        if let Some(color) = color {
            tell_of_goal(&mut offers, color);
        }
        offers.say(&[TELL], &Message::DroppedOffBlock { color });
    }
    if let Some(color) = color {
        offers.say(&[ASK], &Message::WhereIsColor { color });
        offers.say(&[ASK], &Message::WhoHasABlock { color });
    }
    offers.say(&[ASK], &Message::WhereShouldIGo);
    offers.say(&[ASK], &Message::WhatColorShouldIGet);
    offers.finish(subject)
}

fn tell_of_goal(offers: &mut Offers<'_>, color: Color) {
    offers.say(&[TELL], &Message::LookingFor { color });
    offers.say(&[TELL], &Message::WillGetColor { color, room: None });
    offers.say(&[TELL], &Message::WeNeed { color });
    tell_of_block(offers, color);
}

/// Offers actions for a block that the robot sees in its room.
pub(super) fn offer_block(mut offers: Offers<'_>, block: &Block, room: ZoneIndex) -> Menu<Action> {
    let room = offers.world.ground().zone(room).name.clone();
    let subject = format!("Block {}, {}", block.id, offers.name_of(block.color));
    let distance = |robot: &Robot| block.position().map_or(f64::INFINITY, |at| at.distance(robot.position));
    let is_near = offers.robot.is_some_and(|robot| distance(robot) <= robot.reach());
    if !is_near {
        offer_bypass(&mut offers);
        offers.command("Go to the block", Action::GoToBlock { block: block.id });
    } else if offers.robot.is_some_and(Robot::has_free_gripper) {
        offers.command("Pick up the block", Action::PickUp { block: block.id });
    }
    let Some(color) = offers.seen(block.color) else {
        if is_near {
            offers.say(&[TELL], &Message::AtBlock { block: block.id });
        }
        return offers.finish(subject);
    };
    offers.say(&[TELL], &Message::RoomContains { room: room.clone(), color });
    offers.say(&[TELL], &Message::AmGettingColor { color, room: Some(room) });
    if is_near {
        offers.say(&[TELL], &Message::AtBox { color });
    }
    offers.finish(subject)
}

/// Offers actions for an e-partner that the robot perceives.
pub(super) fn offer_partner(mut offers: Offers<'_>, partner: &EPartner) -> Menu<Action> {
    if let Some(robot) = offers.robot {
        if partner.holder == Some(robot.entity) {
            offer_held_partner(&mut offers, partner);
        } else if partner.holder.is_none() {
            // It may be out of reach, or another one may be nearer.
            let is_at_hand = offers.world.partner_within_reach(robot).is_some_and(|near| near.entity == partner.entity);
            let can_take = robot.build.human && robot.partner.is_none();
            if is_at_hand && can_take {
                offers.command(format!("Pick up {}", partner.name), Action::PickUpEpartner);
            } else if !is_at_hand {
                let (x, y) = (partner.position.x, partner.position.y);
                offers.command(format!("Go to {}", partner.name), Action::GoTo { x, y });
            }
        }
    }
    offers.finish(partner.name.clone())
}

/// Offers the actions with, and messages to, the e-partner that the robot carries.
pub(super) fn offer_held_partner(offers: &mut Offers<'_>, partner: &EPartner) {
    offers.command(format!("Drop {}", partner.name), Action::DropEPartner);
    if partner.functions.gps {
        for room in offers.rooms() {
            let sections = [TELL, &format!("{}: I am going to", partner.name)];
            offers.send(&sections, &partner.name, &Message::IWantToGo { room });
        }
    }
}

/// Offers to go around an obstacle, if there is one.
pub(super) fn offer_bypass(offers: &mut Offers<'_>) {
    if offers.robot.is_some_and(|robot| !robot.bumped.is_empty()) {
        offers.command("Go around the obstacle", Action::NavigateObstacles);
    }
}

/// Offers to pick up the nearest block within reach.
pub(super) fn offer_at_hand(offers: &mut Offers<'_>) {
    let Some(robot) = offers.robot.filter(|robot| robot.has_free_gripper()) else { return };
    let lying = robot.zones.first().map_or(&[][..], |zone| offers.world.lying_in(*zone));
    let distance = |block: &Block| block.position().map_or(f64::INFINITY, |at| at.distance(robot.position));
    let blocks = lying.iter().map(|block| &offers.world.blocks()[*block]);
    let near = blocks.filter(|block| distance(block) <= robot.reach());
    if let Some(block) = near.min_by(|one, other| distance(one).total_cmp(&distance(other))) {
        let label = match offers.seen(block.color) {
            Some(color) => format!("Pick up the {} block", color.name()),
            None => "Pick up the block".to_owned(),
        };
        offers.command_at_hand(label, Action::PickUp { block: block.id });
    }
}

pub(super) fn offer_put_down(offers: &mut Offers<'_>) {
    if offers.holds_blocks() {
        offers.command("Put down the block", Action::PutDown);
    }
}

/// Offers messages about the robot's load.
pub(super) fn tell_of_load(offers: &mut Offers<'_>) {
    for color in offers.held() {
        tell_of_block(offers, color);
    }
}

/// Offers messages about holding a block, optionally from a room.
fn tell_of_block(offers: &mut Offers<'_>, color: Color) {
    offers.say(&[TELL], &Message::HasColor { color });
    for room in offers.rooms() {
        let sections = [TELL, &format!("I have a {} block from", color.name())];
        offers.say(&sections, &Message::HasColorFromRoom { color, room });
    }
}
