//! Checks of teams: whether a team is valid, and if not, the problem and its place.

use std::ops::RangeInclusive;

use super::{AgentFile, Bots, Original, Partners, Team};
use crate::xml::{FileError, excerpt, fault_of_text, label};

/// Maximum number of kinds of robots, and of kinds of e-partners.
pub const MOST_KINDS: usize = 1024;

/// Maximum number of robots and e-partners together.
pub const MOST_BODIES: u64 = 10_000;

/// Maximum number of bytes in the name of a kind. With a number appended, it is no longer than other names.
pub const LONGEST_NAME: usize = 240;

/// Maximum number of characters in any other text.
pub const LONGEST_TEXT: usize = 4096;

/// The range of sizes of robots, in units.
pub const SIZES: RangeInclusive<f64> = 1.0..=5.0;

/// The range of speeds of robots, in percent of the greatest.
pub const SPEEDS: RangeInclusive<f64> = 0.0..=100.0;

/// Maximum number of blocks that a robot can hold. The editor of the original offers 5.
pub const MOST_GRIPPERS: u32 = 100;

/// Maximum capacity of a battery, and maximum use in a step.
pub const LARGEST_CAPACITY: f64 = 1_000_000.0;

/// A problem of a team, and its place.
pub(super) struct Flaw {
    pub(super) place: TeamPart,
    pub(super) field: Field,
    problem: String,
}

/// A part of a team.
#[derive(Clone, Copy)]
pub(super) enum TeamPart {
    /// The team as a whole.
    Team,
    /// The robots of this index.
    Bots(usize),
    /// The e-partners of this index.
    Partners(usize),
}

/// The name of a value.
#[derive(Clone, Copy)]
pub(super) struct Field {
    /// The element in the original's format.
    pub(super) element: &'static str,
    /// The key in TOML; with points if it is in a table of its own.
    pub(super) key: &'static str,
}

/// The format in which the team was or could be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileFormat {
    Xml,
    Toml,
}

const fn field(element: &'static str, key: &'static str) -> Field {
    Field { element, key }
}

impl Team {
    /// Checks whether the team is valid: names are not empty; sizes, speeds, grippers and capacities are within
    /// [their limits](self); texts have no control characters and no blanks at their ends; and no other limit is
    /// exceeded.
    ///
    /// Values are also checked if they are disabled.
    ///
    /// # Errors
    /// Returns the first problem, in the words of TOML and without a line.
    pub fn check(&self) -> Result<(), FileError> {
        self.find_flaw().map_err(|flaw| flaw.error(self, FileFormat::Toml, None))
    }

    pub(super) fn find_flaw(&self) -> Result<(), Flaw> {
        for (index, bots) in self.bots.iter().enumerate() {
            check_bots(bots).map_err(|(field, problem)| Flaw { place: TeamPart::Bots(index), field, problem })?;
        }
        for (index, partners) in self.partners.iter().enumerate() {
            check_partners(partners).map_err(|(field, problem)| Flaw {
                place: TeamPart::Partners(index),
                field,
                problem,
            })?;
        }
        self.check_amounts().and_then(|()| check_original(&self.original)).map_err(|(field, problem)| Flaw {
            place: TeamPart::Team,
            field,
            problem,
        })
    }

    fn check_amounts(&self) -> Result<(), Wrong> {
        let (bots, partners) = (field("bots", "bots"), field("epartners", "epartners"));
        for (field, kinds) in [(bots, self.bots.len()), (partners, self.partners.len())] {
            if kinds > MOST_KINDS {
                return Err((field, format!("has {kinds} kinds; the maximum is {MOST_KINDS}")));
            }
        }
        let amounts = self.bots.iter().map(|bots| bots.amount);
        let amounts = amounts.chain(self.partners.iter().map(|partners| partners.amount));
        match amounts.map(u64::from).sum::<u64>() {
            ..=MOST_BODIES => Ok(()),
            sum => Err((bots, format!("and e-partners are {sum} together; the maximum is {MOST_BODIES}"))),
        }
    }
}

impl Flaw {
    /// Returns the error in the words of this format.
    pub(super) fn error(self, team: &Team, form: FileFormat, line: Option<usize>) -> FileError {
        let Self { place, field, problem } = self;
        let problem = match form {
            FileFormat::Xml => format!("<{}> {problem}", field.element),
            FileFormat::Toml => format!("`{}` {problem}", field.key),
        };
        FileError { line, part: part(team, place, form), problem }
    }
}

/// A problem with a value.
type Wrong = (Field, String);

fn part(team: &Team, place: TeamPart, form: FileFormat) -> String {
    let (element, key, name) = match place {
        TeamPart::Team => return "the team".to_owned(),
        TeamPart::Bots(index) => ("bot", "bots", &team.bots[index].name),
        TeamPart::Partners(index) => ("epartner", "epartners", &team.partners[index].name),
    };
    match form {
        FileFormat::Xml => label(element, name),
        FileFormat::Toml => format!("[[{key}]] {}", excerpt(name)).trim_end().to_owned(),
    }
}

fn check_bots(bots: &Bots) -> Result<(), Wrong> {
    check_name(field("botName", "name"), &bots.name)?;
    check_range(field("botSize", "size"), bots.size.value, &SIZES)?;
    check_range(field("botSpeed", "speed"), bots.speed.value, &SPEEDS)?;
    if bots.grippers.value > MOST_GRIPPERS {
        let problem = format!("is {}; it must be a whole number from 0 to {MOST_GRIPPERS}", bots.grippers.value);
        return Err((field("grippers", "grippers"), problem));
    }
    let battery = &bots.battery;
    if !(battery.capacity > 0.0 && battery.capacity <= LARGEST_CAPACITY) {
        let problem = format!("is {}; it must be a number above 0 and at most {LARGEST_CAPACITY}", battery.capacity);
        return Err((field("botBatteryCapacity", "battery.capacity"), problem));
    }
    let used = battery.use_per_step.unwrap_or_default();
    check_range(field("bot", "battery.use"), used, &(0.0..=LARGEST_CAPACITY))?;
    check_agent(&bots.agent)
}

fn check_partners(partners: &Partners) -> Result<(), Wrong> {
    check_name(field("epartnerName", "name"), &partners.name)?;
    check_agent(&partners.agent)
}

fn check_agent(agent: &AgentFile) -> Result<(), Wrong> {
    check_text(field("fileName", "agent.file"), &agent.file)?;
    check_text(field("referenceName", "agent.reference"), &agent.reference)
}

fn check_original(original: &Original) -> Result<(), Wrong> {
    check_text(field("clientIp", "original.client-ip"), &original.client_ip)?;
    check_text(field("serverIp", "original.server-ip"), &original.server_ip)?;
    check_text(field("mapFile", "original.map-file"), &original.map_file)
}

fn check_name(field: Field, name: &str) -> Result<(), Wrong> {
    if name.is_empty() {
        return Err((field, "is empty".to_owned()));
    }
    if name.len() > LONGEST_NAME {
        return Err((field, format!("has more than {LONGEST_NAME} bytes")));
    }
    check_text(field, name)
}

fn check_text(field: Field, text: &str) -> Result<(), Wrong> {
    fault_of_text(text, LONGEST_TEXT).map_or(Ok(()), |fault| Err((field, fault)))
}

fn check_range(field: Field, value: f64, range: &RangeInclusive<f64>) -> Result<(), Wrong> {
    if range.contains(&value) {
        return Ok(());
    }
    Err((field, format!("is {value}; it must be a number from {} to {}", range.start(), range.end())))
}
