//! An environment in Rust under check.

use std::any::Any;
use std::collections::{BTreeMap, HashSet};

use situated::encoding::{Buffers, Element, ElementType, Encode, Encoding};
use situated::environment::{Ending, Entity, EntityId, Environment, Episode, Measure};
use situated::iil::Action;
use situated::interface::{Form, Interface, Since};
use situated::menu::Menu;
use situated::ontology::Ontology;
use situated::ontology::typed::{TypedAction, TypedPercept};
use situated::scene::Scene;

use super::by_name;
use super::subject::{Acted, Broken, Inside, Perceived, Row, Section, Subject};

/// An environment in Rust under check, behind an interface.
pub(super) struct Typed<E: Environment> {
    parameters: E::Parameters,
    interface: Interface<E>,
    encoder: Option<Encoder<E>>,
}

/// The encoding of an environment, for those that have one.
struct Encoder<E: Environment> {
    /// By entity type.
    encodings: BTreeMap<String, Encoding>,
    encode: fn(&E, &Encoding, &[EntityId], u8) -> Vec<Row>,
    decode: fn(&E, EntityId, usize) -> Option<E::Action>,
}

impl<E: Environment> Typed<E> {
    pub(super) fn new(parameters: E::Parameters) -> Self {
        Self { parameters, interface: Interface::new(), encoder: None }
    }

    /// Adds the encoding.
    pub(super) fn encoded(self) -> Self
    where
        E: Encode,
    {
        let mut encodings = BTreeMap::new();
        for entity_type in &self.interface.ontology().entity_types {
            if let Some(encoding) = E::encoding(&self.parameters, &entity_type.name) {
                encodings.insert(entity_type.name.clone(), encoding);
            }
        }
        Self { encoder: Some(Encoder { encodings, encode: encode::<E>, decode: E::decode }), ..self }
    }

    fn episode(&self) -> Result<&Episode<E>, Broken> {
        self.interface.episode().ok_or_else(|| Broken("there is no episode".into()))
    }

    fn environment(&self) -> Option<&E> {
        self.interface.episode().map(Episode::environment)
    }
}

impl<E: Environment> Subject for Typed<E> {
    fn ontology(&self) -> &Ontology {
        self.interface.ontology()
    }

    fn begin(&mut self, seed: u64) -> Result<(), Broken> {
        self.interface = Interface::new();
        self.interface.init(self.parameters.clone(), seed)?;
        Ok(self.interface.start()?)
    }

    fn entities(&mut self) -> Result<Vec<Entity>, Broken> {
        by_name::entities(&mut self.interface)
    }

    fn act(&mut self, entity: &str, action: &Action) -> Result<Acted, Broken> {
        by_name::act(&mut self.interface, entity, action)
    }

    fn step(&mut self) -> Result<(), Broken> {
        Ok(self.interface.step()?)
    }

    fn join(&mut self, entity_type: &str) -> Result<bool, Broken> {
        by_name::join(&mut self.interface, entity_type)
    }

    fn leave(&mut self, entity: &str) -> Result<(), Broken> {
        by_name::leave(&mut self.interface, entity)
    }

    fn perceive(&mut self, entity: &str) -> Result<Perceived, Broken> {
        let entity = self.interface.find_entity(entity)?;
        let sections = self.episode()?.sections(entity);
        let mut seen = HashSet::new();
        let is_sound = sections.iter().flat_map(|section| &section.percepts).all(|percept| seen.insert(percept));
        let mut events = Vec::new();
        // An interface asserts that nothing is listed twice, but the checks should report it instead.
        let agent = self.interface.agents_of(entity)?.next();
        if let Some(agent) = agent.filter(|_| is_sound) {
            let received = self.interface.perceive(agent, entity, Form::Update, Since::LastCall)?;
            events = received.events.iter().map(E::Percept::to_iil).collect();
        }
        let section = |section: &situated::environment::Section<E::Percept>| {
            let percepts = section.percepts.iter().map(E::Percept::to_iil).collect();
            let shared = section.is_shared.then(|| section.hidden.as_ref().map(E::Percept::to_iil));
            Section { revision: section.key.zip(section.revision), percepts, shared }
        };
        Ok(Perceived { sections: sections.iter().map(section).collect(), events })
    }

