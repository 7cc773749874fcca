//! A road network with features.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{Step, Watch};
use revealed_formats::Model;
use revealed_roads::{Group, Import, Imported, NetworkOptions, OwnFeatures, Position, Profile, ReadOptions};
use serde_json::Value;

use super::tables::{LineColumns, PyTable, lines_of, table_of};
use crate::failure::{of_json, of_roads};
use crate::inputs::arrays::{Float, Floats, Integers, whole};
use crate::inputs::options::unknown;
use crate::mdp::problem::Problem;
use crate::threads::progress::{Callback, Stage, StageListener, call_with_stage};
use crate::threads::run::{Reporter, run, run_watched};

/// A road network with the features of its states, and its problem, which is made when it is first needed.
#[pyclass(frozen, module = "revealed._native")]
pub struct Roads {
    pub roads: Arc<revealed_roads::Roads>,
    problem: OnceLock<Arc<revealed_formats::Problem>>,
}

/// What a network is made of.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ImportSettings {
    input: PathBuf,
    nodes: Option<PathBuf>,
    features: String,
    columns: Option<PathBuf>,
    missing: Option<f64>,
    skip_unknown: bool,
    per_metre: bool,
    turn_columns: Option<PathBuf>,
    elevation: Option<PathBuf>,
    speeds: Option<PathBuf>,
    compress: bool,
    u_turns: bool,
    keep_all: bool,
    profile: String,
    service: bool,
}

impl ImportSettings {
    fn plan(self) -> PyResult<Import> {
        let profile = Profile::ALL.into_iter().find(|profile| profile.name() == self.profile);
        let profile = profile.ok_or_else(|| unknown("profile", &self.profile, &Profile::ALL.map(Profile::name)))?;
        Ok(Import {
            input: self.input,
            nodes: self.nodes,
            groups: Group::parse(&self.features).map_err(of_roads)?,
            columns: self.columns,
            own: OwnFeatures { missing: self.missing, skip_unknown: self.skip_unknown, per_metre: self.per_metre },
            turn_columns: self.turn_columns,
            elevation: self.elevation,
            speeds: self.speeds,
            compress: self.compress,
            network: NetworkOptions { u_turns: self.u_turns, keep_all: self.keep_all, no_copies: false },
            read: ReadOptions { service: self.service, profile },
        })
    }
}

impl Roads {
    /// Of a network.
    pub fn of(roads: revealed_roads::Roads) -> Roads {
        Roads { roads: Arc::new(roads), problem: OnceLock::new() }
    }

    /// The problem of the network.
    pub fn shared_problem(&self) -> PyResult<Arc<revealed_formats::Problem>> {
        if let Some(problem) = self.problem.get() {
            return Ok(Arc::clone(problem));
        }
        let made = Arc::new(self.roads.problem().map_err(of_roads)?);
        Ok(Arc::clone(self.problem.get_or_init(|| made)))
    }
}

/// A model from its JSON.
pub fn model_of(json: &str) -> PyResult<Model> {
    of_json(serde_json::from_str(json))
}

#[pymethods]
impl Roads {
    /// Makes a network of a map or an edge list. `callback` gets (what, done, all). The second answer is what was read, as
    /// JSON, and the third has remarks.
    #[staticmethod]
    fn make(py: Python<'_>, settings: ImportSettings, callback: Callback) -> PyResult<(Roads, String, Vec<String>)> {
        let (plan, mut listener) = (settings.plan()?, StageListener::new(callback.is_some()));
        let made = run_watched(
            py,
            None,
            move |reporter: &Reporter<Stage, _>| {
                let mut notes = Vec::new();
                let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
                let made = plan.run(&mut |text| notes.push(text), &Watch::new(&mut hear))?;
                Ok((made, notes))
            },
            |py, stage| call_with_stage(py, &callback, stage),
        );
        let (imported, notes) = made?.map_err(of_roads)?;
        let json = imported.to_json().to_string();
        Ok((Roads::of(imported.roads), json, notes))
    }

