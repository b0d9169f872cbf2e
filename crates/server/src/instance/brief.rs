//! What others see of an environment at a glance, without asking it.

use situated::iil::EcoString;
use situated::interface::{Moment, State};
use situated::ontology::{Ontology, Pace};
use situated_runtime::{Speed, Status};
use situated_wire::methods::EnvironmentStatus;

/// How an environment stands.
#[derive(Clone, Debug)]
pub(crate) struct Brief {
    pub(crate) state: State,
    pub(crate) moment: Moment,
    pub(crate) pace: Pace,
    pub(crate) speed: Speed,
    pub(crate) missed: u64,
    pub(crate) crash: Option<String>,
    pub(crate) hosted: bool,
    pub(crate) agents: usize,
    pub(crate) entities: usize,
}

impl Brief {
    pub(crate) fn of(status: &Status) -> Self {
        let Status { state, moment, pace, speed, missed, crash } = status.clone();
        Self { state, moment, pace, speed, missed, crash, hosted: false, agents: 0, entities: 0 }
    }

    /// Whether those who see the list of environments are to be told. Time alone is not worth it.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        let important =
            |one: &Self| (one.state, one.moment.episode, one.agents, one.entities, one.speed, one.crash.clone());
        important(self) != important(other)
    }

    pub(crate) fn status(&self, name: &EcoString, ontology: &Ontology) -> EnvironmentStatus {
        EnvironmentStatus {
            environment: name.clone().into(),
            kind: ontology.name.as_str().into(),
            hosted: self.hosted,
            state: self.state,
            moment: self.moment,
            pace: self.pace,
            speed: self.speed.steps_per_second(),
            missed: self.missed,
            agents: self.agents,
            entities: self.entities,
            crash: self.crash.clone(),
        }
    }
}
