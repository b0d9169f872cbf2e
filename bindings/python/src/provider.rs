//! Environments written in Python. A `situated.authoring.provider.Provider` performs the tasks of their host and tells
//! what has changed. Tasks and changes pass as values of Python; nothing is written as JSON.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};

use situated::environment::{Ending, Measure, Outcome};
use situated::host::{EventReport, Host, HostAnswer, HostTask, HostUpdate, NewEntity, PerceptUpdate};
use situated::iil::{EcoString, Parameter, Percept};

use crate::scene::Scene;
use crate::terms::{self, Classes};

static FAILURE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Number of percepts of an entity above which a set finds the changes faster than comparing each with each.
const FEW: usize = 8;

/// Number of percepts whose objects are kept, above which all are forgotten.
const OBJECTS_KEPT: usize = 4096;

/// A provider as a host of this process. An exception that is neither a `Failure` nor a `NotImplementedError` ends its
/// environment.
#[derive(Clone)]
pub(crate) struct Provider(Arc<Mutex<Reporter>>);

impl Provider {
    /// Creates a provider that reports all changes with each task.
    pub(crate) fn new(provider: Py<PyAny>) -> Self {
        Self(Arc::new(Mutex::new(Reporter::new(provider))))
    }

    /// Creates a provider for an interface that [asks](Reporter::catch_up) for what actions and steps have changed,
    /// before it needs that. It also keeps the objects of percepts.
    pub(crate) fn asked(provider: Py<PyAny>) -> Self {
        let reporter = Reporter { postponed: Some(Postponed::default()), ..Reporter::new(provider) };
        Self(Arc::new(Mutex::new(reporter)))
    }

    /// The provider, which only one thread uses at a time.
    pub(crate) fn get(&self) -> MutexGuard<'_, Reporter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Provider {
    fn perform(&mut self, task: HostTask) -> Result<(HostAnswer, HostUpdate), String> {
        Python::attach(|py| {
            let mut reporter = self.get();
            reporter.perform(py, task).map_err(|error| {
                let reason = error.to_string();
                reporter.raised = Some(error);
                reason
            })
        })
    }
}

/// A provider, and what it has reported.
pub(crate) struct Reporter {
    provider: Py<PyAny>,
    has_begun: bool,
    /// Whether a first episode that cannot begin ends the environment.
    must_begin: bool,
    /// The percepts by entity.
    percepts: HashMap<EcoString, Vec<Percept>>,
    /// The changes that were not reported yet; `None` if all are reported at once.
    postponed: Option<Postponed>,
    /// The last unexpected exception of the environment, until it is taken.
    raised: Option<PyErr>,
    /// The action that an agent has chosen, which need not be made from its term again.
    action: Option<Py<PyAny>>,
    /// Percepts as the environment has made them.
    objects: HashMap<Percept, Py<PyAny>>,
}

/// Changes that were not reported yet.
#[derive(Clone, Copy, Default)]
struct Postponed {
    percepts: bool,
    outcome: bool,
}

impl Reporter {
    pub(crate) fn new(provider: Py<PyAny>) -> Self {
        let (percepts, objects) = (HashMap::new(), HashMap::new());
        let (has_begun, must_begin) = (false, false);
        Self { provider, has_begun, must_begin, percepts, postponed: None, raised: None, action: None, objects }
    }

    /// Creates a reporter for an environment that ends if its first episode cannot begin.
    pub(crate) fn begins(provider: Py<PyAny>) -> Self {
        Self { must_begin: true, ..Self::new(provider) }
    }

    /// Returns the last unexpected exception of the environment, once.
    pub(crate) fn take_raised(&mut self) -> Option<PyErr> {
        self.raised.take()
    }

    /// Sets the action of the next tasks to act.
    pub(crate) fn set_action(&mut self, action: Option<Py<PyAny>>) {
        self.action = action;
    }

