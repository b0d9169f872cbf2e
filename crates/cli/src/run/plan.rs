//! What is to be run: an environment with parameters, at a pace, with programs in it. A plan can be carried out many
//! times, with one seed after another.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use situated::iil::{EcoString, Parameter};
use situated::interface::Command;
use situated::ontology::Pace;
use situated::suggestion::{did_you_mean, nearest};
use situated_runtime::{Clock, Input, Owner, Program, Recorder, Request, Rule, Speed, Team, Tempo};

use super::stage::Stage;
use crate::environments::Known;
use crate::team_file::{LaunchProgram, LaunchRule, TeamFile};

/// How many steps are made if nobody says how many.
const STEPS: u64 = 1000;

/// How many entities a warning lists at the most.
const ENTITIES_LISTED: usize = 8;

/// The seed if nobody says which.
const SEED: u64 = 1;

/// What is to be run.
pub(super) struct Plan {
    pub(super) environment: Known,
    pub(super) parameters: BTreeMap<String, Parameter>,
    pub(super) seed: u64,
    /// How many steps are made at the most.
    pub(super) steps: u64,
    pub(super) pace: Pace,
    /// The speed that was asked for.
    pub(super) speed: Option<Speed>,
    /// How long a lockstep step waits for those who have not chosen.
    pub(super) patience: Option<Duration>,
    pub(super) rules: Vec<LaunchRule>,
}

impl Plan {
    /// This environment as it declares itself, with its built-in agents.
    pub(super) fn of(environment: Known) -> Self {
        Self {
            pace: environment.ontology.pace,
            environment,
            parameters: BTreeMap::new(),
            seed: SEED,
            steps: STEPS,
            speed: None,
            patience: None,
            rules: vec![LaunchRule::all(LaunchProgram::Builtin)],
        }
    }

    /// What the file of a team says, but for its rules where there are others.
    ///
    /// # Errors
    /// When it cannot be read, or asks for what there is not.
    pub(super) fn read(path: &Path, instead: Option<LaunchRule>) -> anyhow::Result<Self> {
        let mut file = TeamFile::read(path)?;
        if let Some(rule) = instead {
            file.rules = vec![rule];
        }
        check(&file).with_context(|| path.display().to_string())?;
        let usual = Self::of(file.environment);
        Ok(Self {
            pace: file.pace.unwrap_or(usual.pace),
            parameters: file.parameters,
            seed: file.seed.unwrap_or(usual.seed),
            steps: file.steps.unwrap_or(usual.steps),
            speed: file.speed,
            patience: file.patience,
            rules: file.rules,
            ..usual
        })
    }

    /// The world at the beginning of an episode, running, with its programs.
    ///
    /// # Errors
    /// When there is no such world, or a body has no program that is to have one.
    pub(super) fn begin(&self, seed: u64, notes: bool, recorder: Option<Recorder>) -> anyhow::Result<Stage> {
        let rules = self.rules.iter().map(|rule| self.rule(rule)).collect();
        let team = if notes { Team::new(rules).with_notes() } else { Team::new(rules) };
        let tempo = Tempo { pace: self.pace, speed: self.speed.unwrap_or(Speed::MAX), patience: self.patience };
        let mut owner = Owner::new((self.environment.interface)(), tempo).with_team(team);
        if let Some(recorder) = recorder {
            owner = owner.with_recorder(recorder);
        }
        let clock = Clock::new();
        let init = Command::Init { parameters: self.parameters.clone(), seed };
        for command in [init, Command::Start] {
            owner.submit((), Request::Input(Input::Manage(command)), clock.now());
        }
        Stage::open(owner, clock, self.steps)
    }

    /// The rules for an entity that is not there, in words: perhaps its name is mistyped, or it comes later.
    pub(super) fn rules_for_nobody(&self, stage: &mut Stage) -> Vec<String> {
        let there = stage.entities();
        let missing = |rule: &LaunchRule| rule.entity.clone().filter(|entity| !there.contains(entity));
        let entities = self.rules.iter().filter_map(missing);
        let known: Vec<&str> = there.iter().map(EcoString::as_str).take(ENTITIES_LISTED).collect();
        let warning = |entity: EcoString| {
            let meant = did_you_mean(nearest(&entity, there.iter().map(EcoString::as_str)));
            format!("there is a rule for `{entity}`, and no such entity yet{meant} (there are {})", known.join(", "))
        };
        entities.map(warning).collect()
    }

    fn rule(&self, rule: &LaunchRule) -> Rule {
        let program = program(&rule.program, &self.environment);
        Rule::new(rule.entity.clone(), rule.entity_type.clone(), rule.count, program)
    }
}

/// Whether all that a file asks for is there.
fn check(file: &TeamFile) -> anyhow::Result<()> {
    if let Some(why) = file.needs_door() {
        bail!(why);
    }
    let told = file.rules.iter().find(|rule| !rule.options.is_empty());
    if let Some(option) = told.and_then(|rule| rule.options.keys().next()) {
        bail!("the built-in agents of {} take no options, so no `{option}`", file.environment.ontology.name);
    }
    Ok(())
}

fn program(program: &LaunchProgram, environment: &Known) -> Program {
    let builtin = environment.builtin;
    match program {
        LaunchProgram::Builtin => Program::new("builtin", move |post| {
            let entity = post.entity;
            builtin(entity)
                .ok_or_else(|| format!("there is no built-in agent for entity `{entity}`; try `--agents random`"))
        }),
        LaunchProgram::Random => Program::random(),
        LaunchProgram::Idle => Program::idle(),
        LaunchProgram::Command(_) | LaunchProgram::Person { .. } | LaunchProgram::Remote { .. } => {
            Program::new("outside", |_| Err("who comes from outside needs a door".into()))
        }
    }
}
