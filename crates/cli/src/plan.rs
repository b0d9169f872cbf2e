//! Plans: an environment with parameters, a pace, and programs. A plan can run many times, with different seeds.

use std::collections::BTreeMap;
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use situated::iil::{EcoString, Parameter};
use situated::interface::{Command, EnvironmentInterface, FIRST_SEED};
use situated::names::{did_you_mean, nearest};
use situated::ontology::Pace;
use situated_recording::{McapRecorder, Recording};
use situated_registry::Registered;
use situated_runtime::{Owner, Program, Rule, Speed, Team, Tempo};

use crate::parameters::{values, with_contents};
use crate::program;
use crate::python::Source;
use crate::team_file::{Condition, LaunchProgram, LaunchRule, TeamFile};
use crate::usage::{refusal_of, wrong_usage};

/// Default number of steps in an environment that does not run in real time.
const STEPS: u64 = 1000;

/// Default duration of a run in real time, in seconds of the environment.
const SECONDS: f64 = 600.0;

/// Maximum number of entities that a warning lists.
const ENTITIES_LISTED: usize = 8;

/// The plan of a run: the environment, its parameters and the programs for its entities.
pub(crate) struct Plan {
    pub(crate) environment: &'static Registered,
    /// The Python file with the environment, if it is in one.
    pub(crate) source: Option<Arc<Source>>,
    pub(crate) parameters: BTreeMap<String, Parameter>,
    pub(crate) seed: u64,
    /// Maximum number of steps.
    pub(crate) steps: u64,
    pub(crate) pace: Pace,
    /// The speed, if the user chose one.
    pub(crate) speed: Option<Speed>,
    /// Maximum time that a step in lockstep waits for agents that have not acted.
    pub(crate) patience: Option<Duration>,
    /// Whether a message that breaks a rule of its interaction protocol ends the run.
    pub(crate) ends_on_violation: bool,
    pub(crate) rules: Vec<LaunchRule>,
    /// The reason why the plan needs a server that others connect to; `None` if it does not.
    pub(crate) needs_server: Option<String>,
    /// The plans that runs compare, with their names.
    pub(crate) conditions: Vec<(String, Plan)>,
}

impl Plan {
    /// Returns the default plan for an environment: its own pace, and its built-in agents.
    pub(crate) fn of(environment: &'static Registered) -> Self {
        Self {
            pace: environment.ontology.pace,
            parameters: BTreeMap::new(),
            seed: FIRST_SEED,
            steps: usual_steps(environment.ontology.pace),
            speed: None,
            patience: None,
            ends_on_violation: false,
            rules: vec![LaunchRule::all(LaunchProgram::BUILTIN)],
            needs_server: None,
            conditions: Vec::new(),
            source: None,
            environment,
        }
    }

    /// Reads a team file. `instead` replaces its rules.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or contains a mistake.
    pub(crate) fn read(path: &Path, instead: Option<LaunchRule>) -> anyhow::Result<Self> {
        if Recording::open(path).is_ok() {
            let (path, program) = (path.display(), program::name());
            bail!("{path} is a recording; replay it with `{program} replay {path}`");
        }
        let mut file = TeamFile::read(path)?;
        let conditions = mem::take(&mut file.conditions).into_iter().map(|Condition { name, parameters, rules }| {
            let parameters = file.parameters.clone().into_iter().chain(parameters).collect();
            let rules = if rules.is_empty() { file.rules.clone() } else { rules };
            Ok((
                name,
                Self::of_file(&TeamFile { parameters, rules, conditions: Vec::new(), ..file }, path, instead.as_ref())?,
            ))
        });
        let conditions = conditions.collect::<anyhow::Result<_>>()?;
        Ok(Self { conditions, ..Self::of_file(&file, path, instead.as_ref())? })
    }

    /// Returns the plan of a team file without its conditions.
    fn of_file(file: &TeamFile, path: &Path, instead: Option<&LaunchRule>) -> anyhow::Result<Self> {
        let mut rules = instead.map_or_else(|| file.rules.clone(), |rule| vec![rule.clone()]);
        let needs_server = TeamFile::needs_server(&rules);
        let folder = path.parent().unwrap_or(Path::new(""));
        for rule in &mut rules {
            match &mut rule.program {
                LaunchProgram::File { file, .. } => *file = folder.join(&*file),
                LaunchProgram::Model(model) => {
                    if let Some(prompt) = &mut model.prompt {
                        *prompt = folder.join(&*prompt);
                    }
                }
                _ => {}
            }
        }
        let parameters = with_contents(file.parameters.clone(), &file.environment.ontology, folder)
            .with_context(|| path.display().to_string())?;
        let usual = Self::of(file.environment);
        Ok(Self {
            pace: file.pace.unwrap_or(usual.pace),
            parameters,
            seed: file.seed.unwrap_or(usual.seed),
            steps: file.steps.unwrap_or(match file.pace {
                Some(pace @ Pace::RealTime { .. }) => usual_steps(pace),
                // What happens in ten minutes of real time takes as many steps at another pace.
                _ => usual.steps,
            }),
            speed: file.speed,
            patience: file.patience,
            ends_on_violation: file.ends_on_violation,
            rules,
            needs_server,
            ..usual
        })
    }