    /// Converts percepts, to the objects that the environment has made where they have the right class.
    pub(crate) fn told<'py>(
        &self,
        py: Python<'py>,
        percepts: &[Percept],
        classes: &Classes,
    ) -> PyResult<Bound<'py, PyList>> {
        let told = percepts.iter().map(|percept| {
            let class = terms::class_of(py, percept, classes)?;
            match self.objects.get(percept).map(|object| object.bind(py)) {
                Some(object) if object.get_type().is(class) => Ok(object.clone()),
                _ => terms::percept(py, percept, classes),
            }
        });
        PyList::new(py, told.collect::<PyResult<Vec<_>>>()?)
    }

    /// Performs a task. Returns the answer and what has changed, or the exception that ends the environment.
    pub(crate) fn perform(&mut self, py: Python<'_>, task: HostTask) -> PyResult<(HostAnswer, HostUpdate)> {
        let provider = self.provider.clone_ref(py).into_bound(py);
        let (is_act, is_init) = (matches!(task, HostTask::Act { .. }), matches!(task, HostTask::Init { .. }));
        let can_wait = is_act || matches!(task, HostTask::Step | HostTask::ActByDefault { .. });
        let (answer, step) = match self.answer(&provider, task) {
            Ok(answered) => answered,
            Err(error) if is_init && self.must_begin => return Err(error),
            Err(error) => (failed(py, error)?, None),
        };
        // A task that fails should change nothing. If an action does, the update reports it.
        if matches!(answer, HostAnswer::Failed { .. }) && !is_act {
            return Ok((answer, HostUpdate::default()));
        }
        let update = match &mut self.postponed {
            Some(postponed) if can_wait => {
                *postponed = Postponed { percepts: true, outcome: true };
                self.news(&provider)?
            }
            _ => self.changes(&provider)?,
        };
        Ok((answer, HostUpdate { step, ..update }))
    }

    /// Returns the changes that were postponed: those of percepts, or all.
    pub(crate) fn catch_up(&mut self, py: Python<'_>, with_outcome: bool) -> PyResult<Option<HostUpdate>> {
        let provider = self.provider.clone_ref(py).into_bound(py);
        match &mut self.postponed {
            Some(Postponed { outcome: true, .. }) if with_outcome => self.changes(&provider).map(Some),
            Some(postponed) if postponed.percepts => {
                postponed.percepts = false;
                Ok(Some(HostUpdate { percepts: self.percepts(&provider)?, ..HostUpdate::default() }))
            }
            _ => Ok(None),
        }
    }

    /// Performs a task. Returns the answer, and the step of the episode if the task may have changed it.
    fn answer(&mut self, provider: &Bound<'_, PyAny>, task: HostTask) -> PyResult<(HostAnswer, Option<u64>)> {
        let py = provider.py();
        let done = |_| (HostAnswer::Done, None);
        match task {
            HostTask::Init { parameters, seed } | HostTask::Reset { parameters, seed } => {
                let values = PyDict::new(py);
                for (name, value) in &parameters {
                    values.set_item(name, terms::parameter(py, value)?)?;
                }
                let step = provider.call_method1(intern!(py, "init"), (seed, values))?.extract()?;
                self.has_begun = true;
                self.percepts.clear();
                Ok((HostAnswer::Done, Some(step)))
            }
            HostTask::Step => Ok((HostAnswer::Done, Some(advance(provider)?))),
            HostTask::Act { entity, action, step, agent: _ } => {
                let action = match self.action.as_ref().map(|action| action.clone_ref(py)) {
                    Some(action) => action.into_bound(py),
                    None => terms::action_to_python(py, &action)?,
                };
                let found = provider.call_method1(intern!(py, "act"), (&*entity, action))?;
                let found = if found.is_none() { Vec::new() } else { read_percepts(&found)?.0 };
                let answer = if found.is_empty() { HostAnswer::Done } else { HostAnswer::Found(found) };
                Ok((answer, if step { Some(advance(provider)?) } else { None }))
            }
            HostTask::ActByDefault { entity } => {
                provider.call_method1(intern!(py, "act_by_default"), (&*entity,)).map(done)
            }
            HostTask::RequestEntity { entity_type, name, agent: _ } => {
                let given = provider.call_method1(intern!(py, "request"), (&*entity_type, name.as_deref()))?;
                Ok((HostAnswer::Entity((&*given.extract::<PyBackedStr>()?).into()), None))
            }
            HostTask::Perceive { entity } => {
                self.percepts.remove(&entity);
                Ok((HostAnswer::Done, None))
            }
            HostTask::Taken { entity } => notify(provider, "taken", &entity).map(done),
            HostTask::Freed { entity } => notify(provider, "freed", &entity).map(done),
            HostTask::Left { entity } => notify(provider, "left", &entity).map(done),
            HostTask::Start | HostTask::Pause | HostTask::Kill => Ok((HostAnswer::Done, None)),
        }
    }

    /// Returns everything, for a server that knows these entities and may have missed reports.
    pub(crate) fn report_all(&mut self, py: Python<'_>, known: Vec<String>) -> PyResult<HostUpdate> {
        let provider = self.provider.clone_ref(py).into_bound(py);
        self.percepts.clear();
        let step = provider.call_method1(intern!(py, "begin_report"), (known,))?.extract()?;
        Ok(HostUpdate { step: Some(step), ..self.changes(&provider)? })
    }

    /// Returns all changes since the last report.
    fn changes(&mut self, provider: &Bound<'_, PyAny>) -> PyResult<HostUpdate> {
        if !self.has_begun {
            return Ok(HostUpdate::default());
        }
        self.postponed = self.postponed.map(|_| Postponed::default());
        let py = provider.py();
        let mut update = self.news(provider)?;
        update.percepts = self.percepts(provider)?;
        let scene: Option<PyRef<'_, Scene>> = provider.call_method0(intern!(py, "scene"))?.extract()?;
        update.scene = scene.map(|scene| scene.0.clone());
        update.outcome = outcome(provider)?;
        Ok(update)
    }

    /// Returns the changes of entities, and the events.
    fn news(&mut self, provider: &Bound<'_, PyAny>) -> PyResult<HostUpdate> {
        type News<'py> = (Vec<PyBackedStr>, Vec<(PyBackedStr, PyBackedStr)>, Vec<(PyBackedStr, Bound<'py, PyAny>)>);
        let news = provider.call_method0(intern!(provider.py(), "news"))?;
        let Some((deleted, new, events)) = news.extract::<Option<News<'_>>>()? else {
            return Ok(HostUpdate::default());
        };
        for entity in &deleted {
            self.percepts.remove(&**entity);
        }
        let new = new.iter().map(|(entity, of)| NewEntity { entity: (&**entity).into(), entity_type: (&**of).into() });
        let events = events
            .into_iter()
            .map(|(entity, event)| Ok(EventReport { entity: (&*entity).into(), percept: self.read(&event)? }));
        Ok(HostUpdate {
            deleted: deleted.iter().map(|entity| (&**entity).into()).collect(),
            new: new.collect(),
            events: events.collect::<PyResult<_>>()?,
            ..HostUpdate::default()
        })
    }

    /// Returns the changes of percepts.
    fn percepts(&mut self, provider: &Bound<'_, PyAny>) -> PyResult<Vec<PerceptUpdate>> {
        let all = provider.call_method0(intern!(provider.py(), "percepts"))?;
        let mut changed = Vec::new();
        for (entity, holding) in all.extract::<Vec<(PyBackedStr, Bound<'_, PyAny>)>>()? {
            let (holding, objects) = read_percepts(&holding)?;
            let reported = self.percepts.get_mut(&*entity);
            if reported.as_deref() == Some(&holding) {
                continue;
            }
            let (entity, resync) = (EcoString::from(&*entity), reported.is_none());
            let before = reported.map(mem::take).unwrap_or_default();
            let (delete, add) = (without(&before, &holding), without(&holding, &before));
            self.keep(&holding, objects);
            self.percepts.insert(entity.clone(), holding);
            // The order may be another one.
            if resync || !(delete.is_empty() && add.is_empty()) {
                changed.push(PerceptUpdate { entity, resync, delete, add });
            }
        }
        Ok(changed)
    }

    /// Reads an event.
    fn read(&mut self, event: &Bound<'_, PyAny>) -> PyResult<Percept> {
        let read = terms::read_percept(event)?;
        self.keep(std::slice::from_ref(&read), vec![event.clone().unbind()]);
        Ok(read)
    }

    fn keep(&mut self, percepts: &[Percept], objects: Vec<Py<PyAny>>) {
        if self.postponed.is_none() {
            return;
        }
        if self.objects.len() + percepts.len() > OBJECTS_KEPT {
            self.objects.clear();
        }
        let kept = percepts.iter().cloned().zip(objects).filter(|(percept, _)| !has_function(&percept.parameters));
        self.objects.extend(kept.take(OBJECTS_KEPT));
    }
}

