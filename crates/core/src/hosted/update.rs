//! Updates of a host. Each is checked as a whole and then applied.

use hashbrown::{HashMap, HashSet};

use super::counter::{Counter, entities};
use super::mirror::{ENTITIES_MIRRORED, Held, Mirror, PERCEPTS_MIRRORED, SHOWN};
use super::terms::MirroredPercept;
use crate::environment::{Context, Outcome};
use crate::host::{EventReport, HostUpdate, NewEntity, PerceptUpdate};
use crate::iil::text::excerpt;
use crate::iil::{EcoString, Percept};
use crate::names::fault_of_name;
use crate::ontology::typed::{Mismatch, TypedPercept};
use crate::ontology::{EntityType, Ontology};
use crate::scene::Scene;
use crate::size::Size;

/// An update that passed the checks.
#[derive(Debug, Default)]
pub(super) struct Checked {
    step: Option<u64>,
    pub(super) deleted: Vec<EcoString>,
    pub(super) new: Vec<NewEntity>,
    pub(super) percepts: Vec<Changed>,
    pub(super) events: Vec<Happened>,
    pub(super) scene: Option<Scene>,
    pub(super) outcome: Option<Outcome>,
}

/// An event and its entity.
pub(super) type Happened = (EcoString, MirroredPercept);

/// Percepts that began or ceased to hold for an entity.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) entity: EcoString,
    pub(super) resync: bool,
    pub(super) delete: Vec<Percept>,
    pub(super) add: Vec<MirroredPercept>,
}

impl Mirror {
    /// Checks an update. Returns what to apply, or the reason why it is invalid.
    pub(super) fn check(
        &self,
        update: HostUpdate,
        context: &Context<MirroredPercept>,
        ontology: &Ontology,
    ) -> Result<Checked, String> {
        let HostUpdate { step, deleted, new, percepts, events, scene, outcome, ontology: _, state: _ } = update;
        if let Some(step) = step.filter(|step| *step < context.step()) {
            return Err(format!("its step is {step}, but was {} before", context.step()));
        }
        let (percepts, events) = Cast::new(self, context, ontology, &deleted, &new)?.check(percepts, events)?;
        self.check_effort(&percepts, context)?;
        let added: usize = percepts.iter().map(|changed| changed.add.len()).sum();
        if self.count + added > PERCEPTS_MIRRORED {
            return Err(format!("more than {PERCEPTS_MIRRORED} percepts hold"));
        }
        let shown = scene.as_ref().map_or(0, |scene| scene.shapes.len());
        if shown.max(outcome.as_ref().map_or(0, |outcome| outcome.results.len())) > SHOWN {
            return Err(format!("it has more than {SHOWN} shapes or results"));
        }
        Ok(Checked { step, deleted, new, percepts, events, scene, outcome })
    }

    /// Checks that an update does not list the percepts of an entity again and again: each time, all of them are
    /// compared.
    fn check_effort(&self, percepts: &[Changed], context: &Context<MirroredPercept>) -> Result<(), String> {
        let mut counts: HashMap<&EcoString, usize> = HashMap::new();
        let mut compared = 0;
        for Changed { entity, add, .. } in percepts {
            let held =
                || context.find_entity(entity).and_then(|id| self.held.get(&id)).map_or(0, |one| one.percepts.len());
            let count = counts.entry(entity).or_insert_with(held);
            *count += add.len();
            compared += *count;
            if compared > 4 * PERCEPTS_MIRRORED {
                return Err(format!("it lists the percepts of entity `{entity}` too many times; list them once"));
            }
        }
        Ok(())
    }

    /// Applies an update that passed the checks.
    pub(super) fn take_over(&mut self, checked: Checked, context: &mut Context<MirroredPercept>) {
        let Checked { step, deleted, new, percepts, events, scene, outcome } = checked;
        context.step = step.unwrap_or(context.step);
        self.rest = self.rest + entities(new.iter().map(|new| &new.entity)) - entities(&deleted);
        for id in deleted.iter().filter_map(|entity| context.find_entity(entity)).collect::<Vec<_>>() {
            let held = self.held.remove(&id).unwrap_or_default();
            self.count -= held.percepts.len();
            self.held_bytes -= held.bytes();
            context.delete_entity(id);
        }
        for NewEntity { entity, entity_type } in new {
            context.add_entity(entity, &entity_type).expect("name and type were checked");
        }
        for changed in percepts {
            let Some(id) = context.find_entity(&changed.entity) else { continue };
            let held = self.held.entry(id).or_default();
            self.count -= held.percepts.len();
            self.held_bytes -= held.bytes();
            held.change(changed);
            self.count += held.percepts.len();
            self.held_bytes += held.bytes();
        }
        for (entity, percept) in events {
            if let Some(id) = context.find_entity(&entity) {
                context.tell(id, percept);
            }
        }
        if let Some(scene) = scene {
            self.rest = self.rest + scene.heap_bytes() - self.scene.heap_bytes();
            self.scene = scene;
        }
        if let Some(outcome) = outcome {
            self.rest = self.rest + outcome.heap_bytes() - self.results.heap_bytes();
            self.set_outcome(outcome);
        }
    }
}

