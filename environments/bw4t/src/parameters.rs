//! The parameters of an episode.

use serde::{Deserialize, Serialize};
use situated::environment::Failure;
use situated::ontology::FileContents;
use situated::{InitParameters, ParameterType};

use crate::map::{Map, Standard};
use crate::team::Team;
use crate::world::Collisions;
use crate::xml::excerpt;

/// The number of robots where neither it nor a team is given.
const ROBOTS: u32 = 1;

/// The parameters of an episode.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// The map: the name of one that ships with the world (Rainbow, Banana, Dutch Flag, Random, SuperRandom), or a map in
    /// the original's format. If none is given, it is the one of these that the scenario file of the team names, or else
    /// Rainbow.
    pub map: Option<FileContents>,
    /// The robots and e-partners at the beginning: a scenario file, in the original's format or in TOML.
    pub team: Option<FileContents>,
    /// How many robots there are at the beginning, if there is no team. They begin at the spawn points of the map, and where
    /// these do not suffice at places in its halls: Rainbow holds 101 robots.
    #[parameter(default = ROBOTS)]
    pub robots: u32,
    /// What robots are to each other where they meet. If nothing is given, it is `stop` where the scenario file of the
    /// team enables collisions, or else `off`.
    pub collisions: Option<Collisions>,
    /// Whether a robot waits at a door that is closed, instead of giving up.
    #[parameter(default = false)]
    pub wait_at_doors: bool,
    /// Whether ways are planned around blockades.
    #[parameter(default = false)]
    pub around_blockades: bool,
    /// Whose names percepts have.
    #[parameter(default = Names::Specification)]
    pub names: Names,
    /// Whether the ways that robots have planned are shown.
    #[parameter(default = false)]
    pub paths: bool,
    /// Whether the log of the original is kept; the property `log` is its text.
    #[parameter(default = false)]
    pub log: bool,
    /// How long a step is.
    #[parameter(default = Steps::Tick)]
    pub steps: Steps,
    /// For learners: what robots are given for what they do.
    #[parameter(default = Reward::Team)]
    pub reward: Reward,
    /// For learners: how much they value what is a step away, as a share of what is at hand. Only shaped rewards depend on it.
    #[parameter(default = 1.0)]
    pub discount: f64,
    /// For learners: whether what robots observe tells also what they have seen in rooms that they have left.
    #[parameter(default = true)]
    pub memory: bool,
}

/// Whose names percepts have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Names {
    /// Those of the specification.
    #[default]
    Specification,
    /// Those of the original's program, where they differ.
    Code,
}

/// How long a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Steps {
    /// A tick, of which there are 50 in a second.
    #[default]
    Tick,
    /// Until a robot that was on its way has arrived or collided, for 500 ticks at the most; but a single tick where a
    /// block has been picked up or put down, or where nobody is on the way.
    ///
    /// It is for learners that choose where to go, and for all who act in lockstep. A step takes different times then:
    /// the process is semi-Markov. Robots for which nothing is chosen go on: on their way if they are on one, or else
    /// they wait until the step is over. Rewards are those of all its ticks together, not discounted among them. What
    /// is measured in time is measured in ticks all the same.
    Decision,
}

/// What robots are given for what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Reward {
    /// All the same: 1 for each colour that one of them delivers when it is needed, and 5 more for the last; -1 for
    /// each wrong drop; -10 when the sequence can no longer be completed; -0.01 for each second; after the end nothing.
    #[default]
    Team,
    /// Beside that, each what its own situation has gained in promise: 0.25 to hold a block of a colour that is still
    /// needed, and 0.25 more to be in the drop zone when it would put down the colour that is needed now.
    ///
    /// A step brings `discount` times the promise after it less that before it (potential-based shaping; Ng, Harada
    /// and Russell 1999). An episode begins and ends without promise, so that what is best to do stays the same for
    /// learners that discount each step by so much, however long it takes.
    Shaped,
}

/// The map that is given, or else the one that the team's scenario file names.
pub(crate) fn read_map(parameters: &Parameters, team: &Team) -> Result<Map, Failure> {
    let Some(given) = &parameters.map else { return map_of(team) };
    Map::named_or_read(given.as_str()).map_err(|error| Failure::new(format!("there is no such map: {error}")))
}

/// No file is read because another names it: whoever gives parameters may be elsewhere.
fn map_of(team: &Team) -> Result<Map, Failure> {
    let file = team.original.map_file.as_str();
    match team.original.standard_map() {
        Some(standard) => Ok(standard.map()),
        None if file.is_empty() => Ok(Standard::Rainbow.map()),
        None => {
            let names = Standard::ALL.map(Standard::name).join(", ");
            let file = excerpt(file);
            Err(Failure::new(format!(
                "the scenario file of the team names the map `{file}`, which is none of {names}; give the map itself by \
                 the parameter `map`"
            )))
        }
    }
}

/// What robots are to each other as it is given, or else as the team's scenario file says it.
pub(crate) fn read_collisions(parameters: &Parameters, team: &Team) -> Collisions {
    let enabled = team.original.enable_collisions == Some(true);
    parameters.collisions.unwrap_or(if enabled { Collisions::Stop } else { Collisions::Off })
}

/// The team that is written there, or so many usual robots.
pub(crate) fn read_team(parameters: &Parameters) -> Result<Team, Failure> {
    let team = match &parameters.team {
        Some(_) if parameters.robots != ROBOTS => {
            return Err(Failure::new("`team` and `robots` both say how many robots there are; leave out one of them"));
        }
        Some(text) => Team::read(text.as_str()),
        None => Ok(Team::of_bots(parameters.robots)),
    };
    team.map_err(|error| Failure::new(format!("there is no such team: {error}")))
}
