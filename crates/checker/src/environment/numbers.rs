//! Rules about encodings: observations are complete and within bounds, and masks are correct.

use situated::encoding::Encoding;
use situated::environment::Entity;
use situated::iil::{Action, EcoString};
use situated::random::Random;

use super::moment::{FILLER, Moment, row, same};
use super::report::{Findings, Rule};
use super::subject::{Inside, Row};

/// Other bytes in memory before an encoding writes to it. The number is odd, so that flags are inverted too.
const OTHER_FILLER: u8 = FILLER + 1;

/// A numbered action that an entity can try.
#[derive(Debug)]
pub(super) struct Choice {
    /// The number of the action and its text in the encoding.
    pub(super) description: String,
    pub(super) permitted: bool,
    /// The action; `None` if the number means no action.
    pub(super) action: Option<Action>,
}

/// Checks the rows of the entities at a moment.
pub(super) fn look(moment: &Moment, inside: &dyn Inside, place: (u64, u64), findings: &mut Findings) {
    let mut types: Vec<&EcoString> = moment.entities.iter().map(|(entity, _)| &entity.entity_type).collect();
    types.sort_unstable();
    types.dedup();
    for entity_type in types {
        let Some(encoding) = inside.encoding(entity_type) else { continue };
        let of_type = moment.entities.iter().map(|(entity, _)| entity).filter(|of| of.entity_type == *entity_type);
        let names: Vec<&str> = of_type.map(|entity| entity.name.as_str()).collect();
        let together = inside.encode(encoding, &names, FILLER);
        for (name, row) in names.iter().zip(&together) {
            findings.count(Rule::Bounds, 1);
            let alone = inside.encode(encoding, &[name], OTHER_FILLER);
            let fault = fault_of_row(encoding, row, alone.first());
            if let Some(fault) = fault {
                findings.add(Rule::Bounds, place, format!("the row of `{name}`: {fault}"));
            }
            if !row.mask.is_empty() && !row.mask.contains(&true) && row.over == [false; 2] && !is_over(moment) {
                let what = format!("the mask of `{name}` permits nothing, although the episode continues");
                findings.add(Rule::Masks, place, what);
            }
        }
    }
}

fn is_over(moment: &Moment) -> bool {
    moment.ending.is_some()
}

fn fault_of_row(encoding: &Encoding, row: &Row, alone: Option<&Row>) -> Option<String> {
    let (low, high) = (encoding.low, encoding.high);
    let outside = row.observation.iter().position(|element| !(low..=high).contains(element));
    if let Some(at) = outside {
        return Some(format!("element {at} is {}, but the bounds are {low} to {high}", row.observation[at]));
    }
    if !row.reward.is_finite() {
        return Some(format!("the reward is {}", row.reward));
    }
    let alone = alone?;
    if same(row, alone) {
        return None;
    }
    let at = row.observation.iter().zip(&alone.observation).position(|(one, other)| one != other);
    let part = match at {
        Some(at) => format!("element {at}"),
        None if row.mask != alone.mask => "the mask".into(),
        None if row.over != alone.over => "a flag of the end".into(),
        None => "the reward".into(),
    };
    Some(format!("{part} is not written, or depends on the other rows"))
}

/// Chooses one of the numbered actions of an entity's encoding at random; `None` if it has no encoding.
pub(super) fn choose(inside: &dyn Inside, entity: &Entity, random: &mut Random) -> Option<Choice> {
    let encoding = inside.encoding(&entity.entity_type)?;
    let number = random.index(encoding.actions.len());
    let row = row(inside, entity)?;
    Some(Choice {
        description: format!("action {number} (`{}`)", encoding.actions.get(number)?),
        permitted: *row.mask.get(number)?,
        action: inside.decode(&entity.name, number),
    })
}
