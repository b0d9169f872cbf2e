//! What actions have come to.

use situated::iil::{EcoString, Percept};
use situated::interface::Moment;
use situated_wire as wire;
use situated_wire::methods::EntityResult;

use super::Perceptions;
use crate::Error;

/// What an action has come to, for each entity through which it was asked for.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "an action can fail for an entity although the call was answered"]
pub struct Acted<P = Percept> {
    /// When it was so.
    pub moment: Moment,
    /// For each entity: what the action has found out, or why it was not done. In a step only those entities are named for
    /// which there is something to say.
    pub results: Vec<(EcoString, Result<Vec<P>, wire::Error>)>,
}

/// What a step has come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped<P = Percept> {
    /// What the action has come to; no results if there was none.
    pub acted: Acted<P>,
    /// What the agent is told about each of its entities.
    pub perceptions: Perceptions<P>,
}

impl<P> Acted<P> {
    pub(super) fn new(moment: Moment, results: Vec<EntityResult>, understand: fn(&Percept) -> Option<P>) -> Self {
        let result = |result: EntityResult| {
            let found = match result.error {
                Some(error) => Err(*error),
                None => Ok(result.percepts.iter().filter_map(understand).collect()),
            };
            (result.entity.0, found)
        };
        Self { moment, results: results.into_iter().map(result).collect() }
    }

    /// What it has found out through all of its entities.
    ///
    /// # Errors
    /// When it was not done for one of them; the first one's error.
    pub fn check(self) -> Result<Vec<P>, Error> {
        let mut found = Vec::new();
        for (_, result) in self.results {
            found.extend(result?);
        }
        Ok(found)
    }
}
