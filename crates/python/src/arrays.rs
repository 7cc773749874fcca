//! Columns of numpy as the engine takes them. The Python side has made them contiguous and of the right type.
//!
//! What goes in is copied: the engine works without holding up other Python threads, and these may write into their arrays.
//! What comes out is handed over as it is.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Ends, Method, Reward, Trajectory};
use revealed_formats::Table;

/// A column of whole numbers.
pub type Integers<'py> = PyReadonlyArray1<'py, i64>;
/// A column of numbers.
pub type Floats<'py> = PyReadonlyArray1<'py, f64>;
/// A column of whole numbers that is handed over.
pub type Int<'py> = Bound<'py, PyArray1<i64>>;
/// A column of numbers that is handed over.
pub type Float<'py> = Bound<'py, PyArray1<f64>>;

/// A table with one index.
pub fn table1(index: &Integers<'_>, value: &Floats<'_>) -> PyResult<Table<1>> {
    Ok(Table { index: [index.as_slice()?.to_vec()], value: value.as_slice()?.to_vec() })
}

/// A table with two.
pub fn table2(index: [&Integers<'_>; 2], value: &Floats<'_>) -> PyResult<Table<2>> {
    let [a, b] = index;
    Ok(Table { index: [a.as_slice()?.to_vec(), b.as_slice()?.to_vec()], value: value.as_slice()?.to_vec() })
}

/// A table with three.
pub fn table3(index: [&Integers<'_>; 3], value: &Floats<'_>) -> PyResult<Table<3>> {
    let [a, b, c] = index;
    let index = [a.as_slice()?.to_vec(), b.as_slice()?.to_vec(), c.as_slice()?.to_vec()];
    Ok(Table { index, value: value.as_slice()?.to_vec() })
}

/// A reward of states, and of transitions (empty where every one is zero), in the engine's order.
pub fn reward(state: &Floats<'_>, transition: &Floats<'_>) -> PyResult<Reward> {
    Ok(Reward { state: state.as_slice()?.to_vec(), transition: transition.as_slice()?.to_vec() })
}

/// A path that was begun.
pub fn prefix(states: &Integers<'_>, actions: &Integers<'_>) -> PyResult<Trajectory> {
    let of = |what: &str, column: &Integers<'_>| whole(column.as_slice()?, |step| format!("the prefix: step {step}: {what}"));
    Ok(Trajectory::new(of("state", states)?, of("action", actions)?))
}

/// Numbers that must not be negative; `what` names a place.
pub fn whole(column: &[i64], what: impl Fn(usize) -> String) -> PyResult<Vec<usize>> {
    let number = |(place, &value): (usize, &i64)| {
        usize::try_from(value).map_err(|_| PyValueError::new_err(format!("{} {value} is negative", what(place))))
    };
    column.iter().enumerate().map(number).collect()
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

/// A name that is none of those that are known.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> PyErr {
    PyValueError::new_err(format!("{what} is {name:?}: it must be one of {}", known.join(", ")))
}
