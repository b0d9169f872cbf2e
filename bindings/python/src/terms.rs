//! Terms of the interface intermediate language as values of Python: `int`, `float`, `bool`, `str` for identifiers,
//! `tuple` for lists, and the classes of `situated.iil`. Other data as JSON.

use std::collections::{BTreeMap, HashMap};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyFunction, PyInt, PyList, PyString, PyTuple, PyType};
use serde::{Deserialize, Serialize};
use situated::iil::{Action, Function, MAX_DEPTH, Numeral, PERCEPT_MARGIN, Parameter, Parameters, Percept};
use situated::interface::{Form, Moment};
use situated::reading;

/// Maximum depth of a term from Python.
const DEPTH: usize = MAX_DEPTH;

/// Maximum depth of a percept of an environment written in Python.
const DEPTH_OF_PERCEPTS: usize = MAX_DEPTH + PERCEPT_MARGIN;

/// Maximum depth of a term that is printed.
const DEPTH_PRINTED: usize = 256;

static ACTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static FUNCTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static MOMENT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static PARAMETER: PyOnceLock<Py<PyFunction>> = PyOnceLock::new();
static PERCEPTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static PERCEPT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The classes of percepts that have their own class, by name.
pub(crate) type Classes = HashMap<String, Py<PyType>>;

/// Converts percepts to these classes, or else to `situated.iil.Percept`.
pub(crate) fn percepts<'py>(py: Python<'py>, all: &[Percept], classes: &Classes) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, all.iter().map(|one| percept(py, one, classes)).collect::<PyResult<Vec<_>>>()?)
}

/// Converts a percept to its class, or else to `situated.iil.Percept`.
pub(crate) fn percept<'py>(py: Python<'py>, percept: &Percept, classes: &Classes) -> PyResult<Bound<'py, PyAny>> {
    let Percept { name, parameters: arguments } = percept;
    let class = class_of(py, percept, classes)?;
    match classes.contains_key(name.as_str()) {
        true => class.call1(PyTuple::new(py, parameters(py, arguments)?)?),
        false => named(class, name, arguments),
    }
}

/// Returns the class of a percept.
pub(crate) fn class_of<'py, 'a>(
    py: Python<'py>,
    percept: &Percept,
    classes: &'a Classes,
) -> PyResult<&'a Bound<'py, PyType>>
where
    'py: 'a,
{
    match classes.get(percept.name.as_str()) {
        Some(class) => Ok(class.bind(py)),
        None => PERCEPT.import(py, "situated.iil", "Percept"),
    }
}

/// Converts the percepts of an entity to a `situated.perception.Perception`.
pub(crate) fn perception<'py>(
    add: Bound<'py, PyList>,
    delete: Bound<'py, PyList>,
    events: Bound<'py, PyList>,
    resync: bool,
    lost: u64,
    moment: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = PERCEPTION.import(moment.py(), "situated.perception", "Perception")?;
    class.call1((add, delete, events, resync, lost, moment))
}

/// Converts a moment to a `situated.perception.Moment`.
pub(crate) fn moment(py: Python<'_>, Moment { episode, step, time }: Moment) -> PyResult<Bound<'_, PyAny>> {
    MOMENT.import(py, "situated.perception", "Moment")?.call1((episode, step, time))
}

/// Converts a parameter to a value of Python.
pub(crate) fn parameter<'py>(py: Python<'py>, value: &Parameter) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Parameter::Identifier(text) => PyString::new(py, text).into_any(),
        Parameter::Numeral(Numeral::Integer(number)) => number.into_pyobject(py)?.into_any(),
        Parameter::Numeral(Numeral::Float(number)) => PyFloat::new(py, *number).into_any(),
        Parameter::TruthValue(value) => PyBool::new(py, *value).to_owned().into_any(),
        Parameter::List(items) => PyTuple::new(py, parameters(py, items)?)?.into_any(),
        Parameter::Function(function) => {
            named(FUNCTION.import(py, "situated.iil", "Function")?, &function.name, &function.parameters)?
        }
    })
}

/// Converts an action to a `situated.iil.Action`.
pub(crate) fn action_to_python<'py>(py: Python<'py>, action: &Action) -> PyResult<Bound<'py, PyAny>> {
    named(ACTION.import(py, "situated.iil", "Action")?, &action.name, &action.parameters)
}

/// Reads an action of the class `situated.iil.Action`.
pub(crate) fn read_action(term: &Bound<'_, PyAny>) -> PyResult<Action> {
    let name = term.getattr(intern!(term.py(), "name"))?;
    let args = term.getattr(intern!(term.py(), "args"))?;
    action(name.cast::<PyString>()?.to_str()?, args.cast::<PyTuple>()?)
}

