//! Agents on servers. For speed, actions and percepts are converted without JSON.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use situated::interface::Since;
use situated_client::{Client, Heard};
use situated_wire::methods::{Acknowledge, Act, EntityResult, Perceive, Step, Turn, TurnTaken};
use situated_wire::notifications::Percepts;
use situated_wire::{EntityPerception, Name};

use super::answers::promise;
use crate::error::raised;
use crate::terms::{self, Classes, moment, read_form, read_json};

/// An agent that is registered with an environment on a server.
#[pyclass(module = "situated._native", name = "RemoteAgent", frozen)]
pub(crate) struct Agent {
    client: Client,
    environment: Name,
    name: Name,
    remembered: Arc<Mutex<Remembered>>,
}

/// The memory of an agent.
#[derive(Default)]
struct Remembered {
    /// The number of its last action.
    number: u64,
    heard: Heard,
    /// The entities of which it has received something that it has not acknowledged by itself.
    owed: BTreeSet<Name>,
}

/// An action by its name and arguments; `None` to pass, or to only perceive.
type Chosen<'py> = Option<(String, Bound<'py, PyTuple>)>;

#[pymethods]
impl Agent {
    /// Acts through these entities, or all of the agent. The answer is the moment, and the results by entity.
    fn act<'py>(
        &self,
        py: Python<'py>,
        action: &str,
        arguments: &Bound<'py, PyTuple>,
        entities: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let action = terms::action(action, arguments)?;
        let (environment, agent) = (self.environment.clone(), self.name.clone());
        let number = Some(self.next_number());
        let act = Act { environment, agent, action, entities: names(entities), number };
        promise(py, self.client.call(act), |py, acted| {
            let read = (moment(py, acted.moment)?, results(py, acted.results)?);
            Ok(read.into_pyobject(py)?.into_any().unbind())
        })
    }

    /// Perceives through these entities, or all of the agent. The answer is a perception for each.
    fn perceive<'py>(&self, py: Python<'py>, form: &str, entities: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        let (environment, agent) = (self.environment.clone(), self.name.clone());
        let (entities, form, since) = (names(entities), read_form(form)?, Since::Acknowledged);
        let (known, remembered) = (lock(&self.remembered).heard.known(), self.remembered.clone());
        let asked = self.client.call(Perceive { environment, agent, entities, form, since, known });
        promise(py, asked, move |py, perceived| {
            take(py, &remembered, perceived.perceptions, &moment(py, perceived.moment)?)
        })
    }

    /// Lets agents of one environment act at once, and perceive. The answer has for each of them either a refusal, or
    /// the moment, the results and the perceptions.
    #[staticmethod]
    fn step<'py>(
        py: Python<'py>,
        turns: Vec<(PyRef<'py, Agent>, Chosen<'py>)>,
        form: &str,
        entities: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut agents = Vec::with_capacity(turns.len());
        for (agent, chosen) in &turns {
            let action = chosen.as_ref().map(|(name, arguments)| terms::action(name, arguments)).transpose()?;
            let number = action.is_some().then(|| agent.next_number());
            let (agent_name, entities) = (agent.name.clone(), names(entities.clone()));
            let known = lock(&agent.remembered).heard.known();
            agents.push(Turn { agent: agent_name, action, entities, number, known });
        }
        let Some((first, _)) = turns.first() else { return Err(PyValueError::new_err("a step takes an agent")) };
        let environment = first.environment.clone();
        let form = read_form(form)?;
        let step = Step { environment, agents, form, since: Since::Acknowledged, perceive: true };
        let asked = first.client.call(step);
        let remembered: Vec<_> = turns.iter().map(|(agent, _)| agent.remembered.clone()).collect();
        promise(py, asked, move |py, stepped| {
            let moment = moment(py, stepped.moment)?;
            let taken = stepped.agents.into_iter().zip(&remembered).map(|(turn, remembered)| {
                let TurnTaken { results: acted, error, perceptions, .. } = turn;
                if let Some(error) = error {
                    return Ok(raised(py, (*error).into()).into_value(py).into_any());
                }
                let told = take(py, remembered, perceptions, &moment)?;
                Ok((&moment, results(py, acted)?, told).into_pyobject(py)?.into_any().unbind())
            });
            Ok(PyList::new(py, taken.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind())
        })
    }

    /// Reads a notification; returns the perceptions in it that fit what the agent has, and the other entities.
    fn read(&self, py: Python<'_>, notification: &str) -> PyResult<(Py<PyAny>, Vec<String>)> {
        let told: Percepts = read_json(notification)?;
        let mut unfit: Vec<_> = told.perceptions.iter().map(|one| one.entity.to_string()).collect();
        let perceptions = take(py, &self.remembered, told.perceptions, &moment(py, told.moment)?)?;
        unfit.retain(|entity| !perceptions.bind(py).contains(entity).is_ok_and(|fits| fits));
        Ok((perceptions, unfit))
    }

    /// Acknowledges the perceptions that it has received, each by itself, so that an entity that the agent has lost
    /// does not invalidate the others.
    fn acknowledge(&self, py: Python<'_>) -> PyResult<()> {
        let known = lock(&self.remembered).heard.known();
        for known in known {
            if lock(&self.remembered).owed.contains(&known.entity) {
                let (environment, agent, entity) = (self.environment.clone(), self.name.clone(), known.entity.clone());
                let acknowledge = Acknowledge { environment, agent, versions: vec![known] };
                self.client.acknowledge(&acknowledge).map_err(|error| raised(py, error))?;
                lock(&self.remembered).owed.remove(&entity);
            }
        }
        Ok(())
    }

    /// Forgets an entity, or all of them.
    #[pyo3(signature = (entity=None))]
    fn forget(&self, entity: Option<&str>) {
        lock(&self.remembered).heard.forget(entity);
    }
}

