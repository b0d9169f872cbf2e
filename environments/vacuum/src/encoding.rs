//! The encoding for reinforcement learning: for each of the six squares, whether there is an obstacle, a robot, dust or
//! nothing; the heading; whether the robot is idle; and its location, as parts of the floor. A reward is the number of
//! squares that the robot has cleaned in a step.

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::{EntityId, Environment};
use situated::ontology::typed::{ParameterType, TypedAction};
use situated_grid::Heading;

use crate::floor::{Sight, Task, Where};
use crate::{Action, Parameters, VACBOT, Vacuum, Way};

/// The number of elements.
const SIZE: usize = 6 * 4 + 4 + 1 + 2;

/// The actions after the first, which does nothing.
const ACTIONS: [Action; 8] = [
    Action::Clean,
    moving(Way::Forward, 1),
    moving(Way::Left, 1),
    moving(Way::Right, 1),
    moving(Way::Back, 1),
    moving(Way::Left, 0),
    moving(Way::Right, 0),
    moving(Way::Back, 0),
];

const fn moving(direction: Way, distance: u16) -> Action {
    Action::Move { direction, distance: Some(distance) }
}

impl Encode for Vacuum {
    type Element = f32;

    fn encoding(_: &Parameters, entity_type: &str) -> Option<Encoding> {
        let actions = ACTIONS.iter().map(|action| action.to_iil().to_string());
        let actions = std::iter::once("wait".to_owned()).chain(actions).collect();
        let encoding = Encoding { shape: vec![SIZE], element: f32::TYPE, low: 0.0, high: 1.0, actions };
        (entity_type == VACBOT).then_some(encoding)
    }

    fn meanings(_: &Parameters, entity_type: &str) -> Vec<String> {
        if entity_type != VACBOT {
            return Vec::new();
        }
        let of = |one: Where| Sight::ALL.map(|sight| format!("{}: {}", one.to_parameter(), sight.to_parameter()));
        let headings = Heading::ALL.map(|heading| format!("looks {}", heading.to_parameter()));
        let others = ["is idle", "x", "y"].map(str::to_owned);
        Where::ALL.into_iter().flat_map(of).chain(headings).chain(others).collect()
    }

    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, f32>) {
        let (width, height) = self.floor.size();
        for (entity, row) in buffers.rows(entities, self.ending()) {
            let index = self.robot_of(entity).expect("an entity of this environment");
            let robot = &self.floor.robots[index];
            let (squares, rest) = row.observation.split_at_mut(6 * 4);
            for (elements, sight) in squares.chunks_exact_mut(4).zip(robot.seen.squares) {
                elements[sight as usize] = 1.0;
            }
            rest[robot.seen.heading as usize] = 1.0;
            rest[4] = f32::from(u8::from(robot.task == Task::None));
            rest[5] = robot.seen.place.0 as f32 / width as f32;
            // y grows to the south, as in percepts.
            rest[6] = (height - 1 - robot.seen.place.1) as f32 / height as f32;
            // A robot that is busy can only wait.
            row.mask[1..].fill(robot.task == Task::None);
            *row.reward = (robot.cleaned - self.before[index]) as f32;
        }
    }

    fn decode(&self, entity: EntityId, action: usize) -> Option<Action> {
        let robot = &self.floor.robots[self.robot_of(entity)?];
        ACTIONS.get(action.checked_sub(1)?).copied().filter(|_| robot.task == Task::None)
    }
}
