//! One run of an environment, from `init` to its end: the environment together with its context. It can be stepped
//! without an interface, and its whole state can be saved, loaded and hashed.

use std::mem;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    Announcement, Context, Ending, EntityId, Environment, Failure, Holding, News, Outcome, Percepts, Section, Shared,
};
use crate::iil::Parameter;
use crate::menu::{Menu, MenuRequest};
use crate::ontology::Ontology;
use crate::ontology::typed::InitParameters;
use crate::scene::Scene;

/// One run of an environment.
#[derive(Debug)]
pub struct Episode<E: Environment> {
    environment: E,
    context: Context<E::Percept>,
}

/// The error for bytes that are not the state of an episode.
#[derive(Clone, Debug, thiserror::Error)]
#[error("these bytes are not the state of an episode of this environment: {0}")]
pub struct NoState(String);

impl<E: Environment> Episode<E> {
    /// Begins an episode.
    ///
    /// # Errors
    /// Returns an error if a parameter is [out of its range](InitParameters::check), and as [`Environment::init`] does.
    pub fn init(parameters: &E::Parameters, seed: u64) -> Result<Self, Failure> {
        Self::init_in(&E::ontology(), parameters, seed)
    }

    /// Like [`init`](Self::init), with an ontology that the caller already has.
    ///
    /// # Errors
    /// Returns an error as [`init`](Self::init) does.
    pub fn init_in(ontology: &Ontology, parameters: &E::Parameters, seed: u64) -> Result<Self, Failure> {
        parameters.check().map_err(Failure::new)?;
        let mut context = Context::new(seed, ontology);
        let environment = E::init(parameters, &mut context)?;
        Ok(Self { environment, context })
    }

    /// Replaces the environment and the number of steps.
    #[must_use]
    pub fn with(mut self, environment: E, step: u64) -> Self {
        self.context.step = step;
        Self { environment, ..self }
    }

    /// Drops all later events and announcements. This setting is not part of the state.
    pub fn deafen(&mut self) {
        self.context.deaf = true;
        self.context.events.clear();
        self.context.announcements.clear();
    }

    /// Returns the environment.
    pub fn environment(&self) -> &E {
        &self.environment
    }

    /// Returns the generator, the entities and the step number.
    pub fn context(&self) -> &Context<E::Percept> {
        &self.context
    }

    pub(crate) fn parts_mut(&mut self) -> (&mut E, &mut Context<E::Percept>) {
        (&mut self.environment, &mut self.context)
    }

    pub(crate) fn context_mut(&mut self) -> &mut Context<E::Percept> {
        &mut self.context
    }

    /// Performs an action of an entity. Returns the percepts that it is [answered](Context::answer) with.
    ///
    /// # Errors
    /// The same as [`Environment::act`].
    pub fn act(&mut self, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Failure> {
        self.context.answers.clear();
        self.environment.act(entity, action, &mut self.context)?;
        Ok(mem::take(&mut self.context.answers))
    }

    /// Returns the action of an entity that has not acted.
    pub(crate) fn default_action(&self, entity: EntityId) -> Option<E::Action> {
        self.environment.default_action(entity, &self.context)
    }

    /// Advances time by one step. Drops events of the last step that no agent took.
    pub fn step(&mut self) {
        self.context.events.clear();
        self.context.announcements.clear();
        self.context.changes.clear();
        self.context.step += 1;
        self.environment.step(&mut self.context);
    }

    /// Tells the environment about a change of the agents of an entity.
    pub fn hear(&mut self, news: News) {
        self.environment.hear(news, &mut self.context);
    }

    /// Requests an entity.
    ///
    /// # Errors
    /// The same as [`Environment::request`].
    pub fn request(&mut self, entity_type: &str, name: Option<&str>) -> Result<EntityId, Failure> {
        self.environment.request(entity_type, name, &mut self.context)
    }

    /// Returns the percepts that hold for an entity, in the environment's order.
    pub fn percepts(&self, entity: EntityId) -> Vec<E::Percept> {
        let (mut holding, mut shared) = (Holding::new(), Shared::default());
        holding.list(1, &mut shared, self.lister(entity));
        holding.all(&shared).begun.into_iter().cloned().collect()
    }

    /// Returns the percepts that hold for an entity, section by section, first those without a section. It lists
    /// unchanged sections again, so use it for checks only.
    pub fn sections(&self, entity: EntityId) -> Vec<Section<E::Percept>> {
        Holding::sections(self.lister(entity))
    }

    /// Returns a function that lists the percepts of an entity. What takes it is compiled once for it, not for each
    /// caller.
    pub(crate) fn lister(&self, entity: EntityId) -> impl FnOnce(&mut Percepts<'_, E::Percept>) {
        move |percepts| self.environment.percepts(entity, &self.context, percepts)
    }

    /// Returns the events since the last step began, in order.
    pub fn events(&self) -> &[(EntityId, E::Percept)] {
        &self.context.events
    }

    /// Returns the announcements since the last step began, in order.
    pub fn announcements(&self) -> &[Announcement] {
        &self.context.announcements
    }

    /// Returns the picture of the environment, as a whole or as an entity sees it.
    pub fn scene(&self, viewer: Option<EntityId>) -> Scene {
        self.environment.scene(viewer, &self.context)
    }

    /// Returns the choices of a person who acts through an entity.
    pub fn menu(&self, entity: EntityId, request: &MenuRequest) -> Menu<E::Action> {
        let asks_for_words = request.about.is_some() || !request.text.is_empty();
        let ask = if asks_for_words { E::words } else { E::menu };
        ask(&self.environment, entity, request, &self.context)
    }

    /// Returns how the episode ended, or `None` if it continues.
    pub fn ending(&self) -> Option<Ending> {
        self.environment.ending()
    }

    /// Returns the value of a property of the environment; `None` if it has none at this time, or is not declared.
    pub fn query(&self, property: &str) -> Option<Parameter> {
        self.environment.query(property, &self.context)
    }

    /// Returns the value of a property of an entity; `None` if it has none at this time, or is not declared.
    pub(crate) fn query_entity(&self, entity: EntityId, property: &str) -> Option<Parameter> {
        self.environment.query_entity(entity, property, &self.context)
    }

    /// Returns the outcome of the episode.
    pub fn outcome(&self) -> Outcome {
        Outcome { ending: self.environment.ending(), results: self.environment.results(&self.context) }
    }

    /// Returns the whole state as bytes (postcard), with the generator.
    pub fn save(&self) -> Vec<u8> {
        let state = (&self.environment, self.context.record());
        postcard::to_allocvec(&state).expect("the state of an environment can be serialised")
    }

    /// Loads an episode from a saved state.
    ///
    /// # Errors
    /// Returns an error if the bytes are not such a state, or more than that.
    pub fn load(state: &[u8]) -> Result<Self, NoState> {
        Self::load_in(&E::ontology(), state)
    }

    /// Like [`load`](Self::load), with an ontology that the caller already has.
    ///
    /// # Errors
    /// Returns an error as [`load`](Self::load) does.
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

    /// Returns the whole state as JSON, for people and for comparisons, as far as JSON can express it.
    pub fn inspect(&self) -> serde_json::Value {
        let environment = serde_json::to_value(&self.environment).unwrap_or_default();
        let context = serde_json::to_value(self.context.record()).unwrap_or_default();
        serde_json::json!({ "environment": environment, "context": context })
    }

    /// Returns a hash of the whole state (XXH3, 64 bits). Equal states have equal hashes on all platforms.
    pub fn hash(&self) -> u64 {
        xxh3_64(&self.save())
    }
}