/// Reads percepts; returns them with their objects.
fn read_percepts(all: &Bound<'_, PyAny>) -> PyResult<(Vec<Percept>, Vec<Py<PyAny>>)> {
    let mut read = (Vec::new(), Vec::new());
    for percept in all.try_iter()? {
        let percept = percept?;
        read.0.push(terms::read_percept(&percept)?);
        read.1.push(percept.unbind());
    }
    Ok(read)
}

/// Whether there is a function among these values. The environment may have given it a class of its own, which agents
/// would not always see.
fn has_function(values: &[Parameter]) -> bool {
    values.iter().any(|value| match value {
        Parameter::Function(_) => true,
        Parameter::List(items) => has_function(items),
        _ => false,
    })
}

/// Returns the answer for an exception that only concerns the task; any other one ends the environment.
fn failed(py: Python<'_>, error: PyErr) -> PyResult<HostAnswer> {
    let is_failure = error.is_instance(py, FAILURE.import(py, "situated.authoring", "Failure")?);
    if !is_failure && !error.is_instance_of::<PyNotImplementedError>(py) {
        return Err(error);
    }
    Ok(HostAnswer::Failed { reason: error.value(py).to_string(), tried: is_failure })
}

/// Makes a step; returns its number.
fn advance(provider: &Bound<'_, PyAny>) -> PyResult<u64> {
    provider.call_method0(intern!(provider.py(), "advance"))?.extract()
}

