//! The log-likelihood of the nested and the discounted recursive logit, and its gradient.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::nested_logit::NestedLogit;
use super::values::{Steps, Values};
use crate::Error;
use crate::cancel::Cancel;
use crate::engine::elimination::{Elimination, Limit};
use crate::model::Evaluation;
use crate::numeric::threads::Threads;
use crate::numeric::vector::all_representable;
use crate::numeric::{Work, parallel};
use crate::watch::Watch;
use crate::world::{Demonstrations, Features, Mdp, Occupancy};

/// The values of all destinations are kept if they take at most this part of the memory.
const SHARE_OF_VALUES: usize = 8;

/// The mean log-likelihood of demonstrations given where each begins and ends, as a function of θ, ω and γ.
///
/// ```text
/// V(s)      = μ_s log([s is the goal] + Σ_s' exp((v(s') + γ V(s')) / μ_s))
/// P(s' | s) = exp((v(s') + γ V(s') − V(s)) / μ_s)        μ_s = exp(Σ_m ω_m f_m(s))
/// ```
///
/// With ω = 0 and γ = 1 it is the recursive logit ([`RouteChoice`](crate::RouteChoice)). Each distinct destination
/// takes some eliminations: the Bellman equation is not linear.
#[derive(Debug)]
pub struct NestedLikelihood<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    model: &'a NestedLogit,
    /// f_m(s), one row for each m.
    scales: Vec<Vec<f64>>,
    network: Elimination,
    goals: Vec<Goal>,
    /// V of each destination at the last parameters, from which the next solution begins. Empty if it is too large.
    known: Vec<Mutex<Option<Vec<f64>>>>,
    threads: Threads,
}

/// The demonstrations to one destination, by their shares of the total weight.
#[derive(Debug, Default)]
struct Goal {
    state: usize,
    share: f64,
    steps: BTreeMap<usize, f64>,
}

impl<'a> NestedLikelihood<'a> {
    /// Prepares the elimination.
    ///
    /// # Errors
    /// [`Error::Chance`] in a world with chance, a reference policy or a discount of its own; if a scale is no feature
    /// of states alone; [`Error::FillIn`] if the elimination does not fit into the memory.
    pub fn new(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &Demonstrations,
        model: &'a NestedLogit,
        work: &Work,
    ) -> Result<Self, Error> {
        if mdp.probability().iter().any(|&p| p != 1.0) || mdp.reference().is_some() || mdp.discount() != 1.0 {
            return Err(Error::Chance);
        }
        let scales = model.scales(mdp, features)?;
        let mut goals: BTreeMap<usize, Goal> = BTreeMap::new();
        for index in (0..demos.len()).filter(|&index| demos.weight(index) > 0.0) {
            let share = demos.weight(index) / demos.total_weight();
            let states = demos.states(index);
            let state = states[states.len() - 1] as usize;
            let goal = goals.entry(state).or_default();
            goal.state = state;
            goal.share += share;
            demos.transitions(index).iter().for_each(|&step| *goal.steps.entry(step as usize).or_default() += share);
        }
        let network = Elimination::new(mdp, &Limit::of_uses(work.memory), &Watch::none())?;
        let threads = Threads::new(work.threads)?;
        let goals: Vec<Goal> = goals.into_values().collect();
        let of_values = goals.len().saturating_mul(mdp.n_states()).saturating_mul(size_of::<f64>());
        let known = if of_values <= work.memory / SHARE_OF_VALUES { goals.len() } else { 0 };
        let known = (0..known).map(|_| Mutex::new(None)).collect();
        Ok(NestedLikelihood { mdp, features, model, scales, network, goals, known, threads })
    }

