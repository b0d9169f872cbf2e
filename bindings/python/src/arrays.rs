//! NumPy arrays as the memory of vectors.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use situated::encoding::ElementType;
use situated_vector::{Actions, Finals, Observations, Outputs};

/// An array of observations.
pub(crate) enum Room {
    U8(Py<PyArrayDyn<u8>>),
    F32(Py<PyArrayDyn<f32>>),
}

/// The outputs of a step.
pub(crate) struct Arrays {
    pub(crate) observations: Room,
    pub(crate) masks: Py<PyArrayDyn<bool>>,
    pub(crate) rewards: Py<PyArrayDyn<f32>>,
    pub(crate) terminated: Py<PyArrayDyn<bool>>,
    pub(crate) truncated: Py<PyArrayDyn<bool>>,
    /// The last observations of episodes that are reset in the same step, and the mask of these envs.
    pub(crate) finals: Option<(Room, Py<PyArrayDyn<bool>>)>,
}

/// The shapes of all arrays.
pub(crate) struct Shapes {
    pub(crate) element: ElementType,
    /// `[env, agent, ...]`
    pub(crate) observations: Vec<usize>,
    /// `[env, agent, action]`
    pub(crate) masks: Vec<usize>,
    pub(crate) with_finals: bool,
}

/// An array of actions.
pub(crate) enum Given<'py> {
    U8(Bound<'py, PyArrayDyn<u8>>),
    I32(Bound<'py, PyArrayDyn<i32>>),
    I64(Bound<'py, PyArrayDyn<i64>>),
}

impl Room {
    fn new(py: Python<'_>, element: ElementType, shape: &[usize]) -> Self {
        match element {
            ElementType::U8 => Room::U8(zeros(py, shape)),
            ElementType::F32 => Room::F32(zeros(py, shape)),
        }
    }

    /// Uses an array of the caller.
    fn given(name: &str, element: ElementType, shape: &[usize], array: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match element {
            ElementType::U8 => Room::U8(given(name, shape, array)?),
            ElementType::F32 => Room::F32(given(name, shape, array)?),
        })
    }

    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        match self {
            Room::U8(array) => array.bind(py).as_any(),
            Room::F32(array) => array.bind(py).as_any(),
        }
    }

    /// Returns its memory.
    pub(crate) fn observations<'a>(&'a self, py: Python<'a>) -> PyResult<Observations<'a>> {
        Ok(match self {
            Room::U8(array) => Observations::U8(memory(array, py)?),
            Room::F32(array) => Observations::F32(memory(array, py)?),
        })
    }
}

impl Arrays {
    /// Creates arrays of zeros.
    pub(crate) fn new(py: Python<'_>, shapes: &Shapes) -> Self {
        let of_agents = &shapes.observations[..2];
        let finals = shapes
            .with_finals
            .then(|| (Room::new(py, shapes.element, &shapes.observations), zeros(py, &of_agents[..1])));
        Self {
            observations: Room::new(py, shapes.element, &shapes.observations),
            masks: zeros(py, &shapes.masks),
            rewards: zeros(py, of_agents),
            terminated: zeros(py, of_agents),
            truncated: zeros(py, of_agents),
            finals,
        }
    }

    /// Uses arrays of the caller, and creates the missing ones.
    pub(crate) fn given(
        py: Python<'_>,
        shapes: &Shapes,
        observations: &Bound<'_, PyAny>,
        rewards: &Bound<'_, PyAny>,
        terminated: &Bound<'_, PyAny>,
        truncated: &Bound<'_, PyAny>,
        masks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let of_agents = &shapes.observations[..2];
        let arrays = Self::new(py, shapes);
        Ok(Self {
            observations: Room::given("observations", shapes.element, &shapes.observations, observations)?,
            masks: masks.map_or(Ok(arrays.masks), |masks| given("masks", &shapes.masks, masks))?,
            rewards: given("rewards", of_agents, rewards)?,
            terminated: given("terminated", of_agents, terminated)?,
            truncated: given("truncated", of_agents, truncated)?,
            finals: arrays.finals,
        })
    }

