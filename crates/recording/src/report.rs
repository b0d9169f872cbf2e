//! The report of a replay, for people and for programs.

use std::fmt;

use serde::Serialize;
use situated::environment::{Ending, Measure};
use situated::iil::EcoString;

use crate::Acted;
use crate::difference::Differences;

/// The report of a replay. Counts go up to the first difference, if there is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The versions in the recording.
    pub recorded: Versions,
    /// The versions in the replay.
    pub replayed: Versions,
    /// Whether the file was finished; otherwise it was replayed as far as it goes.
    pub complete: bool,
    /// The point at which the replay began, if not at the beginning.
    pub from: Option<Point>,
    /// Number of episodes that were replayed, completely or in part.
    pub episodes: u64,
    /// Number of steps.
    pub steps: u64,
    /// Number of inputs, including steps.
    pub inputs: u64,
    /// Number of compared hashes of states.
    pub hashes: u64,
    /// Number of compared results of actions, one for each entity.
    pub results: u64,
    /// Number of compared outcomes of episodes.
    pub outcomes: u64,
    /// Number of messages between agents that the recording has.
    pub messages: u64,
    /// Number of rules of their interaction protocols that these messages break.
    pub violations: u64,
    /// The message of a crash, both in the recording and in the replay.
    pub crash: Option<String>,
    /// The first difference; none if all agree.
    pub difference: Option<Difference>,
}

/// The versions of the environment and the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Versions {
    /// The environment's name.
    pub environment: String,
    /// The environment's version.
    pub version: String,
    /// The version of situated.
    pub situated: String,
    /// The generator of random numbers.
    pub generator: String,
}

/// A point of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// The number of the episode.
    pub episode: u64,
    /// The number of steps so far.
    pub step: u64,
}

/// The first difference between a recording and its replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The point in the recording at which it was noticed.
    pub at: Point,
    /// The last checkpoint or outcome before it whose hash agreed; `None` if there was none.
    pub since: Option<Point>,
    /// Number of inputs between them.
    pub inputs: u64,
    /// The difference.
    pub what: Disagreement,
}

/// A difference between a recording and its replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Disagreement {
    /// In the state of the environment.
    State {
        /// The hash recorded, 16 hexadecimal digits.
        recorded: String,
        /// The hash replayed.
        replayed: String,
        /// The differences between the states, if they are known.
        differences: Option<Differences>,
        /// The reason why they are unknown.
        unclear: Option<String>,
    },
    /// The results of an action.
    Results {
        /// The agent.
        agent: EcoString,
        /// The action.
        action: String,
        /// The recorded result, for the first entity that differs; `None` if there was no such entity.
        recorded: Option<Acted>,
        /// The result in the replay.
        replayed: Option<Acted>,
    },
    /// In which entity an agent was given.
    Entity {
        /// The agent.
        agent: EcoString,
        /// The name of the entity in the recording.
        recorded: Option<EcoString>,
        /// The name of the entity in the replay.
        replayed: Option<EcoString>,
    },
    /// An input was taken in the recording and is refused in the replay.
    Refused {
        /// The input.
        input: String,
        /// The reason of the rejection.
        reason: String,
    },
    /// An input was refused in the recording and is taken in the replay.
    Taken {
        /// The input.
        input: String,
        /// The reason of the rejection.
        reason: String,
    },
    /// In how an episode stood at its end.
    Outcome {
        /// How the recorded episode ended.
        recorded_ending: Option<Ending>,
        /// The recorded results.
        recorded: Vec<Measure>,
        /// How the replayed episode ended.
        replayed_ending: Option<Ending>,
        /// The results in the replay.
        replayed: Vec<Measure>,
    },
    /// The environment crashed in one of them only.
    Crash {
        /// The recorded message of the panic.
        recorded: Option<String>,
        /// The message in the replay.
        replayed: Option<String>,
    },
}

impl Report {
    /// Whether everything that was compared agrees.
    pub fn agrees(&self) -> bool {
        self.difference.is_none()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Recorded by {}.", self.recorded)?;
        if self.recorded == self.replayed {
            writeln!(f, "Replayed by the same.")?;
        } else {
            writeln!(f, "Replayed by {}, which is not the same.", self.replayed)?;
        }
        if !self.complete {
            writeln!(f, "The recording is not complete; it was replayed as far as it goes.")?;
        }
        if let Some(from) = self.from {
            writeln!(f, "Replayed from {from}.")?;
        }
        let replayed = [(self.episodes, "episode"), (self.steps, "step"), (self.inputs, "input")];
        writeln!(f, "Replayed {}.", counted(&replayed))?;
        let compared = [(self.hashes, "state"), (self.results, "result"), (self.outcomes, "outcome")];
        writeln!(f, "Compared {}.", counted(&compared))?;
        if self.messages > 0 {
            let has = [(self.messages, "message"), (self.violations, "violation")];
            writeln!(f, "The recording has {}.", counted(&has))?;
        }
        if let Some(reason) = &self.crash {
            writeln!(f, "The environment crashed, as it did when it was recorded: {reason}")?;
        }
        match &self.difference {
            None => write!(f, "All agree."),
            Some(difference) => difference.fmt(f),
        }
    }
}