    fn scene(&mut self, viewer: Option<&str>) -> Result<Scene, Broken> {
        let viewer = viewer.map(|entity| self.interface.find_entity(entity)).transpose()?;
        Ok(self.episode()?.scene(viewer))
    }

    fn ending(&mut self) -> Result<Option<Ending>, Broken> {
        Ok(self.episode()?.ending())
    }

    fn results(&mut self) -> Result<Vec<Measure>, Broken> {
        Ok(self.episode()?.outcome().results)
    }

    fn inside(&mut self) -> Option<&mut dyn Inside> {
        Some(self)
    }
}

impl<E: Environment> Inside for Typed<E> {
    fn hash(&self) -> u64 {
        self.interface.episode().map_or(0, Episode::hash)
    }

    fn save(&self) -> Vec<u8> {
        self.interface.save().unwrap_or_default()
    }

    fn load(&mut self, state: &[u8]) -> Result<(), Broken> {
        Ok(self.interface.load(state)?)
    }

    fn menu(&self, entity: &str) -> Menu {
        let (Ok(entity), Some(episode)) = (self.interface.find_entity(entity), self.interface.episode()) else {
            return Menu::default();
        };
        episode.menu(entity, &Default::default()).to_iil()
    }

    fn encoding(&self, entity_type: &str) -> Option<&Encoding> {
        self.encoder.as_ref()?.encodings.get(entity_type)
    }

    fn encode(&self, encoding: &Encoding, entities: &[&str], filler: u8) -> Vec<Row> {
        let (Some(encoder), Some(environment)) = (&self.encoder, self.environment()) else { return Vec::new() };
        let entities: Vec<_> = entities.iter().filter_map(|entity| self.interface.find_entity(entity).ok()).collect();
        (encoder.encode)(environment, encoding, &entities, filler)
    }

    fn decode(&self, entity: &str, number: usize) -> Option<Action> {
        let entity = self.interface.find_entity(entity).ok()?;
        let action = (self.encoder.as_ref()?.decode)(self.environment()?, entity, number)?;
        Some(action.to_iil())
    }
}

fn encode<E: Encode>(environment: &E, encoding: &Encoding, entities: &[EntityId], filler: u8) -> Vec<Row> {
    let (count, size, actions) = (entities.len(), encoding.size(), encoding.actions.len());
    let flag = filler % 2 == 1;
    let mut observations = vec![element::<E::Element>(filler); count * size];
    let mut masks = vec![flag; count * actions];
    let mut rewards = vec![f32::from(filler); count];
    let (mut terminated, mut truncated) = (vec![flag; count], vec![flag; count]);
    let buffers = Buffers {
        observations: &mut observations,
        masks: &mut masks,
        rewards: &mut rewards,
        terminated: &mut terminated,
        truncated: &mut truncated,
    };
    environment.encode(entities, buffers);
    let row = |row: usize| Row {
        observation: observations[row * size..][..size].iter().map(|element| number(*element)).collect(),
        mask: masks[row * actions..][..actions].to_vec(),
        reward: rewards[row],
        over: [terminated[row], truncated[row]],
    };
    (0..count).map(row).collect()
}

/// Converts this number to an element of an observation.
fn element<T: Element>(number: u8) -> T {
    let float = f32::from(number);
    let element: &dyn Any = match T::TYPE {
        ElementType::U8 => &number,
        ElementType::F32 => &float,
    };
    element.downcast_ref().copied().unwrap_or_default()
}

/// Converts an element of an observation to a number.
fn number<T: Element>(element: T) -> f64 {
    let element: &dyn Any = &element;
    let byte = element.downcast_ref::<u8>().map(|byte| f64::from(*byte));
    byte.or_else(|| element.downcast_ref::<f32>().map(|float| f64::from(*float))).unwrap_or(f64::NAN)
}
