//! The encoding for reinforcement learning: the document's observation vector in the local view, the masked maze in
//! the global view.

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::EntityId;
use situated::ontology::typed::TypedAction;

use crate::maze::{Body, Direction, HEIGHT, Maze, Sight, WIDTH};
use crate::{Action, FindGoals, Parameters, View, WALKER};

/// In the global view: a cell out of sight. Smaller numbers are those of [`Sight`].
pub const OUT_OF_SIGHT: u8 = 3;

/// In the global view: the walker's own cell.
pub const SELF: u8 = 4;

/// Elements of an observation in the local view: one for each direction, in the order of [`Direction::ALL`].
const LOCAL: usize = Direction::ALL.len();

/// Elements of an observation in the global view: the maze, row by row from the top, each from the left.
const GLOBAL: usize = WIDTH as usize * HEIGHT as usize;

/// The meanings of the elements in the local view.
const DIRECTIONS: [&str; LOCAL] =
    ["north-west", "north", "north-east", "west", "east", "south-west", "south", "south-east"];

impl Encode for FindGoals {
    type Element = u8;

    fn encoding(parameters: &Parameters, entity_type: &str) -> Option<Encoding> {
        let (shape, highest) = match parameters.view {
            View::Local => (vec![LOCAL], Sight::Other as u8),
            View::Global => (vec![HEIGHT.into(), WIDTH.into()], SELF),
        };
        let actions = Action::ALL.iter().map(|action| action.to_iil().to_string()).collect();
        (entity_type == WALKER).then(|| Encoding { shape, element: u8::TYPE, low: 0.0, high: highest.into(), actions })
    }

    fn meanings(parameters: &Parameters, entity_type: &str) -> Vec<String> {
        if entity_type != WALKER {
            return Vec::new();
        }
        match parameters.view {
            View::Local => DIRECTIONS.map(|direction| format!("cell to the {direction}")).into(),
            View::Global => {
                let cells = (0..HEIGHT).rev().flat_map(|y| (0..WIDTH).map(move |x| format!("cell ({x}, {y})")));
                cells.collect()
            }
        }
    }

    /// Writes the rows of these walkers.
    ///
    /// # Panics
    /// Panics if a buffer has too few rows, or an entity does not exist in this environment.
    #[inline]
    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, u8>) {
        match self.view {
            View::Local => self.encode_rows::<LOCAL>(entities, buffers, write_local),
            View::Global => self.encode_rows::<GLOBAL>(entities, buffers, write_global),
        }
    }

    fn decode(&self, _: EntityId, action: usize) -> Option<Action> {
        Action::ALL.get(action).copied()
    }

    /// The maze and the chosen actions.
    fn essence(&self) -> Option<Self> {
        Some(Self { reward: 0, total_reward: 0, goals: [0; 2], ..self.clone() })
    }
}

impl FindGoals {
    #[inline]
    fn encode_rows<const SIZE: usize>(
        &self,
        entities: &[EntityId],
        buffers: Buffers<'_, u8>,
        write: impl Fn(&Maze, Body, &mut [u8; SIZE]),
    ) {
        let (observations, _) = buffers.observations.as_chunks_mut();
        let (masks, _) = buffers.masks.as_chunks_mut();
        let Buffers { rewards, terminated, truncated, .. } = buffers;
        let mut encode = |row: usize, body: Body| {
            write(&self.maze, body, &mut observations[row]);
            masks[row] = [true; Action::ALL.len()];
            rewards[row] = self.reward as f32;
            (terminated[row], truncated[row]) = (false, false);
        };
        if entities == self.entities {
            // The usual rows, for which the compiler knows the walkers.
            encode(0, Body::Red);
            encode(1, Body::Blue);
        } else {
            for (row, &entity) in entities.iter().enumerate() {
                encode(row, self.body(entity).expect("an entity of this environment"));
            }
        }
    }
}

fn write_local(maze: &Maze, body: Body, observation: &mut [u8; LOCAL]) {
    *observation = maze.sees(body).map(|sight| sight as u8);
}

fn write_global(maze: &Maze, body: Body, observation: &mut [u8; GLOBAL]) {
    let own = maze.cell(body);
    observation.fill(OUT_OF_SIGHT);
    observation[place(own.x(), own.y())] = SELF;
    for (direction, sight) in Direction::ALL.into_iter().zip(maze.sees(body)) {
        let (right, up) = direction.offset();
        observation[place(own.x() - 1 + right, own.y() - 1 + up)] = sight as u8;
    }
}

fn place(x: u8, y: u8) -> usize {
    usize::from(HEIGHT - 1 - y) * usize::from(WIDTH) + usize::from(x)
}
