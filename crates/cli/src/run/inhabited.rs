//! An environment with an agent for each of its entities: in each step every agent perceives, decides and acts, and
//! then time moves on.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use situated::environment::Outcome;
use situated::iil::{EcoString, Parameter};
use situated::interface::{Command, EnvironmentInterface};
use situated::ontology::Ontology;
use situated::scene::Scene;

use super::Program;
use super::employed::{Employed, Employer};
use super::step::Step;
use crate::environments::Known;

/// An environment, and who lives in it.
pub(super) struct Inhabited {
    interface: Box<dyn EnvironmentInterface>,
    employer: Employer,
    agents: Vec<Employed>,
    failures: BTreeMap<EcoString, Failures>,
}

/// What an entity has tried in vain.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// How often.
    pub(super) count: u64,
    /// Why it has failed the last time.
    pub(super) last: String,
}

impl Inhabited {
    /// The environment at the beginning of an episode, running, with its agents.
    pub(super) fn new(
        environment: &Known,
        program: Program,
        parameters: BTreeMap<String, Parameter>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let mut interface = (environment.interface)();
        interface.set_time(wall_clock());
        interface.manage(Command::Init { parameters, seed })?;
        let mut inhabited = Self {
            interface,
            employer: Employer::new(program, seed, environment.builtin),
            agents: Vec::new(),
            failures: BTreeMap::new(),
        };
        inhabited.follow_world()?;
        inhabited.interface.manage(Command::Start)?;
        Ok(inhabited)
    }

    /// Every agent perceives, decides and acts; then time moves on.
    pub(super) fn step(&mut self) -> anyhow::Result<Step> {
        self.interface.set_time(wall_clock());
        let mut step = Step::default();
        for agent in &mut self.agents {
            agent.take_turn(&mut *self.interface, &mut step);
        }
        for (entity, error) in &step.errors {
            let failures = self.failures.entry(entity.clone()).or_default();
            failures.count += 1;
            failures.last.clone_from(error);
        }
        self.interface.step()?;
        self.follow_world()?;
        step.number = self.steps();
        Ok(step)
    }

    /// Dismisses agents whose entities are gone, and employs one for each entity that has none.
    fn follow_world(&mut self) -> anyhow::Result<()> {
        for index in (0..self.agents.len()).rev() {
            if self.interface.associated_entities(&self.agents[index].name)?.is_empty() {
                let dismissed = self.agents.remove(index);
                self.interface.unregister_agent(&dismissed.name)?;
            }
        }
        for entity in self.interface.free_entities() {
            self.employ(entity)?;
        }
        Ok(())
    }

    fn employ(&mut self, entity: EcoString) -> anyhow::Result<()> {
        let entity_type = self.interface.entity_type(&entity)?;
        let employed = self.employer.employ(entity, entity_type, self.interface.ontology())?;
        self.interface.register_agent(&employed.name)?;
        self.interface.associate_entity(&employed.name, &employed.entity)?;
        self.agents.push(employed);
        Ok(())
    }

    /// The seed of the episode.
    pub(super) fn seed(&self) -> u64 {
        self.employer.seed
    }

    /// The program of all agents.
    pub(super) fn program(&self) -> Program {
        self.employer.program
    }

    /// The entities that agents decide for, in order of creation.
    pub(super) fn entities(&self) -> impl Iterator<Item = &EcoString> {
        self.agents.iter().map(|agent| &agent.entity)
    }

    /// What has failed, by entity.
    pub(super) fn failures(&self) -> &BTreeMap<EcoString, Failures> {
        &self.failures
    }

    /// What the environment declares about itself.
    pub(super) fn ontology(&self) -> &Ontology {
        self.interface.ontology()
    }

    /// How many steps have been made.
    pub(super) fn steps(&self) -> u64 {
        self.interface.moment().step
    }

    /// Whether the episode is over.
    pub(super) fn is_over(&self) -> bool {
        self.interface.ending().is_some()
    }

    /// The parameters of the episode, with their values.
    pub(super) fn parameters(&self) -> BTreeMap<String, Parameter> {
        self.interface.parameters().unwrap_or_default()
    }

    /// How the episode stands.
    pub(super) fn outcome(&self) -> Outcome {
        self.interface.outcome().unwrap_or(Outcome { ending: None, results: Vec::new() })
    }

