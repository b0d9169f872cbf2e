//! The encoding for reinforcement learning: the document's observation vector in the local view, the masked maze in
//! the global view.

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::EntityId;
use situated::ontology::typed::TypedAction;

use crate::maze::{Body, Cell, Direction, HEIGHT, Maze, Sight, WIDTH};
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

/// More than the index of any cell, and a power of two, so that the processor checks an index quickly.
const CELLS: usize = 64;

/// For each cell, the row of a walker there who observes nothing but walls, with a byte for each direction.
const ROWS_OF_WALLS: [u64; CELLS] = rows_of_walls();

/// The row of a walker who observes nothing but the other one, by the index of the other one's cell, minus the index of
/// its own cell, plus [`CELLS`].
const ROWS_OF_OTHERS: [u64; 2 * CELLS] = rows_of_others();

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
    #[inline(always)]
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
    #[inline(always)]
    fn encode_rows<const SIZE: usize>(
        &self,
        entities: &[EntityId],
        buffers: Buffers<'_, u8>,
        write: impl Fn(&Maze, Body, &mut [u8; SIZE]),
    ) {
        if entities == self.entities {
            // The usual rows, for which no walker is looked up.
            self.encode_bodies(Body::ALL, buffers, write);
        } else {
            let bodies = entities.iter().map(|&entity| self.body(entity).expect("an entity of this environment"));
            self.encode_bodies(bodies, buffers, write);
        }
    }

    #[inline(always)]
    fn encode_bodies<const SIZE: usize>(
        &self,
        bodies: impl IntoIterator<Item = Body, IntoIter: ExactSizeIterator>,
        buffers: Buffers<'_, u8>,
        write: impl Fn(&Maze, Body, &mut [u8; SIZE]),
    ) {
        let (observations, masks) = (buffers.observations.as_chunks_mut().0, buffers.masks.as_chunks_mut().0);
        let rows = observations.iter_mut().zip(masks).zip(buffers.rewards);
        let rows = rows.zip(buffers.terminated).zip(buffers.truncated);
        let bodies = bodies.into_iter();
        assert!(rows.len() >= bodies.len(), "a row for each entity");
        for (body, ((((observation, mask), reward), terminated), truncated)) in bodies.zip(rows) {
            write(&self.maze, body, observation);
            *mask = [true; Action::ALL.len()];
            *reward = self.reward as f32;
            (*terminated, *truncated) = (false, false);
        }
    }
}

fn write_local(maze: &Maze, body: Body, observation: &mut [u8; LOCAL]) {
    let (own, other) = (maze.cell(body).index(), maze.cell(body.other()).index());
    // No walker is in a wall, so each byte is that of a wall or of the other walker.
    *observation = (ROWS_OF_WALLS[own % CELLS] | ROWS_OF_OTHERS[(CELLS + other - own) % (2 * CELLS)]).to_le_bytes();
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

const fn rows_of_walls() -> [u64; CELLS] {
    let mut rows = [0; _];
    let mut y = 1;
    while y < HEIGHT - 1 {
        let mut x = 1;
        while x < WIDTH - 1 {
            let mut number = 0;
            while number < LOCAL {
                let (right, up) = Direction::ALL[number].offset();
                let sight = if Cell::at(x - 1 + right, y - 1 + up).is_wall() { Sight::Wall } else { Sight::Free };
                rows[Cell::at(x, y).index()] |= (sight as u64) << (8 * number);
                number += 1;
            }
            x += 1;
        }
        y += 1;
    }
    rows
}

const fn rows_of_others() -> [u64; 2 * CELLS] {
    let mut rows = [0; _];
    let south_west = CELLS - Cell::at(1, 1).index();
    let mut number = 0;
    while number < LOCAL {
        let (right, up) = Direction::ALL[number].offset();
        rows[south_west + Cell::at(right, up).index()] = (Sight::Other as u64) << (8 * number);
        number += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimum::Game;

    #[test]
    fn walkers_observe_what_they_see() {
        for maze in Game::explore().states() {
            for body in Body::ALL {
                let mut observation = [0; LOCAL];
                write_local(maze, body, &mut observation);
                assert_eq!(observation, maze.sees(body).map(|sight| sight as u8), "{maze:?}");
            }
        }
    }
}
