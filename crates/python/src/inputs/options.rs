//! Options as the engine takes them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Bounds, Chance, Ends, Horizon, MarginalKind, Method, Options, Work};

use super::arrays::Floats;

/// How likelihoods are computed.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PathOptions {
    ends: String,
    horizon: Option<PathLength>,
    /// Not for the engine, which works in the pool that it is run in.
    pub threads: Option<usize>,
    memory: Option<usize>,
}

impl PathOptions {
    /// As the engine has them.
    pub fn of_engine(&self) -> PyResult<Options> {
        Ok(Options { ends: ends(&self.ends)?, horizon: self.horizon.map(|given| given.0), work: within(self.memory) })
    }
}

/// How many states a path may have: a whole number, or "any".
#[derive(Clone, Copy)]
pub struct PathLength(pub Horizon);

impl<'a, 'py> FromPyObject<'a, 'py> for PathLength {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(states) = given.extract::<usize>() {
            return Ok(PathLength(Horizon::AtMost(states)));
        }
        match given.extract::<String>() {
            Ok(name) if name == "any" => Ok(PathLength(Horizon::Any)),
            _ => Err(PyValueError::new_err(format!("horizon is {}: it must be a whole number or 'any'", given.repr()?))),
        }
    }
}

/// A horizon as Python has it: an int, or "any".
pub fn path_length(py: Python<'_>, horizon: Horizon) -> PyResult<Py<PyAny>> {
    Ok(match horizon {
        Horizon::AtMost(states) => states.into_pyobject(py)?.into_any().unbind(),
        Horizon::Any => "any".into_pyobject(py)?.into_any().unbind(),
    })
}

/// Work within a memory budget in bytes. The threads are those of the pool that the engine is run in.
pub fn within(memory: Option<usize>) -> Work {
    let defaults = Work::default();
    Work { memory: memory.unwrap_or(defaults.memory), ..defaults }
}

/// Lower and upper bounds of each parameter.
pub fn bounds(bounds: &Option<(Floats<'_>, Floats<'_>)>) -> PyResult<Bounds> {
    Ok(match bounds {
        None => Bounds::None,
        Some((lo, hi)) => Bounds::Each(lo.as_slice()?.iter().copied().zip(hi.as_slice()?.iter().copied()).collect()),
    })
}

/// The path set of this name.
pub fn ends(name: &str) -> PyResult<Ends> {
    Ends::from_name(name).ok_or_else(|| unknown("ends", name, &Ends::ALL.map(Ends::name)))
}

/// Who decides the outcomes of actions, by name.
pub fn chance(name: &str) -> PyResult<Chance> {
    Chance::from_name(name).ok_or_else(|| unknown("chance", name, &Chance::ALL.map(Chance::name)))
}

/// What a marginal distribution is over, by name.
pub fn marginal_kind(name: &str) -> PyResult<MarginalKind> {
    MarginalKind::from_name(name).ok_or_else(|| unknown("of", name, &MarginalKind::ALL.map(MarginalKind::name)))
}

/// The method of this name.
pub fn method(name: &str) -> PyResult<Method> {
    let found = Method::ALL.into_iter().find(|method| method.name() == name);
    found.ok_or_else(|| unknown("inference", name, &Method::ALL.map(Method::name)))
}

/// The error for a name that is not among the known ones.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> PyErr {
    PyValueError::new_err(format!("{what} is {name:?}: it must be one of {}", known.join(", ")))
}
