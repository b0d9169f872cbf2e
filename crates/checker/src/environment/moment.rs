//! The state of an episode between two inputs, and differences between such states.

use std::fmt::{Debug, Display};

use situated::environment::{Ending, Entity, Measure};
use situated::iil::{EcoString, Percept};
use situated::scene::Scene;

use super::subject::{Broken, Inside, Perceived, Row, Subject};

/// Number of percepts that an explanation shows.
const NAMED: usize = 3;

/// The bytes in memory before an encoding writes to it.
pub(super) const FILLER: u8 = 76;

/// Number of steps after which the results are compared again.
const STEPS_FOR_RESULTS: u64 = 10;

/// Everything that can be observed of an episode between two inputs.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) step: u64,
    /// The hash of the state, if it is accessible.
    pub(super) hash: Option<u64>,
    /// The entities with their perceptions.
    pub(super) entities: Vec<(Entity, Perceived)>,
    /// The rows of those entities that have an encoding.
    rows: Vec<(EcoString, Row)>,
    /// The scene as a whole, and as one of the entities may see it.
    scenes: [Scene; 2],
    pub(super) ending: Option<Ending>,
    /// The results, which may take long to compute. They are computed only in some steps and at the end.
    results: Vec<Measure>,
}

impl Moment {
    /// Observes the current moment, after this step.
    pub(super) fn now(subject: &mut dyn Subject, step: u64) -> Result<Self, Broken> {
        let entities = subject.entities()?;
        let viewer = entities.get(step as usize % entities.len().max(1)).map(|entity| entity.name.clone());
        let seen = viewer.map(|viewer| subject.scene(Some(&viewer))).transpose()?;
        let scenes = [subject.scene(None)?, seen.unwrap_or_default()];
        let (mut hash, mut rows) = (None, Vec::new());
        if let Some(inside) = subject.inside() {
            hash = Some(inside.hash());
            let of_entity = |entity: &Entity| Some((entity.name.clone(), row(inside, entity)?));
            rows = entities.iter().filter_map(of_entity).collect();
        }
        let perceive = |entity: Entity| {
            let perceived = subject.perceive(&entity.name)?;
            Ok((entity, perceived))
        };
        let entities = entities.into_iter().map(perceive).collect::<Result<_, Broken>>()?;
        let ending = subject.ending()?;
        let results =
            if ending.is_some() || step.is_multiple_of(STEPS_FOR_RESULTS) { subject.results()? } else { Vec::new() };
        Ok(Self { step, hash, entities, rows, scenes, ending, results })
    }

    /// Returns the first difference to another moment; `None` if both are the same.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        self.difference_in(other, |perceived| &perceived.events)
    }

    /// Returns the first difference to a later moment, for agents that have received the events of this one.
    pub(super) fn difference_afterwards(&self, other: &Self) -> Option<String> {
        self.difference_in(other, |_| &[])
    }

    fn difference_in(&self, other: &Self, told: impl Fn(&Perceived) -> &[Percept]) -> Option<String> {
        let names = |moment: &Self| -> Vec<String> {
            moment.entities.iter().map(|(entity, _)| format!("{}: {}", entity.name, entity.entity_type)).collect()
        };
        if let Some(difference) = difference_of_lists(&names(self), &names(other)) {
            return Some(format!("the entities: {difference}"));
        }
        for ((entity, one), (_, two)) in self.entities.iter().zip(&other.entities) {
            let holds = |perceived: &Perceived| perceived.holds().cloned().collect::<Vec<Percept>>();
            if one.sections != two.sections
                && let Some(difference) = difference_of_lists(&holds(one), &holds(two))
            {
                return Some(format!("the percepts of `{}`: {difference}", entity.name));
            }
            if let Some(difference) = difference_of_lists(told(one), &two.events) {
                return Some(format!("the events for `{}`: {difference}", entity.name));
            }
        }
        for ((entity, one), (_, two)) in self.rows.iter().zip(&other.rows) {
            if !same(one, two) {
                return Some(format!("the encoding of `{entity}`"));
            }
        }
        if self.ending != other.ending {
            return Some(format!("the ending: {:?} instead of {:?}", other.ending, self.ending));
        }
        if !same(&self.results, &other.results) {
            return Some(format!("the results: {:?} instead of {:?}", other.results, self.results));
        }
        if !same(&self.scenes, &other.scenes) {
            return Some("the scene".into());
        }
        (self.hash != other.hash).then(|| "the state, which has another hash".into())
    }
}

/// Whether both are the same, where NaN equals NaN.
pub(super) fn same<T: PartialEq + Debug>(one: &T, other: &T) -> bool {
    one == other || format!("{one:?}") == format!("{other:?}")
}

/// Returns the difference of the second list to the first; `None` if both are the same.
pub(super) fn difference_of_lists<T: PartialEq + Display>(one: &[T], other: &[T]) -> Option<String> {
    if one == other {
        return None;
    }
    let only = |of: &[T], without: &[T]| {
        let mut only = of.iter().filter(|item| !without.contains(item)).map(ToString::to_string);
        let named: Vec<String> = only.by_ref().take(NAMED).collect();
        let more = only.count();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        named.join(", ") + &rest
    };
    Some(match (only(other, one).as_str(), only(one, other).as_str()) {
        ("", "") => "the same elements in another order or number".into(),
        (new, "") => format!("also {new}"),
        ("", gone) => format!("{gone} is missing"),
        (new, gone) => format!("{new} instead of {gone}"),
    })
}

/// Returns the row of an entity; `None` if it has no encoding.
pub(super) fn row(inside: &dyn Inside, entity: &Entity) -> Option<Row> {
    let encoding = inside.encoding(&entity.entity_type)?;
    inside.encode(encoding, &[&entity.name], FILLER).pop()
}
