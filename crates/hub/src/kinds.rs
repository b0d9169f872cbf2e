//! The kinds of environments that a hub can create.

use std::sync::Arc;

use situated::interface::EnvironmentInterface;
use situated::names::nearest;
use situated::ontology::Ontology;

use crate::error::Error;

/// The kinds of environments that a hub can create.
#[derive(Default)]
pub struct Kinds(Vec<Kind>);

/// A kind of environment.
pub(crate) struct Kind {
    pub(crate) ontology: Arc<Ontology>,
    /// Creates the interface to a new environment.
    pub(crate) interface: Box<dyn Fn() -> Box<dyn EnvironmentInterface> + Send + Sync>,
}

impl Kinds {
    /// No kinds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind: its ontology, and a function that creates the interface to a new environment.
    pub fn with(
        mut self,
        ontology: Ontology,
        interface: impl Fn() -> Box<dyn EnvironmentInterface> + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Kind { ontology: Arc::new(ontology), interface: Box::new(interface) });
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
