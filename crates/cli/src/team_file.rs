//! Team files: an environment, how to run it, and rules that give programs to its entities.

mod checks;
mod mistake;
mod model;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use situated::document::{Examination, Finding, Severity};
use situated::iil::{EcoString, Parameter};
use situated::ontology::{Field, Ontology, Pace};
use situated_registry::Registered;
use situated_runtime::Speed;

use crate::environments::registry;
use crate::parameters::read_text;
use crate::program;
use crate::shorthand::short_form;
pub(crate) use checks::MOST_PATIENT;
pub(crate) use mistake::Mistake;
pub(crate) use model::ModelProgram;

/// Maximum size of a team file in MiB.
const LONGEST: u64 = 1;

/// The contents of a team file. Missing keys are `None`.
pub(crate) struct TeamFile {
    pub(crate) environment: &'static Registered,
    pub(crate) seed: Option<u64>,
    /// Maximum number of steps.
    pub(crate) steps: Option<u64>,
    pub(crate) pace: Option<Pace>,
    pub(crate) speed: Option<Speed>,
    /// Maximum time that a step in lockstep waits for agents that have not acted.
    pub(crate) patience: Option<Duration>,
    /// Whether a message that breaks a rule of its interaction protocol ends the run.
    pub(crate) ends_on_violation: bool,
    pub(crate) parameters: BTreeMap<String, Parameter>,
    /// At least one rule; the first one that matches an entity and has room applies.
    pub(crate) rules: Vec<LaunchRule>,
    /// The conditions that runs compare.
    pub(crate) conditions: Vec<Condition>,
}

/// A condition of a comparison.
pub(crate) struct Condition {
    /// Its name, which no other condition of the file has.
    pub(crate) name: String,
    /// Parameters that replace those of the file.
    pub(crate) parameters: BTreeMap<String, Parameter>,
    /// Rules that replace those of the file; none means that they stay.
    pub(crate) rules: Vec<LaunchRule>,
}

/// A rule that gives a program to entities.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LaunchRule {
    /// Matches only the entity with this name.
    pub(crate) entity: Option<EcoString>,
    /// Matches only entities of this type.
    pub(crate) entity_type: Option<EcoString>,
    /// Maximum number of entities; `None` means all.
    pub(crate) count: Option<usize>,
    pub(crate) program: LaunchProgram,
    /// Options that the program gets.
    pub(crate) options: BTreeMap<String, Parameter>,
}

/// The program for an entity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LaunchProgram {
    /// The agent with this name that ships with the environment, or its first one.
    Builtin { name: Option<EcoString> },
    /// Acts at random.
    Random,
    /// Does nothing.
    Idle,
    /// A program in a process of its own: the command and its arguments, at least one word.
    Command(Vec<String>),
    /// A program in a file, which runs in a process of its own.
    File { language: Language, file: PathBuf },
    /// A language model at an endpoint.
    Model(Box<ModelProgram>),
    /// A person who connects, with this name if there is one.
    Person { name: Option<EcoString> },
    /// An agent that connects, under this name if one is given.
    Remote { name: Option<EcoString> },
}

/// The language of a program in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// A program in Python, started for each entity.
    Python,
    /// A project of Jason (`.mas2j`), or a folder with one, started once for all its entities.
    Jason,
}

impl TeamFile {
    /// Reads a team file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is too large or not text, or contains a mistake.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = read_text(path, "team file", LONGEST)?;
        Self::parse(&text).map_err(|mistake| match parameter_with(&text) {
            Some((Ontology { name, .. }, field)) => {
                let (path, program, option) = (path.display(), program::name(), short_form(&field.name));
                anyhow!(
                    "{path} is no team file, which names an environment: it is a `{}` of {name}; use `{program} run \
                     {name} --{option} {path}`",
                    field.name
                )
            }
            None => anyhow::Error::new(mistake).context(path.display().to_string()),
        })
    }

    /// Parses the text of a team file.
    ///
    /// # Errors
    /// Returns the first mistake, with its place.
    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        checks::check(written::read(text)?).map_err(|wrong| Mistake::at(text, wrong.at, &wrong.message))
    }

    /// Returns the reason why the team needs a server that others connect to; `None` if it does not.
    pub(crate) fn needs_server(rules: &[LaunchRule]) -> Option<String> {
        let (number, rule) = (1..).zip(rules).find(|(_, rule)| rule.program.comes_from_outside())?;
        Some(format!(
            "rule {number} ({}): commands, people and remote agents connect to a server; add `--page`, use \
             `{} serve`, or use builtin, random or idle",
            rule.entities(),
            program::name()
        ))
    }
}