    /// Returns their memory.
    pub(crate) fn outputs<'a>(&'a self, py: Python<'a>) -> PyResult<Outputs<'a>> {
        let finals = self.finals.as_ref().map(|(room, mask)| {
            Ok::<_, PyErr>(Finals { observations: room.observations(py)?, mask: memory(mask, py)? })
        });
        Ok(Outputs {
            observations: self.observations.observations(py)?,
            masks: memory(&self.masks, py)?,
            rewards: memory(&self.rewards, py)?,
            terminated: memory(&self.terminated, py)?,
            truncated: memory(&self.truncated, py)?,
            finals: finals.transpose()?,
        })
    }
}

impl<'py> Given<'py> {
    /// Reads actions of this shape.
    pub(crate) fn read(actions: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Self> {
        let array = actions.cast::<PyUntypedArray>().map_err(|_| {
            let kind = actions.get_type();
            PyTypeError::new_err(format!("actions must be a NumPy array of shape {shape:?}, not {kind}"))
        })?;
        if array.shape() != shape || !array.is_c_contiguous() {
            let (given, order) = (array.shape(), if array.is_c_contiguous() { "" } else { ", not contiguous" });
            let message = format!("actions must have the shape {shape:?} in C order, not {given:?}{order}");
            return Err(PyValueError::new_err(message));
        }
        if let Ok(array) = actions.cast::<PyArrayDyn<i64>>() {
            return Ok(Given::I64(array.clone()));
        }
        if let Ok(array) = actions.cast::<PyArrayDyn<i32>>() {
            return Ok(Given::I32(array.clone()));
        }
        if let Ok(array) = actions.cast::<PyArrayDyn<u8>>() {
            return Ok(Given::U8(array.clone()));
        }
        Err(PyValueError::new_err(format!("actions must have the dtype uint8, int32 or int64, not {}", array.dtype())))
    }

    /// Returns their memory.
    pub(crate) fn actions(&self) -> PyResult<Actions<'_>> {
        Ok(match self {
            Given::U8(array) => Actions::U8(values(array)?),
            Given::I32(array) => Actions::I32(values(array)?),
            Given::I64(array) => Actions::I64(values(array)?),
        })
    }
}

fn zeros<T: Element>(py: Python<'_>, shape: &[usize]) -> Py<PyArrayDyn<T>> {
    PyArrayDyn::zeros(py, shape, false).unbind()
}

/// Checks shape and element of an array of the caller.
fn given<T: Element>(name: &str, shape: &[usize], array: &Bound<'_, PyAny>) -> PyResult<Py<PyArrayDyn<T>>> {
    let dtype = T::get_dtype(array.py());
    let wrong = |given: String| {
        PyValueError::new_err(format!(
            "{name} must be a writeable array of {dtype} of shape {shape:?} in C order, not {given}"
        ))
    };
    let untyped = array.cast::<PyUntypedArray>().map_err(|_| wrong(array.get_type().to_string()))?;
    let typed = array.cast::<PyArrayDyn<T>>().map_err(|_| wrong(format!("of {}", untyped.dtype())))?;
    let writeable: bool = array.getattr("flags")?.getattr("writeable")?.extract()?;
    if typed.shape() != shape || !typed.is_c_contiguous() || !writeable {
        return Err(wrong(format!("of shape {:?}", typed.shape())));
    }
    Ok(typed.clone().unbind())
}

/// Mutable memory of an array.
fn memory<'a, T: Element>(array: &'a Py<PyArrayDyn<T>>, py: Python<'a>) -> PyResult<&'a mut [T]> {
    // SAFETY: only one vector writes an array, and it is locked meanwhile. Other threads of Python may read the array
    // at the same time, as any array that a library fills with the interpreter lock released.
    unsafe { array.bind(py).as_slice_mut() }.map_err(|_| PyValueError::new_err("an array is no longer contiguous"))
}

/// Memory of an array.
fn values<'a, T: Element>(array: &'a Bound<'_, PyArrayDyn<T>>) -> PyResult<&'a [T]> {
    // SAFETY: as above; if another thread changes an action meanwhile, the step uses the old or the new one.
    unsafe { array.as_slice() }.map_err(|_| PyValueError::new_err("actions must be contiguous"))
}