impl Agent {
    pub(super) fn new(client: Client, environment: &str, name: &str) -> Self {
        Self { client, environment: environment.into(), name: name.into(), remembered: Arc::default() }
    }

    fn next_number(&self) -> u64 {
        let mut remembered = lock(&self.remembered);
        remembered.number += 1;
        remembered.number
    }
}

fn lock(remembered: &Mutex<Remembered>) -> MutexGuard<'_, Remembered> {
    remembered.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes perceptions; returns those that fit what the agent has, by entity. Python runs without the lock, since another
/// thread of Python may wait for it.
fn take(
    py: Python<'_>,
    remembered: &Mutex<Remembered>,
    told: Vec<EntityPerception>,
    moment: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let perceptions = PyDict::new(py);
    for one in told {
        {
            let mut remembered = lock(remembered);
            if !remembered.heard.take(&one) {
                continue;
            }
            remembered.owed.insert(one.entity.clone());
        }
        let [add, delete, events] =
            [&one.add, &one.delete, &one.events].map(|percepts| terms::percepts(py, percepts, &Classes::new()));
        let perception = terms::perception(add?, delete?, events?, one.resync, one.lost, moment)?;
        perceptions.set_item(one.entity.as_str(), perception)?;
    }
    Ok(perceptions.into_any().unbind())
}

/// Percepts that an action returned, or its error, by entity.
fn results<'py>(py: Python<'py>, acted: Vec<EntityResult>) -> PyResult<Bound<'py, PyDict>> {
    let results = PyDict::new(py);
    for EntityResult { entity, percepts, error } in acted {
        let result = match error {
            Some(error) => raised(py, (*error).into()).into_value(py).into_any(),
            None => terms::percepts(py, &percepts, &Classes::new())?.into_any().unbind(),
        };
        results.set_item(entity.as_str(), result)?;
    }
    Ok(results)
}

fn names(entities: Vec<String>) -> Vec<Name> {
    entities.into_iter().map(Name::from).collect()
}
