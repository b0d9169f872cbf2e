//! Environments of which the command performs the tasks, in a process that it has started.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situated::host::{HostAnswer, HostReport, HostRequest, HostTask, HostUpdate, NewEntity};
use situated::iil::{EcoString, Percept};
use situated::ontology::{Ontology, OntologyAddition};

use crate::provider::Reporter;
use crate::terms::{json, read_json};

/// Performs tasks that are written as JSON with a provider.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Performer(Mutex<Performing>);

struct Performing {
    reporter: Reporter,
    ontology: Ontology,
    /// The types of entities.
    types: HashMap<EcoString, EcoString>,
}

#[pymethods]
impl Performer {
    /// Performs tasks with a provider of an environment with this ontology.
    #[new]
    fn new(provider: Py<PyAny>, ontology: &str) -> PyResult<Self> {
        let (reporter, ontology) = (Reporter::new(provider), read_json(ontology)?);
        Ok(Self(Mutex::new(Performing { reporter, ontology, types: HashMap::new() })))
    }

    /// Performs a task, given as a `HostRequest`, and returns the `HostReport`. `addition` is an addition to the
    /// ontology, for the report. Raises any exception that is no `Failure`, and `ValueError` for a report that the
    /// ontology does not allow.
    #[pyo3(signature = (request, addition=None))]
    fn perform(&self, py: Python<'_>, request: &str, addition: Option<&str>) -> PyResult<String> {
        let HostRequest { number, task } = read_json(request)?;
        let addition: Option<OntologyAddition> = addition.map(read_json).transpose()?;
        let actor = if let HostTask::Act { entity, .. } = &task { Some(entity.clone()) } else { None };
        let mut performing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (answer, update) = performing.reporter.perform(py, task)?;
        performing.check(actor, &answer, &update).map_err(PyValueError::new_err)?;
        json(&HostReport::Answer { number, answer, update: HostUpdate { ontology: addition, ..update } })
    }
}

impl Performing {
    /// Checks that the ontology declares the types of new entities, and the percepts.
    fn check(&mut self, actor: Option<EcoString>, answer: &HostAnswer, update: &HostUpdate) -> Result<(), String> {
        for NewEntity { entity, entity_type } in &update.new {
            if self.ontology.find_entity_type(entity_type).is_none() {
                return Err(format!("entity `{entity}` has the type `{entity_type}`, which is not declared"));
            }
            self.types.insert(entity.clone(), entity_type.clone());
        }
        let found = if let HostAnswer::Found(found) = answer { found.as_slice() } else { &[] };
        let found = actor.iter().flat_map(|actor| found.iter().map(move |percept| (actor, percept)));
        let held = update.percepts.iter().flat_map(|of| of.add.iter().map(move |percept| (&of.entity, percept)));
        let events = update.events.iter().map(|event| (&event.entity, &event.percept));
        found.chain(held).chain(events).try_for_each(|(entity, percept)| self.check_percept(entity, percept))
    }

    fn check_percept(&self, entity: &EcoString, percept: &Percept) -> Result<(), String> {
        // The interface refuses what concerns no entity.
        let of = self.types.get(entity).and_then(|of| self.ontology.find_entity_type(of));
        let checked = of.map_or(Ok(()), |of| self.ontology.check_percept(of, percept));
        checked.map_err(|mismatch| format!("the percept `{percept}` of entity `{entity}` is wrong: {mismatch}"))
    }
}
