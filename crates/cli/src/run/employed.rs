//! The agents that decide for entities: how they are made, and their turns.

use anyhow::Context;
use situated::agent::{Agent, IdleAgent, RandomAgent};
use situated::iil::EcoString;
use situated::interface::{EnvironmentInterface, Error, Form, Since};
use situated::ontology::Ontology;
use situated::random::Random;

use super::Program;
use super::step::Step;

/// An agent that decides for one entity.
pub(super) struct Employed {
    /// The name under which it is registered.
    pub(super) name: String,
    pub(super) entity: EcoString,
    agent: Box<dyn Agent>,
}

/// Makes the agents of a run.
pub(super) struct Employer {
    pub(super) program: Program,
    pub(super) seed: u64,
    builtin: fn(&str) -> Option<Box<dyn Agent>>,
    /// How many it has made: each has a generator of its own.
    count: u64,
}

impl Employer {
    pub(super) fn new(program: Program, seed: u64, builtin: fn(&str) -> Option<Box<dyn Agent>>) -> Self {
        Self { program, seed, builtin, count: 0 }
    }

    /// An agent for an entity of this type.
    pub(super) fn employ(
        &mut self,
        entity: EcoString,
        entity_type: &str,
        ontology: &Ontology,
    ) -> anyhow::Result<Employed> {
        self.count += 1;
        let agent: Box<dyn Agent> = match self.program {
            Program::Builtin => (self.builtin)(&entity)
                .with_context(|| format!("there is no built-in agent for entity `{entity}`; try `--agents random`"))?,
            Program::Random => {
                // The environment has stream 0.
                let random = Random::stream(self.seed, self.count);
                Box::new(RandomAgent::new(ontology, entity_type, random))
            }
            Program::Idle => Box::new(IdleAgent),
        };
        Ok(Employed { name: format!("{}-{entity}", self.program), entity, agent })
    }
}

impl Employed {
    /// Perceives, decides and acts; `step` notes what happens, failures included.
    pub(super) fn take_turn(&mut self, interface: &mut dyn EnvironmentInterface, step: &mut Step) {
        if let Err(error) = self.live(interface, step) {
            step.errors.insert(self.entity.clone(), error.to_string());
        }
    }

    fn live(&mut self, interface: &mut dyn EnvironmentInterface, step: &mut Step) -> Result<(), Error> {
        let told = interface.perceive(&self.name, &[], Form::Update, Since::LastCall)?;
        for (entity, perception) in told {
            let action = self.agent.decide(&perception);
            if !perception.is_empty() {
                step.percepts.insert(entity.clone(), perception.into());
            }
            let Some(action) = action else { continue };
            let results = interface.perform_action(&self.name, &action, &[&entity]);
            step.actions.insert(entity, action);
            for (entity, found) in results? {
                let found = found?;
                if !found.is_empty() {
                    step.found.insert(entity, found);
                }
            }
        }
        Ok(())
    }
}
