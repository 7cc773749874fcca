//! Where demonstrations and the model's paths are, and how long they are.

use std::collections::BTreeMap;

use revealed::{Chance, Demonstrations, Ends, Given, Horizon, MarginalKind, PathModel, RouteChoice, Work, lengths};
use serde_json::{Value, json};

use crate::Fault;
use crate::models::Model;
use crate::problems::Problem;

/// Models of paths to a goal have a distribution for each pair of ends. More pairs, times transitions, take too long.
const MOST_PAIRS: usize = 2_000_000;

/// Pairs of first and last states, with their share of the demonstrations.
type Pairs = BTreeMap<[usize; 2], f64>;

/// Visits of states (discounted) and lengths: those of the data, and those that the model expects.
pub(super) fn compared(problem: &Problem, model: &Model, demos: &Demonstrations, work: &Work) -> Result<Value, Fault> {
    let paths = model.path_model(problem, None, None)?;
    let expected = expected_visits(problem, model, &paths, demos, work);
    let lengths = expected_lengths(&paths, demos, work);
    // Of routes of any length, the mean takes one elimination for all pairs of ends together.
    let mean = if is_route_choice(&paths) {
        RouteChoice::new(&problem.mdp, &problem.features, demos, work)?.lengths(&model.theta).ok().map(|found| found.model)
    } else {
        lengths.as_ref().ok().map(|rows| rows.iter().map(|&(length, p)| length as f64 * p).sum())
    };
    let said = |found: Result<Value, Fault>| found.unwrap_or_else(|fault| json!({ "error": fault.to_string() }));
    Ok(json!({
        "visits": { "observed": observed_visits(problem, demos), "expected": said(expected.map(|visits| json!(visits))) },
        "lengths": { "observed": observed_lengths(demos), "expected": said(lengths.map(|rows| json!(rows))), "expected_mean": mean },
    }))
}

/// Whether this is the recursive logit.
fn is_route_choice(paths: &PathModel<'_>) -> bool {
    (paths.horizon(), paths.ends(), paths.chance()) == (Horizon::Any, Ends::Goal, Chance::Tilted)
}

fn observed_visits(problem: &Problem, demos: &Demonstrations) -> Vec<f64> {
    let mut visits = vec![0.0; problem.mdp.n_states()];
    let (discount, total) = (problem.mdp.discount(), demos.total_weight());
    for index in 0..demos.len() {
        let mut factor = demos.weight(index) / total;
        for &state in demos.states(index) {
            visits[state as usize] += factor;
            factor *= discount;
        }
    }
    visits
}

fn observed_lengths(demos: &Demonstrations) -> Vec<(usize, f64)> {
    let mut shares = BTreeMap::new();
    for index in 0..demos.len() {
        *shares.entry(demos.states(index).len()).or_insert(0.0) += demos.weight(index) / demos.total_weight();
    }
    shares.into_iter().collect()
}

fn pairs(demos: &Demonstrations) -> Pairs {
    let mut pairs = Pairs::new();
    for index in 0..demos.len() {
        let states = demos.states(index);
        let [first, last] = [states[0], states[states.len() - 1]].map(|state| state as usize);
        *pairs.entry([first, last]).or_insert(0.0) += demos.weight(index) / demos.total_weight();
    }
    pairs.retain(|_, share| *share > 0.0);
    pairs
}

/// The mean over the pairs of ends, if the model has a distribution for each.
fn expected_visits(
    problem: &Problem,
    model: &Model,
    paths: &PathModel<'_>,
    demos: &Demonstrations,
    work: &Work,
) -> Result<Vec<f64>, Fault> {
    if paths.ends() != Ends::Goal {
        return Ok(paths.distribution(&Given::default(), work)?.visits(MarginalKind::State, None)?);
    }
    if is_route_choice(paths) {
        let mut routes = RouteChoice::new(&problem.mdp, &problem.features, demos, work)?;
        return Ok(routes.visits(&model.theta)?.state);
    }
    let mut visits = vec![0.0; problem.mdp.n_states()];
    for ([from, to], share) in few(problem.mdp.n_transitions(), pairs(demos))? {
        let of_pair = paths.distribution(&Given::from_state(from).to(to), work)?.visits(MarginalKind::State, None)?;
        visits.iter_mut().zip(of_pair).for_each(|(sum, visits)| *sum += share * visits);
    }
    Ok(visits)
}

fn expected_lengths(paths: &PathModel<'_>, demos: &Demonstrations, work: &Work) -> Result<Vec<(usize, f64)>, Fault> {
    if paths.ends() != Ends::Goal {
        let found = lengths(paths, &Given::default(), work)?;
        return Ok(found.iter().filter(|row| row.1 > 0.0).collect());
    }
    let mut sums = BTreeMap::new();
    for ([from, to], share) in few(paths.mdp().n_transitions(), pairs(demos))? {
        for (length, p) in lengths(paths, &Given::from_state(from).to(to), work)?.iter() {
            *sums.entry(length).or_insert(0.0) += share * p;
        }
    }
    Ok(sums.into_iter().filter(|row| row.1 > 0.0).collect())
}

fn few(n_transitions: usize, pairs: Pairs) -> Result<Pairs, Fault> {
    let (found, most) = (pairs.len(), MOST_PAIRS / n_transitions.max(1));
    if found <= most {
        return Ok(pairs);
    }
    Err(Fault::Request(format!(
        "the demonstrations have {found} pairs of ends, and each has a distribution of its own, which takes too long: give \
         demonstrations with at most {most} pairs"
    )))
}
