//! Columns of numpy as the engine takes them. The Python side has made them contiguous and of the right type.
//!
//! What goes in is copied: the engine works without holding up other Python threads, and these may write into their
//! arrays. Outputs are passed on without a copy.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Reward, Trajectory};
use revealed_formats::Table;

/// A column of whole numbers that Python lends.
pub type Integers<'py> = PyReadonlyArray1<'py, i64>;
/// A column of numbers that Python lends.
pub type Floats<'py> = PyReadonlyArray1<'py, f64>;
/// A column of whole numbers, as output.
pub type Int<'py> = Bound<'py, PyArray1<i64>>;
/// A column of numbers, as output.
pub type Float<'py> = Bound<'py, PyArray1<f64>>;

/// The reward of states, and of transitions (empty if every one is zero), in the engine's order.
pub type RewardColumns<'py> = (Floats<'py>, Floats<'py>);

/// (state, weight) of first or last states.
pub type Weights = Vec<(usize, f64)>;

/// A column that may be absent, as a vector.
pub fn optional(column: &Option<Floats<'_>>) -> PyResult<Option<Vec<f64>>> {
    Ok(column.as_ref().map(|column| column.as_slice().map(<[f64]>::to_vec)).transpose()?)
}

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

/// A reward as the engine has it.
pub fn reward((state, transition): &RewardColumns<'_>) -> PyResult<Reward> {
    Ok(Reward { state: state.as_slice()?.to_vec(), transition: transition.as_slice()?.to_vec() })
}

/// The beginning of a path.
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
