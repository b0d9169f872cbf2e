//! One run of an environment, from init to its end: the environment together with its context. It can be stepped bare,
//! without an interface; its whole state can be saved, loaded and hashed.

use xxhash_rust::xxh3::xxh3_64;

use super::{Announcement, Context, Ending, EntityId, Environment, Failure, Holding, News, Outcome, Section, Shared};
use crate::iil::Parameter;
use crate::menu::{Menu, MenuRequest};
use crate::ontology::Ontology;
use crate::scene::Scene;

/// One run of an environment.
#[derive(Debug)]
pub struct Episode<E: Environment> {
    environment: E,
    context: Context<E::Percept>,
}

/// Bytes that are not the state of an episode.
#[derive(Clone, Debug, thiserror::Error)]
#[error("these bytes are not the state of an episode of this environment: {0}")]
pub struct NoState(String);

impl<E: Environment> Episode<E> {
    /// The beginning of an episode.
    ///
    /// # Errors
    /// As [`Environment::init`].
    pub fn init(parameters: &E::Parameters, seed: u64) -> Result<Self, Failure> {
        Self::init_in(&E::ontology(), parameters, seed)
    }

    /// The same where the ontology is at hand.
    ///
    /// # Errors
    /// As [`Environment::init`].
    pub fn init_in(ontology: &Ontology, parameters: &E::Parameters, seed: u64) -> Result<Self, Failure> {
        let mut context = Context::new(seed, ontology);
        let environment = E::init(parameters, &mut context)?;
        Ok(Self { environment, context })
    }

    /// The same episode with another environment, so many steps after its beginning.
    #[must_use]
    pub fn with(mut self, environment: E, step: u64) -> Self {
        self.context.step = step;
        Self { environment, ..self }
    }

    /// From now on nobody listens: what the environment tells is not kept. It is no part of the state.
    pub fn deafen(&mut self) {
        self.context.deaf = true;
        self.context.told.clear();
        self.context.announcements.clear();
    }

    /// The environment.
    pub fn environment(&self) -> &E {
        &self.environment
    }

    /// Its generator, entities and step.
    pub fn context(&self) -> &Context<E::Percept> {
        &self.context
    }

    pub(crate) fn parts_mut(&mut self) -> (&mut E, &mut Context<E::Percept>) {
        (&mut self.environment, &mut self.context)
    }

    pub(crate) fn context_mut(&mut self) -> &mut Context<E::Percept> {
        &mut self.context
    }

    /// An entity does something.
    ///
    /// # Errors
    /// As [`Environment::act`].
    pub fn act(&mut self, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Failure> {
        self.environment.act(entity, action, &mut self.context)
    }

    /// What an entity does if nobody chooses for it.
    pub fn default_action(&self, entity: EntityId) -> Option<E::Action> {
        self.environment.default_action(entity, &self.context)
    }

    /// Time moves on by one step. What was told before it, and was not taken, is forgotten.
    pub fn step(&mut self) {
        self.context.told.clear();
        self.context.announcements.clear();
        self.context.changes.clear();
        self.context.step += 1;
        self.environment.step(&mut self.context);
    }

    /// The environment hears something about an entity.
    pub fn hear(&mut self, news: News) {
        self.environment.hear(news, &mut self.context);
    }

    /// Somebody asks for an entity.
    ///
    /// # Errors
    /// As [`Environment::request`].
    pub fn request(&mut self, entity_type: &str, name: Option<&str>) -> Result<EntityId, Failure> {
        self.environment.request(entity_type, name, &mut self.context)
    }

    /// What holds for an entity, in the order in which the environment lists it.
    pub fn percepts(&self, entity: EntityId) -> Vec<E::Percept> {
        let (mut holding, mut shared) = (Holding::new(), Shared::default());
        holding.list(&mut shared, |percepts| self.environment.percepts(entity, &self.context, percepts));
        holding.all(&shared).cloned().collect()
    }

    /// What holds for an entity, section by section, beginning with what is listed without a section: for checks of the
    /// environment, since it does not spare the sections that have not changed.
    pub fn sections(&self, entity: EntityId) -> Vec<Section<E::Percept>> {
        Holding::sections(|percepts| self.environment.percepts(entity, &self.context, percepts))
    }

    /// The events told since the last step began, in order.
    pub fn told(&self) -> &[(EntityId, E::Percept)] {
        &self.context.told
    }

    /// What the environment has announced since the last step began, in order.
    pub fn announcements(&self) -> &[Announcement] {
        &self.context.announcements
    }

    /// What the environment looks like, as a whole or as an entity may see it.
    pub fn scene(&self, viewer: Option<EntityId>) -> Scene {
        self.environment.scene(viewer, &self.context)
    }

    /// What a person who acts through an entity can choose.
    pub fn menu(&self, entity: EntityId, request: &MenuRequest) -> Menu<E::Action> {
        self.environment.menu(entity, request, &self.context)
    }

    /// Whether and how the episode is over.
    pub fn ending(&self) -> Option<Ending> {
        self.environment.ending()
    }

    /// The value of a property of the environment; none for a property that it does not know.
    pub fn query(&self, property: &str) -> Option<Parameter> {
        self.environment.query(property, &self.context)
    }

    /// The value of a property of an entity; none for a property that the environment does not know.
    pub fn query_entity(&self, entity: EntityId, property: &str) -> Option<Parameter> {
        self.environment.query_entity(entity, property, &self.context)
    }

    /// How the episode stands.
    pub fn outcome(&self) -> Outcome {
        Outcome { ending: self.environment.ending(), results: self.environment.results(&self.context) }
    }

    /// The whole state as bytes (postcard), generator included.
    pub fn save(&self) -> Vec<u8> {
        let state = (&self.environment, self.context.record());
        postcard::to_allocvec(&state).expect("the state of an environment can be serialised")
    }

    /// The episode whose state was saved.
    ///
    /// # Errors
    /// When the bytes are no such state, or more than that.
    pub fn load(state: &[u8]) -> Result<Self, NoState> {
        Self::load_in(&E::ontology(), state)
    }

    /// The same where the ontology is at hand.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_in(ontology: &Ontology, state: &[u8]) -> Result<Self, NoState> {
        let ((environment, record), rest) =
            postcard::take_from_bytes(state).map_err(|error| NoState(error.to_string()))?;
        if !rest.is_empty() {
            return Err(NoState(format!("{} bytes follow", rest.len())));
        }
        let context = Context::restore(record, ontology);
        let context = context.ok_or_else(|| NoState("its entities contradict each other".into()))?;
        Ok(Self { environment, context })
    }

    /// The whole state as JSON, for people and for comparisons: the environment's own where JSON can express it.
    pub fn inspect(&self) -> serde_json::Value {
        let environment = serde_json::to_value(&self.environment).unwrap_or_default();
        let context = serde_json::to_value(self.context.record()).unwrap_or_default();
        serde_json::json!({ "environment": environment, "context": context })
    }

    /// A hash of the whole state (XXH3, 64 bits): equal states have equal hashes on all platforms.
    pub fn hash(&self) -> u64 {
        xxh3_64(&self.save())
    }
}
