//! Arrangements of blocks as parameters: a list of whole numbers, of which the i-th is the block on which block i
//! stands, or 0 for the table. A text has the same numbers, separated by blanks. Blocks are counted from 1.

use situated::environment::Failure;
use situated::iil::{Numeral, Parameter};
use situated::random::Random;

use crate::towers::{Support, Towers};

/// Creates the towers at the beginning and the goal from parameters. There are at most `most` blocks.
///
/// # Errors
/// Returns an error if a parameter is not an arrangement, or if the two have different numbers of blocks.
pub(crate) fn make(
    start: &Parameter,
    goal: &Parameter,
    blocks: u8,
    most: usize,
    random: &mut Random,
) -> Result<(Towers, Option<Towers>), Failure> {
    let wrong = |name: &str, problem: String| Failure::new(format!("`{name}` is wrong: {problem}"));
    let count = count(start, goal, blocks, most);
    let towers = match word(start) {
        Some("table") => Towers::on_table(count),
        Some("random") => Towers::random(count, random),
        _ => listed(start, most).map_err(|problem| wrong("start", problem))?,
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
        _ => Some(listed(goal, most).map_err(|problem| wrong("goal", problem))?),
    };
    if goal.as_ref().is_some_and(|goal| goal.count() != towers.count()) {
        let problem = format!("it must have as many blocks as the start, {}", towers.count());
        return Err(wrong("goal", problem));
    }
    Ok((towers, goal))
}

/// Returns the number of blocks: that of the arrangements if one is given, otherwise `blocks`, but at most `most`.
pub(crate) fn count(start: &Parameter, goal: &Parameter, blocks: u8, most: usize) -> usize {
    let listed = [start, goal].into_iter().find_map(|given| listed(given, most).ok());
    listed.map_or(usize::from(blocks).min(most), |towers| towers.count())
}

fn word(given: &Parameter) -> Option<&str> {
    match given {
        Parameter::Identifier(word) => Some(word.trim()),
        _ => None,
    }
}

fn listed(given: &Parameter, most: usize) -> Result<Towers, String> {
    let expected =
        || "it must be a list such as [0,1,0], the same numbers as text, or one of the documented words".to_owned();
    let numbers: Option<Vec<i64>> = match given {
        Parameter::List(items) => items.iter().map(integer).collect(),
        Parameter::Identifier(text) => text.split_whitespace().map(|number| number.parse().ok()).collect(),
        _ => None,
    };
    let numbers = numbers.ok_or_else(expected)?;
    if !(1..=most).contains(&numbers.len()) {
        return Err(format!("there are {} blocks; there must be from 1 to {most}", numbers.len()));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_most_blocks_of_the_environment() {
        let error = |start: Parameter, most: usize| {
            let made = make(&start, &"none".into(), 5, most, &mut Random::new(1));
            made.expect_err("there are too many").to_string()
        };
        for most in [26, 60] {
            let listed = Parameter::from(vec![0.into(); most + 1]);
            let expected = format!("`start` is wrong: there are {} blocks; there must be from 1 to {most}", most + 1);
            assert_eq!(error(listed, most), expected);
        }
    }
}
