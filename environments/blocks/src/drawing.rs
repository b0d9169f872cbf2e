//! The picture of both environments: the table with the towers and the gripper above it, and the goal at the side, in
//! which blocks that are not in place yet are pale. A block is a square of one unit.

use situated::iil::EcoString;
use situated::scene::{Color, Scene, Shape};

use crate::GRIPPER;
use crate::towers::{Support, Towers};

/// The distance between the left edges of two columns.
pub(crate) const PITCH: f64 = 4.0 / 3.0;
/// The left edge of the first column.
pub(crate) const MARGIN: f64 = 0.5;
/// The height of the table.
const TABLE: f64 = 0.4;
/// The space above the highest possible tower.
const CLEARANCE: f64 = 2.0;
/// The size of the goal.
const SMALL: f64 = 0.8;

const WALL: Color = Color(243, 244, 247);
const WOOD: Color = Color(150, 111, 76);
const STEEL: Color = Color(88, 96, 108);
const PAPER: Color = Color(255, 253, 245);
const PALE: f64 = 0.78;
const COLORS: [Color; 8] = [
    Color(217, 83, 79),
    Color(52, 119, 181),
    Color(233, 168, 32),
    Color(67, 150, 92),
    Color(136, 96, 172),
    Color(226, 122, 63),
    Color(38, 153, 160),
    Color(196, 92, 144),
];

/// The things in the picture.
pub(crate) struct Picture<'a> {
    pub(crate) towers: &'a Towers,
    pub(crate) goal: Option<&'a Towers>,
    pub(crate) name: fn(u8) -> EcoString,
    /// The left lower corner of the block that the gripper holds, or would hold, above the table.
    pub(crate) gripper: (f64, f64),
    /// The opening of the gripper, from 0 to 1.
    pub(crate) opening: f64,
    pub(crate) is_viewer: bool,
}

impl Picture<'_> {
    /// Draws the scene.
    pub(crate) fn draw(&self) -> Scene {
        let count = self.towers.count() as f64;
        let table = 2.0 * MARGIN + PITCH * (count - 1.0) + 1.0;
        let height = TABLE + count + CLEARANCE;
        let width = table + if self.goal.is_some() { SMALL * table + 2.0 * MARGIN } else { 0.0 };
        let mut scene = Scene { width, height, shapes: Vec::new() };
        scene.shapes.push(Shape::rectangle(0.0, 0.0, width, height, WALL));
        scene.shapes.push(Shape::rectangle(0.0, 0.0, table, TABLE, WOOD).labelled("table").standing_for("table"));
        for block in self.towers.blocks().filter(|block| self.towers.support(*block) != Support::Arm) {
            let (x, y) = (f64::from(self.towers.column(block)), f64::from(self.towers.height(block)));
            scene.shapes.push(self.block(block, (MARGIN + PITCH * x, TABLE + y), 1.0));
        }
        self.draw_gripper(&mut scene, table);
        if let Some(goal) = self.goal {
            self.draw_goal(&mut scene, goal, table + MARGIN);
        }
        scene
    }

    fn block(&self, block: u8, (x, y): (f64, f64), size: f64) -> Shape {
        let gap = 0.03 * size;
        let color = COLORS[usize::from(block) % COLORS.len()];
        let name = (self.name)(block);
        Shape::rectangle(x + gap, y, size - 2.0 * gap, size - gap, color)
            .labelled(name.as_str())
            .standing_for(name.as_str())
    }

    fn draw_gripper(&self, scene: &mut Scene, table: f64) {
        let (x, y) = (self.gripper.0, TABLE + self.gripper.1);
        let rail = scene.height - 0.25;
        scene.shapes.push(Shape::rectangle(0.0, rail, table, 0.25, STEEL));
        let held = self.towers.blocks().find(|block| self.towers.support(*block) == Support::Arm);
        scene.shapes.extend(held.map(|block| self.block(block, (x, y), 1.0)));
        let open = 0.1 * self.opening;
        scene.shapes.push(Shape::rectangle(x + 0.42, y + 1.25, 0.16, rail - y - 1.25, STEEL));
        for finger in [x - 0.1 - open, x + 0.98 + open] {
            scene.shapes.push(Shape::rectangle(finger, y + 0.55, 0.12, 0.6, STEEL));
        }
        let color = if self.is_viewer { Color::BLUE } else { STEEL };
        let palm = Shape::rectangle(x - 0.1 - open, y + 1.05, 1.2 + 2.0 * open, 0.25, color);
        scene.shapes.push(palm.standing_for(GRIPPER));
    }

    fn draw_goal(&self, scene: &mut Scene, goal: &Towers, left: f64) {
        let count = goal.count() as f64;
        let width = SMALL * (2.0 * MARGIN + PITCH * (count - 1.0) + 1.0);
        scene.shapes.push(Shape::rectangle(left, 0.0, width, SMALL * (count + 1.0) + 1.1, PAPER));
        let title = Shape::rectangle(left, SMALL * (count + 1.0) + 0.4, width, 0.7, PAPER);
        scene.shapes.push(title.labelled("goal"));
        scene.shapes.push(Shape::rectangle(left, 0.0, width, SMALL * TABLE, WOOD));
        for block in goal.blocks() {
            let (x, y) = (f64::from(goal.column(block)), f64::from(goal.height(block)));
            let at = (left + SMALL * (MARGIN + PITCH * x), SMALL * (TABLE + y));
            let mut shape = self.block(block, at, SMALL);
            if !self.towers.is_in_place(block, goal) {
                shape.color = shape.color.lighter(PALE);
            }
            shape.stands_for = None;
            scene.shapes.push(shape);
        }
    }
}

/// Returns the block at a point of the scene.
pub(crate) fn block_at(towers: &Towers, (x, y): (f64, f64)) -> Option<u8> {
    let column = (x - MARGIN) / PITCH;
    let is_hit = column >= 0.0 && column - (column as u8 as f64) < 1.0 / PITCH && y >= TABLE;
    let hits = |block: &u8| {
        towers.support(*block) != Support::Arm
            && towers.column(*block) == column as u8
            && towers.height(*block) == (y - TABLE) as u8
    };
    towers.blocks().filter(|_| is_hit).find(hits)
}

/// Returns whether a point of the scene is on the table, or above it beside the towers.
pub(crate) fn is_at_table(towers: &Towers, (x, _): (f64, f64)) -> bool {
    x < 2.0 * MARGIN + PITCH * (towers.count() as f64 - 1.0) + 1.0
}
