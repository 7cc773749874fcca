//! Maximum causal entropy against `imitation` (PyPI), whose numbers `benchmarks/imitation_causal.py` records.

use revealed::{Ends, Given, Mdp, MdpBuilder, PathModel, Reward, Work, soft_values};
use serde_json::Value;

use crate::helpers::all_close;

const FIXTURE: &str = include_str!("../../../../tests/fixtures/imitation_causal.json");
const SAME: f64 = 1e-12;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn mdp(problem: &Value) -> Mdp {
    let transitions: Vec<Vec<Vec<f64>>> = problem["T"].as_array().unwrap().iter().map(table).collect();
    let mut builder = MdpBuilder::new(transitions.len(), transitions[0].len());
    builder.discount(problem["discount"].as_f64().unwrap());
    for (state, p) in numbers(&problem["start"]).into_iter().enumerate() {
        builder.start(state, p);
    }
    for (state, actions) in transitions.iter().enumerate() {
        for (action, row) in actions.iter().enumerate() {
            for (to, &p) in row.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                builder.transition(state, action, to, p);
            }
        }
    }
    builder.build().unwrap()
}

/// With its horizon as our L: V_t + γ^{L-t} log|A|, the same policies but for its last action, and the same visits but
/// for the state that this action leads to.
#[test]
fn values_policies_and_visits_are_those_of_imitation() {
    let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
    let problems = fixture["problems"].as_array().unwrap();
    assert!(problems.len() >= 6);
    for problem in problems {
        let mdp = mdp(problem);
        let horizon = problem["horizon"].as_u64().unwrap() as usize;
        let reward = Reward::of_states(numbers(&problem["reward"]));
        let model = |states: usize| PathModel::causal(&mdp, reward.clone(), states, Ends::Horizon).unwrap();
        let mut causal = model(horizon).distribution(&Given::default(), &Work::default()).unwrap();
        let (values, visits) = (table(&problem["V"]), table(&problem["visits"]));
        let policies: Vec<Vec<Vec<f64>>> = problem["policy"].as_array().unwrap().iter().map(table).collect();
        assert_eq!((values.len(), policies.len(), visits.len()), (horizon, horizon, horizon + 1));
        for t in 1..=horizon {
            let shift = mdp.discount().powi((horizon - t) as i32) * (mdp.n_actions() as f64).ln();
            let left = soft_values(&model(horizon - t + 1), None, &Work::default()).unwrap();
            let ours: Vec<f64> = left.iter().map(|value| value + shift).collect();
            all_close(&ours, &values[t - 1], SAME, format_args!("values at {t}"));
            all_close(&causal.marginals(t).unwrap().state, &visits[t - 1], SAME, format_args!("visits at {t}"));
            if t < horizon {
                all_close(&causal.policy(t).unwrap().choice, &policies[t - 1].concat(), SAME, format_args!("policy at {t}"));
            }
        }
        assert!(policies[horizon - 1].concat().iter().all(|p| (p * mdp.n_actions() as f64 - 1.0).abs() < SAME));
    }
}
