//! Programs that live in an environment, and the rules by which they are employed: the launch rules of a multi-agent
//! system. When an entity comes that nobody has, the first rule that fits it and has room gives it a program.

mod employment;
mod member;
mod turns;

use std::collections::{BTreeMap, HashMap};

use situated::agent::{Agent, IdleAgent, RandomAgent};
use situated::iil::{Action, EcoString, Percept};
use situated::interface::{Observer, Perception};
use situated::ontology::Ontology;
use situated::random::Random;

use member::Member;
pub(crate) use member::MemberId;

/// Programs, and the rules by which they are employed.
#[derive(Default)]
pub struct Team {
    rules: Vec<Rule>,
    /// The places of the rules for one entity only, by its name, and of the others.
    by_name: HashMap<EcoString, Vec<usize>>,
    general: Vec<usize>,
    members: BTreeMap<MemberId, Member>,
    /// Whose they are.
    by_entity: BTreeMap<EcoString, MemberId>,
    next: MemberId,
    observer: Observer,
    /// The episode, by number and seed.
    episode: u64,
    seed: u64,
    /// How many programs have been employed in this episode: each has a generator of its own.
    employed: u64,
    /// The member that is to decide next, where one does after another.
    turn: MemberId,
    /// The episode and step for which all have decided.
    settled: Option<(u64, u64)>,
    /// Whether a rule for so many entities may have room again.
    has_room: bool,
    /// The entities that are left to those who come from outside, with the places of their rules.
    reserved: BTreeMap<EcoString, usize>,
    /// The agents that have left.
    dismissed: Vec<EcoString>,
    failures: BTreeMap<EcoString, Failures>,
    /// Why entities have no program that are to have one.
    trouble: BTreeMap<EcoString, String>,
    /// What is happening, if somebody wants to know.
    notes: Option<Notes>,
    finished: Option<Notes>,
}

/// A rule: which entities get which program.
pub struct Rule {
    entity: Option<EcoString>,
    entity_type: Option<EcoString>,
    count: Option<usize>,
    program: Program,
    /// How many entities have it now.
    employed: usize,
}

/// A program: what decides for an entity.
pub struct Program {
    name: EcoString,
    /// None if those that come from outside are to have the entity.
    employ: Option<Employ>,
}

type Employ = Box<dyn FnMut(&Post<'_>) -> Result<Box<dyn Agent>, String> + Send>;

/// What a program is employed for.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a> {
    /// The entity's name.
    pub entity: &'a str,
    /// Its type.
    pub entity_type: &'a str,
    /// What the environment declares.
    pub ontology: &'a Ontology,
    /// The seed of the episode.
    pub seed: u64,
    /// The number of this employment in the episode, from 1: that of a stream of its generator which nobody else has.
    pub number: u64,
}

/// What an entity has tried in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// How often.
    pub count: u64,
    /// Why it has failed the last time.
    pub last: String,
}

/// What the members of a team were told and did in one step, by entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// What they were told before they decided. Who was told nothing is left out.
    pub percepts: BTreeMap<EcoString, Perception>,
    /// What they did.
    pub actions: BTreeMap<EcoString, Action>,
    /// What their actions found out.
    pub found: BTreeMap<EcoString, Vec<Percept>>,
    /// Why their actions failed.
    pub errors: BTreeMap<EcoString, String>,
}

impl Team {
    /// A team that is employed by these rules, the first that fits counting.
    pub fn new(rules: Vec<Rule>) -> Self {
        let mut team = Self { rules, ..Self::default() };
        for (place, rule) in team.rules.iter().enumerate() {
            match &rule.entity {
                Some(entity) => team.by_name.entry(entity.clone()).or_default().push(place),
                None => team.general.push(place),
            }
        }
        team
    }

    /// The same, noting what its members are told and do.
    pub fn with_notes(self) -> Self {
        Self { notes: Some(Notes::default()), ..self }
    }

    /// The entities that have a program, in order of employment, with its name.
    pub fn members(&self) -> impl Iterator<Item = (&EcoString, &EcoString)> {
        self.members.values().map(|member| (&member.entity, &member.program))
    }

    /// The seed of the episode; 0 before the first.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What has failed, by entity.
    pub fn failures(&self) -> &BTreeMap<EcoString, Failures> {
        &self.failures
    }

    /// The entities that a rule fits and that could not be given a program, or whose program has broken down; with the
    /// reason.
    pub fn trouble(&self) -> &BTreeMap<EcoString, String> {
        &self.trouble
    }

    /// What happened in the last step, once; none if there has been none since, or nothing is noted.
    pub fn take_notes(&mut self) -> Option<Notes> {
        self.finished.take()
    }
}

impl Rule {
    /// Entities of this name and this type get this program, so many at a time at the most; what is left out is of no
    /// account.
    pub fn new(
        entity: Option<EcoString>,
        entity_type: Option<EcoString>,
        count: Option<usize>,
        program: Program,
    ) -> Self {
        Self { entity, entity_type, count, program, employed: 0 }
    }

    /// All entities get this program.
    pub fn all(program: Program) -> Self {
        Self::new(None, None, None, program)
    }
}

impl Program {
    /// A program of this name, which is started for each entity with what `employ` makes; that may refuse, with a
    /// reason.
    pub fn new(
        name: impl Into<EcoString>,
        employ: impl FnMut(&Post<'_>) -> Result<Box<dyn Agent>, String> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), employ: Some(Box::new(employ)) }
    }

    /// None: the entity is left to those who come from outside.
    pub fn outside() -> Self {
        Self { name: "outside".into(), employ: None }
    }

    /// It does nothing.
    pub fn idle() -> Self {
        Self::new("idle", |_| Ok(Box::new(IdleAgent)))
    }

    /// It does anything that its entity can do.
    pub fn random() -> Self {
        Self::new("random", |post| {
            // The environment has stream 0.
            let random = Random::stream(post.seed, post.number);
            Ok(Box::new(RandomAgent::new(post.ontology, post.entity_type, random)))
        })
    }
}
