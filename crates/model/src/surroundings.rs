//! What models know about their environment.

use std::sync::Arc;

use situated::ontology::{Ontology, Pace};
use situated_hub::{Describe, Error, LocalSession, Name};
use situated_tools::{visible_lines, without_documentation};

/// An environment as models get to know it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The name of the environment.
    pub environment: Name,
    /// Its ontology. If its host is not trusted, the documentation is left out.
    pub ontology: Arc<Ontology>,
    /// What advances its time.
    pub pace: Pace,
}

impl Surroundings {
    /// Asks for an environment. Models read the documentation of a hosted one only if hosts are trusted.
    ///
    /// # Errors
    /// Returns an error if there is no such environment.
    pub async fn of(session: &LocalSession, environment: &str, trust_hosts: bool) -> Result<Self, Error> {
        let environment = Name::from(environment);
        let described = session.ask(Describe { environment: environment.clone() }).await?;
        let is_trusted = trust_hosts || !described.status.hosted;
        let all = described.ontology;
        let ontology = Arc::new(if is_trusted { all } else { without_documentation(&all) });
        Ok(Self { environment, ontology, pace: described.status.pace })
    }

    /// Returns the rules of the environment.
    pub fn rules(&self) -> String {
        visible_lines(&self.ontology.documentation)
    }

    /// Returns when time advances.
    pub(crate) fn passing_of_time(&self) -> &'static str {
        match self.pace {
            Pace::Lockstep => "Time advances by a step when all agents have acted. `wait_until` passes your turns.",
            Pace::Reactive => "Time advances by a step with each action.",
            Pace::RealTime { .. } | Pace::Own => {
                "Time passes while you think. After an action that takes time, call `wait_until`."
            }
        }
    }
}
