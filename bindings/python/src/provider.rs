//! Environments written in Python, whose host in this process is a `situated.authoring.provider.Provider`. Tasks and changes
//! pass as values of Python; nothing is written as JSON.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use situated::environment::{Ending, Measure, Outcome};
use situated::host::{EventReport, Host, HostAnswer, HostTask, HostUpdate, NewEntity, PerceptUpdate};
use situated::iil::{EcoString, Percept};

use crate::scene::Scene;
use crate::terms;

static FAILURE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The last unexpected exception of an environment, until it is taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// A provider, which performs the tasks of a host. An exception that is neither a `Failure` nor a `NotImplementedError`
/// ends its environment.
pub(crate) struct Provider {
    provider: Py<PyAny>,
    raised: Raised,
}

impl Provider {
    pub(crate) fn new(provider: Py<PyAny>, raised: Raised) -> Self {
        Self { provider, raised }
    }
}

impl Host for Provider {
    fn perform(&mut self, task: HostTask) -> Result<(HostAnswer, HostUpdate), String> {
        Python::attach(|py| {
            perform(self.provider.bind(py), task).map_err(|error| {
                let reason = error.to_string();
                self.raised.put(error);
                reason
            })
        })
    }
}

fn perform(provider: &Bound<'_, PyAny>, task: HostTask) -> PyResult<(HostAnswer, HostUpdate)> {
    let py = provider.py();
    let is_act = matches!(task, HostTask::Act { .. });
    match answer(provider, task) {
        Ok((answer, step)) => Ok((answer, HostUpdate { step, ..changes(provider)? })),
        Err(error) => {
            let is_failure = error.is_instance(py, FAILURE.import(py, "situated.authoring", "Failure")?);
            if !is_failure && !error.is_instance_of::<PyNotImplementedError>(py) {
                return Err(error);
            }
            let reason = error.value(py).to_string();
            // An action that fails should change nothing. If it does, the update reports it.
            let update = if is_act { changes(provider)? } else { HostUpdate::default() };
            Ok((HostAnswer::Failed { reason, tried: is_failure }, update))
        }
    }
}

/// Lets the provider perform a task. Returns the answer, and the step of the episode if the task may have changed it.
fn answer(provider: &Bound<'_, PyAny>, task: HostTask) -> PyResult<(HostAnswer, Option<u64>)> {
    let py = provider.py();
    let done = |_| (HostAnswer::Done, None);
    match task {
        HostTask::Init { parameters, seed } | HostTask::Reset { parameters, seed } => {
            let values = PyDict::new(py);
            for (name, value) in &parameters {
                values.set_item(name, terms::parameter(py, value)?)?;
            }
            let step = provider.call_method1(intern!(py, "init"), (seed, values))?.extract()?;
            Ok((HostAnswer::Done, Some(step)))
        }
        HostTask::Step => {
            let step = provider.call_method0(intern!(py, "advance"))?.extract()?;
            Ok((HostAnswer::Done, Some(step)))
        }
        HostTask::Act { entity, action, agent: _ } => {
            let args = PyTuple::new(py, terms::parameters(py, &action.parameters)?)?;
            let found = provider.call_method1(intern!(py, "act"), (&*entity, &*action.name, args))?;
            let found = if found.is_none() { Vec::new() } else { read_percepts(&found)? };
            Ok((if found.is_empty() { HostAnswer::Done } else { HostAnswer::Found(found) }, None))
        }
        HostTask::ActByDefault { entity } => {
            provider.call_method1(intern!(py, "act_by_default"), (&*entity,)).map(done)
        }
        HostTask::RequestEntity { entity_type, name, agent: _ } => {
            let given = provider.call_method1(intern!(py, "request"), (&*entity_type, name.as_deref()))?;
            Ok((HostAnswer::Entity(eco(&given)?), None))
        }
        HostTask::Perceive { entity } => provider.call_method1(intern!(py, "perceive"), (&*entity,)).map(done),
        HostTask::Taken { entity } => notify(provider, "taken", &entity).map(done),
        HostTask::Freed { entity } => notify(provider, "freed", &entity).map(done),
        HostTask::Left { entity } => notify(provider, "left", &entity).map(done),
        HostTask::Start | HostTask::Pause | HostTask::Kill => Ok((HostAnswer::Done, None)),
    }
}

fn notify<'py>(provider: &Bound<'py, PyAny>, change: &str, entity: &str) -> PyResult<Bound<'py, PyAny>> {
    provider.call_method1(intern!(provider.py(), "notify"), (change, entity))
}

/// A value of Python for each field of `Changes`: the deleted and the new entities, percepts, events, scene, outcome.
type Changes<'py> = (
    Vec<PyBackedStr>,
    Vec<(PyBackedStr, PyBackedStr)>,
    Vec<(PyBackedStr, bool, Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    Vec<(PyBackedStr, Bound<'py, PyAny>)>,
    Option<PyRef<'py, Scene>>,
    Option<(Vec<(PyBackedStr, PyBackedStr, Bound<'py, PyAny>)>, Option<PyBackedStr>)>,
);

/// Returns the changes since the last report.
fn changes(provider: &Bound<'_, PyAny>) -> PyResult<HostUpdate> {
    let reported = provider.call_method0(intern!(provider.py(), "changes"))?;
    let Some((deleted, new, percepts, events, scene, outcome)) = reported.extract::<Option<Changes<'_>>>()? else {
        return Ok(HostUpdate::default());
    };
    let new = new.iter().map(|(entity, of)| NewEntity { entity: (&**entity).into(), entity_type: (&**of).into() });
    let percepts = percepts.into_iter().map(|(entity, resync, delete, add)| {
        let (delete, add) = (read_percepts(&delete)?, read_percepts(&add)?);
        Ok(PerceptUpdate { entity: (&*entity).into(), resync, delete, add })
    });
    let events = events
        .into_iter()
        .map(|(entity, event)| Ok(EventReport { entity: (&*entity).into(), percept: terms::read_percept(&event)? }));
    Ok(HostUpdate {
        deleted: deleted.iter().map(|entity| (&**entity).into()).collect(),
        new: new.collect(),
        percepts: percepts.collect::<PyResult<_>>()?,
        events: events.collect::<PyResult<_>>()?,
        scene: scene.map(|scene| scene.0.clone()),
        outcome: outcome.map(|(results, ending)| read_outcome(&results, ending.as_deref())).transpose()?,
        ..HostUpdate::default()
    })
}

fn read_outcome(results: &[(PyBackedStr, PyBackedStr, Bound<'_, PyAny>)], ending: Option<&str>) -> PyResult<Outcome> {
    let measure = |(of, name, value): &(PyBackedStr, PyBackedStr, Bound<'_, PyAny>)| {
        Ok(Measure::new(&**of, &**name, terms::read_parameter(value)?))
    };
    let ending = match ending {
        None => None,
        Some("terminated") => Some(Ending::Terminated),
        Some("truncated") => Some(Ending::Truncated),
        Some(other) => {
            let expected = "expected \"terminated\", \"truncated\" or None";
            return Err(PyValueError::new_err(format!("`ending` returned {other:?}; {expected}")));
        }
    };
    Ok(Outcome { ending, results: results.iter().map(measure).collect::<PyResult<_>>()? })
}

fn read_percepts(all: &Bound<'_, PyAny>) -> PyResult<Vec<Percept>> {
    all.try_iter()?.map(|percept| terms::read_percept(&percept?)).collect()
}

fn eco(text: &Bound<'_, PyAny>) -> PyResult<EcoString> {
    Ok((&*text.extract::<PyBackedStr>()?).into())
}
