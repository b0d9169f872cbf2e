//! Picking up and putting down blocks.

use situated::environment::{EntityId, Failure};
use situated::random::Random;

use super::World;
use crate::block::{BlockIndex, BlockPlace};
use crate::geometry::{Point, Rectangle};
use crate::ground::ZoneIndex;
use crate::map::ZoneKind;
use crate::map::filling::place_in;

impl World {
    /// Makes a robot pick up a block within its reach.
    ///
    /// # Errors
    /// Returns an error if the robot does not see the block, the block is too far away, or its gripper is full.
    pub fn pick_up(&mut self, entity: EntityId, id: u32) -> Result<(), Failure> {
        let (block, position, zone) = self.visible_block(entity, id)?;
        let robot = self.body_mut(entity)?;
        let (distance, reach) = (robot.position.distance(position), robot.reach());
        if distance > reach {
            let reason = format!("block {id} is too far away: {distance:.2}, and {} reaches {reach}", robot.name);
            return Err(Failure::new(reason));
        }
        if !robot.has_free_gripper() {
            return Err(Failure::new(match robot.build.grippers {
                0 => format!("{} has no gripper", robot.name),
                _ => format!("the gripper of {} is full; put a block down first", robot.name),
            }));
        }
        robot.load.push(block);
        robot.revision += 1;
        self.lying[zone].retain(|lying| *lying != block);
        self.blocks[block].place = BlockPlace::Held(entity);
        self.note_change_in(zone);
        Ok(())
    }

    /// Makes a robot put down the block that it picked up last. In a room, the block then lies near the robot; in the
    /// drop zone, it is delivered if its colour is needed; otherwise it is lost, and its number is returned.
    ///
    /// # Errors
    /// Returns an error if it holds none.
    pub fn put_down(&mut self, entity: EntityId, random: &mut Random) -> Result<Option<u32>, Failure> {
        let index = self.index(entity).ok_or_else(|| Failure::unsupported("only robots can hold blocks"))?;
        let Some(block) = self.robots[index].load.last().copied() else {
            return Err(Failure::new(format!("{} holds no block", self.robots[index].name)));
        };
        match self.room_of(index) {
            Some(zone) if zone == self.ground.drop_zone() => self.deliver(index),
            Some(zone) => self.lay_down(index, zone, random),
            None => self.release(index, BlockPlace::Lost),
        }
        let block = &self.blocks[block];
        Ok((block.place == BlockPlace::Lost).then_some(block.id))
    }

    /// Returns a visible block with this number, with its position and zone.
    ///
    /// # Errors
    /// Returns an error if the robot does not see it.
    pub(super) fn visible_block(&self, entity: EntityId, id: u32) -> Result<(BlockIndex, Point, ZoneIndex), Failure> {
        let robot = self.body(entity)?;
        let first = self.blocks.first().map_or(0, |block| block.id);
        let block = id.checked_sub(first).map(|index| index as usize).filter(|index| *index < self.blocks.len());
        match block.map(|index| (index, self.blocks[index].place)) {
            Some((index, BlockPlace::Lying(position, zone))) if robot.zones.contains(&zone) => {
                Ok((index, position, zone))
            }
            Some((_, BlockPlace::Held(holder))) if holder == entity => {
                Err(Failure::new(format!("{} already holds block {id}", robot.name)))
            }
            // The robot cannot see whether such a block is elsewhere, or who holds it.
            _ => Err(Failure::new(format!("{} sees no block {id} where it is", robot.name))),
        }
    }

    /// Puts down the robot's blocks at its position; outside of rooms they are lost.
    pub(super) fn unload(&mut self, index: usize) {
        let room = self.room_of(index).filter(|zone| *zone != self.ground.drop_zone());
        let position = self.robots[index].position;
        while !self.robots[index].load.is_empty() {
            self.release(index, room.map_or(BlockPlace::Lost, |zone| BlockPlace::Lying(position, zone)));
        }
        self.drop_partner(index);
    }

    fn deliver(&mut self, index: usize) {
        let brought = self.robots[index].load.last().map(|block| self.blocks[*block].color);
        let needed = self.sequence.get(self.delivered).copied();
        if brought != needed {
            // After the last colour, no drop is wrong.
            self.robots[index].deeds.wrong_drops += u64::from(needed.is_some());
            return self.release(index, BlockPlace::Lost);
        }
        self.delivered += 1;
        self.robots[index].deeds.good_drops += 1;
        if self.delivered == self.sequence.len() {
            self.completed = Some(self.tick);
        }
        self.release(index, BlockPlace::Delivered);
    }

    fn lay_down(&mut self, index: usize, zone: ZoneIndex, random: &mut Random) {
        let robot = &self.robots[index];
        let others: Vec<Point> = self.lying[zone].iter().filter_map(|block| self.blocks[*block].position()).collect();
        let reach = Rectangle::around(robot.position, 2.0 * robot.build.size, 2.0 * robot.build.size);
        let within = reach.common(&self.ground.zone(zone).bounds);
        let position = place_in(&within, &others, random);
        self.release(index, BlockPlace::Lying(position, zone));
    }

    /// Removes the top block from the gripper.
    fn release(&mut self, index: usize, place: BlockPlace) {
        let robot = &mut self.robots[index];
        let Some(block) = robot.load.pop() else { return };
        robot.revision += 1;
        self.blocks[block].place = place;
        if let BlockPlace::Lying(_, zone) = place {
            self.lying[zone].push(block);
            self.note_change_in(zone);
        }
    }

    /// Returns the room in which a robot is.
    fn room_of(&self, index: usize) -> Option<ZoneIndex> {
        let mut zones = self.robots[index].zones.iter().copied();
        zones.find(|zone| self.ground.zone(*zone).kind == ZoneKind::Room)
    }

    /// Notes that what is visible in this zone has changed.
    pub(super) fn note_change_in(&mut self, zone: ZoneIndex) {
        self.sights[zone] += 1;
    }
}