    /// Sets parameters, also of the conditions, overriding earlier ones. Paths are relative to the current folder.
    ///
    /// # Errors
    /// Returns a usage error if a file cannot be read.
    pub(crate) fn set_parameters(&mut self, parameters: &[(String, String)]) -> anyhow::Result<()> {
        let values = values(parameters, &self.environment.ontology).map_err(|error| wrong_usage(&error))?;
        for plan in self.conditions.iter_mut().map(|(_, plan)| plan) {
            plan.parameters.extend(values.clone());
        }
        self.parameters.extend(values);
        Ok(())
    }

    /// Returns the names of the parameters of the plan that are files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let files = self.environment.ontology.parameters.iter().filter(|field| field.is_file());
        files.map(|field| field.name.as_str()).filter(|name| self.parameters.contains_key(*name))
    }

    /// Returns an error if the plan is that of several conditions, of which only one can run at a time.
    ///
    /// # Errors
    /// Returns a usage error that says how to run them.
    pub(crate) fn check_single(&self) -> anyhow::Result<()> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = self.conditions.iter().map(|(name, _)| name.as_str()).collect();
        let (names, program) = (names.join(", "), program::name());
        Err(wrong_usage(&anyhow!(
            "the team file compares conditions ({names}); use `{program} run FILE --repeat 20` to compare them, or \
             `{program} run FILE --condition NAME` to run one"
        ))
        .into())
    }

    /// Returns the plan of the condition with this name.
    ///
    /// # Errors
    /// Returns a usage error if the file has no such condition.
    pub(crate) fn condition(mut self, name: &str) -> anyhow::Result<Self> {
        if let Some(place) = self.conditions.iter().position(|(known, _)| known == name) {
            return Ok(self.conditions.swap_remove(place).1);
        }
        let known: Vec<&str> = self.conditions.iter().map(|(name, _)| name.as_str()).collect();
        let suggestion = did_you_mean(nearest(name, known.iter().copied()));
        Err(wrong_usage(&match known.is_empty() {
            true => anyhow!("there is no condition `{name}`: only team files with `[[conditions]]` have some"),
            false => anyhow!("there is no condition `{name}`, expected one of: {}{suggestion}", known.join(", ")),
        })
        .into())
    }

    /// Checks that the environment has all programs that the rules name.
    ///
    /// # Errors
    /// Returns an error if the environment lacks a program that the rules name.
    pub(crate) fn check_programs(&self) -> anyhow::Result<()> {
        let shipped: Vec<&str> = self.environment.agents.iter().map(|agent| agent.name).collect();
        let wanted = self.rules.iter().filter_map(|rule| match &rule.program {
            LaunchProgram::Builtin { name } => name.as_deref(),
            _ => None,
        });
        match wanted.into_iter().find(|name| !shipped.contains(name)) {
            Some(name) => {
                let known: Vec<&str> = LaunchProgram::SIMPLE.into_iter().chain(shipped).collect();
                let meant = did_you_mean(nearest(name, known.iter().copied()));
                let environment = &self.environment.ontology.name;
                bail!("{environment} has no agent `{name}`, expected one of: {}{meant}", known.join(", "))
            }
            None => Ok(()),
        }
    }

    /// Creates the owner of the environment, with its programs.
    pub(crate) fn owner<T>(&self, notes: bool, recorder: Option<McapRecorder>) -> Owner<T> {
        let rules = self.rules.iter().map(|rule| self.rule(rule)).collect();
        let team = if notes { Team::new(rules).with_notes() } else { Team::new(rules) };
        let tempo = Tempo { pace: self.pace, speed: self.speed.unwrap_or(Speed::MAX), patience: self.patience };
        let owner = Owner::new((self.environment.interface)(), tempo).with_team(team);
        match recorder {
            Some(recorder) => owner.with_recorder(Box::new(recorder)),
            None => owner,
        }
    }

    /// Returns the command that begins the first episode.
    pub(crate) fn init(&self, seed: u64) -> Command {
        Command::Init { parameters: self.parameters.clone(), seed }
    }

    /// Turns errors about parameters into usage errors; other errors stay failures.
    pub(crate) fn refusal(&self, error: anyhow::Error) -> anyhow::Error {
        let ontology = &self.environment.ontology;
        let named = self.source.as_ref().map_or(ontology.name.clone(), |source| source.shown());
        refusal_of(error, ontology, &named)
    }

    /// Returns whether language models play.
    pub(crate) fn has_models(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule.program, LaunchProgram::Model(_)))
    }

    /// Returns the entities of each rule, given all entities with their types. The first rule that matches an entity
    /// and has room gets it.
    pub(crate) fn entities_of_rules<'a>(&self, entities: &'a [(EcoString, EcoString)]) -> Vec<Vec<&'a str>> {
        let mut of_rules = vec![Vec::new(); self.rules.len()];
        for (entity, entity_type) in entities {
            let fits = |(place, rule): &(usize, &LaunchRule)| {
                rule.entity.as_ref().is_none_or(|name| name == entity)
                    && rule.entity_type.as_ref().is_none_or(|of| of == entity_type)
                    && rule.count.is_none_or(|count| of_rules[*place].len() < count)
            };
            let Some((place, _)) = self.rules.iter().enumerate().find(fits) else { continue };
            of_rules[place].push(entity.as_str());
        }
        of_rules
    }

    /// Returns warnings about rules for entities that do not exist: the name may be misspelled, or the entity may
    /// come later.
    pub(crate) fn warnings_of_unused_rules(&self, there: &[EcoString]) -> Vec<String> {
        let missing = |rule: &LaunchRule| rule.entity.clone().filter(|entity| !there.contains(entity));
        let entities = self.rules.iter().filter_map(missing);
        let known: Vec<&str> = there.iter().map(EcoString::as_str).take(ENTITIES_LISTED).collect();
        let warning = |entity: EcoString| {
            let meant = did_you_mean(nearest(&entity, there.iter().map(EcoString::as_str)));
            format!("a rule names `{entity}`, but there is no such entity yet{meant} (there are {})", known.join(", "))
        };
        entities.map(warning).collect()
    }

    /// Returns the error for a run in which no agent acts: no rule matches any of the entities at its beginning. A
    /// server awaits agents that connect.
    pub(crate) fn lack_of_agents(&self, interface: &dyn EnvironmentInterface) -> Option<anyhow::Error> {
        let there = interface.entities();
        let with_type = |entity: &EcoString| Some((entity.clone(), interface.entity_type(entity).ok()?.into()));
        let typed: Vec<(EcoString, EcoString)> = there.iter().filter_map(with_type).collect();
        if self.needs_server.is_some() || self.entities_of_rules(&typed).iter().any(|entities| !entities.is_empty()) {
            return None;
        }
        let known: Vec<&str> = there.iter().map(EcoString::as_str).take(ENTITIES_LISTED).collect();
        Some(match self.warnings_of_unused_rules(&there).first() {
            _ if there.is_empty() => {
                anyhow!("{} has no entities with these parameters: no agent could act", self.environment.ontology.name)
            }
            Some(unused) => anyhow!("no entity has an agent: {unused}"),
            None => anyhow!("no entity has an agent: no rule matches any of {}", known.join(", ")),
        })
    }

    fn rule(&self, rule: &LaunchRule) -> Rule {
        let program = program(&rule.program, self.environment);
        Rule::new(rule.entity.clone(), rule.entity_type.clone(), rule.count, program)
    }
}

