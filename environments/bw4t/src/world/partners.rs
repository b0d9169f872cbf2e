//! E-partners: devices that humans carry.

use serde::{Deserialize, Serialize};
use situated::environment::{EntityId, Failure};
use situated::iil::EcoString;

use super::World;
use crate::geometry::Point;
use crate::ground::ZoneIndex;
use crate::robot::Robot;

/// Maximum distance at which a robot can pick up an e-partner, in units.
pub const EPARTNER_REACH: f64 = 1.0;

/// Distance of an e-partner from the centre of its holder, to the right and downwards.
const OFFSET: f64 = 1.0;

/// An e-partner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EPartner {
    /// Its entity.
    pub entity: EntityId,
    /// Its number among all objects.
    pub id: u32,
    /// Its name.
    pub name: EcoString,
    /// Its functions.
    pub functions: Functions,
    /// Whether an agent controls it.
    pub taken: bool,
    /// Whether an agent requested it; it is deleted when that agent leaves.
    pub requested: bool,
    /// The starting point on the map that it uses, if it began there.
    pub spawn: Option<usize>,
    /// Its centre.
    pub position: Point,
    /// The first zone that contains it.
    pub zone: Option<ZoneIndex>,
    /// Its holder.
    pub holder: Option<EntityId>,
    /// Number of changes in its percepts about itself.
    pub revision: u64,
}

/// The place where an e-partner begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartnerPlace {
    /// Beside a human.
    Beside(Point),
    /// At this starting point of the map, which it uses like a robot.
    Spawn(usize),
}

/// The functions of an e-partner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Functions {
    /// It knows its position, and the rooms.
    pub gps: bool,
    /// It notices being left behind.
    pub forget_me_not: bool,
}

impl EPartner {
    /// Whether a robot perceives it: it is in the robot's zone, or the robot carries it.
    pub fn is_seen_by(&self, robot: &Robot) -> bool {
        let zone = robot.zones.first().copied();
        self.holder == Some(robot.entity) || (self.zone.is_some() && self.zone == zone)
    }
}

impl World {
    /// Returns the e-partners, in the order of their creation.
    pub fn partners(&self) -> &[EPartner] {
        &self.partners
    }

    /// Returns the e-partner of this entity.
    pub fn partner(&self, entity: EntityId) -> Option<&EPartner> {
        let found = self.partners.binary_search_by_key(&entity, |partner| partner.entity);
        found.ok().map(|index| &self.partners[index])
    }

    /// Returns the robot that carries an e-partner.
    pub fn holder_of(&self, partner: &EPartner) -> Option<&Robot> {
        partner.holder.and_then(|holder| self.robot(holder))
    }

    /// Returns the place where the next e-partner begins: beside a human without one, or at a starting point; `None`
    /// if there is none left.
    pub fn place_for_partner(&self) -> Option<PartnerPlace> {
        let has_one = |position: Point| self.partners.iter().any(|partner| partner.position == position);
        let humans = self.robots.iter().filter(|robot| robot.build.human && robot.partner.is_none());
        let beside = humans.map(|robot| robot.position).find(|position| !has_one(*position));
        beside.map(PartnerPlace::Beside).or_else(|| self.free_spawn().map(PartnerPlace::Spawn))
    }

    /// Returns the e-partner that a robot would pick up: the nearest one that nobody carries.
    pub fn partner_within_reach(&self, robot: &Robot) -> Option<&EPartner> {
        let distance = |partner: &EPartner| partner.position.distance(robot.position);
        let free = self.partners.iter().filter(|partner| partner.holder.is_none());
        let near = free.filter(|partner| distance(partner) <= EPARTNER_REACH);
        near.min_by(|one, other| distance(one).total_cmp(&distance(other)))
    }

