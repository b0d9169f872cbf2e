//! A host for an ordinary [`Environment`](crate::environment::Environment).

use std::collections::{BTreeMap, BTreeSet};

use super::{EventReport, Host, HostAnswer, HostReport, HostRequest, HostTask, HostUpdate, NewEntity, PerceptUpdate};
use crate::environment::{
    Context, Difference, Entity, EntityChange, EntityId, Environment, Episode, Failure, Holding, News, Outcome,
    Percepts, Shared,
};
use crate::iil::{Action, EcoString, Parameter, Percept};
use crate::ontology::Ontology;
use crate::ontology::typed::{InitParameters, TypedAction, TypedPercept};
use crate::scene::Scene;

/// A host that runs an ordinary environment for an interface elsewhere: [`answer`](Self::answer) each request, in
/// order, and send back the report.
#[derive(Debug)]
pub struct Provider<E: Environment> {
    ontology: Ontology,
    episode: Option<Episode<E>>,
    /// The percepts, at the last report, of the entities through which some agent perceives.
    attended: BTreeMap<EntityId, Holding<E::Percept>>,
    /// The percepts that entities share.
    shared: Shared<E::Percept>,
    /// Number of reports.
    reports: u64,
    /// The state of the environment at the last report.
    step: u64,
    scene: Scene,
    outcome: Option<Outcome>,
}

impl<E: Environment> Default for Provider<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Environment> Provider<E> {
    /// Creates a provider whose environment is not initialized.
    pub fn new() -> Self {
        Self {
            ontology: E::ontology(),
            episode: None,
            attended: BTreeMap::new(),
            shared: Shared::default(),
            reports: 0,
            step: 0,
            scene: Scene::default(),
            outcome: None,
        }
    }

    /// Returns the ontology of the environment.
    pub fn ontology(&self) -> &Ontology {
        &self.ontology
    }

    /// Returns the episode; `None` before init and after kill.
    pub fn episode(&self) -> Option<&Episode<E>> {
        self.episode.as_ref()
    }

    /// Performs a task and reports the result. A panic of the environment passes through.
    pub fn answer(&mut self, HostRequest { number, task }: HostRequest) -> HostReport {
        let (answer, update) = self.perform(task);
        HostReport::Answer { number, answer, update }
    }

    fn perform(&mut self, task: HostTask) -> (HostAnswer, HostUpdate) {
        let answer = self.obey(task).unwrap_or_else(HostAnswer::from);
        (answer, self.take_update())
    }

    /// Advances time by one step of the environment's own clock. Send the report if the pace is `own`.
    pub fn step(&mut self) -> HostReport {
        if let Some(episode) = &mut self.episode {
            episode.step();
        }
        HostReport::Update(self.take_update())
    }

