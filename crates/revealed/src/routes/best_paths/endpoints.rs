//! f and g: the first and the last states of the wanted paths.

use crate::Error;
use crate::model::Ends;
use crate::model::PathModel;
use crate::world::state_weights::check_state_weights;

/// log f of the first states and log g of the last ones, checked against the model.
#[derive(Debug, Clone)]
pub(crate) struct Endpoints {
    /// (s, log f(s)) of the states with f(s) > 0.
    pub first: Vec<(usize, f64)>,
    /// log g(s) of each state; -∞ if no wanted path ends there.
    pub last: Vec<f64>,
    /// Whether paths with fewer than L states may end in a state, if any path may end there.
    early: Vec<bool>,
    /// A description for messages, such as "from state 0 to state 5".
    pub description: String,
}

impl Endpoints {
    /// The endpoints for weights over the first states and, if they are given, over the last states.
    ///
    /// # Errors
    /// If a state does not exist or is listed twice, a weight is negative or not finite, all are 0, or no path of the
    /// model ends in any of the states.
    pub fn new(model: &PathModel<'_>, from: &[(usize, f64)], to: Option<&[(usize, f64)]>) -> Result<Endpoints, Error> {
        check_weights(model, "from", from)?;
        let (mdp, ends) = (model.mdp(), model.ends());
        let early: Vec<bool> = (0..mdp.n_states()).map(|state| ends_early(model, state)).collect();
        let mut last = vec![f64::NEG_INFINITY; mdp.n_states()];
        match to {
            None => {
                model.stop(None)?;
                let may_end = (0..mdp.n_states()).filter(|&state| ends == Ends::Horizon || early[state]);
                may_end.for_each(|state| last[state] = 0.0);
            }
            Some(to) => {
                check_weights(model, "to", to)?;
                // A state in which no path ends is accepted if paths end in another one.
                let (mut ending, mut fault) = (false, None);
                for &(state, weight) in to.iter().filter(|row| row.1 > 0.0) {
                    match model.stop(Some(state)) {
                        Ok(_) => (last[state], ending) = (weight.ln(), true),
                        Err(error) => fault = fault.or(Some(error)),
                    }
                }
                if let Some(fault) = fault.filter(|_| !ending) {
                    return Err(fault);
                }
            }
        }
        let first: Vec<(usize, f64)> = from.iter().filter(|row| row.1 > 0.0).map(|row| (row.0, row.1.ln())).collect();
        let description = format!("from {} to {}", named(from), to.map_or("where paths end".to_string(), named));
        Ok(Endpoints { first, last, early, description })
    }

    /// log g of ending in a state at time t; -∞ if no path ends there at that time.
    pub fn ending(&self, state: usize, t: usize, horizon: usize) -> f64 {
        if t == horizon || self.early[state] { self.last[state] } else { f64::NEG_INFINITY }
    }

    /// A state in which only paths of exactly L states end, if there is one. Then a search must count time.
    pub fn bound_to_horizon(&self) -> Option<usize> {
        (0..self.last.len()).find(|&state| self.last[state] > f64::NEG_INFINITY && !self.early[state])
    }
}

/// Whether a path of fewer than L states may end in a state.
fn ends_early(model: &PathModel<'_>, state: usize) -> bool {
    matches!(model.ends(), Ends::Anywhere | Ends::Goal) || model.mdp().is_terminal(state)
}

fn check_weights(model: &PathModel<'_>, table: &'static str, weights: &[(usize, f64)]) -> Result<(), Error> {
    check_state_weights(model.mdp(), table, "weight", weights.iter().copied())?;
    if weights.iter().all(|row| row.1 == 0.0) {
        let what = if table == "from" { "the sum of the weights of `from`" } else { "the sum of the weights of `to`" };
        return Err(Error::Setting { what, value: 0.0, expected: "above 0: name at least one state" });
    }
    Ok(())
}

fn named(weights: &[(usize, f64)]) -> String {
    let positive: Vec<usize> = weights.iter().filter(|row| row.1 > 0.0).map(|row| row.0).collect();
    match positive[..] {
        [state] => format!("state {state}"),
        _ => format!("one of {} states", positive.len()),
    }
}
