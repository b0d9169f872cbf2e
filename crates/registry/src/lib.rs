//! Environments by name. Everything that finds an environment by its name, such as the command `situated` and the
//! Python package, takes a [`Registry`]. An author adds an environment with one line:
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
//! #         let builder = Self::ontology_builder("lamp", "1.0", "A lamp.");
//! #         builder.entity_type("hand", "A hand.").build()
//! #     }
//! #     fn init(_: &Parameters, _: &mut Context<Sight>) -> Result<Self, Failure> { Ok(Lamp) }
//! #     fn act(&mut self, _: EntityId, _: &Switch, _: &mut Context<Sight>) -> Result<(), Failure> {
//! #         Ok(())
//! #     }
//! #     fn percepts(&self, _: EntityId, _: &Context<Sight>, _: &mut Percepts<'_, Sight>) {}
//! # }
//! use situated_registry::{Registry, environment};
//!
//! let registry = Registry::new().with(environment::<Lamp>());
//! assert_eq!(registry.find("lamp").expect("it is registered").ontology.name, "lamp");
//! ```
//!
//! The feature `shipped` adds the environments that ship with situated.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use situated::agent::{BuiltInAgent, BuiltInAgents};
use situated::encoding::Encode;
use situated::environment::Environment;
use situated::interface::{EnvironmentInterface, Interface};
use situated::ontology::Ontology;
use situated_checker::{Broken, Report, Settings};

#[cfg(feature = "shipped")]
mod shipped;
#[cfg(feature = "shipped")]
pub use shipped::*;

/// Environments by name.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    environments: BTreeMap<String, Registered>,
}

/// An environment in a registry.
#[derive(Clone)]
pub struct Registered {
    /// The ontology, which has the name.
    pub ontology: Ontology,
    /// The group under which lists show it; empty for none.
    pub group: &'static str,
    /// Makes an interface to a new environment.
    pub interface: MakeInterface,
    /// The agents that ship with the environment; the first is the default.
    pub agents: Vec<BuiltInAgent>,
    /// Checks the environment, with its encoding if it was registered with one.
    pub check: CheckEnvironment,
}

/// A function that makes an interface to a new environment.
pub type MakeInterface = Arc<dyn Fn() -> Box<dyn EnvironmentInterface> + Send + Sync>;

/// A function that checks one environment. Its error is the reason why the environment rejects the parameters, or
/// cannot be made.
pub type CheckEnvironment = Arc<dyn Fn(&Settings) -> Result<Report, Broken> + Send + Sync>;

/// An environment that is about to be registered. Its methods add further features, such as built-in agents.
#[derive(Clone, Debug)]
pub struct Registration<E> {
    registered: Registered,
    environment: PhantomData<fn() -> E>,
}

/// Any environment, for [`Registry::with`].
pub fn environment<E: Environment>() -> Registration<E> {
    let registered = Registered {
        ontology: E::ontology(),
        group: "",
        interface: Arc::new(|| Box::new(Interface::<E>::new())),
        agents: Vec::new(),
        check: Arc::new(|settings| Ok(settings.check::<E>()?)),
    };
    Registration { registered, environment: PhantomData }
}

impl fmt::Debug for Registered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ontology, group, agents, interface: _, check: _ } = self;
        let mut shown = formatter.debug_struct("Registered");
        shown.field("ontology", ontology).field("group", group).field("agents", agents).finish_non_exhaustive()
    }
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

    /// Adds the encoding, which gateways for learners use.
    pub fn with_encoding(mut self) -> Self
    where
        E: Encode,
    {
        self.registered.interface = Arc::new(|| Box::new(Interface::<E>::with_encoding()));
        self.registered.check = Arc::new(|settings| Ok(settings.check_encoded::<E>()?));
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