    /// What the world looks like as a whole.
    pub(super) fn scene(&self) -> Scene {
        // Only a viewer that does not exist can be refused.
        self.interface.scene(None).unwrap_or_default()
    }
}

/// Milliseconds since the beginning of 1970.
fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use situated::agent::IdleAgent;
    use situated::environment::{Context, Ending, EntityId, Environment, Failure, Percepts};
    use situated::interface::Interface;
    use situated::{Action, InitParameters, Percept};

    use super::*;

    /// A pond from which `first` goes in step 2 and into which `second` comes; step 3 is the last.
    #[derive(Debug, Serialize, Deserialize)]
    struct Pond {
        duck: EntityId,
        steps: u64,
    }

    #[derive(Clone, Debug, InitParameters)]
    struct Weather {
        /// A pond without water is none.
        #[parameter(default = true)]
        water: bool,
    }

    #[derive(Clone, Debug, Action)]
    enum Doing {
        /// Ducks cannot.
        Sing,
    }

    #[derive(Clone, Debug, Percept)]
    enum Seeing {
        #[percept(always)]
        Water,
    }

    impl Environment for Pond {
        type Parameters = Weather;
        type Action = Doing;
        type Percept = Seeing;

        fn ontology() -> Ontology {
            Ontology::builder::<Weather, Doing, Seeing>("pond", "1", "A pond.").entity_type("duck", "A duck.").build()
        }

        fn init(weather: &Weather, context: &mut Context<Seeing>) -> Result<Self, Failure> {
            if !weather.water {
                return Err(Failure::new("there is no water"));
            }
            Ok(Self { duck: context.add_entity("first", "duck")?, steps: 0 })
        }

        fn act(&mut self, _: EntityId, _: &Doing, _: &mut Context<Seeing>) -> Result<Vec<Seeing>, Failure> {
            Err(Failure::new("ducks cannot sing"))
        }

        fn step(&mut self, context: &mut Context<Seeing>) {
            self.steps = context.step();
            if self.steps == 2 {
                context.delete_entity(self.duck);
                self.duck = context.add_entity("second", "duck").expect("the name is free");
            }
        }

        fn percepts(&self, _: EntityId, _: &Context<Seeing>, percepts: &mut Percepts<'_, Seeing>) {
            percepts.add(Seeing::Water);
        }

        fn ending(&self) -> Option<Ending> {
            (self.steps == 3).then_some(Ending::Truncated)
        }
    }

    fn pond() -> Known {
        Known {
            ontology: Pond::ontology(),
            interface: || Box::new(Interface::<Pond>::new()),
            builtin: |entity| (entity == "first").then(|| Box::new(IdleAgent) as _),
        }
    }

    fn inhabited(program: Program) -> Inhabited {
        Inhabited::new(&pond(), program, BTreeMap::new(), 1).expect("there is water")
    }

    #[test]
    fn agents_come_and_go_with_entities_and_see_the_end() {
        let mut pond = inhabited(Program::Idle);
        assert!(pond.entities().eq(["first"]));
        for expected in ["first", "second", "second"] {
            assert!(!pond.is_over());
            pond.step().expect("it is running");
            assert!(pond.entities().eq([expected]));
        }
        assert!(pond.is_over());
    }

    #[test]
    fn what_fails_is_counted_and_stops_nobody() {
        let mut pond = inhabited(Program::Random);
        for expected in 1..=2 {
            let step = pond.step().expect("it is running");
            assert!(step.errors["first"].contains("ducks cannot sing"));
            assert_eq!(pond.failures()["first"].count, expected);
        }
    }

    #[test]
    fn an_entity_without_a_built_in_agent_is_an_error_that_says_what_to_do() {
        let mut pond = inhabited(Program::Builtin);
        pond.step().expect("`first` has one");
        let error = pond.step().expect_err("`second` has none").to_string();
        assert!(error.contains("`second`") && error.contains("--agents random"), "{error}");
    }

    #[test]
    fn there_may_be_no_such_world() {
        let dry = BTreeMap::from([("water".to_owned(), Parameter::from(false))]);
        let error = Inhabited::new(&pond(), Program::Idle, dry, 1).err().expect("it is dry");
        assert!(error.to_string().contains("there is no water"), "{error}");
    }
}
