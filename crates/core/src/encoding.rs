//! The numeric face of an environment, for learners: observations of a fixed size, actions as numbers with a mask,
//! rewards. It is part of the core, since learners drive thousands of bare [episodes](crate::environment::Episode)
//! at once.

use serde::{Deserialize, Serialize};

use crate::environment::{EntityId, Environment};

/// An environment that can be seen and driven through numbers.
pub trait Encode: Environment {
    /// What observations are made of.
    type Element: Element;

    /// Of how many environments the steps cost as much as it costs to have a thread do them. An environment whose step
    /// takes a microsecond says less than this.
    const WORLDS_PER_THREAD: usize = 2048;

    /// The encoding of entities of this type in episodes with these parameters; none if that type has none.
    fn encoding(parameters: &Self::Parameters, entity_type: &str) -> Option<Encoding>;

    /// Writes what these entities observe, may do, and have been given in the last step. All of them have the same type;
    /// the rows of the buffers are theirs, in this order.
    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, Self::Element>);

    /// The action with this number; none if there is none, or it is none that the entity can do.
    fn decode(&self, entity: EntityId, action: usize) -> Option<Self::Action>;

    /// The environment without what its future does not depend on: sums, counts, and the rewards just given. It goes on
    /// as this one, and all else is encoded equally from here on. Environments with the same essence are one state, and
    /// where there is no chance and there are few states, tables can be made of them; none if that is not worth trying.
    fn essence(&self) -> Option<Self> {
        None
    }
}

/// The sizes and bounds of an encoding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// The shape of one observation, outermost first.
    pub shape: Vec<usize>,
    /// What its elements are.
    pub element: ElementType,
    /// The least value of an element.
    pub low: f64,
    /// The greatest value of an element.
    pub high: f64,
    /// What the numbered actions mean, as text.
    pub actions: Vec<String>,
}

/// Where an encoding is written; the memory is the caller's. There is a row for each entity.
#[derive(Debug)]
pub struct Buffers<'a, T> {
    /// [`Encoding::size`] elements a row.
    pub observations: &'a mut [T],
    /// Which actions can be done now, as many a row as there are actions.
    pub masks: &'a mut [bool],
    /// What the last step has brought, one a row.
    pub rewards: &'a mut [f32],
    /// Whether the episode is over for the entity by the rules, one a row.
    pub terminated: &'a mut [bool],
    /// Whether it was cut short from outside the rules, one a row.
    pub truncated: &'a mut [bool],
}

/// What the elements of an observation are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// Whole numbers from 0 to 255.
    U8,
    /// Floats of single precision.
    F32,
}

/// A Rust type that observations can be made of.
pub trait Element: Copy + Default + Send + 'static {
    /// The type it is.
    const TYPE: ElementType;
}

impl Element for u8 {
    const TYPE: ElementType = ElementType::U8;
}

impl Element for f32 {
    const TYPE: ElementType = ElementType::F32;
}

impl Encoding {
    /// The number of elements of one observation.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}
