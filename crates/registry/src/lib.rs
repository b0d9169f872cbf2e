//! Environments by name. Everything that finds an environment by its name, such as the command `situated` and the Python
//! package, takes a [`Registry`]. An author adds an environment with one line:
//!
//! ```
//! # use situated::prelude::*;
//! # #[derive(serde::Serialize, serde::Deserialize)]
//! # struct Lamp;
//! # #[derive(Clone, Debug, InitParameters)]
//! # struct Parameters {}
//! # #[derive(Clone, Debug, Action)]
//! # enum Switch {
//! #     /// Switches it.
//! #     Switch,
//! # }
//! # #[derive(Clone, Debug, Percept)]
//! # enum Sight {
//! #     #[percept(on_change)]
//! #     Lit,
//! # }
//! # impl Environment for Lamp {
//! #     type Parameters = Parameters;
//! #     type Action = Switch;
//! #     type Percept = Sight;
//! #     fn ontology() -> Ontology {
//! #         Ontology::builder::<Parameters, Switch, Sight>("lamp", "1.0", "A lamp.").entity_type("hand", "A hand.").build()
//! #     }
//! #     fn init(_: &Parameters, _: &mut Context<Sight>) -> Result<Self, Failure> { Ok(Lamp) }
//! #     fn act(&mut self, _: EntityId, _: &Switch, _: &mut Context<Sight>) -> Result<Vec<Sight>, Failure> { Ok(vec![]) }
//! #     fn percepts(&self, _: EntityId, _: &Context<Sight>, _: &mut Percepts<'_, Sight>) {}
//! # }
//! use situated_registry::{Registry, environment};
//!
//! let registry = Registry::new().with(environment::<Lamp>());
//! assert_eq!(registry.find("lamp").expect("it is registered").ontology.name, "lamp");
//! ```
//!
//! The feature `shipped` adds the environments that ship with situated. The feature `vector` adds vectors, which the command
//! does without.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use situated::agent::{BuiltInAgent, BuiltInAgents};
#[cfg(not(feature = "vector"))]
use situated::encoding::Element as Cell;
use situated::encoding::Encode;
use situated::environment::Environment;
use situated::interface::{EnvironmentInterface, Interface};
use situated::ontology::Ontology;
use situated::ontology::typed::Mismatch;
use situated_testkit::Report;
#[cfg(feature = "vector")]
use situated_vector::{Cell, Error, Settings, Vector, vector};

/// Environments by name.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    environments: BTreeMap<String, Registered>,
}

/// An environment in a registry.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The ontology, which has the name.
    pub ontology: Ontology,
    /// The group under which lists show it; empty for none.
    pub group: &'static str,
    /// Makes an interface to a new environment.
    pub interface: fn() -> Box<dyn EnvironmentInterface>,
    /// The agents that ship with the environment; the first is the default.
    pub agents: Vec<BuiltInAgent>,
    /// Makes a vector of the environment; `None` if it was registered without an encoding.
    #[cfg(feature = "vector")]
    pub vector: Option<MakeVector>,
    /// Checks the environment, with its encoding if it was registered with one.
    pub check: CheckEnvironment,
}

/// A function that checks one environment.
pub type CheckEnvironment = fn(&situated_testkit::Settings) -> Result<Report, Mismatch>;

/// A function that makes a vector of one environment.
#[cfg(feature = "vector")]
pub type MakeVector = fn(Settings) -> Result<Box<dyn Vector>, Error>;

/// An environment that is about to be registered. Its methods add further features, such as built-in agents.
#[derive(Clone, Debug)]
pub struct Registration<E> {
    registered: Registered,
    environment: PhantomData<fn() -> E>,
}

/// Any environment, for [`Registry::with`].
pub fn environment<E: Environment>() -> Registration<E> {
    let interface = || Box::new(Interface::<E>::new()) as Box<dyn EnvironmentInterface>;
    let registered = Registered {
        ontology: E::ontology(),
        group: "",
        interface,
        agents: Vec::new(),
        #[cfg(feature = "vector")]
        vector: None,
        check: |settings| settings.check::<E>(),
    };
    Registration { registered, environment: PhantomData }
}

impl<E: Environment> Registration<E> {
    /// Sets the group under which lists show the environment.
    pub fn in_group(mut self, group: &'static str) -> Self {
        self.registered.group = group;
        self
    }

    /// Adds the agents that ship with the environment.
    pub fn with_agents(mut self) -> Self
    where
        E: BuiltInAgents,
    {
        self.registered.agents = E::built_in_agents();
        self
    }

    /// Adds the encoding, which vectors and gateways for learners use.
    pub fn with_encoding(mut self) -> Self
    where
        E: Encode<Element: Cell, Parameters: Sync>,
    {
        #[cfg(feature = "vector")]
        {
            self.registered.vector = Some(vector::<E>);
        }
        self.registered.interface = || Box::new(Interface::<E>::with_encoding());
        self.registered.check = |settings| settings.check_encoded::<E>();
        self
    }
}

impl Registry {
    /// A registry without environments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an environment. It replaces an earlier one with the same name.
    pub fn with<E>(mut self, registration: Registration<E>) -> Self {
        let registered = registration.registered;
        self.environments.insert(registered.ontology.name.clone(), registered);
        self
    }

    /// The environment of this name.
    pub fn find(&self, name: &str) -> Option<&Registered> {
        self.environments.get(name)
    }

    /// All environments, in alphabetical order.
    pub fn environments(&self) -> impl Iterator<Item = &Registered> {
        self.environments.values()
    }
}

/// The environments that ship with situated.
#[cfg(feature = "shipped")]
pub fn shipped() -> Registry {
    let (teams, alone) = ("Teams", "One entity");
    Registry::new()
        .with(environment::<situated_blocks::BlocksWorld>().in_group(alone).with_agents().with_encoding())
        .with(environment::<situated_blocks::Tower>().in_group(alone).with_agents().with_encoding())
        .with(environment::<situated_bw4t::Bw4t>().in_group(teams).with_agents().with_encoding())
        .with(environment::<situated_cows::Cows>().in_group(teams).with_agents().with_encoding())
        .with(environment::<situated_elevator::Elevator>().in_group(teams).with_agents().with_encoding())
        .with(environment::<situated_find_goals::FindGoals>().in_group(teams).with_agents().with_encoding())
        .with(environment::<situated_vacuum::Vacuum>().in_group(teams).with_agents().with_encoding())
        .with(environment::<situated_wumpus::Wumpus>().in_group(alone).with_agents().with_encoding())
}

#[cfg(all(test, feature = "shipped", feature = "vector"))]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_environments_have_agents_and_vectors() {
        let registry = shipped();
        let names: Vec<&str> = registry.environments().map(|one| one.ontology.name.as_str()).collect();
        assert_eq!(names, ["blocks-world", "bw4t", "cows", "elevator", "find-goals", "tower", "vacuum", "wumpus"]);
        for registered in registry.environments() {
            assert!(!registered.agents.is_empty());
            let vector = registered.vector.expect("it has an encoding")(Settings { envs: 3, ..Settings::default() });
            assert!(vector.expect("it can be made").scene(2, None).is_ok());
        }
    }

    #[test]
    fn an_environment_replaces_an_earlier_one_of_the_same_name() {
        let registry = shipped().with(environment::<situated_find_goals::FindGoals>());
        assert_eq!(registry.environments().count(), 8);
        let plain = registry.find("find-goals").expect("it is registered");
        assert!(plain.agents.is_empty() && plain.vector.is_none());
        assert!(registry.find("chess").is_none());
    }
}
