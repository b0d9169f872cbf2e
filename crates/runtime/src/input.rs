//! What an environment is given: all that an episode depends on. Every input passes here, so that what is recorded is
//! what happened, and what is replayed is done by the same code.

use serde::{Deserialize, Serialize};
use situated::iil::{Action, EcoString};
use situated::interface::{ActionResult, Command, EnvironmentInterface, Error};
use situated::mirror::{Call, HostSays};

/// Something that is asked of an environment and may change it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Input {
    /// See [`EnvironmentInterface::manage`].
    Manage(Command),
    /// See [`EnvironmentInterface::register_agent`].
    Register {
        /// The agent's name.
        agent: EcoString,
    },
    /// See [`EnvironmentInterface::unregister_agent`].
    Unregister {
        /// The agent's name.
        agent: EcoString,
    },
    /// See [`EnvironmentInterface::associate_entity`].
    Associate {
        /// The agent's name.
        agent: EcoString,
        /// The entity's name.
        entity: EcoString,
    },
    /// See [`EnvironmentInterface::free_pair`].
    FreePair {
        /// The agent's name.
        agent: EcoString,
        /// The entity's name.
        entity: EcoString,
    },
    /// See [`EnvironmentInterface::free_entity`].
    FreeEntity {
        /// The entity's name.
        entity: EcoString,
    },
    /// See [`EnvironmentInterface::free_agent`].
    FreeAgent {
        /// The agent's name.
        agent: EcoString,
    },
    /// See [`EnvironmentInterface::request_entity`].
    RequestEntity {
        /// The agent's name.
        agent: EcoString,
        /// The type of body that it asks for.
        entity_type: EcoString,
        /// The name that the body is to have.
        name: Option<EcoString>,
    },
    /// See [`EnvironmentInterface::perform_action`].
    Act {
        /// The agent's name.
        agent: EcoString,
        /// What it does.
        action: Action,
        /// The entities through which it does so; none means all that it has.
        entities: Vec<EcoString>,
    },
    /// See [`EnvironmentInterface::act_by_default`].
    ActByDefault {
        /// The entity for which nobody has chosen.
        entity: EcoString,
    },
    /// See [`EnvironmentInterface::step`].
    Step,
    /// The host of a world that is run elsewhere says something.
    Host(Box<HostSays>),
}

/// What an input has led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// It is done; there is no more to say.
    Done,
    /// There was nothing to do.
    Nothing,
    /// An agent was given this body.
    Entity(EcoString),
    /// What an action has come to, by entity.
    Results(Vec<(EcoString, ActionResult)>),
    /// The host was called for it, under this number.
    Called(u64),
    /// The host was called for what these entities are to do.
    Acting {
        /// The numbers of the calls.
        calls: Vec<u64>,
        /// Why the other entities cannot do it.
        refused: Vec<(EcoString, ActionResult)>,
    },
    /// The host has answered.
    Answered {
        /// The number of the call.
        number: u64,
        /// What it was called for.
        call: Box<Call>,
        /// What has come of it for whoever had asked.
        outcome: Box<Result<Effect, Error>>,
    },
}

impl Input {
    /// Gives the input to an environment.
    ///
    /// # Errors
    /// As the method of [`EnvironmentInterface`] that it stands for.
    pub fn apply(&self, environment: &mut dyn EnvironmentInterface) -> Result<Effect, Error> {
        match self {
            Input::Manage(command) => environment.manage(command.clone()),
            Input::Register { agent } => environment.register_agent(agent),
            Input::Unregister { agent } => environment.unregister_agent(agent),
            Input::Associate { agent, entity } => environment.associate_entity(agent, entity),
            Input::FreePair { agent, entity } => environment.free_pair(agent, entity),
            Input::FreeEntity { entity } => environment.free_entity(entity),
            Input::FreeAgent { agent } => environment.free_agent(agent),
            Input::RequestEntity { agent, entity_type, name } => {
                return environment.request_entity(agent, entity_type, name.as_deref()).map(Effect::Entity);
            }
            Input::Act { agent, action, entities } => {
                return match entities.as_slice() {
                    // The usual case does without a list of its own.
                    [entity] => environment.perform_action(agent, action, &[entity]),
                    entities => {
                        let entities: Vec<&str> = entities.iter().map(EcoString::as_str).collect();
                        environment.perform_action(agent, action, &entities)
                    }
                }
                .map(Effect::Results);
            }
            Input::ActByDefault { entity } => {
                let acted = environment.act_by_default(entity)?;
                return Ok(if acted { Effect::Done } else { Effect::Nothing });
            }
            Input::Step => environment.step(),
            Input::Host(_) => Err(Error::NoHost { environment: environment.ontology().name.clone() }),
        }
        .map(|()| Effect::Done)
    }
}
