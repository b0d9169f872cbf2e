//! Requests for properties, scenes, encodings and subscriptions.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use situated::iil::EcoString;
use situated::interface::{Form, Since};

use super::AnyRequest;

/// Asks for a property that every session may see. Use [`query`] to create it.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryOpenProperty {
    pub(crate) environment: EcoString,
    pub(crate) entity: Option<EcoString>,
    pub(crate) property: String,
}

/// Asks for a property of an environment as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryProperty {
    /// The environment.
    pub environment: EcoString,
    /// The name of the property.
    pub property: String,
}

/// Asks for a property of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryEntityProperty {
    /// The environment.
    pub environment: EcoString,
    /// The entity.
    pub entity: EcoString,
    /// The name of the property.
    pub property: String,
}

/// Creates the request for a property of an environment, or of one of its entities. Every session may see the name
/// and the versions of an environment, and the types of entities.
pub fn query(environment: EcoString, entity: Option<EcoString>, property: String) -> AnyRequest {
    match (entity, property.as_str()) {
        (None, "name" | "version" | "requiredVersion") => {
            QueryOpenProperty { environment, entity: None, property }.into()
        }
        (Some(entity), "type") => QueryOpenProperty { environment, entity: Some(entity), property }.into(),
        (None, _) => QueryProperty { environment, property }.into(),
        (Some(entity), _) => QueryEntityProperty { environment, entity, property }.into(),
    }
}

/// Asks for the scene of an environment as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct GetScene {
    /// The environment.
    pub environment: EcoString,
}

/// Asks for the scene that an entity may see.
#[derive(Clone, Debug, PartialEq)]
pub struct GetEntityScene {
    /// The environment.
    pub environment: EcoString,
    /// The entity.
    pub entity: EcoString,
}

/// Subscribes to the list of environments.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToEnvironments;

/// Subscribes to the happenings of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToHappenings {
    /// The environment.
    pub environment: EcoString,
}

/// Subscribes to the percepts of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToPercepts {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The form.
    pub form: Form,
    /// The reference point of the percept updates. With [`Since::Acknowledged`], the next update for an entity is
    /// sent after the client has acknowledged the last one.
    pub since: Since,
    /// Names of percepts and events: there is a notification only after one of them has changed or happened, and it has
    /// all changes. None means any.
    pub changes_of: Vec<EcoString>,
    /// The minimum time between two notifications.
    pub interval: Duration,
}

/// Subscribes to the scene of an environment as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToScene {
    /// The environment.
    pub environment: EcoString,
}

/// Subscribes to the scene that an entity may see.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToEntityScene {
    /// The environment.
    pub environment: EcoString,
    /// The entity.
    pub entity: EcoString,
}

/// Subscribes to the percepts and actions of an entity, or to the actions of all entities.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToActivity {
    /// The environment.
    pub environment: EcoString,
    /// The entity; `None` means all.
    pub entity: Option<EcoString>,
}

/// Subscribes to the remarks of all agents that match a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToRemarks {
    /// The filter.
    pub filter: RemarkFilter,
}

/// A filter of remarks. Missing fields match all remarks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemarkFilter {
    /// The environment.
    pub environment: Option<EcoString>,
    /// An entity of the agent at that time.
    pub entity: Option<EcoString>,
}

/// Ends a subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsubscribe {
    /// The number of the subscription.
    pub subscription: u64,
}

/// Describes the encoding for entities of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeEncoding {
    /// The environment.
    pub environment: EcoString,
    /// The type.
    pub entity_type: EcoString,
}

/// Asks for the numbers of an entity after the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct Encode {
    /// The environment.
    pub environment: EcoString,
    /// The entity.
    pub entity: EcoString,
}

/// Asks which action of an entity has a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Decode {
    /// The environment.
    pub environment: EcoString,
    /// The entity.
    pub entity: EcoString,
    /// The number.
    pub action: usize,
}
