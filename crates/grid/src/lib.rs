//! Grids, for authors of environments: [`Heading`] and places, the cells of a [`Grid`], maps as [text](read_rows),
//! [ways](first_step) over cells, and the [`Board`] on which a scene is drawn.
//!
//! ```
//! use situated_grid::{Grid, Heading, first_step};
//!
//! // A wall across a room, with a gap in the north.
//! let room = Grid::new(5, 3, |(x, y)| x != 2 || y == 2);
//! let is_free = |place| room.get(place) == Some(&true);
//! assert_eq!(first_step((1, 0), |place| place == (3, 0), is_free), Some(Heading::North));
//! assert_eq!(Heading::North.right().from((1, 2)), (2, 2));
//! ```

mod board;
mod grid;
mod heading;

pub use board::Board;
pub use grid::{Grid, first_step, read_rows};
pub use heading::{Heading, Place, beside, bounds};
