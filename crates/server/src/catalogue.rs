//! The kinds of environments of which a server can make more.

use std::sync::Arc;

use situated::interface::EnvironmentInterface;
use situated::ontology::Ontology;
use situated_wire::methods::Kind as KindListed;

/// The kinds of environments of which a server can make more.
#[derive(Default)]
pub struct Catalogue(Vec<Kind>);

/// A kind of environment.
pub(crate) struct Kind {
    pub(crate) ontology: Arc<Ontology>,
    /// Makes an interface to a new one.
    pub(crate) interface: Box<dyn Fn() -> Box<dyn EnvironmentInterface> + Send + Sync>,
}

impl Catalogue {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with this kind, of which new ones are made so.
    pub fn with(
        mut self,
        ontology: Ontology,
        interface: impl Fn() -> Box<dyn EnvironmentInterface> + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Kind { ontology: Arc::new(ontology), interface: Box::new(interface) });
        self
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Kind> {
        self.0.iter().find(|kind| kind.ontology.name == name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|kind| kind.ontology.name.as_str())
    }

    pub(crate) fn listed(&self) -> Vec<KindListed> {
        let listed = |kind: &Kind| KindListed {
            kind: kind.ontology.name.as_str().into(),
            summary: kind.ontology.summary().to_owned(),
        };
        self.0.iter().map(listed).collect()
    }
}