/// Returns the action of this name with arguments from Python.
pub(crate) fn action(name: &str, arguments: &Bound<'_, PyTuple>) -> PyResult<Action> {
    let parameters = arguments.iter().map(|value| read(&value, DEPTH)).collect::<PyResult<Vec<_>>>()?;
    Ok(Action::new(name, parameters))
}

/// The text of a term: `at(3,2)`.
#[pyfunction]
pub(crate) fn term_to_text(name: &str, args: &Bound<'_, PyTuple>) -> PyResult<String> {
    let parameters = args.iter().map(|value| read(&value, DEPTH_PRINTED)).collect::<PyResult<Vec<_>>>()?;
    Ok(Action::new(name, parameters).to_string())
}

/// Reads a numeral: `1.5NaN`.
#[pyfunction]
pub(crate) fn read_numeral<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    match text.parse() {
        Ok(value @ Parameter::Numeral(_)) => parameter(py, &value),
        _ => Err(PyValueError::new_err(format!("{text:?} is not a numeral"))),
    }
}

/// Reads parameters by their names. One that is `None` is not given.
pub(crate) fn read_parameters(parameters: &Bound<'_, PyDict>) -> PyResult<BTreeMap<String, Parameter>> {
    Ok(read_changes(parameters)?.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

/// Reads the parameters that a reset changes, by their names.
pub(crate) fn read_changes(parameters: &Bound<'_, PyDict>) -> PyResult<BTreeMap<String, Option<Parameter>>> {
    let value = |value: Bound<'_, PyAny>| if value.is_none() { Ok(None) } else { read(&value, DEPTH).map(Some) };
    parameters.iter().map(|(name, given)| Ok((name.extract()?, value(given)?))).collect()
}

/// Reads a percept of the class `situated.iil.Percept`. Its terms may be as deep as those of percepts from elsewhere.
pub(crate) fn read_percept(percept: &Bound<'_, PyAny>) -> PyResult<Percept> {
    let py = percept.py();
    if !percept.is_instance(PERCEPT.import(py, "situated.iil", "Percept")?)? {
        let kind = percept.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{kind} is not a percept; use a class of situated.Percept")));
    }
    let name = percept.getattr(intern!(py, "name"))?;
    let args = percept.getattr(intern!(py, "args"))?;
    let args = args.cast::<PyTuple>()?.iter_borrowed().map(|value| read(&value, DEPTH_OF_PERCEPTS));
    Ok(Percept::new(name.cast::<PyString>()?.to_str()?, args.collect::<PyResult<Parameters>>()?))
}

/// Reads a parameter.
pub(crate) fn read_parameter(value: &Bound<'_, PyAny>) -> PyResult<Parameter> {
    read(value, DEPTH)
}

fn read(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Parameter> {
    let deeper = depth.checked_sub(1).ok_or_else(|| PyValueError::new_err("a term is nested too deeply"))?;
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(value.is_true().into());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.into());
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(value.extract::<i64>()?.into());
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(value.extract::<f64>()?.into());
    }
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        return Ok(Parameter::List(value.try_iter()?.map(|item| read(&item?, deeper)).collect::<PyResult<_>>()?));
    }
    if value.is_instance(FUNCTION.import(value.py(), "situated.iil", "Function")?)? {
        let name: String = value.getattr("name")?.extract()?;
        let parameters = value.getattr("args")?.try_iter()?.map(|item| read(&item?, deeper));
        return Ok(Function::new(name, parameters.collect::<PyResult<Vec<_>>>()?).into());
    }
    // Numbers of NumPy and other libraries.
    read(PARAMETER.import(value.py(), "situated.iil", "as_parameter")?.call1((value,))?.as_any(), deeper)
}

/// Reads the name of a form of perceiving.
pub(crate) fn read_form(form: &str) -> PyResult<Form> {
    serde_json::from_value(form.into())
        .map_err(|_| PyValueError::new_err(format!("unknown form {form:?}; use snapshot, update or telling")))
}

/// Writes a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Reads a value from JSON.
pub(crate) fn read_json<'a, T: Deserialize<'a>>(text: &'a str) -> PyResult<T> {
    reading::borrowed_json_in(text, text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn named<'py>(class: &Bound<'py, PyType>, name: &str, arguments: &[Parameter]) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let mut all = Vec::with_capacity(arguments.len() + 1);
    all.push(PyString::intern(py, name).into_any());
    all.extend(parameters(py, arguments)?);
    class.call1(PyTuple::new(py, all)?)
}

/// Converts parameters to values of Python.
pub(crate) fn parameters<'py>(py: Python<'py>, values: &[Parameter]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    values.iter().map(|value| parameter(py, value)).collect()
}
