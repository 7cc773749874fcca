//! Learning from samples of paths, without transition probabilities.

use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::prelude::*;
use revealed::{Baseline, ModelFree, SampleColumns, Samples, Step, Watch, Work};
use revealed_formats::{Model, warning_texts};

use crate::failure::{of_engine, of_json};
use crate::inputs::arrays::{Float, Floats, Integers, optional, whole};
use crate::inputs::options::{bounds, ends};
use crate::threads::progress::{Callback, Listener, SearchStep, call_with_step};
use crate::threads::run::{run, run_watched};

/// What to learn with.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SampleFitSettings<'py> {
    bounds: Option<(Floats<'py>, Floats<'py>)>,
    l2: f64,
    start: Option<Floats<'py>>,
    tolerance: f64,
    max_iterations: usize,
    threads: Option<usize>,
    ends: String,
    horizon: Option<usize>,
}

impl SampleFitSettings<'_> {
    fn of_engine(&self) -> PyResult<ModelFree> {
        Ok(ModelFree {
            bounds: bounds(&self.bounds)?,
            l2: self.l2,
            start: optional(&self.start)?,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            work: Work::default(),
        })
    }
}

/// Samples, a row each.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SampleArrays<'py> {
    features: PyReadonlyArray2<'py, f64>,
    log_policy: Floats<'py>,
    log_reference: Option<Floats<'py>>,
    length: Option<Integers<'py>>,
    rollout: Option<Integers<'py>>,
    names: Vec<String>,
}

impl SampleArrays<'_> {
    fn of_engine(&self) -> PyResult<SampleColumns> {
        let length = match &self.length {
            Some(length) => Some(whole(length.as_slice()?, |row| format!("sample {row}: length"))?),
            None => None,
        };
        Ok(SampleColumns {
            n_features: self.features.as_array().ncols(),
            names: self.names.clone(),
            features: self.features.as_slice()?.to_vec(),
            log_policy: self.log_policy.as_slice()?.to_vec(),
            log_reference: optional(&self.log_reference)?,
            length,
            rollout: self.rollout.as_ref().map(|column| column.as_slice().map(<[i64]>::to_vec)).transpose()?,
        })
    }
}

/// θ, the model as its file has it, and warnings.
type FittedToSamples<'py> = (Float<'py>, String, Vec<String>);

/// Learns θ from samples and the demonstrations' mean features. `callback` as in `fit`.
#[pyfunction]
pub fn fit_samples<'py>(
    py: Python<'py>,
    samples: SampleArrays<'py>,
    observed: Floats<'py>,
    n_demonstrations: usize,
    settings: SampleFitSettings<'py>,
    callback: Callback,
    every: f64,
) -> PyResult<FittedToSamples<'py>> {
    let columns = samples.of_engine()?;
    let (ends, horizon) = (ends(&settings.ends)?, settings.horizon);
    let mut listener = Listener::new(callback.is_some(), every);
    let (search, observed) = (settings.of_engine()?, observed.as_slice()?.to_vec());
    let fitted = run_watched(
        py,
        settings.threads,
        move |reporter| {
            let baseline = baseline_of(&columns);
            let samples = Samples::new(&columns, baseline)?;
            let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
            let fit = search.fit_watched(&samples, &observed, &Watch::new(&mut hear))?;
            let warnings = warning_texts(&fit, &columns.names);
            let model = Model {
                names: columns.names,
                n_demonstrations: Some(n_demonstrations),
                notes: warnings.clone(),
                ..Model::of_samples(&fit, &samples, &search, baseline, ends, horizon)
            };
            Ok((fit.theta, model, warnings))
        },
        |py, step: SearchStep| call_with_step(py, &callback, step),
    );
    let (theta, model, warnings) = fitted?.map_err(of_engine)?;
    Ok((theta.into_pyarray(py), of_json(serde_json::to_string(&model))?, warnings))
}

/// What the samples estimate at a θ: log Ẑ, its error, E_θ[φ], its errors, the effective sample size, the largest
/// share.
type Estimated<'py> = (f64, f64, Float<'py>, Float<'py>, f64, f64);

/// The estimate at a θ.
#[pyfunction]
pub fn estimate<'py>(
    py: Python<'py>,
    samples: SampleArrays<'py>,
    theta: Floats<'py>,
    threads: Option<usize>,
) -> PyResult<Estimated<'py>> {
    let (columns, theta) = (samples.of_engine()?, theta.as_slice()?.to_vec());
    let found = run(py, threads, move || Samples::new(&columns, baseline_of(&columns))?.evaluate(&theta));
    let found = found?.map_err(of_engine)?;
    let (mean, errors) = (found.expectation.into_pyarray(py), found.standard_error.into_pyarray(py));
    Ok((found.log_partition, found.log_partition_error, mean, errors, found.effective_sample_size, found.largest_share))
}

/// Samples with a reference policy are weighted relative to it.
fn baseline_of(columns: &SampleColumns) -> Baseline {
    if columns.log_reference.is_some() { Baseline::Reference } else { Baseline::One }
}
