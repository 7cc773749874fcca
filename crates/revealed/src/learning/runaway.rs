//! Whether a small gradient is an optimum, or the search diverges to infinity.

use crate::Error;
use crate::learning::MaxEnt;
use crate::learning::climb::{Summit, infinite_if_out_of_range};
use crate::learning::units::Units;
use crate::learning::whole::Whole;
use crate::model::Chance;
use crate::world::feature_names::name_of;

/// Smaller differences of the objective are rounding.
const ROUNDING: f64 = 1e-13;

impl MaxEnt {
    /// Why a small gradient is not an optimum; `None` if it is one.
    pub(crate) fn why_no_optimum(
        &self,
        model: &mut Whole<'_>,
        units: &Units,
        bounds: &[(f64, f64)],
        summit: &Summit,
    ) -> Result<Option<String>, Error> {
        let names = model.census.names.clone();
        let falls = |k: &usize| self.l2 == 0.0 && bounds[*k].0 == f64::NEG_INFINITY && summit.optimum.x[*k] < 0.0;
        let unseen: Vec<usize> = model.census.never_seen().into_iter().filter(falls).collect();
        if let Some((&first, others)) = unseen.split_first()
            && (self.method.chance() == Chance::Tilted || self.may_fall(model, summit, &unseen)?)
        {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            let words = format!("no demonstration ever has {}{more}: the weight would go to -infinity", name_of(&names, first));
            return Ok(Some(words));
        }
        if self.l2 > 0.0 {
            return Ok(None);
        }
        let value = |theta: &[f64]| self.descent(model, theta, &mut vec![0.0; theta.len()]);
        let Some(runaway) = summit.runaway(units, value)? else { return Ok(None) };
        let mut order: Vec<usize> = (0..runaway.len()).collect();
        order.sort_by(|&a, &b| runaway[b].abs().total_cmp(&runaway[a].abs()));
        let words: Vec<String> = (order.iter().take(3).filter(|&&k| runaway[k].abs() > 0.1 * runaway[order[0]].abs()))
            .map(|&k| format!("{} goes to {}infinity", name_of(&names, k), if runaway[k] < 0.0 { "-" } else { "+" }))
            .collect();
        Ok(Some(format!("the demonstrations get ever more likely as {}", words.join(" and "))))
    }
}

impl MaxEnt {
    /// Whether lower weights of features that no demonstration has make the causal objective no worse. There a
    /// demonstration may avoid a feature by luck, and a feature that the agent risks has a finite weight.
    fn may_fall(&self, model: &mut Whole<'_>, summit: &Summit, unseen: &[usize]) -> Result<bool, Error> {
        let mut further = summit.theta.clone();
        unseen.iter().for_each(|&k| further[k] *= 2.0);
        let lower = infinite_if_out_of_range(self.descent(model, &further, &mut vec![0.0; further.len()]))?;
        let here = self.descent(model, &summit.theta, &mut vec![0.0; further.len()])?;
        Ok(lower <= here + ROUNDING * (1.0 + here.abs()))
    }
}
