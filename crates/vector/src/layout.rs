//! Who the agents of an env are, and how much room they need.

use situated::encoding::{Element, Encode, Encoding};
use situated::environment::{EntityId, Episode};
use situated::iil::EcoString;

use crate::Error;

/// Who the agents of an env are, and how each of them is encoded.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) entities: Vec<EntityId>,
    entity_type: EcoString,
    pub(crate) names: Vec<EcoString>,
    pub(crate) encoding: Encoding,
}

impl Layout {
    /// That of an episode which has just begun.
    pub(crate) fn of<E: Encode>(parameters: &E::Parameters, episode: &Episode<E>) -> Result<Self, Error> {
        let environment = || E::ontology().name;
        let mut layout: Option<Self> = None;
        for (id, entity) in episode.context().entities() {
            let Some(encoding) = E::encoding(parameters, &entity.entity_type) else { continue };
            match &mut layout {
                None => {
                    check::<E>(&encoding, &entity.entity_type)?;
                    let (entities, names) = (vec![id], vec![entity.name.clone()]);
                    layout = Some(Self { entities, entity_type: entity.entity_type.clone(), names, encoding });
                }
                Some(layout) if layout.entity_type == entity.entity_type => {
                    layout.entities.push(id);
                    layout.names.push(entity.name.clone());
                }
                Some(layout) => {
                    return Err(Error::SeveralTypes {
                        environment: environment(),
                        first: layout.names[0].to_string(),
                        first_type: layout.entity_type.to_string(),
                        other: entity.name.to_string(),
                        other_type: entity.entity_type.to_string(),
                    });
                }
            }
        }
        layout.ok_or_else(|| Error::NoAgents { environment: environment() })
    }

    /// Whether an episode has the same entities of their type.
    pub(crate) fn fits<E: Encode>(&self, episode: &Episode<E>) -> bool {
        let entities = episode.context().entities().filter(|(_, entity)| entity.entity_type == self.entity_type);
        entities.map(|(id, entity)| (id, &entity.name)).eq(self.entities.iter().copied().zip(&self.names))
    }

    /// How many agents there are.
    pub(crate) fn agents(&self) -> usize {
        self.entities.len()
    }

    /// How many actions each of them has.
    pub(crate) fn actions(&self) -> usize {
        self.encoding.actions.len()
    }

    /// The elements of the observations of an env.
    pub(crate) fn observations(&self) -> usize {
        self.agents() * self.encoding.size()
    }

    /// The elements of the masks of an env.
    pub(crate) fn masks(&self) -> usize {
        self.agents() * self.actions()
    }
}

fn check<E: Encode>(encoding: &Encoding, entity_type: &str) -> Result<(), Error> {
    let reason = match encoding {
        Encoding { actions, .. } if actions.is_empty() => "it has no actions",
        encoding if encoding.size() == 0 => "its observations have no elements",
        Encoding { element, .. } if *element != E::Element::TYPE => "its elements are not of the type that is written",
        _ => return Ok(()),
    };
    Err(Error::BadEncoding { entity_type: entity_type.into(), reason })
}
