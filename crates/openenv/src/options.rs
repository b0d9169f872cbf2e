//! The options of `reset`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use situated::iil::{EcoString, Parameter};
use situated::interface::Form;

use crate::error::OpenEnvError;

/// Maximum number of entities that a learner controls.
const ENTITIES: usize = 1024;

/// Maximum number of characters of the name of an episode.
const EPISODE_NAME: usize = 255;

/// The name that stands for no agents.
pub(crate) const IDLE: &str = "idle";

/// The options of `reset`. Everything that is left out has its default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Options {
    /// The seed of the episode; by default a random one, which `state` reports.
    pub(crate) seed: Option<u64>,
    /// The name of the episode; by default the gateway chooses one.
    pub(crate) episode_id: Option<String>,
    /// The maximum number of steps, after which the episode is truncated.
    pub(crate) max_steps: Option<u64>,
    /// The percepts in observations.
    pub(crate) percepts: Shown,
    /// See [`Setting::parameters`].
    pub(crate) parameters: BTreeMap<String, Parameter>,
    /// The entity that the learner controls; by default the first one whose type has an encoding, or the first one.
    pub(crate) entity: Option<EcoString>,
    /// Several entities that it controls instead.
    pub(crate) entities: Option<Vec<EcoString>>,
    /// See [`Setting::others`].
    pub(crate) others: Option<EcoString>,
}

/// The options that a world keeps. A reset with other ones begins a new world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    /// The parameters of the environment; missing ones are those of the environment that the session names.
    pub(crate) parameters: BTreeMap<String, Parameter>,
    pub(crate) control: Control,
    /// The built-in agent that controls the other entities; by default the first of the environment.
    pub(crate) others: Option<EcoString>,
}

/// The percepts in observations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shown {
    /// Those that hold.
    #[default]
    All,
    /// After a reset those that hold, then those that have begun to hold or ceased to hold in the step.
    Changes,
    /// None, but numbers alone.
    None,
}

/// The entities that a learner controls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Control {
    /// The first one whose type has an encoding, or the first one.
    First,
    One(EcoString),
    Several(Vec<EcoString>),
}

impl Options {
    /// Returns the setting of the world.
    ///
    /// # Errors
    /// Returns an error if options contradict each other or are out of bounds.
    pub(crate) fn setting(&self) -> Result<Setting, OpenEnvError> {
        if self.max_steps == Some(0) {
            return Err(OpenEnvError::invalid("`max_steps` must be at least 1"));
        }
        if self.episode_id.as_ref().is_some_and(|name| name.chars().count() > EPISODE_NAME) {
            return Err(OpenEnvError::invalid(format!("`episode_id` has at most {EPISODE_NAME} characters")));
        }
        let control = match (&self.entity, &self.entities) {
            (None, None) => Control::First,
            (Some(entity), None) => Control::One(entity.clone()),
            (None, Some(entities)) => Control::Several(checked(entities)?),
            (Some(_), Some(_)) => {
                return Err(OpenEnvError::invalid("`entity` and `entities` exclude each other; leave one out"));
            }
        };
        Ok(Setting { parameters: self.parameters.clone(), control, others: self.others.clone() })
    }
}

impl Shown {
    /// The form in which an entity perceives for it.
    pub(crate) fn form(self) -> Form {
        if self == Shown::All { Form::Snapshot } else { Form::Update }
    }
}

impl Setting {
    /// Whether the learner sends actions by entity.
    pub(crate) fn is_of_several(&self) -> bool {
        matches!(self.control, Control::Several(_))
    }
}

fn checked(entities: &[EcoString]) -> Result<Vec<EcoString>, OpenEnvError> {
    let names: BTreeSet<&EcoString> = entities.iter().collect();
    if names.is_empty() || entities.len() > ENTITIES || names.len() < entities.len() {
        return Err(OpenEnvError::invalid(format!("`entities` must name 1 to {ENTITIES} entities, each of them once")));
    }
    Ok(entities.to_vec())
}
