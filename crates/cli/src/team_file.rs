//! The file of a team: an environment, how it is run, and the rules by which its entities get programs.

mod checks;
mod mistake;
mod written;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use situated::agent::BuiltInAgent;
use situated::iil::{EcoString, Parameter};
use situated::ontology::Pace;
use situated_registry::Registered;
use situated_runtime::Speed;

use crate::environments::registry;
use crate::help;
use crate::parameters::read_text;
pub(crate) use checks::MOST_PATIENT;
pub(crate) use mistake::Mistake;

/// How many MiB such a file may have.
const LONGEST: u64 = 1;

/// What the file of a team says. What it leaves out is none.
pub(crate) struct TeamFile {
    pub(crate) environment: &'static Registered,
    pub(crate) seed: Option<u64>,
    /// How many steps are made at the most.
    pub(crate) steps: Option<u64>,
    pub(crate) pace: Option<Pace>,
    pub(crate) speed: Option<Speed>,
    /// How long a lockstep step waits for those who have not chosen.
    pub(crate) patience: Option<Duration>,
    pub(crate) parameters: BTreeMap<String, Parameter>,
    /// At least one; the first that fits an entity and has room counts.
    pub(crate) rules: Vec<LaunchRule>,
}

/// Which entities get which program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LaunchRule {
    /// The entity of this name only.
    pub(crate) entity: Option<EcoString>,
    /// Entities of this type only.
    pub(crate) entity_type: Option<EcoString>,
    /// How many entities at the most; none means all.
    pub(crate) count: Option<usize>,
    pub(crate) program: LaunchProgram,
    /// What the program is told.
    pub(crate) options: BTreeMap<String, Parameter>,
}

/// Who decides for an entity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LaunchProgram {
    /// The agent of this name that ships with the environment, or its first.
    Builtin { name: Option<EcoString> },
    /// It does anything that it can do.
    Random,
    /// It does nothing.
    Idle,
    /// A program of its own process: the command and its arguments, at least one word.
    Command(Vec<String>),
    /// Somebody who comes under this name, if it matters.
    Person { name: Option<EcoString> },
    /// An agent that comes under this name, if it matters.
    Remote { name: Option<EcoString> },
}

impl TeamFile {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read, is too long or no text, or says what cannot be.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        Self::parse(&read_text(path, "team file", LONGEST)?).with_context(|| path.display().to_string())
    }

    /// Understands the text of such a file.
    ///
    /// # Errors
    /// When it says what cannot be, with the place.
    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        checks::check(written::read(text)?).map_err(|wrong| Mistake::at(text, wrong.at, &wrong.message))
    }

    /// Why it cannot be run without a door through which others come in; none if it can be.
    pub(crate) fn needs_door(&self) -> Option<String> {
        let (number, rule) = (1..).zip(&self.rules).find(|(_, rule)| rule.program.comes_from_outside())?;
        Some(format!(
            "rule {number} ({}): commands, people and remote agents come in through a door, which `--page` opens, and \
             `{} serve`; otherwise use builtin, random or idle",
            rule.entities(),
            help::program()
        ))
    }
}

impl LaunchRule {
    /// All entities get this program.
    pub(crate) fn all(program: LaunchProgram) -> Self {
        Self { entity: None, entity_type: None, count: None, program, options: BTreeMap::new() }
    }

    /// Which entities it fits, in words.
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
    /// The agent that ships with any environment.
    pub(crate) const BUILTIN: Self = LaunchProgram::Builtin { name: None };

    /// Those that need to be told nothing, so that they can be chosen on the command line.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        let mut known = vec![
            PossibleValue::new("builtin").help("The first of those that ship with the environment"),
            PossibleValue::new("random").help("It does anything that it can do"),
            PossibleValue::new("idle").help("It does nothing"),
        ];
        for Registered { ontology, agents, .. } in registry().environments() {
            let help = |agent: &BuiltInAgent| format!("Ships with {}: {}", ontology.name, agent.documentation);
            known.extend(agents.iter().map(|agent| PossibleValue::new(agent.name).help(help(agent))));
        }
        PossibleValuesParser::new(known).map(|name| match name.as_str() {
            "builtin" => Self::BUILTIN,
            "random" => Self::Random,
            "idle" => Self::Idle,
            _ => Self::Builtin { name: Some(name.into()) },
        })
    }

    fn comes_from_outside(&self) -> bool {
        match self {
            LaunchProgram::Builtin { .. } | LaunchProgram::Random | LaunchProgram::Idle => false,
            LaunchProgram::Command(_) | LaunchProgram::Person { .. } | LaunchProgram::Remote { .. } => true,
        }
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

    /// What is said about a file with these bytes.
    fn refusal(name: &str, bytes: &[u8]) -> String {
        let path = env::temp_dir().join(format!("situated-{}-{name}.toml", process::id()));
        fs::write(&path, bytes).expect("there is room for it");
        let error = TeamFile::read(&path).err().map(|error| format!("{error:#}"));
        fs::remove_file(&path).expect("it is there");
        error.expect("something is wrong with it").replace(&path.display().to_string(), "FILE")
    }

    #[test]
    fn the_example_is_such_a_file() {
        let file = parse(EXAMPLE);
        assert_eq!(file.environment.ontology.name, "find-goals");
        assert_eq!(file.rules.len(), 2);
        assert_eq!(file.needs_door(), None);
    }

    #[test]
    fn the_book_shows_only_such_files() {
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
    fn without_rules_every_body_gets_the_builtin_program() {
        for text in ["environment = 'find-goals'", "environment = 'find-goals'\nagents = []"] {
            let file = parse(text);
            assert_eq!(file.rules, [LaunchRule::all(LaunchProgram::BUILTIN)]);
            assert_eq!((file.seed, file.steps, file.pace, file.speed, file.patience), (None, None, None, None, None));
            assert!(file.parameters.is_empty());
        }
    }

    #[test]
    fn whoever_comes_from_outside_needs_a_door() {
        for (rule, entities) in [
            ("program = 'person'", "every entity"),
            ("entity = 'red'\nprogram = 'remote'", "entity `red`"),
            ("type = 'walker'\ncommand = ['true']", "type `walker`"),
            ("entity = 'red'\ntype = 'walker'\nprogram = 'person'", "entity `red`, type `walker`"),
        ] {
            let rules = format!("[[agents]]\nentity = 'blue'\nprogram = 'idle'\n[[agents]]\n{rule}");
            let why = parse(&format!("environment = 'find-goals'\n{rules}")).needs_door().expect("it needs one");
            assert!(why.starts_with(&format!("rule 2 ({entities}): ")), "{why}");
            assert!(why.ends_with("use builtin, random or idle"), "{why}");
        }
    }

    #[test]
    fn mistakes_are_told_with_file_line_and_column() {
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
    fn files_that_are_too_long_or_no_text_are_refused() {
        let mut long = b"environment = 'find-goals'\n".to_vec();
        long.resize((LONGEST << 20) as usize, b'#');
        let path = env::temp_dir().join(format!("situated-{}-longest.toml", process::id()));
        fs::write(&path, &long).expect("there is room for it");
        assert!(TeamFile::read(&path).is_ok());
        fs::remove_file(&path).expect("it is there");
        long.push(b'#');
        assert!(refusal("long", &long).starts_with("FILE has more than 1 MiB"));
        let expected = "FILE is no text in UTF-8 from byte 3 on; save it as UTF-8";
        assert_eq!(refusal("latin1", b"# \xe4"), expected);
    }
}
