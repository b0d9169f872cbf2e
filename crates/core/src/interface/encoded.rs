//! The encoding of an environment behind its interface, so that gateways can offer it by name.

use super::{EntityId, Error, Interface};
use crate::encoding::{Buffers, Encode, Encoded, Encoding};
use crate::environment::Environment;
use crate::iil::Action;
use crate::ontology::typed::TypedAction;

/// The encoding of an environment of any kind. Entities are known by name.
pub trait EncodedView {
    /// Returns the encoding for entities of this type; `None` if the type has none, or if there is no episode.
    fn encoding(&self, entity_type: &str) -> Option<Encoding>;

    /// Returns the numbers of an entity after the last step; `None` if its type has no encoding, or if there is no
    /// episode.
    ///
    /// # Errors
    /// Returns an error if there is no such entity.
    fn encode(&self, entity: &str) -> Result<Option<Encoded>, Error>;

    /// Returns the action with this number; `None` if the entity has no such action or cannot do it.
    ///
    /// # Errors
    /// Returns an error if there is no such entity.
    fn decode(&self, entity: &str, action: usize) -> Result<Option<Action>, Error>;
}

/// The functions of [`Encode`], for an interface that does not require it of its environment.
#[derive(Debug)]
pub(super) struct Encoder<E: Environment> {
    encoding: fn(&E::Parameters, &str) -> Option<Encoding>,
    encode: fn(&E, EntityId, &Encoding) -> Encoded,
    decode: fn(&E, EntityId, usize) -> Option<E::Action>,
}

impl<E: Encode> Interface<E> {
    /// Creates an interface that offers the encoding, and whose environment is not initialized.
    pub fn with_encoding() -> Self {
        let encoder = Encoder { encoding: E::encoding, encode: encode_one::<E>, decode: E::decode };
        Self { encoder: Some(encoder), ..Self::new() }
    }
}

impl<E: Environment> Interface<E> {
    pub(super) fn has_encoder(&self) -> bool {
        self.encoder.is_some()
    }
}

impl<E: Environment> EncodedView for Interface<E> {
    fn encoding(&self, entity_type: &str) -> Option<Encoding> {
        (self.encoder.as_ref()?.encoding)(self.parameters()?, entity_type)
    }

    fn encode(&self, entity: &str) -> Result<Option<Encoded>, Error> {
        let id = self.find_entity(entity)?;
        let encoding = EncodedView::encoding(self, self.entity_type(id)?);
        let parts = self.encoder.as_ref().zip(self.episode()).zip(encoding);
        Ok(parts.map(|((encoder, episode), encoding)| (encoder.encode)(episode.environment(), id, &encoding)))
    }

    fn decode(&self, entity: &str, action: usize) -> Result<Option<Action>, Error> {
        let id = self.find_entity(entity)?;
        let parts = self.encoder.as_ref().zip(self.episode());
        let decoded = parts.and_then(|(encoder, episode)| (encoder.decode)(episode.environment(), id, action));
        Ok(decoded.map(|action| action.to_iil()))
    }
}

/// Encodes one entity.
fn encode_one<E: Encode>(environment: &E, entity: EntityId, encoding: &Encoding) -> Encoded {
    let mut observation = vec![E::Element::default(); encoding.size()];
    let mut mask = vec![false; encoding.actions.len()];
    let (mut reward, mut terminated, mut truncated) = ([0.0], [false], [false]);
    let buffers = Buffers {
        observations: &mut observation,
        masks: &mut mask,
        rewards: &mut reward,
        terminated: &mut terminated,
        truncated: &mut truncated,
    };
    environment.encode(&[entity], buffers);
    let observation = observation.into_iter().map(Into::into).collect();
    let ([reward], [terminated], [truncated]) = (reward, terminated, truncated);
    Encoded { observation, mask, reward, terminated, truncated }
}
