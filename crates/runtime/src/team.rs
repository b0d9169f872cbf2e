//! Programs for the entities of an environment, and the rules that assign them: the launch rules of a multi-agent
//! system. When an entity without an agent appears, the first rule that matches it and has room gives it a program.

mod employment;
mod member;
mod turns;

use std::collections::BTreeMap;

use situated::agent::{Agent, IdleAgent, RandomAgent};
use situated::iil::{Action, EcoString, Percept};
use situated::interface::{Observer, Perception};
use situated::ontology::Ontology;
use situated::random::Random;

use member::Member;
pub(crate) use member::MemberId;

/// Programs, and the rules that assign them to entities.
#[derive(Default)]
pub struct Team {
    rules: Vec<Rule>,
    members: BTreeMap<MemberId, Member>,
    /// The programs by entity.
    by_entity: BTreeMap<EcoString, MemberId>,
    next: MemberId,
    observer: Observer,
    /// The episode, by number and seed.
    episode: u64,
    seed: u64,
    /// Number of programs started in this episode; each has its own generator.
    employed: u64,
    /// The program that decides next, if they take turns.
    turn: MemberId,
    /// The episode and step for which all have decided.
    settled: Option<(u64, u64)>,
    /// Whether a rule with a count may have room again.
    has_room: bool,
    /// The entities that are reserved for agents from outside, with the indices of their rules.
    reserved: BTreeMap<EcoString, usize>,
    /// The agents that have left.
    dismissed: Vec<EcoString>,
    failures: BTreeMap<EcoString, Failures>,
    /// The reasons why entities lack a program that a rule gives them.
    trouble: BTreeMap<EcoString, String>,
    /// Percepts and actions of the current step, if they are noted.
    notes: Option<Notes>,
    finished: Option<Notes>,
}

/// A rule that gives a program to entities.
pub struct Rule {
    entity: Option<EcoString>,
    entity_type: Option<EcoString>,
    count: Option<usize>,
    program: Program,
    /// Number of entities that have the program now.
    employed: usize,
}

/// A program that decides for an entity.
pub struct Program {
    name: EcoString,
    /// `None` if the entity is reserved for agents from outside.
    employ: Option<Employ>,
}

type Employ = Box<dyn FnMut(&Post<'_>) -> Result<Box<dyn Agent>, String> + Send>;

/// The entity that a program is started for.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a> {
    /// The entity's name.
    pub entity: &'a str,
    /// Its type.
    pub entity_type: &'a str,
    /// The ontology of the environment.
    pub ontology: &'a Ontology,
    /// The seed of the episode.
    pub seed: u64,
    /// The number of this start in the episode, from 1. It identifies a stream of random numbers that no other
    /// program has.
    pub number: u64,
}

/// The failed actions of an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Their number.
    pub count: u64,
    /// The reason of the last failure.
    pub last: String,
}

/// Percepts and actions of the programs of a team in one step, by entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Percepts that they received before they decided. Entities without any are left out.
    pub percepts: BTreeMap<EcoString, Perception>,
    /// Their actions.
    pub actions: BTreeMap<EcoString, Action>,
    /// Percepts that their actions returned.
    pub found: BTreeMap<EcoString, Vec<Percept>>,
    /// Reasons why their actions failed.
    pub errors: BTreeMap<EcoString, String>,
}

impl Team {
    /// Creates a team with these rules; the first one that matches an entity applies.
    pub fn new(rules: Vec<Rule>) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Notes percepts and actions from now on.
    pub fn with_notes(self) -> Self {
        Self { notes: Some(Notes::default()), ..self }
    }

    /// Returns the entities that have a program, in order of their start, with the name of the program.
    pub fn members(&self) -> impl Iterator<Item = (&EcoString, &EcoString)> {
        self.members.values().map(|member| (&member.entity, &member.program))
    }

    /// Returns the seed of the episode; 0 before the first.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the failed actions, by entity.
    pub fn failures(&self) -> &BTreeMap<EcoString, Failures> {
        &self.failures
    }

    /// Returns the entities that match a rule but have no program, because it could not be started or has crashed,
    /// with the reason.
    pub fn trouble(&self) -> &BTreeMap<EcoString, String> {
        &self.trouble
    }

    /// Returns the notes of the last step, once; `None` if there has been no step since, or notes are off.
    pub fn take_notes(&mut self) -> Option<Notes> {
        self.finished.take()
    }
}

impl Rule {
    /// Creates a rule for entities with this name and this type, at most this many at a time. `None` matches
    /// everything.
    pub fn new(
        entity: Option<EcoString>,
        entity_type: Option<EcoString>,
        count: Option<usize>,
        program: Program,
    ) -> Self {
        Self { entity, entity_type, count, program, employed: 0 }
    }

    /// Creates a rule that gives all entities this program.
    pub fn all(program: Program) -> Self {
        Self::new(None, None, None, program)
    }
}

impl Program {
    /// Creates a program with this name. `employ` starts it for an entity, or refuses with a reason.
    pub fn new(
        name: impl Into<EcoString>,
        employ: impl FnMut(&Post<'_>) -> Result<Box<dyn Agent>, String> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), employ: Some(Box::new(employ)) }
    }

    /// Reserves entities for agents from outside.
    pub fn outside() -> Self {
        Self { name: "outside".into(), employ: None }
    }

    /// A program that does nothing.
    pub fn idle() -> Self {
        Self::new("idle", |_| Ok(Box::new(IdleAgent)))
    }

    /// A program that chooses random actions.
    pub fn random() -> Self {
        Self::new("random", |post| {
            // Stream 0 belongs to the environment.
            let random = Random::stream(post.seed, post.number);
            Ok(Box::new(RandomAgent::new(post.ontology, post.entity_type, random)))
        })
    }
}
