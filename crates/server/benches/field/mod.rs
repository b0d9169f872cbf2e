//! A world for measurements: as many bodies as wanted, each of which walks along a line of its own and perceives where it
//! is.

use serde::{Deserialize, Serialize};
use situated::ontology::Pace;
use situated::prelude::*;
use situated_server::Kinds;
use situated_wire::methods::CreateEnvironment;

/// The name of such worlds.
pub(crate) const FIELD: &str = "field";

/// A line for each body.
#[derive(Serialize, Deserialize)]
pub(crate) struct Field {
    places: Vec<i64>,
}

/// How many bodies there are.
#[derive(Clone, Debug, InitParameters)]
pub(crate) struct Parameters {
    /// How many bodies there are.
    #[parameter(default = 1)]
    bodies: i64,
}

/// What a body can do.
#[derive(Clone, Debug, Action)]
pub(crate) enum Walk {
    /// Walks so many cells.
    Walk {
        /// To the right; to the left if negative.
        cells: i64,
    },
}

/// What a body perceives.
#[derive(Clone, Debug, Percept)]
pub(crate) enum Sense {
    /// It is in this cell.
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
        Ontology::builder::<Parameters, Walk, Sense>(FIELD, "1.0", "Bodies on lines.")
            .entity_type("walker", "It walks to and fro.")
            .pace(Pace::RealTime { steps_per_second: 50.0 })
            .build()
    }

    fn init(given: &Parameters, context: &mut Context<Sense>) -> Result<Self, Failure> {
        for number in 0..given.bodies {
            context.add_entity(format!("body{number}"), "walker")?;
        }
        Ok(Field { places: vec![0; given.bodies.try_into().unwrap_or(0)] })
    }

    fn act(
        &mut self,
        body: EntityId,
        Walk::Walk { cells }: &Walk,
        _: &mut Context<Sense>,
    ) -> Result<Vec<Sense>, Failure> {
        self.places[body.index()] += cells;
        Ok(Vec::new())
    }

    fn percepts(&self, body: EntityId, _: &Context<Sense>, percepts: &mut Percepts<'_, Sense>) {
        percepts.add(Sense::At { cell: self.places[body.index()] });
    }
}

/// A kinds with such worlds.
pub(crate) fn kinds() -> Kinds {
    Kinds::new().with(Field::ontology(), || Box::new(situated::interface::Interface::<Field>::new()))
}

/// Such a world with so many bodies, whose time runs.
pub(crate) fn field(bodies: usize) -> CreateEnvironment {
    CreateEnvironment {
        kind: FIELD.into(),
        environment: None,
        parameters: [("bodies".into(), (bodies as i64).into())].into(),
        seed: None,
        pace: None,
        speed: None,
        patience_ms: None,
        start: true,
    }
}
