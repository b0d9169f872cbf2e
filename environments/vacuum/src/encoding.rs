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

/// What a robot can see of a square, in the order of the elements.
const SIGHTS: [Sight; 4] = [Sight::Obstacle, Sight::Vac, Sight::Dust, Sight::Empty];

/// Returns the identifier of a value.
fn word(value: &impl ParameterType) -> String {
    value.to_parameter().to_string()
}

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
        let squares =
            Where::ALL.into_iter().flat_map(|one| SIGHTS.map(|sight| format!("{}: {}", word(&one), word(&sight))));
        let headings = Heading::ALL.map(|heading| format!("looks {}", word(&heading)));
        squares.chain(headings).chain(["is idle", "x", "y"].map(str::to_owned)).collect()
    }

    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, f32>) {
        let (width, height) = self.floor.size();
        let masks = buffers.masks.chunks_exact_mut(ACTIONS.len() + 1);
        for (row, ((&entity, observation), mask)) in
            entities.iter().zip(buffers.observations.chunks_exact_mut(SIZE)).zip(masks).enumerate()
        {
            let index = self.robot_of(entity).expect("an entity of this environment");
            let robot = &self.floor.robots[index];
            observation.fill(0.0);
            let (squares, rest) = observation.split_at_mut(6 * 4);
            for (elements, sight) in squares.chunks_exact_mut(4).zip(robot.seen.squares) {
                elements[SIGHTS.iter().position(|one| *one == sight).unwrap_or(3)] = 1.0;
            }
            rest[Heading::ALL.iter().position(|one| *one == robot.seen.heading).unwrap_or(0)] = 1.0;
            rest[4] = f32::from(u8::from(robot.task == Task::None));
            rest[5] = robot.seen.place.0 as f32 / width as f32;
            rest[6] = robot.seen.place.1 as f32 / height as f32;
            // A robot that is busy can only wait.
            mask.fill(robot.task == Task::None);
            mask[0] = true;
            buffers.rewards[row] = (robot.cleaned - self.before[index]) as f32;
            buffers.terminated[row] = self.ending().is_some();
            buffers.truncated[row] = false;
        }
    }

    fn decode(&self, entity: EntityId, action: usize) -> Option<Action> {
        let robot = &self.floor.robots[self.robot_of(entity)?];
        ACTIONS.get(action.checked_sub(1)?).copied().filter(|_| robot.task == Task::None)
    }
}
