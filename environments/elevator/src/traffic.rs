//! The arrivals of passengers: random ones with the patterns of the field, or those of a file.

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::random::Random;

use crate::building::Passenger;
use crate::{MOST_PEOPLE, TICKS_PER_SECOND};

/// The longest time of arrival that a file can contain, in seconds: a week.
const LATEST: f64 = 604_800.0;

/// Milliseconds in a tick.
const MILLISECONDS: u32 = 1000 / TICKS_PER_SECOND;

/// The floors between which random passengers travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Traffic {
    /// Morning: from floor 1 to any other.
    UpPeak,
    /// Evening: from any other floor to floor 1.
    DownPeak,
    /// During the day: from any floor to any other.
    #[default]
    InterFloor,
}

/// The reason why arrivals cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the arrivals: {problem}")]
pub struct ArrivalsError {
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub problem: String,
}

impl Traffic {
    /// Returns random passengers in the order of their arrival. Times and floors are independent of each other and
    /// equally likely, so the arrivals are a Poisson process with a given number of events.
    pub(crate) fn passengers(self, count: u32, milliseconds: u32, floors: u8, random: &mut Random) -> Vec<Passenger> {
        let ticks = u64::from(milliseconds / MILLISECONDS);
        let mut passengers: Vec<Passenger> = (0..count)
            .map(|_| {
                let arrival = random.below(ticks);
                let other = 1 + random.below(u64::from(floors) - 1) as u8;
                let (from, to) = match self {
                    Traffic::UpPeak => (0, other),
                    Traffic::DownPeak => (other, 0),
                    Traffic::InterFloor => {
                        let from = random.below(floors.into()) as u8;
                        (from, (from + other) % floors)
                    }
                };
                Passenger { arrival, from, to, boarded: None, delivered: None }
            })
            .collect();
        passengers.sort_by_key(|passenger| passenger.arrival);
        passengers
    }
}

/// Reads arrivals: a line `seconds from to` for each passenger, in any order. Empty lines, and the rest of a line
/// after `#`, are skipped.
///
/// # Errors
/// Returns an error if a line is not like this, or names a floor that the building does not have.
pub fn read(text: &str, floors: u8) -> Result<Vec<Passenger>, ArrivalsError> {
    let mut passengers = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = |problem| ArrivalsError { line: index + 1, problem };
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        if passengers.len() == MOST_PEOPLE as usize {
            return Err(at(format!("there are more than {MOST_PEOPLE} passengers; leave out the rest")));
        }
        passengers.push(read_passenger(&words, floors).map_err(at)?);
    }
    passengers.sort_by_key(|passenger| passenger.arrival);
    Ok(passengers)
}

fn read_passenger(words: &[&str], floors: u8) -> Result<Passenger, String> {
    let &[seconds, from, to] = words else {
        return Err(format!("it has {} words; write `seconds from to`, such as `12.5 1 7`", words.len()));
    };
    let time = seconds.parse::<f64>().ok().filter(|time| (0.0..=LATEST).contains(time));
    let time = time.ok_or_else(|| format!("`{}` is not a time from 0 to {LATEST} seconds", excerpt(seconds)))?;
    let floor = |word: &str| {
        let floor = word.parse::<u8>().ok().filter(|floor| (1..=floors).contains(floor));
        floor.map(|floor| floor - 1).ok_or_else(|| format!("`{}` is not a floor from 1 to {floors}", excerpt(word)))
    };
    let (from, to) = (floor(from)?, floor(to)?);
    if from == to {
        return Err("the passenger is already at the destination; name two different floors".to_owned());
    }
    let arrival = (time * f64::from(TICKS_PER_SECOND)) as u64;
    Ok(Passenger { arrival, from, to, boarded: None, delivered: None })
}

/// Returns the first characters of a word, for errors.
fn excerpt(word: &str) -> String {
    word.chars().take(20).collect()
}
