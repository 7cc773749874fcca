//! Options as the engine takes them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Bounds, Ends, Method, Options};

use super::arrays::Floats;

/// How likelihoods are computed.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PathOptions {
    ends: String,
    horizon: Option<usize>,
    /// Not for the engine, which works in the pool that it is run in.
    pub threads: Option<usize>,
    memory: Option<usize>,
}

impl PathOptions {
    /// As the engine has them.
    pub fn of_engine(&self) -> PyResult<Options> {
        Ok(Options { ends: ends(&self.ends)?, horizon: self.horizon, ..within(self.memory) })
    }
}

/// The default options with a memory budget in bytes.
pub fn within(memory: Option<usize>) -> Options {
    let defaults = Options::default();
    Options { memory: memory.unwrap_or(defaults.memory), ..defaults }
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

/// The method of this name.
pub fn method(name: &str) -> PyResult<Method> {
    let found = Method::ALL.into_iter().find(|method| method.name() == name);
    found.ok_or_else(|| unknown("inference", name, &Method::ALL.map(Method::name)))
}

/// The error for a name that is not among the known ones.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> PyErr {
    PyValueError::new_err(format!("{what} is {name:?}: it must be one of {}", known.join(", ")))
}
