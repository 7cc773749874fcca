//! A fit with its trace.

use std::ops::ControlFlow;

use revealed::{Bounds, Demonstrations, MaxEnt, Options, Step, Watch, Work};
use serde_json::{Value, json};

use super::question::Learning;
use crate::Fault;
use crate::models::Model;
use crate::problems::Problem;

/// Learns as the model was learned, but for what `asked` says. Each row of the trace has the number of evaluations, the
/// mean log-likelihood, and the largest component of the gradient.
pub(super) fn learn(
    asked: &Learning,
    problem: &Problem,
    before: &Model,
    demos: &Demonstrations,
    work: &Work,
) -> Result<(Model, Value), Fault> {
    let method = asked.inference.unwrap_or(before.inference);
    let is_other = method != before.inference;
    let ends = asked.ends.unwrap_or(if is_other { method.usual_ends() } else { before.ends });
    // The longest of the new demonstrations may be longer than the paths of the old model.
    let own = before.horizon.at_most().map_or(before.horizon, |most| most.max(demos.longest()).into());
    let horizon = asked.horizon.unwrap_or(if is_other { None } else { Some(own) });
    let pair = |[low, high]: [Option<f64>; 2]| (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
    let settings = MaxEnt {
        method,
        options: Options { ends, horizon, work: *work },
        bounds: asked.bounds.map(pair).map_or(before.bounds_of_theta(), |(low, high)| Bounds::Same(low, high)),
        l2: asked.l2.or(before.l2).unwrap_or(0.0),
        max_iterations: asked.max_iterations.unwrap_or(MaxEnt::default().max_iterations),
        ..MaxEnt::default()
    };
    let mut trace = Vec::new();
    let mut hear = |step: &Step<'_>| {
        trace.extend(step.iteration().map(|step| (step.evaluations, step.objective, step.gradient_norm)));
        ControlFlow::Continue(())
    };
    let fit = settings.fit_watched(&problem.mdp, &problem.features, demos, &Watch::new(&mut hear))?;
    let model = Model::of_fit(&fit, &settings, problem, demos);
    let json = json!({ "model": model, "trace": trace });
    Ok((model, json))
}
