//! The kinds of environments that a hub can create.

use std::sync::Arc;

use situated::agent::BuiltInAgent;
use situated::environment::Environment;
use situated::interface::{EnvironmentInterface, Interface};
use situated::names::nearest;
use situated::ontology::Ontology;
use situated_runtime::{Program, Rule, Team};
use situated_wire::methods::AgentRule;

use crate::error::Error;

/// The kinds of environments that a hub can create.
#[derive(Default)]
pub struct Kinds(Vec<Kind>);

/// A kind of environment.
pub(crate) struct Kind {
    pub(crate) ontology: Arc<Ontology>,
    /// Creates the interface to a new environment.
    pub(crate) interface: Box<dyn Fn() -> Box<dyn EnvironmentInterface> + Send + Sync>,
    /// The agents that ship with the environment.
    pub(crate) agents: Vec<BuiltInAgent>,
}

impl Kinds {
    /// No kinds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kind of an environment.
    pub fn with_environment<E: Environment>(self) -> Self {
        self.with(E::ontology(), || Box::new(Interface::<E>::new()))
    }

    /// Adds a kind: its ontology, and a function that creates the interface to a new environment.
    pub fn with(
        mut self,
        ontology: Ontology,
        interface: impl Fn() -> Box<dyn EnvironmentInterface> + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Kind { ontology: Arc::new(ontology), interface: Box::new(interface), agents: Vec::new() });
        self
    }

    /// Adds agents that ship with the kind that was added last.
    pub fn with_agents(mut self, agents: Vec<BuiltInAgent>) -> Self {
        if let Some(kind) = self.0.last_mut() {
            kind.agents = agents;
        }
        self
    }

    /// The kind of this name.
    pub(crate) fn find(&self, name: &str) -> Result<&Kind, Error> {
        self.0.iter().find(|kind| kind.ontology.name == name).ok_or_else(|| {
            let nearest = nearest(name, self.0.iter().map(|kind| kind.ontology.name.as_str())).map(Into::into);
            Error::NoSuchKind { name: name.into(), nearest }
        })
    }

    /// The ontologies of all kinds.
    pub(crate) fn ontologies(&self) -> impl Iterator<Item = &Arc<Ontology>> {
        self.0.iter().map(|kind| &kind.ontology)
    }
}

impl Kind {
    /// Returns the team with these rules.
    ///
    /// # Errors
    /// Returns an error if the kind has no agent that a rule names.
    pub(crate) fn team(&self, rules: &[AgentRule]) -> Result<Team, Error> {
        rules.iter().map(|rule| self.rule(rule)).collect::<Result<_, _>>().map(Team::new)
    }

    fn rule(&self, rule: &AgentRule) -> Result<Rule, Error> {
        let AgentRule { entity, entity_type, count, agent } = rule.clone();
        let (entity, entity_type) = (entity.map(|name| name.0), entity_type.map(|name| name.0));
        let count = count.map(|count| count as usize);
        let Some(agent) = agent else { return Ok(Rule::new(entity, entity_type, count, Program::outside())) };
        let make = self.agents.iter().find(|one| one.name == agent.as_str()).map(|one| one.make);
        let make = make.ok_or_else(|| Error::NoSuchAgentOfKind {
            kind: self.ontology.name.as_str().into(),
            name: agent.0.clone(),
            known: self.agents.iter().map(|one| one.name).collect(),
        })?;
        let program = Program::new(agent.0, move |post| {
            make(post.entity, post.entity_type).ok_or_else(|| format!("it cannot control {}", post.entity))
        });
        Ok(Rule::new(entity, entity_type, count, program))
    }
}