    /// Reads a network file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Roads> {
        Ok(Roads::of(run(py, Some(1), move || revealed_roads::Roads::load(path))?.map_err(of_roads)?))
    }

    /// Writes a network file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.roads.save(path)).map_err(of_roads)
    }

    /// The network as a problem.
    fn problem(&self, py: Python<'_>) -> PyResult<Problem> {
        Ok(Problem(py.detach(|| self.shared_problem())?))
    }

    /// The sizes of the network, as JSON.
    fn describe(&self) -> String {
        Imported { roads: (*self.roads).clone(), osm: None }.to_json().to_string()
    }

    #[getter]
    fn n_states(&self) -> usize {
        self.roads.n_states()
    }

    #[getter]
    fn n_segments(&self) -> usize {
        self.roads.network.n_originals()
    }

    #[getter]
    fn n_turns(&self) -> usize {
        self.roads.network.n_turns()
    }

    #[getter]
    fn profile(&self) -> &'static str {
        self.roads.network.profile.name()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.roads.features.names.clone()
    }

    /// The lengths of all states in metres.
    fn lengths<'py>(&self, py: Python<'py>) -> Float<'py> {
        self.roads.lengths().into_pyarray(py)
    }

    /// The seconds to drive along each state.
    fn seconds<'py>(&self, py: Python<'py>) -> Float<'py> {
        (0..self.roads.n_states()).map(|state| self.roads.seconds(state)).collect::<Vec<f64>>().into_pyarray(py)
    }

    /// The learned cost of each state.
    fn costs<'py>(&self, py: Python<'py>, theta: Floats<'py>) -> PyResult<Float<'py>> {
        Ok(self.roads.costs(theta.as_slice()?).map_err(of_roads)?.into_pyarray(py))
    }

    /// The states at a place.
    fn states_at(&self, lat: f64, lon: f64) -> PyResult<Vec<usize>> {
        revealed_roads::states_at(&self.roads, Position { lat, lon }).map_err(of_roads)
    }

    /// The states that are not copies of others, as rows with their attributes, more columns, and their lines.
    fn table<'py>(&self, py: Python<'py>, columns: Vec<(String, Floats<'py>)>) -> PyResult<PyTable<'py>> {
        let more =
            columns.iter().map(|(name, values)| Ok((name.as_str(), values.as_slice()?))).collect::<PyResult<Vec<_>>>()?;
        table_of(py, self.roads.table(&more).map_err(of_roads)?)
    }

    /// The line of each path of states.
    fn lines<'py>(&self, py: Python<'py>, offsets: Integers<'py>, states: Integers<'py>) -> PyResult<LineColumns<'py>> {
        let paths = paths_of(&self.roads, &offsets, &states)?;
        Ok(lines_of(py, &paths.iter().map(|path| self.roads.route_parts(path)).collect::<Vec<_>>()))
    }

    /// Writes the network for other programs, with more columns.
    fn export(&self, py: Python<'_>, path: PathBuf, columns: Vec<(String, Floats<'_>)>) -> PyResult<()> {
        let more =
            columns.iter().map(|(name, values)| Ok((name.as_str(), values.as_slice()?))).collect::<PyResult<Vec<_>>>()?;
        py.detach(|| self.roads.export(path, &more)).map_err(of_roads)
    }

    /// Writes the lines of paths for other programs, each with its properties, which are JSON.
    fn export_routes(
        &self,
        py: Python<'_>,
        path: PathBuf,
        offsets: Integers<'_>,
        states: Integers<'_>,
        properties: Vec<String>,
    ) -> PyResult<()> {
        let paths = paths_of(&self.roads, &offsets, &states)?;
        let properties = properties.iter().map(|text| of_json(serde_json::from_str(text)));
        let properties: Vec<Value> = properties.collect::<PyResult<_>>()?;
        let lines: Vec<(&[usize], &Value)> = paths.iter().map(Vec::as_slice).zip(&properties).collect();
        py.detach(|| self.roads.export_routes(path, &lines)).map_err(of_roads)
    }

    /// Writes the lines of matched paths (.jsonl) for other programs; the answer is how many there are.
    fn export_paths(&self, py: Python<'_>, path: PathBuf, paths: PathBuf) -> PyResult<usize> {
        py.detach(|| self.roads.export_paths(path, paths)).map_err(of_roads)
    }
}

/// Paths of states from flat columns, checked.
fn paths_of(roads: &revealed_roads::Roads, offsets: &Integers<'_>, states: &Integers<'_>) -> PyResult<Vec<Vec<usize>>> {
    let (offsets, n) = (whole(offsets.as_slice()?, |at| format!("offset {at}:"))?, roads.n_states());
    let states = whole(states.as_slice()?, |at| format!("state {at}:"))?;
    let bad = || pyo3::exceptions::PyValueError::new_err("the offsets do not fit the states");
    if let Some(state) = states.iter().find(|&&state| state >= n) {
        let message = format!("state {state} is not in the network, which has {n}: give a path of this network");
        return Err(pyo3::exceptions::PyValueError::new_err(message));
    }
    offsets.windows(2).map(|pair| states.get(pair[0]..pair[1]).map(<[usize]>::to_vec).ok_or_else(bad)).collect()
}