impl Held {
    /// The size of the percepts.
    pub(super) fn bytes(&self) -> usize {
        self.percepts.iter().map(TypedPercept::bytes).sum()
    }

    fn change(&mut self, Changed { resync, delete, add, .. }: Changed) {
        self.revision += 1;
        if resync {
            self.percepts.clear();
        } else if !delete.is_empty() {
            let delete: HashSet<Percept> = delete.into_iter().collect();
            self.percepts.retain(|held| !delete.contains(held.percept()));
        }
        if add.is_empty() {
            return;
        }
        let mut seen: HashSet<MirroredPercept> = self.percepts.iter().cloned().collect();
        self.percepts.extend(add.into_iter().filter(|percept| seen.insert(percept.clone())));
    }
}

/// The entities after the update.
struct Cast<'a> {
    counter: &'a Counter,
    ontology: &'a Ontology,
    context: &'a Context<MirroredPercept>,
    deleted: HashSet<&'a str>,
    new: HashMap<&'a str, &'a EntityType>,
}

impl<'a> Cast<'a> {
    fn new(
        mirror: &'a Mirror,
        context: &'a Context<MirroredPercept>,
        ontology: &'a Ontology,
        deleted: &'a [EcoString],
        new: &'a [NewEntity],
    ) -> Result<Self, String> {
        let mut cast =
            Self { counter: &mirror.counter, ontology, context, deleted: HashSet::new(), new: HashMap::new() };
        for entity in deleted {
            if context.find_entity(entity).is_none() || !cast.deleted.insert(entity) {
                return Err(format!("it deleted entity `{}`, which does not exist", excerpt(entity)));
            }
        }
        for NewEntity { entity, entity_type } in new {
            cast.add(entity, entity_type)?;
        }
        // Entities that the same update deletes do not make room for new ones.
        if context.entity_count() + new.len() > ENTITIES_MIRRORED {
            return Err(format!("there are more than {ENTITIES_MIRRORED} entities"));
        }
        Ok(cast)
    }

    fn add(&mut self, entity: &'a str, entity_type: &str) -> Result<(), String> {
        if let Some(reason) = fault_of_name(entity) {
            return Err(format!("an entity cannot have the name `{}`: {reason}", excerpt(&entity)));
        }
        let Some(declared) = self.ontology.find_entity_type(entity_type) else {
            let entity_type = excerpt(&entity_type);
            return Err(format!(
                "entity `{entity}` has the type `{entity_type}`, which the ontology does not declare; \
                 declare it first, with `update.ontology`"
            ));
        };
        if self.type_of(entity).is_some() {
            return Err(format!("it added entity `{entity}`, which already exists"));
        }
        self.new.insert(entity, declared);
        Ok(())
    }

    fn type_of(&self, entity: &str) -> Option<&'a EntityType> {
        if let Some(declared) = self.new.get(entity) {
            return Some(declared);
        }
        let id = self.context.find_entity(entity).filter(|_| !self.deleted.contains(entity))?;
        self.ontology.find_entity_type(&self.context.entity(id)?.entity_type)
    }

    fn check(
        &self,
        percepts: Vec<PerceptUpdate>,
        events: Vec<EventReport>,
    ) -> Result<(Vec<Changed>, Vec<Happened>), String> {
        let percepts = percepts.into_iter().map(|update| self.check_percepts(update)).collect::<Result<_, _>>()?;
        let event = |EventReport { entity, percept }| {
            let percept = self.check_percept(&entity, percept)?;
            Ok((entity, percept))
        };
        Ok((percepts, events.into_iter().map(event).collect::<Result<_, String>>()?))
    }

    fn check_percepts(&self, update: PerceptUpdate) -> Result<Changed, String> {
        let PerceptUpdate { entity, resync, delete, add } = update;
        self.existing(&entity)?;
        let add = add.into_iter().map(|percept| self.check_percept(&entity, percept)).collect::<Result<_, _>>()?;
        Ok(Changed { entity, resync, delete, add })
    }

    fn check_percept(&self, entity: &str, percept: Percept) -> Result<MirroredPercept, String> {
        let of = self.existing(entity)?;
        let declared = self.ontology.find_percept(of, &percept);
        let declared = declared.map_err(|mismatch| misfit(entity, of, &percept, &mismatch))?;
        Ok(MirroredPercept::new(percept, declared, self.counter))
    }

    fn existing(&self, entity: &str) -> Result<&'a EntityType, String> {
        self.type_of(entity)
            .ok_or_else(|| format!("it reported about entity `{}`, which does not exist", excerpt(&entity)))
    }
}

/// Describes a percept that does not match the ontology. A host can declare a percept that it learns of later.
pub(super) fn misfit(entity: &str, of: &EntityType, percept: &Percept, mismatch: &Mismatch) -> String {
    let is_known = of.percepts.iter().any(|known| known.signature.name == percept.name);
    let advice = if is_known { "" } else { "; declare it first, with `update.ontology`" };
    format!("entity `{entity}` of type `{}`: {mismatch}{advice}", of.name)
}
