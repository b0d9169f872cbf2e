//! The template of a vector: the data that all its envs have in common.

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::{Ending, EntityId, Episode, Failure};
use situated::iil::EcoString;
use situated::ontology::Ontology;
use situated::ontology::typed::InitParameters;

use crate::{Error, Settings, first_seed};

/// The data that all envs of a vector have in common.
#[derive(Debug)]
pub(crate) struct Template<E: Encode> {
    pub(crate) settings: Settings,
    pub(crate) ontology: Ontology,
    pub(crate) parameters: E::Parameters,
    pub(crate) layout: Layout,
    /// The environment and its parameters, as saved states name them.
    pub(crate) name: String,
}

impl<E: Encode> Template<E> {
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        settings.check()?;
        let ontology = E::ontology();
        let parameters = E::Parameters::read(&settings.parameters, &ontology)?;
        let seed = first_seed(settings.seed, 0);
        let first =
            Episode::<E>::init_in(&ontology, &parameters, seed).map_err(|reason| Error::Begin { seed, reason })?;
        let layout = Layout::of(&parameters, &first)?;
        let values = parameters.to_iil().into_iter().map(|(name, value)| format!("{name}: {value}"));
        let values: Vec<String> = values.collect();
        let name = format!("{} {} ({})", ontology.name, ontology.version, values.join(", "));
        Ok(Self { settings, ontology, parameters, layout, name })
    }

    /// Begins the episode with this seed, which shares with another one what never changes.
    pub(crate) fn begin(&self, other: Option<&Episode<E>>, seed: u64) -> Result<Episode<E>, Error> {
        let episode = Episode::init_in(&self.ontology, &self.parameters, seed);
        let mut episode = episode.map_err(|reason| Error::Begin { seed, reason })?;
        if !self.layout.fits(&episode) {
            return Err(Error::OtherAgents { seed });
        }
        if let Some(other) = other {
            episode.share(other);
        }
        episode.deafen();
        Ok(episode)
    }

    /// Restores a saved episode.
    pub(crate) fn restore(&self, state: &[u8]) -> Result<Episode<E>, Error> {
        let mut episode =
            Episode::load_in(&self.ontology, state).map_err(|error| self.not_saved(&error.to_string()))?;
        if !self.layout.fits(&episode) {
            return Err(self.not_saved("its agents are not those of this environment"));
        }
        episode.deafen();
        Ok(episode)
    }

    pub(crate) fn not_saved(&self, reason: &str) -> Error {
        Error::NotSaved { of: self.name.clone(), reason: reason.into() }
    }

    /// Does the actions of all agents, as far as the environment allows them. Calls `fail` with the number of each
    /// agent whose action is refused, which has no effect.
    #[inline(always)]
    pub(crate) fn act(
        &self,
        episode: &mut Episode<E>,
        actions: impl Iterator<Item = usize>,
        mut fail: impl FnMut(usize, Failure),
    ) {
        for (agent, (&entity, action)) in self.layout.entities.iter().zip(actions).enumerate() {
            if let Some(action) = episode.environment().decode(entity, action)
                && let Err(failure) = episode.act(entity, &action)
            {
                fail(agent, failure);
            }
        }
    }

    /// Writes the observations, possible actions and rewards of the agents of an episode. Returns whether the episode
    /// is over for all of them.
    #[inline(always)]
    pub(crate) fn encode(&self, episode: &Episode<E>, row: &mut Buffers<'_, E::Element>) -> bool {
        let buffers = Buffers {
            observations: &mut *row.observations,
            masks: &mut *row.masks,
            rewards: &mut *row.rewards,
            terminated: &mut *row.terminated,
            truncated: &mut *row.truncated,
        };
        episode.environment().encode(&self.layout.entities, buffers);
        match episode.ending() {
            Some(Ending::Terminated) => row.terminated.fill(true),
            Some(Ending::Truncated) => row.truncated.fill(true),
            None => return row.terminated.iter().zip(&*row.truncated).all(|(by_rules, cut)| by_rules | cut),
        }
        true
    }

    /// Writes the observations of the agents of an episode and the actions that they can do.
    pub(crate) fn look(&self, episode: &Episode<E>, observations: &mut [E::Element], masks: &mut [bool]) {
        let agents = self.layout.agents();
        let (mut rewards, mut flags) = (vec![0.0; agents], vec![false; 2 * agents]);
        let (terminated, truncated) = flags.split_at_mut(agents);
        let buffers = Buffers { observations, masks, rewards: &mut rewards, terminated, truncated };
        episode.environment().encode(&self.layout.entities, buffers);
    }
}

/// The agents of an env, and their encodings.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) entities: Vec<EntityId>,
    entity_type: EcoString,
    pub(crate) names: Vec<EcoString>,
    pub(crate) encoding: Encoding,
    /// The meaning of each number of an observation; none if the environment does not describe them.
    pub(crate) meanings: Vec<String>,
}

impl Layout {
    /// Returns the layout of an episode that has just begun.
    pub(crate) fn of<E: Encode>(parameters: &E::Parameters, episode: &Episode<E>) -> Result<Self, Error> {
        let environment = || E::ontology().name;
        let mut layout: Option<Self> = None;
        for (id, entity) in episode.context().entities() {
            let Some(encoding) = E::encoding(parameters, &entity.entity_type) else { continue };
            match &mut layout {
                None => {
                    check::<E>(&encoding, &entity.entity_type)?;
                    let (entities, names) = (vec![id], vec![entity.name.clone()]);
                    let meanings = E::meanings(parameters, &entity.entity_type);
                    if !meanings.is_empty() && meanings.len() != encoding.size() {
                        let (entity_type, reason) = (entity.entity_type.to_string(), "it describes other numbers");
                        return Err(Error::BadEncoding { entity_type, reason });
                    }
                    layout =
                        Some(Self { entities, entity_type: entity.entity_type.clone(), names, encoding, meanings });
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

    /// Returns whether an episode has the same agents as this layout.
    pub(crate) fn fits<E: Encode>(&self, episode: &Episode<E>) -> bool {
        let entities = episode.context().entities().filter(|(_, entity)| entity.entity_type == self.entity_type);
        entities.map(|(id, entity)| (id, &entity.name)).eq(self.entities.iter().copied().zip(&self.names))
    }

    /// Returns the number of agents.
    pub(crate) fn agents(&self) -> usize {
        self.entities.len()
    }

    /// Returns the number of actions of each agent.
    pub(crate) fn actions(&self) -> usize {
        self.encoding.actions.len()
    }

    /// Returns the number of elements of the observations of an env.
    pub(crate) fn observations(&self) -> usize {
        self.agents() * self.encoding.size()
    }

    /// Returns the number of elements of the masks of an env.
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