fn notify<'py>(provider: &Bound<'py, PyAny>, change: &str, entity: &str) -> PyResult<Bound<'py, PyAny>> {
    provider.call_method1(intern!(provider.py(), "notify"), (change, entity))
}

/// Returns the percepts of one list that are not in the other.
fn without(all: &[Percept], others: &[Percept]) -> Vec<Percept> {
    if others.len() <= FEW {
        return all.iter().filter(|percept| !others.contains(percept)).cloned().collect();
    }
    let others: HashSet<&Percept> = others.iter().collect();
    all.iter().filter(|percept| !others.contains(percept)).cloned().collect()
}

/// Returns the outcome if it has changed.
fn outcome(provider: &Bound<'_, PyAny>) -> PyResult<Option<Outcome>> {
    type Results<'py> = Vec<(PyBackedStr, PyBackedStr, Bound<'py, PyAny>)>;
    let outcome = provider.call_method0(intern!(provider.py(), "outcome"))?;
    let Some((results, ending)) = outcome.extract::<Option<(Results<'_>, Option<PyBackedStr>)>>()? else {
        return Ok(None);
    };
    let measure = |(of, name, value): &(PyBackedStr, PyBackedStr, Bound<'_, PyAny>)| {
        Ok(Measure::new(&**of, &**name, terms::read_parameter(value)?))
    };
    let ending = match ending.as_deref() {
        None => None,
        Some("terminated") => Some(Ending::Terminated),
        Some("truncated") => Some(Ending::Truncated),
        Some(other) => {
            let expected = "expected \"terminated\", \"truncated\" or None";
            return Err(PyValueError::new_err(format!("`ending` returned {other:?}; {expected}")));
        }
    };
    Ok(Some(Outcome { ending, results: results.iter().map(measure).collect::<PyResult<_>>()? }))
}
