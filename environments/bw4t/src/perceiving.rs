//! Listing the percepts of robots and e-partners, in sections that are listed again only when they may have changed.
//! Percepts that many of them have are in shared sections.

use situated::environment::{EntityId, Listing, Percepts};
use situated::iil::EcoString;

use crate::geometry::Point;
use crate::ground::ZoneIndex;
use crate::map::ZoneKind;
use crate::percept::{Function, Percept};
use crate::robot::Robot;
use crate::world::{EPartner, World};
use crate::{Color, Names};

/// The sections. Each zone has three sections: what robots see, what colour-blind robots see, and what one robot can
/// reach. The last one is not shared.
#[derive(Clone, Copy)]
enum Section {
    /// Shared, like `Map`, `Progress`, `Players`, `Occupied` and `Zone`.
    Places,
    Map,
    Body,
    Progress,
    Players,
    Occupied,
    Own,
    Motion,
    Partners,
    Zone,
}

/// Lists the percepts of a robot or an e-partner.
pub(crate) struct Perceiver<'a> {
    pub(crate) world: &'a World,
    pub(crate) names: Names,
}

impl Perceiver<'_> {
    /// Lists the current percepts of this entity.
    pub(crate) fn list(&self, entity: EntityId, percepts: &mut Percepts<'_, Percept>) {
        if let Some(robot) = self.world.robot(entity) {
            self.list_for_robot(robot, percepts);
        } else if let Some(partner) = self.world.partner(entity) {
            self.list_for_partner(partner, percepts);
        }
    }

    fn list_for_robot(&self, robot: &Robot, percepts: &mut Percepts<'_, Percept>) {
        let world = self.world;
        let revisions = world.revisions();
        percepts.shared(Section::Map as u32, 0, None, |list| {
            self.list_places(list);
            self.list_zones(list);
            self.list_fixtures(list);
        });
        percepts.section(Section::Body as u32, 0, |list| self.list_body(robot, list));
        self.list_progress(percepts);
        self.list_players(&robot.name, percepts);
        percepts.shared(Section::Occupied as u32, revisions.occupied, None, |list| {
            let rooms = world.occupied().map(|room| world.ground().zone(room).name.clone());
            rooms.for_each(|room| list.add(Percept::Occupied { room }));
        });
        percepts.section(Section::Own as u32, robot.revision, |list| self.list_own(robot, list));
        percepts.section(Section::Motion as u32, robot.revision + robot.moved, |list| list_motion(robot, list));
        if let Some(zone) = robot.zones.first().copied() {
            let (section, sights) = (Section::Zone as u32 + 3 * zone as u32, world.sights(zone));
            let color_blind = robot.build.color_blind;
            percepts.shared(section + u32::from(color_blind), sights, None, |list| {
                self.list_surroundings(zone, color_blind, list);
            });
            if !world.lying_in(zone).is_empty() {
                percepts.section(section + 2, sights + robot.revision, |list| self.list_reach(robot, zone, list));
            }
        }
        if robot.build.human || self.names == Names::Code {
            let revision = world.revisions().partners;
            percepts
                .section(Section::Partners as u32, revision + robot.revision, |list| self.list_partners(robot, list));
        }
    }

    fn list_for_partner(&self, partner: &EPartner, percepts: &mut Percepts<'_, Percept>) {
        percepts.shared(Section::Places as u32, 0, None, |list| self.list_places(list));
        percepts.section(Section::Body as u32, 0, |list| {
            list.add(Percept::OwnName { player: partner.name.clone() });
            for function in functions(partner) {
                list.add(match self.names {
                    Names::Specification => Percept::GetFunctionalities { function },
                    Names::Code => Percept::Functionality { function },
                });
            }
            if partner.functions.gps && self.names == Names::Specification {
                let rooms = self.world.ground().zones().iter().filter(|zone| zone.kind == ZoneKind::Room);
                rooms.for_each(|zone| list.add(Percept::GetRooms { room: zone.name.clone() }));
            }
        });
        self.list_progress(percepts);
        self.list_players(&partner.name, percepts);
        percepts.section(Section::Own as u32, partner.revision, |list| self.list_state_of(partner, list));
    }

    fn list_places(&self, list: &mut Listing<'_, Percept>) {
        let places = self.world.ground().zones().iter().map(|zone| zone.name.clone());
        places.for_each(|place| list.add(Percept::Place { place }));
    }

    fn list_zones(&self, list: &mut Listing<'_, Percept>) {
        let ground = self.world.ground();
        for zone in ground.zones() {
            let neighbours = zone.neighbours.iter().map(|neighbour| ground.zone(*neighbour).name.clone()).collect();
            let Point { x, y } = zone.bounds.center;
            list.add(Percept::Zone { id: zone.id, name: zone.name.clone(), x, y, neighbours });
        }
    }

    /// Lists what never changes.
    fn list_body(&self, robot: &Robot, list: &mut Listing<'_, Percept>) {
        let (id, size) = (robot.id, robot.build.size);
        list.add(Percept::OwnName { player: robot.name.clone() });
        list.add(Percept::Robot { id });
        list.add(Percept::GripperCapacity { count: robot.build.grippers as u32 });
        list.add(Percept::Speed { speed: robot.build.speed });
        list.add(Percept::ColorBlind { color_blind: robot.build.color_blind });
        list.add(Percept::RobotSize { id, width: size, height: size });
    }

    fn list_progress(&self, percepts: &mut Percepts<'_, Percept>) {
        let index = self.world.delivered();
        percepts.shared(Section::Progress as u32, index as u64, None, |list| {
            list.add(Percept::Sequence { colors: self.world.sequence().to_vec() });
            list.add(Percept::SequenceIndex { index: index as u32 });
        });
    }

    /// Lists all controlled players except the one of this name.
    fn list_players(&self, own: &EcoString, percepts: &mut Percepts<'_, Percept>) {
        let own = Percept::Player { player: own.clone() };
        percepts.shared(Section::Players as u32, self.world.revisions().players, Some(own), |list| {
            let robots = self.world.robots().iter().map(|robot| (robot.taken, &robot.name));
            let partners = self.world.partners().iter().map(|partner| (partner.taken, &partner.name));
            let players = robots.chain(partners).filter(|(taken, _)| *taken);
            players.for_each(|(_, name)| list.add(Percept::Player { player: name.clone() }));
        });
    }

    /// Lists the positions of immovable objects.
    fn list_fixtures(&self, list: &mut Listing<'_, Percept>) {
        let zones = self.world.ground().zones().iter();
        for zone in zones.filter(|zone| matches!(zone.kind, ZoneKind::Room | ZoneKind::Blockade)) {
            list.add(position(zone.id, zone.bounds.center));
        }
    }

    fn list_own(&self, robot: &Robot, list: &mut Listing<'_, Percept>) {
        let ground = self.world.ground();
        let place = robot.zones.first().copied().unwrap_or_else(|| ground.nearest_zone(robot.position));
        list.add(Percept::At { place: ground.zone(place).name.clone() });
        for zone in robot.zones.iter().map(|zone| ground.zone(*zone)).filter(|zone| zone.kind == ZoneKind::Room) {
            list.add(Percept::In { room: zone.name.clone() });
        }
        list.add(Percept::State { state: robot.state });
        let held: Vec<u32> = robot.load.iter().rev().map(|block| self.world.blocks()[*block].id).collect();
        held.iter().for_each(|block| list.add(Percept::Holding { block: *block }));
        list.add(Percept::HoldingBlocks { blocks: held });
        let unreachable = u8::from(robot.unreachable);
        list.add(Percept::OldTargetUnreachable { id: robot.id, unreachable });
        robot.bumped.iter().for_each(|object| list.add(Percept::Bumped { object: object.clone() }));
    }

    /// Lists the blocks, robots and e-partners in a zone.
    fn list_surroundings(&self, zone: ZoneIndex, color_blind: bool, list: &mut Listing<'_, Percept>) {
        let world = self.world;
        for block in world.lying_in(zone).iter().map(|block| &world.blocks()[*block]) {
            let Some(place) = block.position() else { continue };
            let color = if color_blind { Color::DarkGray } else { block.color };
            list.add(Percept::Color { block: block.id, color });
            list.add(position(block.id, place));
        }
        for other in world.inside(zone) {
            list.add(position(other.id, other.position));
        }
        for partner in world.partners().iter().filter(|partner| partner.zone == Some(zone)) {
            list.add(position(partner.id, partner.position));
        }
    }

    /// Lists the blocks in a zone that a robot can pick up.
    fn list_reach(&self, robot: &Robot, zone: ZoneIndex, list: &mut Listing<'_, Percept>) {
        if robot.build.grippers == 0 {
            return;
        }
        for block in self.world.lying_in(zone).iter().map(|block| &self.world.blocks()[*block]) {
            if block.position().is_some_and(|place| robot.position.distance(place) <= robot.reach()) {
                list.add(Percept::AtBlock { block: block.id });
            }
        }
    }

    /// Lists the e-partners that a robot sees or carries.
    fn list_partners(&self, robot: &Robot, list: &mut Listing<'_, Percept>) {
        for partner in self.world.partners().iter().filter(|partner| partner.is_seen_by(robot)) {
            let (id, name, functions) = (partner.id, partner.name.clone(), functions(partner).collect());
            let holder = self.world.holder_of(partner).map_or(-1, |holder| i64::from(holder.id));
            list.add(match self.names {
                Names::Specification => Percept::GetEPartners { id, name, holder, functions },
                Names::Code => Percept::EPartner { id, name, holder, functions },
            });
        }
    }

    fn list_state_of(&self, partner: &EPartner, list: &mut Listing<'_, Percept>) {
        let ground = self.world.ground();
        let Point { x, y } = partner.position;
        if partner.functions.forget_me_not {
            if let Some(holder) = self.world.holder_of(partner) {
                list.add(Percept::HeldBy { id: holder.id });
                list.add(Percept::IsTaken { id: partner.id });
            }
            list.add(Percept::LeftBehind { left: u8::from(partner.holder.is_none()) });
        }
        let zone = partner.zone.unwrap_or_else(|| ground.nearest_zone(partner.position));
        let place = ground.zone(zone).name.clone();
        let room = (ground.zone(zone).kind == ZoneKind::Room).then(|| place.clone());
        match self.names {
            Names::Specification => {
                list.add(Percept::GetLocation { x, y });
                room.into_iter().for_each(|room| list.add(Percept::GetRoom { room }));
                if partner.functions.gps {
                    list.add(Percept::GetAt { place });
                }
            }
            Names::Code => {
                list.add(Percept::Location { x, y });
                room.into_iter().for_each(|room| list.add(Percept::In { room }));
                if partner.functions.gps {
                    list.add(Percept::At { place });
                }
            }
        }
    }
}

/// Lists what changes with each movement.
fn list_motion(robot: &Robot, list: &mut Listing<'_, Percept>) {
    list.add(Percept::Battery { charge: robot.charge() });
    list.add(Percept::Location { x: robot.position.x, y: robot.position.y });
    // In a zone, its position is listed with those of all other objects there.
    if robot.zones.is_empty() {
        list.add(position(robot.id, robot.position));
    }
}

fn position(id: u32, Point { x, y }: Point) -> Percept {
    Percept::Position { id, x, y }
}

fn functions(partner: &EPartner) -> impl Iterator<Item = Function> {
    let gps = partner.functions.gps.then_some(Function::Gps);
    gps.into_iter().chain(partner.functions.forget_me_not.then_some(Function::ForgetMeNot))
}