/// Returns the parameter that takes a document such as this one, and the ontology of its environment.
fn parameter_with(text: &str) -> Option<(&'static Ontology, &'static Field)> {
    let files = registry()
        .environments()
        .flat_map(|one| one.ontology.parameters.iter().filter(|field| field.is_file()).map(move |field| (one, field)));
    let takes = |(one, field): &(&Registered, &Field)| {
        let given = BTreeMap::from([(field.name.clone(), text.into())]);
        let examined = (one.interface)().examine(&field.name, &given, None);
        let is_sound = |finding: &Finding| finding.severity != Severity::Error;
        matches!(examined, Ok(Some(Examination { findings, .. })) if findings.iter().all(is_sound))
    };
    files.into_iter().find(takes).map(|(one, field)| (&one.ontology, field))
}

impl LaunchRule {
    /// Returns the rule that gives this program to all entities.
    pub(crate) fn all(program: LaunchProgram) -> Self {
        Self { entity: None, entity_type: None, count: None, program, options: BTreeMap::new() }
    }

    /// Describes the entities that the rule matches.
    fn entities(&self) -> String {
        match (&self.entity, &self.entity_type) {
            (Some(entity), Some(of)) => format!("entity `{entity}`, type `{of}`"),
            (Some(entity), None) => format!("entity `{entity}`"),
            (None, Some(of)) => format!("type `{of}`"),
            (None, None) => "every entity".to_owned(),
        }
    }
}

impl LaunchProgram {
    /// The names of the programs that need no options.
    pub(crate) const SIMPLE: [&str; 3] = ["builtin", "random", "idle"];

    /// The first agent that ships with an environment.
    pub(crate) const BUILTIN: Self = LaunchProgram::Builtin { name: None };

    /// Returns the program with this name: one that needs no options, or an agent of an environment.
    fn named(name: &str) -> Self {
        match name {
            "builtin" => Self::BUILTIN,
            "random" => Self::Random,
            "idle" => Self::Idle,
            _ => Self::Builtin { name: Some(name.into()) },
        }
    }

    /// Returns the help for an option with this parser, which lists the agents of each environment.
    pub(crate) fn help() -> String {
        let names = |one: &Registered| {
            let names: Vec<&str> = one.agents.iter().map(|agent| agent.name).collect();
            (!names.is_empty()).then(|| format!("{} ({})", one.ontology.name, names.join(", ")))
        };
        let agents: Vec<String> = registry().environments().filter_map(names).collect();
        format!(
            "Program for the entities: `builtin` (the environment's first agent), `random` (random actions), `idle` (no \
             actions), or an agent of the environment [agents: {}] [default: as in the team file; otherwise `run` \
             takes builtin, and a server waits for agents]",
            agents.join(", ")
        )
    }

    fn comes_from_outside(&self) -> bool {
        match self {
            LaunchProgram::Builtin { .. } | LaunchProgram::Random | LaunchProgram::Idle | LaunchProgram::Model(_) => {
                false
            }
            LaunchProgram::Command(_)
            | LaunchProgram::File { .. }
            | LaunchProgram::Person { .. }
            | LaunchProgram::Remote { .. } => true,
        }
    }

    /// Whether a person or an agent that this command does not start is expected to connect.
    pub(crate) fn is_awaited(&self) -> bool {
        matches!(self, LaunchProgram::Person { .. } | LaunchProgram::Remote { .. })
    }
}

/// Parses a program that needs no options. Only the plan knows the environment, and so which agents there are.
#[derive(Clone)]
pub(crate) struct ProgramParser;

