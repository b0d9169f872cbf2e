//! Arrangements of blocks as parameters: a list of whole numbers, of which the i-th is the block on which block i
//! stands, or 0 for the table. A text has the same numbers, separated by blanks. Blocks are counted from 1.

use situated::environment::Failure;
use situated::iil::{Numeral, Parameter};
use situated::random::Random;

use crate::towers::{MOST_BLOCKS, Support, Towers};

/// Creates the towers at the beginning and the goal from parameters.
///
/// # Errors
/// Returns an error if a parameter is not an arrangement, or if the two have different numbers of blocks.
pub(crate) fn make(
    start: &Parameter,
    goal: &Parameter,
    blocks: u8,
    random: &mut Random,
) -> Result<(Towers, Option<Towers>), Failure> {
    if !(1..=MOST_BLOCKS).contains(&blocks.into()) {
        return Err(Failure::new(format!("`blocks` is {blocks}; it must be from 1 to {MOST_BLOCKS}")));
    }
    let wrong = |name: &str, problem: String| Failure::new(format!("`{name}` is wrong: {problem}"));
    let count = count(start, goal, blocks);
    let towers = match word(start) {
        Some("table") => Towers::on_table(count),
        Some("random") => Towers::random(count, random),
        _ => listed(start).map_err(|problem| wrong("start", problem))?,
    };
    let goal = match word(goal) {
        Some("none") => None,
        Some("table") => Some(Towers::on_table(count)),
        Some("random") => {
            let mut goal = Towers::random(count, random);
            while count > 1 && towers.in_place(&goal) == count {
                goal = Towers::random(count, random);
            }
            Some(goal)
        }
        _ => Some(listed(goal).map_err(|problem| wrong("goal", problem))?),
    };
    if goal.as_ref().is_some_and(|goal| goal.count() != towers.count()) {
        let problem = format!("it must have as many blocks as the start, {}", towers.count());
        return Err(wrong("goal", problem));
    }
    Ok((towers, goal))
}

/// Returns the number of blocks: that of the arrangements if one is given, otherwise `blocks`.
pub(crate) fn count(start: &Parameter, goal: &Parameter, blocks: u8) -> usize {
    let listed = [start, goal].into_iter().find_map(|given| listed(given).ok());
    listed.map_or(usize::from(blocks).min(MOST_BLOCKS), |towers| towers.count())
}

fn word(given: &Parameter) -> Option<&str> {
    match given {
        Parameter::Identifier(word) => Some(word.trim()),
        _ => None,
    }
}

fn listed(given: &Parameter) -> Result<Towers, String> {
    let expected =
        || "it must be a list such as [0,1,0], the same numbers as text, or one of the documented words".to_owned();
    let numbers: Option<Vec<i64>> = match given {
        Parameter::List(items) => items.iter().map(integer).collect(),
        Parameter::Identifier(text) => text.split_whitespace().map(|number| number.parse().ok()).collect(),
        _ => None,
    };
    let numbers = numbers.ok_or_else(expected)?;
    let support = |number: i64| match number {
        0 => Ok(Support::Table),
        1..=255 => Ok(Support::Block((number - 1) as u8)),
        _ => Err(format!("there is no block {number}")),
    };
    Towers::new(numbers.into_iter().map(support).collect::<Result<_, _>>()?)
}

fn integer(item: &Parameter) -> Option<i64> {
    match item {
        Parameter::Numeral(Numeral::Integer(number)) => Some(*number),
        _ => None,
    }
}
