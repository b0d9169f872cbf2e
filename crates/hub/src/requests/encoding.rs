//! Requests about the encoding of an environment, for learners.

use situated::iil::EcoString;

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
