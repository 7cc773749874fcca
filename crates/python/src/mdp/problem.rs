//! A problem: an MDP without its reward, and its features.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use revealed_formats::{Layout, ProblemColumns, Table};

use crate::failure::{of_columns, of_engine, of_file};
use crate::inputs::arrays::{Float, Floats, Int, Integers, optional, table1, table2, table3};

/// An MDP without its reward, its features, and how to draw it; checked, and never changed afterwards.
#[pyclass(frozen, module = "revealed._native")]
pub struct Problem(pub Arc<revealed_formats::Problem>);

#[pymethods]
impl Problem {
    /// From the columns of a problem file.
    #[new]
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (*, n_states, n_actions, n_features, discount, start, terminal, transitions, state_features,
        state_action_features, transition_features, names, reference, grid, points, true_theta))]
    fn new(
        py: Python<'_>,
        n_states: i64,
        n_actions: i64,
        n_features: i64,
        discount: f64,
        start: (Integers<'_>, Floats<'_>),
        terminal: Integers<'_>,
        transitions: (Integers<'_>, Integers<'_>, Integers<'_>, Floats<'_>),
        state_features: (Integers<'_>, Integers<'_>, Floats<'_>),
        state_action_features: (Integers<'_>, Integers<'_>, Integers<'_>, Floats<'_>),
        transition_features: (Integers<'_>, Integers<'_>, Floats<'_>),
        names: Vec<String>,
        reference: (Integers<'_>, Integers<'_>, Floats<'_>),
        grid: Option<(usize, usize)>,
        points: Option<(Floats<'_>, Floats<'_>)>,
        true_theta: Option<Floats<'_>>,
    ) -> PyResult<Self> {
        let layout = match (grid, points) {
            (Some((rows, columns)), _) => Some(Layout::Grid { rows, columns }),
            (None, Some((x, y))) => Some(Layout::Points { x: x.as_slice()?.to_vec(), y: y.as_slice()?.to_vec() }),
            (None, None) => None,
        };
        let columns = ProblemColumns {
            n_states,
            n_actions,
            n_features,
            discount,
            start: table1(&start.0, &start.1)?,
            terminal: terminal.as_slice()?.to_vec(),
            transitions: table3([&transitions.0, &transitions.1, &transitions.2], &transitions.3)?,
            state_features: table2([&state_features.0, &state_features.1], &state_features.2)?,
            state_action_features: {
                let (state, action, feature, value) = &state_action_features;
                table3([state, action, feature], value)?
            },
            transition_features: table2([&transition_features.0, &transition_features.1], &transition_features.2)?,
            names,
            reference: table2([&reference.0, &reference.1], &reference.2)?,
            layout,
            true_theta: optional(&true_theta)?,
            unknown: Vec::new(),
            additions: Vec::new(),
        };
        let problem = py.detach(|| columns.build()).map_err(of_columns)?;
        Ok(Problem(Arc::new(problem)))
    }

    /// Reads a problem file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let problem = py.detach(|| revealed_formats::Problem::load(path)).map_err(of_file)?;
        Ok(Problem(Arc::new(problem)))
    }

    /// Writes a problem file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(path)).map_err(of_file)
    }

    /// Everything that the constructor takes, by name: for pickles, and for the same problem with something changed.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = py.detach(|| self.0.columns());
        let answer = PyDict::new(py);
        answer.set_item("n_states", columns.n_states)?;
        answer.set_item("n_actions", columns.n_actions)?;
        answer.set_item("n_features", columns.n_features)?;
        answer.set_item("discount", columns.discount)?;
        answer.set_item("start", table(py, columns.start)?)?;
        answer.set_item("terminal", columns.terminal.into_pyarray(py))?;
        answer.set_item("transitions", table(py, columns.transitions)?)?;
        answer.set_item("state_features", table(py, columns.state_features)?)?;
        answer.set_item("state_action_features", table(py, columns.state_action_features)?)?;
        answer.set_item("transition_features", table(py, columns.transition_features)?)?;
        answer.set_item("names", columns.names)?;
        answer.set_item("reference", table(py, columns.reference)?)?;
        answer.set_item("grid", self.grid())?;
        answer.set_item("points", self.points(py))?;
        answer.set_item("true_theta", self.true_theta(py))?;
        Ok(answer)
    }

    /// The sizes: states, actions, choices (s, a), transitions, features.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize, usize) {
        let mdp = &self.0.mdp;
        (mdp.n_states(), mdp.n_actions(), mdp.n_choices(), mdp.n_transitions(), self.0.features.n_features())
    }

    #[getter]
    fn discount(&self) -> f64 {
        self.0.mdp.discount()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.features.names().to_vec()
    }

    #[getter]
    fn digest(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.digest())
    }

    #[getter]
    fn grid(&self) -> Option<(usize, usize)> {
        match self.0.layout {
            Some(Layout::Grid { rows, columns }) => Some((rows, columns)),
            _ => None,
        }
    }

    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Option<(Float<'py>, Float<'py>)> {
        match &self.0.layout {
            Some(Layout::Points { x, y }) => Some((x.clone().into_pyarray(py), y.clone().into_pyarray(py))),
            _ => None,
        }
    }

    #[getter]
    fn true_theta<'py>(&self, py: Python<'py>) -> Option<Float<'py>> {
        self.0.true_theta.clone().map(|theta| theta.into_pyarray(py))
    }

    /// p0 as states and probabilities.
    fn start<'py>(&self, py: Python<'py>) -> (Int<'py>, Float<'py>) {
        let (states, p): (Vec<i64>, Vec<f64>) = self.0.mdp.start().iter().map(|&(state, p)| (state as i64, p)).unzip();
        (states.into_pyarray(py), p.into_pyarray(py))
    }

    /// The terminal states.
    fn terminal<'py>(&self, py: Python<'py>) -> Int<'py> {
        let mdp = &self.0.mdp;
        let states: Vec<i64> = (0..mdp.n_states()).filter(|&s| mdp.is_terminal(s)).map(|s| s as i64).collect();
        states.into_pyarray(py)
    }

    /// T as from, action, to, p, in the engine's order.
    fn transitions<'py>(&self, py: Python<'py>) -> (Int<'py>, Int<'py>, Int<'py>, Float<'py>) {
        let mdp = &self.0.mdp;
        let whole = |column: &[u32]| column.iter().map(|&index| i64::from(index)).collect::<Vec<i64>>().into_pyarray(py);
        let action = mdp.choice_of().iter().map(|&choice| mdp.action_of(choice as usize) as i64).collect::<Vec<i64>>();
        (whole(mdp.from()), action.into_pyarray(py), whole(mdp.to()), mdp.probability().to_vec().into_pyarray(py))
    }

    /// The choices (s, a) in the engine's order.
    fn choices<'py>(&self, py: Python<'py>) -> (Int<'py>, Int<'py>) {
        let mdp = &self.0.mdp;
        let states: Vec<i64> = (0..mdp.n_choices()).map(|choice| mdp.state_of(choice) as i64).collect();
        let actions: Vec<i64> = (0..mdp.n_choices()).map(|choice| mdp.action_of(choice) as i64).collect();
        (states.into_pyarray(py), actions.into_pyarray(py))
    }

    /// R = θᵀφ: of states, and of transitions (empty if every one is zero).
    fn reward<'py>(&self, py: Python<'py>, theta: Floats<'py>) -> PyResult<(Float<'py>, Float<'py>)> {
        let reward = self.0.features.reward(&self.0.mdp, theta.as_slice()?).map_err(of_engine)?;
        Ok((reward.state.into_pyarray(py), reward.transition.into_pyarray(py)))
    }
}

/// The columns of a table: its indices, then its values.
fn table<const N: usize>(py: Python<'_>, table: Table<N>) -> PyResult<Bound<'_, PyTuple>> {
    let indices = table.index.into_iter().map(|column| column.into_pyarray(py).into_any());
    let columns: Vec<Bound<'_, PyAny>> = indices.chain([table.value.into_pyarray(py).into_any()]).collect();
    PyTuple::new(py, columns)
}