    /// Reports everything again, because the last reports or requests may be lost. `known` lists the entities that
    /// the receiver knows, and whether any agent perceives through them.
    pub fn report_all<'a>(&mut self, known: impl IntoIterator<Item = (&'a str, bool)>) -> HostReport {
        let Some(episode) = &mut self.episode else { return HostReport::Update(HostUpdate::default()) };
        let known: BTreeMap<&str, bool> = known.into_iter().collect();
        let context = episode.context_mut();
        context.changes.clear();
        let found = known.iter().filter_map(|(name, attended)| context.find_entity(name).filter(|_| *attended));
        for id in self.attended.keys().copied().chain(found).collect::<BTreeSet<_>>() {
            self.attended.insert(id, Holding::new());
        }
        let unknown = context.entities().filter(|(_, entity)| !known.contains_key(entity.name.as_str()));
        let new = unknown.map(|(_, Entity { name, entity_type })| (name.clone(), entity_type.clone()));
        let new = new.map(|(entity, entity_type)| NewEntity { entity, entity_type }).collect();
        let gone = known.into_keys().filter(|name| context.find_entity(name).is_none());
        let deleted = gone.map(EcoString::from).collect();
        let told = self.take_update();
        let (step, scene, outcome) = (Some(self.step), Some(self.scene.clone()), self.outcome.clone());
        HostReport::Update(HostUpdate { step, deleted, new, scene, outcome, ..told })
    }

    fn obey(&mut self, task: HostTask) -> Result<HostAnswer, Failure> {
        match task {
            HostTask::Init { parameters, seed } | HostTask::Reset { parameters, seed } => {
                self.begin(&parameters, seed)?
            }
            HostTask::Start | HostTask::Pause => {}
            HostTask::Kill => self.episode = None,
            HostTask::Step => self.environment()?.step(),
            HostTask::Act { entity, action, step, .. } => {
                let found = self.act(&entity, &action)?;
                if step {
                    self.step_after_action()?;
                }
                return Ok(HostAnswer::Found(found));
            }
            HostTask::ActByDefault { entity } => self.act_by_default(&entity)?,
            HostTask::RequestEntity { entity_type, name, .. } => {
                return self.give_entity(&entity_type, name.as_deref()).map(HostAnswer::Entity);
            }
            HostTask::Perceive { entity } => self.attend(&entity)?,
            HostTask::Taken { entity } => self.hear(&entity, News::Taken)?,
            HostTask::Left { entity } => self.hear(&entity, News::Left)?,
            HostTask::Freed { entity } => {
                self.attended.remove(&self.find(&entity)?);
                self.hear(&entity, News::Freed)?;
            }
        }
        Ok(HostAnswer::Done)
    }

    fn begin(&mut self, parameters: &BTreeMap<String, Parameter>, seed: u64) -> Result<(), Failure> {
        let read = E::Parameters::from_iil(parameters);
        let parameters = read.map_err(|mismatch| Failure::new(mismatch.to_string()))?;
        let episode = Episode::init_in(&self.ontology, &parameters, seed)?;
        *self = Self { episode: Some(episode), ..Self::new() };
        Ok(())
    }

    fn act(&mut self, entity: &str, action: &Action) -> Result<Vec<Percept>, Failure> {
        let entity = self.find(entity)?;
        let action = E::Action::from_iil(action).map_err(|mismatch| Failure::unsupported(mismatch.to_string()))?;
        let found = self.environment()?.act(entity, &action)?;
        Ok(found.iter().map(E::Percept::to_iil).collect())
    }

    /// Makes a step, which keeps the changes and events of the action before it.
    fn step_after_action(&mut self) -> Result<(), Failure> {
        let episode = self.environment()?;
        let context = episode.context_mut();
        let (changes, events) = (std::mem::take(&mut context.changes), std::mem::take(&mut context.events));
        episode.step();
        let context = episode.context_mut();
        context.changes.splice(..0, changes);
        context.events.splice(..0, events);
        Ok(())
    }

    fn act_by_default(&mut self, entity: &str) -> Result<(), Failure> {
        let entity = self.find(entity)?;
        let environment = self.environment()?;
        match environment.default_action(entity) {
            Some(action) => environment.act(entity, &action).map(drop),
            None => Ok(()),
        }
    }

    fn give_entity(&mut self, entity_type: &str, name: Option<&str>) -> Result<EcoString, Failure> {
        let environment = self.environment()?;
        let id = environment.request(entity_type, name)?;
        let given = environment.context().entity(id);
        given
            .map(|entity| entity.name.clone())
            .ok_or_else(|| Failure::new("the environment returned an entity that does not exist"))
    }

    fn attend(&mut self, entity: &str) -> Result<(), Failure> {
        self.attended.insert(self.find(entity)?, Holding::new());
        Ok(())
    }

    fn hear(&mut self, entity: &str, news: impl FnOnce(EntityId) -> News) -> Result<(), Failure> {
        let news = news(self.find(entity)?);
        self.environment()?.hear(news);
        Ok(())
    }

    fn find(&self, entity: &str) -> Result<EntityId, Failure> {
        let found = self.episode.as_ref().and_then(|episode| episode.context().find_entity(entity));
        found.ok_or_else(|| Failure::new(format!("there is no entity `{entity}`")))
    }

    fn environment(&mut self) -> Result<&mut Episode<E>, Failure> {
        self.episode.as_mut().ok_or_else(|| Failure::new("there is no episode"))
    }

    /// Returns the changes since the last report.
    fn take_update(&mut self) -> HostUpdate {
        let Some(episode) = &mut self.episode else { return HostUpdate::default() };
        let (changes, told) = {
            let context = episode.context_mut();
            // The protocol of hosts has no announcements.
            context.announcements.clear();
            (std::mem::take(&mut context.changes), std::mem::take(&mut context.events))
        };
        let mut update = HostUpdate::default();
        note_changes(&mut update, changes, episode.context());
        let step = episode.context().step();
        update.step = (self.step != step).then_some(step);
        self.step = step;
        let (environment, context) = (episode.environment(), episode.context());
        self.attended.retain(|id, _| context.entity(*id).is_some());
        self.reports += 1;
        for (id, holding) in &mut self.attended {
            let Some(entity) = context.entity(*id) else { continue };
            let before = holding.moment();
            let list = |percepts: &mut Percepts<'_, E::Percept>| environment.percepts(*id, context, percepts);
            holding.list(self.reports, &mut self.shared, list);
            update.percepts.extend(percepts_since(before, &entity.name, holding, &self.shared));
            holding.forget_until(self.reports);
        }
        for (id, percept) in told {
            if let (Some(entity), true) = (context.entity(id), self.attended.contains_key(&id)) {
                update.events.push(EventReport { entity: entity.name.clone(), percept: percept.to_iil() });
            }
        }
        let (scene, outcome) = (episode.scene(None), episode.outcome());
        update.scene = (scene != self.scene).then(|| scene.clone());
        update.outcome = (self.outcome.as_ref() != Some(&outcome)).then(|| outcome.clone());
        (self.scene, self.outcome) = (scene, Some(outcome));
        update
    }
}

impl<E: Environment> Host for Provider<E> {
    fn perform(&mut self, task: HostTask) -> Result<(HostAnswer, HostUpdate), String> {
        Ok(Provider::perform(self, task))
    }
}

/// Returns the update of the percepts of an entity since an earlier report, if there is anything to report.
fn percepts_since<P: TypedPercept>(
    report: u64,
    entity: &EcoString,
    holding: &Holding<P>,
    shared: &Shared<P>,
) -> Option<PerceptUpdate> {
    let difference = holding.difference(report, shared);
    let resync = difference.is_none();
    let Difference { begun, ceased, .. } = difference.unwrap_or_else(|| holding.all(shared));
    let [add, delete] = [begun, ceased].map(|percepts| percepts.into_iter().map(P::to_iil).collect::<Vec<_>>());
    let has_changed = resync || !add.is_empty() || !delete.is_empty();
    has_changed.then(|| PerceptUpdate { entity: entity.clone(), resync, delete, add })
}

/// Adds created and deleted entities to an update. Entities that were created and deleted in the same update cancel
/// out.
fn note_changes<P: Clone>(update: &mut HostUpdate, changes: Vec<EntityChange>, context: &Context<P>) {
    let mut come = BTreeSet::new();
    for change in changes {
        match change {
            EntityChange::Added(id) => {
                come.insert(id);
                if let Some(Entity { name, entity_type }) = context.entity(id).cloned() {
                    update.new.push(NewEntity { entity: name, entity_type });
                }
            }
            EntityChange::Deleted(id, entity) if !come.contains(&id) => update.deleted.push(entity.name),
            EntityChange::Deleted(..) => {}
        }
    }
}
