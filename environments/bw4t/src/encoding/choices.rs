//! The choices of learners, which are macro actions: which of them a robot can follow, and how.

use crate::Color;
use crate::action::Action;
use crate::block::Block;
use crate::encoding::layout::{Choice, Layout};
use crate::encoding::observation::View;
use crate::geometry::Point;
use crate::robot::State;

impl Choice {
    /// Whether a robot can follow it now: there is a way; there are such a block and a free gripper; it holds a
    /// block. It does not judge whether the choice is good.
    pub(super) fn is_open(self, view: &View<'_>) -> bool {
        let View { world, robot, .. } = view;
        match self {
            Choice::Wait => true,
            Choice::GoTo(place) => world.ground().is_connected(view.at(), place, world.rules().around_blockades),
            Choice::PickUp(color) => robot.has_free_gripper() && view.counts[color as usize] > 0,
            Choice::PutDown => !robot.load.is_empty(),
        }
    }

    /// Returns the robot's action for this choice; `None` if it already does that, or cannot.
    pub(super) fn action(self, view: &View<'_>) -> Option<Action> {
        if !self.is_open(view) {
            return None;
        }
        match self {
            Choice::Wait => None,
            Choice::GoTo(place) => {
                let zone = view.world.ground().zone(place);
                let action = Action::GoToPlace { place: zone.name.clone() };
                (!is_bound_for(view, zone.bounds.center)).then_some(action)
            }
            Choice::PickUp(color) => pick_up(view, color),
            Choice::PutDown => Some(Action::PutDown),
        }
    }
}

/// Writes which choices a robot can follow.
pub(super) fn write_mask(view: &View<'_>, layout: &Layout<'_>, mask: &mut [bool]) {
    for (choice, open) in layout.choices().zip(mask) {
        *open = choice.is_open(view);
    }
}

fn pick_up(view: &View<'_>, color: Color) -> Option<Action> {
    let robot = view.robot;
    let distance = |block: &Block| block.position().map_or(f64::INFINITY, |place| robot.position.distance(place));
    let blocks = || view.blocks().filter(|block| view.look(block) == color);
    let nearest = blocks().min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
    if distance(nearest) <= robot.reach() {
        return Some(Action::PickUp { block: nearest.id });
    }
    let on_its_way = blocks().filter_map(Block::position).any(|place| is_bound_for(view, place));
    (!on_its_way).then_some(Action::GoToBlock { block: nearest.id })
}

fn is_bound_for(view: &View<'_>, goal: Point) -> bool {
    view.robot.state == State::Traveling && view.robot.goal == Some(goal)
}