impl TypedValueParser for ProgramParser {
    type Value = LaunchProgram;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<LaunchProgram, Error> {
        NonEmptyStringValueParser::new().parse_ref(command, argument, value).map(|name| LaunchProgram::named(&name))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let agents = registry().environments().flat_map(|one| one.agents.iter().map(|agent| agent.name));
        let agents: BTreeSet<&str> = agents.collect();
        Some(Box::new(LaunchProgram::SIMPLE.into_iter().chain(agents).map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::*;

    const EXAMPLE: &str = include_str!("../../../examples/find_goals_team.toml");

    fn parse(text: &str) -> TeamFile {
        TeamFile::parse(text).unwrap_or_else(|mistake| panic!("{mistake}"))
    }

    /// Returns the error for a file with these bytes.
    fn refusal(name: &str, bytes: &[u8]) -> String {
        let path = env::temp_dir().join(format!("situated-{}-{name}.toml", process::id()));
        fs::write(&path, bytes).expect("it can be written");
        let error = TeamFile::read(&path).err().map(|error| format!("{error:#}"));
        fs::remove_file(&path).expect("it is there");
        error.expect("something is wrong with it").replace(&path.display().to_string(), "FILE")
    }

    #[test]
    fn the_example_can_be_read() {
        let file = parse(EXAMPLE);
        assert_eq!(file.environment.ontology.name, "find-goals");
        assert_eq!(file.rules.len(), 2);
        assert_eq!(TeamFile::needs_server(&file.rules), None);
    }

    #[test]
    fn all_team_files_in_the_book_can_be_read() {
        let page = include_str!("../../../docs/src/reference/team-file.md");
        let examples = page.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
        let mut count = 0;
        for (example, _) in examples.filter(|(example, _)| !example.contains("{{#include")) {
            parse(example);
            count += 1;
        }
        assert!(count > 1, "{count} examples");
    }

    #[test]
    fn without_rules_every_entity_gets_the_builtin_program() {
        for text in ["environment = 'find-goals'", "environment = 'find-goals'\nagents = []"] {
            let file = parse(text);
            assert_eq!(file.rules, [LaunchRule::all(LaunchProgram::BUILTIN)]);
            assert_eq!((file.seed, file.steps, file.pace, file.speed, file.patience), (None, None, None, None, None));
            assert!(file.parameters.is_empty());
        }
    }

    #[test]
    fn persons_and_commands_need_a_server() {
        for (rule, entities) in [
            ("program = 'person'", "every entity"),
            ("entity = 'red'\nprogram = 'remote'", "entity `red`"),
            ("type = 'walker'\ncommand = ['true']", "type `walker`"),
            ("entity = 'red'\ntype = 'walker'\nprogram = 'person'", "entity `red`, type `walker`"),
        ] {
            let rules = format!("[[agents]]\nentity = 'blue'\nprogram = 'idle'\n[[agents]]\n{rule}");
            let file = parse(&format!("environment = 'find-goals'\n{rules}"));
            let why = TeamFile::needs_server(&file.rules).expect("it needs one");
            assert!(why.starts_with(&format!("rule 2 ({entities}): ")), "{why}");
            assert!(why.ends_with("use builtin, random or idle"), "{why}");
        }
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let error = refusal("mistake", b"environment = 'find-goals'\n\n  sed = 7\n");
        assert!(error.starts_with("FILE: line 3, column 3: "), "{error}");
        assert!(error.ends_with("\n  |\n3 |   sed = 7\n  |   ^^^"), "{error}");
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let error = |path: &str| TeamFile::read(Path::new(path)).err().map(|error| format!("{error:#}"));
        for path in ["no such file.toml", "."] {
            let error = error(path).expect("it is no file");
            assert!(error.starts_with(&format!("cannot read the team file {path}: ")), "{error}");
        }
    }

    #[test]
    fn files_that_are_too_long_or_not_text_are_errors() {
        let mut long = b"environment = 'find-goals'\n".to_vec();
        long.resize((LONGEST << 20) as usize, b'#');
        let path = env::temp_dir().join(format!("situated-{}-longest.toml", process::id()));
        fs::write(&path, &long).expect("it can be written");
        assert!(TeamFile::read(&path).is_ok());
        fs::remove_file(&path).expect("it is there");
        long.push(b'#');
        assert!(refusal("long", &long).starts_with("FILE has more than 1 MiB"));
        let expected = "FILE is not UTF-8 text: byte 3 is invalid; save it as UTF-8";
        assert_eq!(refusal("latin1", b"# \xe4"), expected);
        for bytes in [b"\xff\xfe#\0\n\0", b"\xfe\xff\0#\0\n"] {
            assert_eq!(refusal("utf16", bytes), "FILE is text in UTF-16; save it as UTF-8");
        }
        let unmarked = "FILE is not UTF-8 text: byte 2 is zero, as in text in UTF-16; save it as UTF-8";
        assert_eq!(refusal("unmarked", b"#\0\n\0"), unmarked);
    }
}
