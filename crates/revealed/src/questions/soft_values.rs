//! Soft values: the logarithm of the total weight of the paths from each state.

use std::ops::ControlFlow;

use crate::Error;
use crate::model::{Given, PathDistribution, PathModel};
use crate::numeric::Work;

/// V(s) = log Σ q(τ) e^{R(τ)} over the paths from s, given the last state `to`, if it is known; -∞ if there is no path.
/// It is log β_1(s) of the backward recursion (eq:beta-recurrence-padded). In route choice it is called the logsum or
/// expected maximum utility.
///
/// ```
/// use revealed::{Ends, PathModel, Reward, Work, soft_values, worlds};
///
/// let chain = worlds::linear_chain(3)?;
/// let model = PathModel::new(&chain.mdp, Reward::of_states(vec![0.0; 3]), 3, Ends::Anywhere)?;
/// // Three paths from the first state, two from the second, one from the last.
/// let values = soft_values(&model, None, &Work::default())?;
/// assert!(values.iter().zip([3f64, 2.0, 1.0]).all(|(value, n)| (value - n.ln()).abs() < 1e-12));
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// As [`PathModel::stop`], and if the memory budget is too small.
pub fn soft_values(model: &PathModel<'_>, to: Option<usize>, work: &Work) -> Result<Vec<f64>, Error> {
    let n = model.mdp().n_states();
    // The message does not depend on the first states, but a pass without any path is an error.
    let anywhere = Given::from_states((0..n).map(|state| (state, 1.0 / n as f64)).collect());
    let mut paths = PathDistribution::backward_only(model, &anywhere.to(to), work, false)?;
    if let Some(values) = paths.causal_values()? {
        return Ok(values);
    }
    let mut values = Vec::new();
    paths.watch(&mut |view| {
        values = (0..n).map(|state| (view.of_state(state) * view.after(state)).ln()).collect();
        ControlFlow::Break(())
    })?;
    Ok(values)
}