/// Returns the default number of steps with a pace.
fn usual_steps(pace: Pace) -> u64 {
    match pace {
        Pace::RealTime { steps_per_second } => (SECONDS * steps_per_second) as u64,
        _ => STEPS,
    }
}

fn program(program: &LaunchProgram, environment: &Registered) -> Program {
    match program {
        LaunchProgram::Builtin { name } => {
            let mut agents = environment.agents.iter().copied();
            let wanted = agents.find(|agent| name.as_ref().is_none_or(|name| agent.name == name));
            Program::new(name.as_deref().unwrap_or("builtin"), move |post| {
                let entity = post.entity;
                let agent = wanted.and_then(|agent| (agent.make)(entity, post.entity_type));
                agent.ok_or_else(|| format!("there is no built-in agent for entity `{entity}`; try `--agents random`"))
            })
        }
        LaunchProgram::Random => Program::random(),
        LaunchProgram::Idle => Program::idle(),
        LaunchProgram::Command(_)
        | LaunchProgram::File { .. }
        | LaunchProgram::Model(_)
        | LaunchProgram::Person { .. }
        | LaunchProgram::Remote { .. } => Program::outside(),
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::*;

    #[test]
    fn the_default_number_of_steps_depends_on_the_pace_of_the_file() {
        let path = env::temp_dir().join(format!("situated-{}-pace.toml", process::id()));
        for (file, steps) in [
            ("environment = 'find-goals'", 1000),
            ("environment = 'find-goals'\npace = 'reactive'", 1000),
            ("environment = 'find-goals'\npace = { real-time = 20 }", 12_000),
            ("environment = 'bw4t'\npace = 'lockstep'", 30_000),
            ("environment = 'bw4t'\npace = { real-time = 5 }", 3000),
        ] {
            fs::write(&path, file).expect("there is room");
            let plan = Plan::read(&path, None).expect("it has no mistake");
            assert_eq!(plan.steps, steps, "{file}");
        }
        fs::remove_file(&path).expect("it is there");
    }
}