/// `1 episode, 20 steps`.
fn counted(things: &[(u64, &str)]) -> String {
    let counted = things.iter().map(|(count, thing)| format!("{count} {thing}{}", if *count == 1 { "" } else { "s" }));
    counted.collect::<Vec<String>>().join(", ")
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { environment, version, situated, generator } = self;
        write!(f, "{environment} {version} with situated {situated} and generator {generator}")
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "episode {}, step {}", self.episode, self.step)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "They differ at {}, ", self.at)?;
        match self.since {
            Some(since) => write!(f, "{} inputs after {since}, where the states still agreed", self.inputs)?,
            None => write!(f, "after {} inputs, before any state was compared", self.inputs)?,
        }
        write!(f, ".\n{}", self.what)
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disagreement::State { recorded, replayed, differences, unclear } => {
                write!(f, "The states differ (hash {recorded} recorded, {replayed} replayed):")?;
                if let Some(differences) = differences {
                    differences.fmt(f)?;
                }
                if let Some(reason) = unclear {
                    write!(f, "\n  the difference is unknown: {reason}")?;
                }
                Ok(())
            }
            Disagreement::Results { agent, action, recorded, replayed } => {
                write!(f, "The results of {action} of agent `{agent}` differ:")?;
                write!(f, "\n  recorded: {}\n  replayed: {}", result(recorded), result(replayed))
            }
            Disagreement::Entity { agent, recorded, replayed } => {
                let name = |entity: &Option<EcoString>| entity.clone().unwrap_or_else(|| "none".into());
                write!(f, "Agent `{agent}` was given another entity:")?;
                write!(f, "\n  recorded: {}\n  replayed: {}", name(recorded), name(replayed))
            }
            Disagreement::Refused { input, reason } => {
                write!(f, "An input was taken when it was recorded, and is refused now:\n  {input}\n  {reason}")
            }
            Disagreement::Taken { input, reason } => {
                write!(f, "An input was refused when it was recorded, and is taken now:\n  {input}\n  {reason}")
            }
            Disagreement::Outcome { recorded_ending, recorded, replayed_ending, replayed } => {
                f.write_str("The outcomes differ:")?;
                if recorded_ending != replayed_ending {
                    let (before, after) = (ending(*recorded_ending), ending(*replayed_ending));
                    write!(f, "\n  ending: {before} recorded, {after} replayed")?;
                }
                write_measures(f, recorded, replayed)
            }
            Disagreement::Crash { recorded: Some(reason), .. } => {
                write!(f, "The environment crashed when it was recorded, and does not now: {reason}")
            }
            Disagreement::Crash { replayed, .. } => {
                let reason = replayed.as_deref().unwrap_or_default();
                write!(f, "The environment crashes now, and did not when it was recorded: {reason}")
            }
        }
    }
}

fn result(acted: &Option<Acted>) -> String {
    match acted {
        None => "nothing".into(),
        Some(Acted { entity, error: Some(error), .. }) => format!("{entity}: {error}"),
        Some(Acted { entity, found, .. }) => {
            let found: Vec<String> = found.iter().flatten().map(ToString::to_string).collect();
            format!("{entity}: done, found [{}]", found.join(", "))
        }
    }
}

fn ending(ending: Option<Ending>) -> &'static str {
    match ending {
        None => "none",
        Some(Ending::Terminated) => "terminated",
        Some(Ending::Truncated) => "truncated",
    }
}

/// The measures that are not in both.
fn write_measures(f: &mut fmt::Formatter<'_>, recorded: &[Measure], replayed: &[Measure]) -> fmt::Result {
    for (measures, others, which) in [(recorded, replayed, "recorded"), (replayed, recorded, "replayed")] {
        for Measure { of, name, value } in measures.iter().filter(|measure| !others.contains(measure)) {
            write!(f, "\n  {of}, {name}: {value} {which}")?;
        }
    }
    Ok(())
}