    /// Adds an e-partner.
    pub fn add_partner(
        &mut self,
        entity: EntityId,
        name: EcoString,
        functions: Functions,
        place: PartnerPlace,
        requested: bool,
    ) {
        let (position, spawn) = match place {
            PartnerPlace::Beside(position) => (position, None),
            PartnerPlace::Spawn(spawn) => (self.place_to_begin(spawn), Some(spawn)),
        };
        self.set_used(spawn, true);
        let zone = self.ground.zone_at(position);
        self.partners.push(EPartner {
            entity,
            id: self.next_id,
            name,
            functions,
            taken: false,
            requested,
            spawn,
            position,
            zone,
            holder: None,
            revision: 0,
        });
        self.next_id += 1;
        self.note_change_at(zone);
    }

    pub(super) fn remove_partner(&mut self, entity: EntityId) {
        let Some(partner) = self.partner(entity) else { return };
        let (holder, zone, spawn) = (partner.holder, partner.zone, partner.spawn);
        self.set_used(spawn, false);
        if let Some(index) = holder.and_then(|holder| self.index(holder)) {
            self.drop_partner(index);
        }
        self.partners.retain(|partner| partner.entity != entity);
        self.note_change_at(zone);
        self.revisions.players += 1;
    }

    /// Makes a human pick up the nearest e-partner.
    ///
    /// # Errors
    /// Returns an error if the robot is not a human, already carries an e-partner, or none is near.
    pub fn pick_up_partner(&mut self, entity: EntityId) -> Result<(), Failure> {
        let robot = self.body(entity)?;
        if !robot.build.human {
            return Err(Failure::new(format!("{} is not a human; only humans can carry e-partners", robot.name)));
        }
        if robot.partner.is_some() {
            return Err(Failure::new(format!("{} already carries an e-partner", robot.name)));
        }
        let nearest = self.partner_within_reach(robot).map(|partner| partner.entity);
        let Some(nearest) = nearest else {
            return Err(Failure::new(format!("there is no e-partner within {EPARTNER_REACH} of {}", robot.name)));
        };
        let index = self.index(entity).ok_or_else(|| Failure::unsupported("only robots can carry e-partners"))?;
        self.robots[index].partner = Some(nearest);
        self.robots[index].revision += 1;
        if let Some(partner) = self.partner_mut(nearest) {
            partner.holder = Some(entity);
        }
        self.carry_partner(index);
        Ok(())
    }

    /// Makes a human drop its e-partner.
    ///
    /// # Errors
    /// Returns an error if it carries none.
    pub fn put_down_partner(&mut self, entity: EntityId) -> Result<(), Failure> {
        let robot = self.body(entity)?;
        if robot.partner.is_none() {
            return Err(Failure::new(format!("{} carries no e-partner", robot.name)));
        }
        if let Some(index) = self.index(entity) {
            self.drop_partner(index);
        }
        Ok(())
    }

    pub(super) fn partner_mut(&mut self, entity: EntityId) -> Option<&mut EPartner> {
        let found = self.partners.binary_search_by_key(&entity, |partner| partner.entity);
        found.ok().map(|index| &mut self.partners[index])
    }

    /// Moves the e-partner that a robot carries.
    pub(super) fn carry_partner(&mut self, index: usize) {
        let Some(partner) = self.robots[index].partner else { return };
        let Point { x, y } = self.robots[index].position;
        let position = Point::new(x + OFFSET, y + OFFSET);
        let zone = self.ground.zone_at(position);
        let Some(partner) = self.partner_mut(partner) else { return };
        let before = partner.zone;
        (partner.position, partner.zone) = (position, zone);
        partner.revision += 1;
        self.note_change_at(before);
        self.note_change_at(zone);
    }

    pub(super) fn drop_partner(&mut self, index: usize) {
        let Some(partner) = self.robots[index].partner.take() else { return };
        self.robots[index].revision += 1;
        let Some(partner) = self.partner_mut(partner) else { return };
        partner.holder = None;
        partner.revision += 1;
        let zone = partner.zone;
        self.note_change_at(zone);
    }

    fn set_used(&mut self, spawn: Option<usize>, used: bool) {
        if let Some(spawn) = spawn {
            self.use_spawn(spawn, used);
        }
    }

    fn note_change_at(&mut self, zone: Option<ZoneIndex>) {
        self.revisions.partners += 1;
        if let Some(zone) = zone {
            self.note_change_in(zone);
        }
    }
}