    /// The mean log-likelihood at (θ, ω, γ), and its gradient.
    ///
    /// # Errors
    /// If the parameters have the wrong length or are not finite; [`Error::NoSum`] if loops cost too little.
    pub fn evaluate(&self, parameters: &[f64]) -> Result<Evaluation, Error> {
        let steps = self.steps(parameters)?;
        let work = || parallel::map(0..self.goals.len(), |at| self.of_goal(&steps, at));
        let found = self.threads.run_if(self.goals.len() > 1, work);
        let (mut log_likelihood, mut gradient) = (0.0, vec![0.0; parameters.len()]);
        for of_goal in found {
            let (value, slope) = of_goal?;
            log_likelihood += value;
            gradient.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += slope);
        }
        all_representable("the log-likelihood", &[log_likelihood])?;
        all_representable("a component of the gradient", &gradient)?;
        Ok(Evaluation { log_partition: None, log_likelihood, gradient })
    }

    fn steps(&self, parameters: &[f64]) -> Result<Steps<'_>, Error> {
        let (k, m) = (self.features.n_features(), self.scales.len());
        let expected = k + m + usize::from(self.model.discounted);
        if parameters.len() != expected {
            return Err(Error::Length { what: "the parameters", found: parameters.len(), expected });
        }
        let reward = self.features.reward(self.mdp, &parameters[..k])?;
        let to = |transition: usize| self.mdp.to()[transition] as usize;
        let paid = (0..self.mdp.n_transitions()).map(|step| reward.of_transition(step) + reward.state[to(step)]).collect();
        let log_scale =
            |state: usize| -> f64 { self.scales.iter().zip(&parameters[k..]).map(|(f, omega)| omega * f[state]).sum() };
        let scale: Vec<f64> = (0..self.mdp.n_states()).map(|state| log_scale(state).exp()).collect();
        if let Some(&value) = scale.iter().find(|scale| !(scale.is_finite() && **scale > 0.0)) {
            return Err(Error::Overflow { what: "a scale", value });
        }
        let discount = if self.model.discounted { parameters[k + m] } else { 1.0 };
        Ok(Steps { mdp: self.mdp, network: &self.network, paid, scale, discount })
    }

    /// The gradient of log p(τ) of each demonstration; 0 for those of weight 0.
    pub(super) fn scores(&self, demos: &Demonstrations, parameters: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let steps = self.steps(parameters)?;
        let last = |index: usize| demos.states(index)[demos.states(index).len() - 1] as usize;
        let mut to: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        (0..demos.len())
            .filter(|&index| demos.weight(index) > 0.0)
            .for_each(|index| to.entry(last(index)).or_default().push(index));
        let of_goal = |(state, members): (usize, Vec<usize>)| {
            let values = steps.solve(state, None)?;
            let score = |index: usize| {
                let mut alone = Goal { state, share: 1.0, steps: BTreeMap::new() };
                demos.transitions(index).iter().for_each(|&step| *alone.steps.entry(step as usize).or_default() += 1.0);
                Ok((index, self.of_steps(&steps, &values, &alone)?.1))
            };
            members.into_iter().map(score).collect::<Result<Vec<_>, Error>>()
        };
        let found = self.threads.run_if(to.len() > 1, || parallel::map(to, of_goal));
        let mut scores = vec![vec![0.0; parameters.len()]; demos.len()];
        for of_goal in found {
            of_goal?.into_iter().for_each(|(index, score)| scores[index] = score);
        }
        Ok(scores)
    }

    /// The part of the log-likelihood of one destination, and its gradient.
    fn of_goal(&self, steps: &Steps<'_>, at: usize) -> Result<(f64, Vec<f64>), Error> {
        let goal = &self.goals[at];
        let mut known = self.known.get(at).map(|known| known.lock().unwrap_or_else(PoisonError::into_inner));
        let values = steps.solve(goal.state, known.as_mut().and_then(|known| known.take()))?;
        if let Some(known) = &mut known {
            **known = Some(values.value.clone());
        }
        drop(known);
        self.of_steps(steps, &values, goal)
    }

    /// The same with the values of the destination: the gradient is by the adjoint of the Bellman equation.
    fn of_steps(&self, steps: &Steps<'_>, values: &Values, goal: &Goal) -> Result<(f64, Vec<f64>), Error> {
        Cancel::check()?;
        let Values { value, share, sums } = values;
        let ends = |step: usize| (self.mdp.from()[step] as usize, self.mdp.to()[step] as usize);
        let Steps { paid, scale, discount, .. } = steps;
        // log p = Σ (v + γ V(s') − V(s)) / μ_s − V(d) / μ_d. `by_value` is its derivative by V, `by_scale` that by μ.
        let (mut by_value, mut by_scale) = (vec![0.0; value.len()], vec![0.0; value.len()]);
        let (last, mut uses) = (goal.state, vec![0.0; paid.len()]);
        let mut log_likelihood = -goal.share * value[last] / scale[last];
        by_value[last] -= goal.share / scale[last];
        by_scale[last] += goal.share * value[last] / scale[last].powi(2);
        for (&step, &weight) in &goal.steps {
            let (from, to) = ends(step);
            let exponent = (paid[step] + discount * value[to] - value[from]) / scale[from];
            log_likelihood += weight * exponent;
            uses[step] += weight / scale[from];
            by_value[to] += discount * weight / scale[from];
            by_value[from] -= weight / scale[from];
            by_scale[from] -= weight * exponent / scale[from];
        }
        // ∂V = (I − γP)⁻¹ (P ∂v + P V ∂γ + H ∂μ), with H the derivative of a state's own value by its scale.
        let adjoint = sums.row(&self.network, &by_value);
        for state in (0..value.len()).filter(|&state| value[state].is_finite() && adjoint[state] != 0.0) {
            let mut own = value[state];
            for step in self.mdp.children(state).filter(|&step| share[step] > 0.0) {
                uses[step] += adjoint[state] * share[step];
                own -= share[step] * (paid[step] + discount * value[ends(step).1]);
            }
            by_scale[state] += adjoint[state] * own / scale[state];
        }
        let mut visits = vec![0.0; value.len()];
        uses.iter().enumerate().for_each(|(step, uses)| visits[ends(step).1] += uses);
        let by_discount: f64 =
            (0..uses.len()).filter(|&step| uses[step] != 0.0).map(|step| uses[step] * value[ends(step).1]).sum();
        let mut gradient = self.features.expectation(self.mdp, &Occupancy { state: visits, transition: uses });
        let of_scale = |f: &Vec<f64>| f.iter().zip(&by_scale).zip(scale).map(|((f, by), scale)| f * by * scale).sum::<f64>();
        gradient.extend(self.scales.iter().map(of_scale));
        gradient.extend(self.model.discounted.then_some(by_discount));
        Ok((log_likelihood, gradient))
    }
}
