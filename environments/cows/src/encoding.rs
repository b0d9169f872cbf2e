//! The encoding for reinforcement learning: for each kind of thing, whether it is in each cell in sight, row by row
//! from the north-west, with obstacles outside of the pasture; the cowboy's place; and the way to the middle of its
//! corral, 0.5 if it is there. A reward is the number of cows in the corral of the team, so the mean of all rewards is
//! the score.

use situated::encoding::{Buffers, Element, Encode, Encoding, Row};
use situated::environment::{EntityId, Environment};
use situated::ontology::typed::{ParameterType, TypedAction};

use crate::pasture::Direction;
use crate::{Action, COWBOY, Cows, Item, Parameters};

/// The elements after those of the cells.
const PLACES: [&str; 4] = ["x", "y", "to the east: corral", "to the south: corral"];

impl Encode for Cows {
    type Element = f32;

    fn encoding(parameters: &Parameters, entity_type: &str) -> Option<Encoding> {
        let actions = actions().map(|action| action.to_iil().to_string()).collect();
        let size = cells(parameters.line_of_sight) * Item::ALL.len() + PLACES.len();
        let encoding = Encoding { shape: vec![size], element: f32::TYPE, low: 0.0, high: 1.0, actions };
        (entity_type == COWBOY).then_some(encoding)
    }

    fn meanings(parameters: &Parameters, entity_type: &str) -> Vec<String> {
        if entity_type != COWBOY {
            return Vec::new();
        }
        let sight = i32::from(parameters.line_of_sight);
        let cell = |item: Item| {
            (-sight..=sight)
                .flat_map(move |y| (-sight..=sight).map(move |x| format!("{} at ({x}, {y})", item.to_parameter())))
        };
        Item::ALL.into_iter().flat_map(cell).chain(PLACES.map(str::to_owned)).collect()
    }

    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, f32>) {
        let cells = cells(self.sight);
        let size = cells * Item::ALL.len() + PLACES.len();
        let (sight, side) = (i32::from(self.sight), 2 * i32::from(self.sight) + 1);
        let (width, height) = self.pasture.size();
        for (entity, Row { observation, reward, .. }) in buffers.rows(entities, self.ending()) {
            let index = self.cowboy_of(entity).expect("an entity of this environment");
            let cowboy = &self.pasture.cowboys()[index];
            let at = |(x, y): (i32, i32)| ((y + sight) * side + x + sight) as usize;
            observation[..cells].fill(1.0);
            for (x, y) in self.view_of(index) {
                observation[at((x - cowboy.place.0, y - cowboy.place.1))] = 0.0;
            }
            self.sights(index, |place, item, _| observation[item as usize * cells + at(place)] = 1.0);
            let ((west, north), (east, south)) = self.pasture.corral(cowboy.team);
            let part = |cells: i32, all: i32| cells as f32 / all as f32;
            let (x, y) = cowboy.place;
            observation[size - PLACES.len()..].copy_from_slice(&[
                part(x, width),
                part(y, height),
                0.5 + part(west + east - 2 * x, 4 * width),
                0.5 + part(north + south - 2 * y, 4 * height),
            ]);
            *reward = if self.pasture.steps > 0 { self.pasture.count(cowboy.team) as f32 } else { 0.0 };
        }
    }

    fn decode(&self, _: EntityId, action: usize) -> Option<Action> {
        actions().nth(action)
    }
}

/// Returns the actions in the order of their numbers.
fn actions() -> impl Iterator<Item = Action> {
    std::iter::once(Action::Skip).chain(Direction::ALL.map(|direction| Action::Move { direction }))
}

/// Returns the number of cells in sight.
fn cells(sight: u8) -> usize {
    let side = 2 * usize::from(sight) + 1;
    side * side
}
