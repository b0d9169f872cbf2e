//! An environment for measurements. It has any number of entities; each walks along its own line and perceives its
//! position.

use serde::{Deserialize, Serialize};
use situated::prelude::*;
use situated_server::Kinds;
use situated_wire::methods::CreateEnvironment;

/// The name of this kind of environment.
pub(crate) const FIELD: &str = "field";

/// A field with one line per entity.
#[derive(Serialize, Deserialize)]
pub(crate) struct Field {
    places: Vec<i64>,
}

/// How many entities there are.
#[derive(Clone, Debug, InitParameters)]
pub(crate) struct Parameters {
    /// Number of entities.
    #[parameter(default = 1)]
    entities: i64,
}

/// The actions of an entity.
#[derive(Clone, Debug, Action)]
pub(crate) enum Walk {
    /// Walks a number of cells.
    Walk {
        /// Number of cells to the right; negative numbers go left.
        cells: i64,
    },
}

/// The percepts of an entity.
#[derive(Clone, Debug, Percept)]
pub(crate) enum Sense {
    /// The position of the entity.
    #[percept(on_change)]
    At {
        /// The cell.
        cell: i64,
    },
}

impl Environment for Field {
    type Parameters = Parameters;
    type Action = Walk;
    type Percept = Sense;

    fn ontology() -> Ontology {
        Self::ontology_builder(FIELD, "1.0", "Entities on lines.")
            .entity_type("walker", "It walks left and right.")
            .pace(Pace::RealTime { steps_per_second: 50.0 })
            .build()
    }

    fn init(given: &Parameters, context: &mut Context<Sense>) -> Result<Self, Failure> {
        for number in 0..given.entities {
            context.add_entity(format!("entity{number}"), "walker")?;
        }
        Ok(Field { places: vec![0; given.entities.try_into().unwrap_or(0)] })
    }

    fn act(&mut self, entity: EntityId, Walk::Walk { cells }: &Walk, _: &mut Context<Sense>) -> Result<(), Failure> {
        self.places[entity.index()] += cells;
        Ok(())
    }

    fn percepts(&self, entity: EntityId, _: &Context<Sense>, percepts: &mut Percepts<'_, Sense>) {
        percepts.add(Sense::At { cell: self.places[entity.index()] });
    }
}

/// Kinds that contain this one.
pub(crate) fn kinds() -> Kinds {
    Kinds::new().with_environment::<Field>()
}

/// A running environment with this number of entities.
pub(crate) fn field(entities: usize) -> CreateEnvironment {
    let parameters = [("entities".into(), (entities as i64).into())].into();
    CreateEnvironment { parameters, start: true, ..CreateEnvironment::new(FIELD) }
}
