//! The parameters of an episode.

use serde::{Deserialize, Serialize};
use situated::document::Examination;
use situated::environment::Failure;
use situated::ontology::FileContents;
use situated::{InitParameters, ParameterType};

use crate::map::{Map, Standard};
use crate::team::Team;
use crate::world::Collisions;
use crate::xml::excerpt;

/// The default number of robots.
const ROBOTS: u32 = 1;

/// The parameters of an episode.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// The map: the name of one that ships with the environment (Rainbow, Banana, Dutch Flag, Random, SuperRandom),
    /// or a map in the original's format. The default is the map that the team's scenario file names, if it is one of
    /// these, and otherwise Rainbow.
    #[parameter(names = Standard::ALL.map(Standard::name))]
    pub map: Option<FileContents>,
    /// The robots and e-partners at the beginning: a scenario file, in the original's format or in TOML.
    pub team: Option<FileContents>,
    /// The number of robots at the beginning, if there is no team. They begin at the map's points, and then in free
    /// places of its halls: Rainbow holds 101 robots.
    #[parameter(default = ROBOTS)]
    pub robots: u32,
    /// How robots affect each other where they meet. The default is `stop` if the team's scenario file enables
    /// collisions, and otherwise `off`.
    pub collisions: Option<Collisions>,
    /// Whether a robot waits at a closed door instead of giving up.
    #[parameter(default = false)]
    pub wait_at_doors: bool,
    /// Whether robots plan their ways around blockades.
    #[parameter(default = false)]
    pub around_blockades: bool,
    /// The names of percepts.
    #[parameter(default = Names::Specification)]
    pub names: Names,
    /// Whether players can send each other messages. Otherwise `sendMessage` fails.
    #[parameter(default = true)]
    pub messages: bool,
    /// Whether the scene of the whole shows the planned ways of robots. An entity always sees its own.
    #[parameter(default = false)]
    pub paths: bool,
    /// Whether to keep the log of the original; the property `log` is its text.
    #[parameter(default = false)]
    pub log: bool,
    /// The length of a step.
    #[parameter(default = Steps::Tick)]
    pub steps: Steps,
    /// For learners: the rewards of robots.
    #[parameter(default = Reward::Team)]
    pub reward: Reward,
    /// For learners: the discount of a step, as a part of 1. It affects shaped rewards only.
    #[parameter(default = 1.0, range = 0.0..=1.0)]
    pub discount: f64,
    /// For learners: whether observations include what robots saw earlier in other rooms.
    #[parameter(default = true)]
    pub memory: bool,
}

/// The names of percepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Names {
    /// The names of the specification.
    #[default]
    Specification,
    /// The names of the original's program, where they differ.
    Code,
}

/// The length of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Steps {
    /// A tick, of which there are 50 in a second.
    #[default]
    Tick,
    /// A step lasts until a moving robot has arrived or collided, at most 500 ticks; it lasts a single tick if a
    /// block was picked up or put down, or if no robot moves.
    ///
    /// For learners that choose destinations, and for all agents that act in lockstep. Steps then take different
    /// times: the process is semi-Markov. Robots without a new choice continue on their way, or wait until the step
    /// is over. A reward is the sum over all ticks of the step, without discount between them. Times are still
    /// measured in ticks.
    Decision,
}

/// The rewards of robots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Reward {
    /// The same for all: 1 for each delivered colour, and 5 more for the last; -1 for each wrong drop; -10 when the
    /// sequence can no longer be completed; -0.01 for each second; nothing after the end.
    #[default]
    Team,
    /// In addition, the gain of each robot's own potential: 0.25 for holding a block of a colour that is still
    /// needed, and 0.25 more for being in the drop zone with the colour that is needed now.
    ///
    /// A step gives `discount` times the potential after it minus that before it (potential-based shaping; Ng, Harada
    /// and Russell 1999). An episode begins and ends with potential 0, so the best plan stays the same for learners
    /// that discount each step by this factor, however long it takes.
    Shaped,
}

/// Returns the given map, or the one that the team's scenario file names.
pub(crate) fn read_map(parameters: &Parameters, team: &Team) -> Result<Map, Failure> {
    let Some(given) = &parameters.map else { return map_of(team) };
    Map::named_or_read(given.as_str()).map_err(|error| Failure::new(format!("the map cannot be used: {error}")))
}

/// Only the name is used: the server never opens a file because another file names it.
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

/// Returns the given collisions, or those of the team's scenario file.
pub(crate) fn read_collisions(parameters: &Parameters, team: &Team) -> Collisions {
    let enabled = team.original.enable_collisions == Some(true);
    parameters.collisions.unwrap_or(if enabled { Collisions::Stop } else { Collisions::Off })
}

/// Returns the given team, or a number of default robots.
pub(crate) fn read_team(parameters: &Parameters) -> Result<Team, Failure> {
    let team = match &parameters.team {
        Some(_) if parameters.robots != ROBOTS => {
            return Err(Failure::new("`team` and `robots` both say how many robots there are; leave out one of them"));
        }
        Some(text) => Team::read(text.as_str()),
        None => Ok(Team::of_bots(parameters.robots)),
    };
    team.map_err(|error| Failure::new(format!("the team cannot be used: {error}")))
}

/// Examines the map, or the team on the map that it would get.
pub(crate) fn examine(document: &str, parameters: &Parameters, seed: Option<u64>) -> Option<Examination> {
    let text = |given: &Option<FileContents>| given.as_ref().map_or(String::new(), |text| text.as_str().to_owned());
    match document {
        "map" => Some(Map::examine(&text(&parameters.map), seed)),
        "team" => {
            let team = text(&parameters.team);
            let map = match Team::read(&team) {
                Ok(team) if parameters.map.is_some() || !team.original.map_file.is_empty() => {
                    Some(read_map(parameters, &team))
                }
                _ => None,
            };
            Some(Team::examine(&team, map.as_ref().map(Result::as_ref)))
        }
        _ => None,
    }
}
