//! Scenes: of the whole environment, and as one of its entities sees it. A unit of a scene is a unit of the world.

mod drawing;
mod layout;
mod palette;

use situated::environment::EntityId;
use situated::scene::{Role, Scene};

use self::drawing::{Doors, Drawing};
pub(crate) use self::layout::Layout;
use crate::robot::Robot;
use crate::world::{EPartner, World};
use crate::{Color, Names};

/// Maximum number of robots whose names are shown. The names of more robots would hide the rest.
const MOST_NAMES: usize = 30;

/// Returns the scene of everything, optionally with the planned ways of robots.
pub(crate) fn whole(world: &World, paths: bool) -> Scene {
    let mut drawing = Drawing::of(world, None);
    drawing.map(Doors::Known, |color| color);
    for block in world.blocks() {
        drawing.block(block, block.color);
    }
    if paths {
        world.robots().iter().for_each(|robot| drawing.plan(robot));
    }
    for robot in world.robots() {
        drawing.robot(robot, |color| color);
    }
    for partner in world.partners() {
        drawing.partner(partner, partner.holder.is_some(), Role::Entity);
    }
    if world.robots().len() <= MOST_NAMES {
        world.robots().iter().for_each(|robot| drawing.name(robot));
    }
    drawing.finish()
}

/// Returns the scene of what an entity perceives, with its planned way.
pub(crate) fn seen_by(world: &World, entity: EntityId, names: Names) -> Scene {
    if let Some(robot) = world.robot(entity) {
        seen_by_robot(world, robot, names)
    } else if let Some(partner) = world.partner(entity) {
        seen_by_partner(world, partner)
    } else {
        Scene::default()
    }
}

fn seen_by_robot(world: &World, robot: &Robot, names: Names) -> Scene {
    let looks = |color| if robot.build.color_blind { Color::DarkGray } else { color };
    let zone = robot.zones.first().copied();
    let mut drawing = Drawing::of(world, Some(robot));
    drawing.map(Doors::Known, looks);
    for block in zone.iter().flat_map(|zone| world.lying_in(*zone)) {
        let block = &world.blocks()[*block];
        drawing.block(block, looks(block.color));
    }
    drawing.plan(robot);
    for other in zone.iter().flat_map(|zone| world.inside(*zone)).filter(|other| other.entity != robot.entity) {
        drawing.other(other);
    }
    drawing.robot(robot, looks);
    let knows_partners = robot.build.human || names == Names::Code;
    for partner in world.partners().iter().filter(|partner| partner.is_seen_by(robot)) {
        if knows_partners {
            drawing.partner(partner, partner.holder.is_some(), Role::Entity);
        } else {
            drawing.somebody(partner.id, partner.position);
        }
    }
    drawing.name(robot);
    drawing.finish()
}

/// An e-partner perceives its own position and the names of places, but no rooms, robots and blocks.
fn seen_by_partner(world: &World, partner: &EPartner) -> Scene {
    let mut drawing = Drawing::of(world, None);
    drawing.map(Doors::Unknown, |color| color);
    drawing.partner(partner, partner.functions.forget_me_not && partner.holder.is_some(), Role::Oneself);
    drawing.finish()
}
