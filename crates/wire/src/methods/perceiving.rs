//! Methods for perceiving, acknowledging, menus and waiting.

use situated::data;
use situated::iil::{EcoString, Percept};
use situated::interface::{Form, Moment, Perception, Since, Version};
use situated::menu::Menu;

use crate::Name;

/// Parameters of `perceive`.
#[data(deny_unknown_fields)]
pub struct Perceive {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The entities; none means all entities of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// The form of the perception.
    #[serde(default)]
    pub form: Form,
    /// The version that perceptions are relative to: that of the last call, which this call acknowledges, or the last
    /// acknowledged one.
    #[serde(default)]
    pub since: Since,
    /// The versions that the agent has, by entity. They count as acknowledged, and perceptions are relative to them, so
    /// that an answer has exactly what is new to the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Acknowledged>,
}

impl Perceive {
    /// Perceives the changes since the last call, through all entities of an agent.
    pub fn new(environment: Name, agent: Name) -> Self {
        let (entities, form, since, known) = (Vec::new(), Form::Update, Since::LastCall, Vec::new());
        Self { environment, agent, entities, form, since, known }
    }
}

/// Answer to `perceive`.
#[data]
pub struct Perceived {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The perception of each entity.
    pub perceptions: Vec<EntityPerception>,
}

/// Parameters of `acknowledge`.
#[data(Eq, deny_unknown_fields)]
pub struct Acknowledge {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The versions that the agent knows.
    pub versions: Vec<Acknowledged>,
}

/// The version of an entity's percepts that an agent knows.
#[data(Eq, deny_unknown_fields)]
pub struct Acknowledged {
    /// The entity.
    pub entity: Name,
    /// The version.
    pub version: Version,
}

/// Parameters of `menu`.
#[data(deny_unknown_fields)]
pub struct GetMenu {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The entity, one of the agent's own.
    pub entity: Name,
    /// The point of the scene at which the person points, in units from the left and from the bottom; none means no
    /// point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(f64, f64)>,
    /// A percept of the entity about which the person asks, such as a message. The subject of the menu is then the
    /// percept as a sentence, and the items are replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Percept>,
    /// A text that the person has typed. The items are then what it can mean, and without items the subject says why
    /// it means nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Answer to `menu`.
#[data]
pub struct MenuAnswer {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The choices.
    pub menu: Menu,
}

/// Parameters of `wait`.
#[data(Eq, deny_unknown_fields)]
pub struct Wait {
    /// The environment.
    pub environment: Name,
    /// The last moment that the client knows. Its `time` does not matter and can be 0.
    pub after: Moment,
}

/// The perception of an agent through one entity: the percepts to delete from and add to its beliefs about the
/// entity, and the events. Empty lists and a count of 0 are omitted.
#[data]
pub struct EntityPerception {
    /// The entity.
    pub entity: Name,
    /// The version that these changes are relative to.
    pub since: Version,
    /// The version that the agent knows after these changes, and that it acknowledges.
    pub version: Version,
    /// Whether all earlier beliefs about the entity are void; `add` then contains all percepts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub resync: bool,
    /// Percepts to add (in the telling form: to report).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Percept>,
    /// Percepts to delete, before adding (in the telling form: to report as `not(...)`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete: Vec<Percept>,
    /// Events, in order. Each comes once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Percept>,
    /// Number of events before these that were dropped because the agent was more than 1024 events behind.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lost: u64,
}

impl EntityPerception {
    /// Creates the wire form of a perception.
    pub fn new(entity: impl Into<Name>, perception: Perception) -> Self {
        let Perception { since, version, resync, add, delete, events, lost, moment: _ } = perception;
        Self { entity: entity.into(), since, version, resync, add, delete, events, lost }
    }

    /// Creates the wire form of the perceptions of an agent.
    pub fn all(perceived: Vec<(EcoString, Perception)>) -> Vec<Self> {
        // Not collected, since collecting in place would reallocate to shrink the vector.
        let mut perceptions = Vec::with_capacity(perceived.len());
        perceptions.extend(perceived.into_iter().map(|(entity, perception)| Self::new(entity, perception)));
        perceptions
    }

    /// Returns the perception, with the moment to which it refers.
    pub fn into_perception(self, moment: Moment) -> Perception {
        let Self { since, version, resync, add, delete, events, lost, entity: _ } = self;
        Perception { moment, since, version, resync, add, delete, events, lost }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
