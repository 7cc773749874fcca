//! Whether a small gradient is an optimum, or a search that goes to infinity.

use crate::Error;
use crate::learning::MaxEnt;
use crate::learning::maxent::too_far;
use crate::learning::objective::Objective;
use crate::learning::optimise::{Optimum, Search};
use crate::learning::units::Units;
use crate::numeric::vector::norm;
use crate::world::Features;

impl MaxEnt {
    /// Why a small gradient is no optimum, if it is none.
    pub(crate) fn why_no_optimum(
        &self,
        model: &mut Objective<'_>,
        features: &Features,
        units: &Units,
        search: &Search<'_>,
        optimum: &Optimum,
        last_step: &LastStep,
    ) -> Result<Option<String>, Error> {
        let falls = |k: &usize| self.l2 == 0.0 && search.lower[*k] == f64::NEG_INFINITY && optimum.x[*k] < 0.0;
        let unseen: Vec<usize> = never_seen(features, model.observed()).into_iter().filter(falls).collect();
        if let Some((&first, others)) = unseen.split_first() {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            let words = format!("no demonstration ever has {}{more}: the weight would go to -infinity", features.name(first));
            return Ok(Some(words));
        }
        if self.l2 > 0.0 {
            return Ok(None);
        }
        let value = |x: &[f64]| self.negative_objective(model, units, x, &mut vec![0.0; x.len()]);
        let Some(runaway) = runaway(search, optimum, last_step, value)? else { return Ok(None) };
        let mut order: Vec<usize> = (0..runaway.len()).collect();
        order.sort_by(|&a, &b| runaway[b].abs().total_cmp(&runaway[a].abs()));
        let words: Vec<String> = (order.iter().take(3).filter(|&&k| runaway[k].abs() > 0.1 * runaway[order[0]].abs()))
            .map(|&k| format!("{} goes to {}infinity", features.name(k), if runaway[k] < 0.0 { "-" } else { "+" }))
            .collect();
        Ok(Some(format!("the demonstrations get ever more likely as {}", words.join(" and "))))
    }
}

/// The direction in which an objective grows for ever, if the search went off in one: there the gradient vanishes with the
/// distance, and a small gradient is no optimum. Around an optimum a step as long as the whole way so far lowers the
/// objective, whatever its direction; on the way to infinity one in the direction of the last step does not. `value` is what
/// the search lowers.
pub(crate) fn runaway(
    search: &Search<'_>,
    optimum: &Optimum,
    last_step: &LastStep,
    value: impl FnOnce(&[f64]) -> Result<f64, Error>,
) -> Result<Option<Vec<f64>>, Error> {
    let size = norm(&last_step.step);
    if size == 0.0 {
        return Ok(None);
    }
    let far = norm(&optimum.x).max(1.0) / size;
    let x: Vec<f64> = (optimum.x.iter().zip(&last_step.step).zip(search.lower.iter().zip(search.upper)))
        .map(|((x, step), (&lower, &upper))| (x + far * step).clamp(lower, upper))
        .collect();
    let direction: Vec<f64> = x.iter().zip(&optimum.x).map(|(far, here)| far - here).collect();
    Ok((too_far(value(&x))? <= optimum.value && norm(&direction) > 0.5).then_some(direction))
}

/// The step from the last iterate but one to the last.
pub(crate) struct LastStep {
    at: Vec<f64>,
    step: Vec<f64>,
}

impl LastStep {
    pub fn from(start: &[f64]) -> Self {
        LastStep { at: start.to_vec(), step: vec![0.0; start.len()] }
    }

    pub fn walk_to(&mut self, x: &[f64]) {
        self.step = x.iter().zip(&self.at).map(|(new, old)| new - old).collect();
        self.at.copy_from_slice(x);
    }
}

/// Features that are never negative, not zero everywhere, and zero along every demonstration.
pub(crate) fn never_seen(features: &Features, observed: &[f64]) -> Vec<usize> {
    let mut present = vec![false; features.n_features()];
    let mut negative = vec![false; features.n_features()];
    for block in features.blocks() {
        for (feature, value) in (0..block.n_rows()).flat_map(|row| block.row(row)) {
            present[feature] |= value > 0.0;
            negative[feature] |= value < 0.0;
        }
    }
    (0..features.n_features()).filter(|&k| present[k] && !negative[k] && observed[k] == 0.0).collect()
}
