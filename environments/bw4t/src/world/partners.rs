//! E-partners: devices that humans carry.

use serde::{Deserialize, Serialize};
use situated::environment::{EntityId, Failure};
use situated::iil::EcoString;

use super::World;
use crate::geometry::Point;
use crate::ground::ZoneIndex;
use crate::robot::Robot;

/// How near a robot has to be to an e-partner to pick it up, in units.
pub const EPARTNER_REACH: f64 = 1.0;

/// How far an e-partner is from the centre of its holder, to the right and downwards.
const OFFSET: f64 = 1.0;

/// An e-partner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EPartner {
    /// The entity that it is.
    pub entity: EntityId,
    /// Its number among all objects.
    pub id: u32,
    /// Its name.
    pub name: EcoString,
    /// Its functions.
    pub functions: Functions,
    /// Whether somebody controls it.
    pub taken: bool,
    /// Whether it is there because somebody has asked for it, and goes when that one leaves.
    pub requested: bool,
    /// Which of the map's places to begin it uses up, if it began there.
    pub spawn: Option<usize>,
    /// Its centre.
    pub position: Point,
    /// The first of the zones in which it lies.
    pub zone: Option<ZoneIndex>,
    /// Its holder.
    pub holder: Option<EntityId>,
    /// Counts the changes of what it perceives of itself.
    pub revision: u64,
}

/// Where an e-partner begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartnerPlace {
    /// With a human.
    Beside(Point),
    /// At this of the map's places to begin, which it uses up as a robot does.
    Spawn(usize),
}

/// The functions of an e-partner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Functions {
    /// It knows where it is, and the rooms.
    pub gps: bool,
    /// It notices being left behind.
    pub forget_me_not: bool,
}

impl EPartner {
    /// Whether a robot perceives it: in its own zone, or in its hands.
    pub fn is_seen_by(&self, robot: &Robot) -> bool {
        let zone = robot.zones.first().copied();
        self.holder == Some(robot.entity) || (self.zone.is_some() && self.zone == zone)
    }
}

impl World {
    /// The e-partners, in the order in which they came.
    pub fn partners(&self) -> &[EPartner] {
        &self.partners
    }

    /// The e-partner that is this entity.
    pub fn partner(&self, entity: EntityId) -> Option<&EPartner> {
        let found = self.partners.binary_search_by_key(&entity, |partner| partner.entity);
        found.ok().map(|index| &self.partners[index])
    }

    /// The robot that carries an e-partner.
    pub fn holder_of(&self, partner: &EPartner) -> Option<&Robot> {
        partner.holder.and_then(|holder| self.robot(holder))
    }

    /// Where the next e-partner begins: beside a human that has none, or where the map lets a robot begin. None if there
    /// is no such place left.
    pub fn place_for_partner(&self) -> Option<PartnerPlace> {
        let has_one = |position: Point| self.partners.iter().any(|partner| partner.position == position);
        let humans = self.robots.iter().filter(|robot| robot.build.human && robot.partner.is_none());
        let beside = humans.map(|robot| robot.position).find(|position| !has_one(*position));
        beside.map(PartnerPlace::Beside).or_else(|| self.free_spawn().map(PartnerPlace::Spawn))
    }

    /// The e-partner that a robot would pick up where it is: the nearest that nobody carries.
    pub fn partner_within_reach(&self, robot: &Robot) -> Option<&EPartner> {
        let distance = |partner: &EPartner| partner.position.distance(robot.position);
        let free = self.partners.iter().filter(|partner| partner.holder.is_none());
        let near = free.filter(|partner| distance(partner) <= EPARTNER_REACH);
        near.min_by(|one, other| distance(one).total_cmp(&distance(other)))
    }

    /// There is an e-partner from now on.
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

    /// A human takes the nearest e-partner.
    ///
    /// # Errors
    /// When it is no human, carries one already, or none is near.
    pub fn pick_up_partner(&mut self, entity: EntityId) -> Result<(), Failure> {
        let robot = self.body(entity)?;
        if !robot.build.human {
            return Err(Failure::new(format!("{} is no human, and only humans carry e-partners", robot.name)));
        }
        if robot.partner.is_some() {
            return Err(Failure::new(format!("{} carries an e-partner already", robot.name)));
        }
        let nearest = self.partner_within_reach(robot).map(|partner| partner.entity);
        let Some(nearest) = nearest else {
            return Err(Failure::new(format!("there is no e-partner within {EPARTNER_REACH} of {}", robot.name)));
        };
        let index = self.index(entity).ok_or_else(|| Failure::unsupported("it is no robot"))?;
        self.robots[index].partner = Some(nearest);
        self.robots[index].revision += 1;
        if let Some(partner) = self.partner_mut(nearest) {
            partner.holder = Some(entity);
        }
        self.carry_partner(index);
        Ok(())
    }

    /// A human drops the e-partner that it carries.
    ///
    /// # Errors
    /// When it carries none.
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

    /// The e-partner that a robot carries comes along.
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
