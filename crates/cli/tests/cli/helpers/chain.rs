//! A problem small enough to list every path by hand, with every kind of feature, a discount, two starts, and a
//! reference policy on request.
//!
//! ```text
//! 0 --a0--> 1          0 --a1--> 0 (3/4) or 2 (1/4)          1 --a0--> 2, which is terminal
//! p0 = (3/4, 1/4, 0)   pi0(a0|0) = 2/5, pi0(a1|0) = 3/5      discount 1/2
//! feature 0: 2 in state 1, 1 in state 2    feature 1: 1 for a1 in state 0    feature 2: -1 for the loop at 0
//! ```

use serde_json::{Value, json};

use super::Place;

/// θ of the tests.
pub const THETA: [f64; 3] = [0.7, -0.4, 1.1];
pub const DISCOUNT: f64 = 0.5;
/// The horizon up to which [`PATHS`] is complete.
pub const LONGEST: usize = 3;

/// A path with everything that its probability is made of, each worked out by hand.
pub struct Path {
    pub states: &'static [usize],
    pub actions: &'static [usize],
    /// p0 of the first state.
    pub p0: f64,
    /// The product of T.
    pub t: f64,
    /// The product of pi0.
    pub pi0: f64,
    /// Σ_t γ^{t-1} φ.
    pub phi: [f64; 3],
}

/// Every path of at most three states.
#[rustfmt::skip]
pub const PATHS: [Path; 10] = [
    Path { states: &[0],       actions: &[],     p0: 0.75, t: 1.0,           pi0: 1.0,       phi: [0.0,  0.0,  0.0] },
    Path { states: &[0, 1],    actions: &[0],    p0: 0.75, t: 1.0,           pi0: 0.4,       phi: [1.0,  0.0,  0.0] },
    Path { states: &[0, 0],    actions: &[1],    p0: 0.75, t: 0.75,          pi0: 0.6,       phi: [0.0,  1.0, -1.0] },
    Path { states: &[0, 2],    actions: &[1],    p0: 0.75, t: 0.25,          pi0: 0.6,       phi: [0.5,  1.0,  0.0] },
    Path { states: &[0, 1, 2], actions: &[0, 0], p0: 0.75, t: 1.0,           pi0: 0.4,       phi: [1.25, 0.0,  0.0] },
    Path { states: &[0, 0, 1], actions: &[1, 0], p0: 0.75, t: 0.75,          pi0: 0.6 * 0.4, phi: [0.5,  1.0, -1.0] },
    Path { states: &[0, 0, 0], actions: &[1, 1], p0: 0.75, t: 0.75 * 0.75,   pi0: 0.6 * 0.6, phi: [0.0,  1.5, -1.5] },
    Path { states: &[0, 0, 2], actions: &[1, 1], p0: 0.75, t: 0.75 * 0.25,   pi0: 0.6 * 0.6, phi: [0.25, 1.5, -1.0] },
    Path { states: &[1],       actions: &[],     p0: 0.25, t: 1.0,           pi0: 1.0,       phi: [2.0,  0.0,  0.0] },
    Path { states: &[1, 2],    actions: &[0],    p0: 0.25, t: 1.0,           pi0: 1.0,       phi: [2.5,  0.0,  0.0] },
];

/// The problem as `chain.json`, and a model with [`THETA`] as `model.json`.
pub fn place(ends: &str, horizon: usize, reference: bool) -> Place {
    let place = Place::new();
    place.write_json("chain.json", &problem(reference));
    place.write_model("model.json", &THETA, horizon, ends);
    place
}

pub fn problem(reference: bool) -> Value {
    let mut problem = json!({
        "n_states": 3, "n_actions": 2, "n_features": 3, "discount": DISCOUNT,
        "start": {"state": [0, 1], "p": [0.75, 0.25]},
        "terminal": [2],
        "transitions": {"from": [0, 0, 0, 1], "action": [0, 1, 1, 0], "to": [1, 0, 2, 2], "p": [1.0, 0.75, 0.25, 1.0]},
        "features": {
            "state": {"state": [1, 2], "feature": [0, 0], "value": [2.0, 1.0]},
            "state_action": {"state": [0], "action": [1], "feature": [1], "value": [1.0]},
            "transition": {"transition": [1], "feature": [2], "value": [-1.0]},
        },
    });
    if reference {
        problem["reference"] = json!({"state": [0, 0, 1], "action": [0, 1, 0], "p": [0.4, 0.6, 1.0]});
    }
    problem
}

/// The table of `--ends` in the documentation.
pub fn may_end(path: &Path, ends: &str, horizon: usize) -> bool {
    let (length, terminal) = (path.states.len(), path.states.last() == Some(&2));
    length <= horizon
        && match ends {
            "anywhere" | "goal" => true,
            "horizon" => terminal || length == horizon,
            "terminal" => terminal,
            other => panic!("{other}"),
        }
}

impl Path {
    pub fn line(&self, weight: f64) -> String {
        json!({"states": self.states, "actions": self.actions, "weight": weight}).to_string() + "\n"
    }

    /// q(τ), without p0 if the first state is given.
    pub fn q(&self, given_start: bool, reference: bool) -> f64 {
        (if given_start { 1.0 } else { self.p0 }) * self.t * (if reference { self.pi0 } else { 1.0 })
    }

    /// e^{R(τ)}.
    pub fn weight(&self, theta: &[f64]) -> f64 {
        self.phi.iter().zip(theta).map(|(phi, theta)| phi * theta).sum::<f64>().exp()
    }

    fn same_ends(&self, other: &Path) -> bool {
        self.states[0] == other.states[0] && self.states.last() == other.states.last()
    }
}

/// What `likelihood` should print.
pub struct Expected {
    pub log_partition: f64,
    pub log_likelihood: f64,
    pub gradient: Vec<f64>,
}

/// ℓ(θ) by its definition: a sum over the paths.
pub fn likelihood(demos: &[(usize, f64)], ends: &str, horizon: usize, reference: bool) -> Expected {
    let goal = ends == "goal";
    let total: f64 = demos.iter().map(|demo| demo.1).sum();
    let mut expected = Expected { log_partition: 0.0, log_likelihood: 0.0, gradient: vec![0.0; 3] };
    for &(demo, weight) in demos {
        let (demo, share) = (&PATHS[demo], weight / total);
        let rivals = || PATHS.iter().filter(|path| may_end(path, ends, horizon) && (!goal || path.same_ends(demo)));
        let mass = |path: &Path| path.q(goal, reference) * path.weight(&THETA);
        let z: f64 = rivals().map(mass).sum();
        expected.log_partition += share * z.ln();
        expected.log_likelihood += share * (mass(demo) / z).ln();
        for k in 0..3 {
            let mean: f64 = rivals().map(|path| path.phi[k] * mass(path) / z).sum();
            expected.gradient[k] += share * (demo.phi[k] - mean);
        }
    }
    expected
}

/// p_t(s) of paths from p0, by its definition; those that count alone.
pub fn marginal(t: usize, counts: impl Fn(&Path) -> bool) -> Vec<f64> {
    let mass = |path: &Path| path.q(false, false) * path.weight(&THETA);
    let z: f64 = PATHS.iter().filter(|path| counts(path)).map(mass).sum();
    let mut p = vec![0.0; 3];
    for path in PATHS.iter().filter(|path| counts(path) && path.states.len() >= t) {
        p[path.states[t - 1]] += mass(path) / z;
    }
    p
}

/// p_t(s, a) or p_t(s, a, s') of paths from p0, by its definition; those that count alone.
pub fn marginal_step(t: usize, step: &[u64], counts: impl Fn(&Path) -> bool) -> f64 {
    let mass = |path: &Path| path.q(false, false) * path.weight(&THETA);
    let z: f64 = PATHS.iter().filter(|path| counts(path)).map(mass).sum();
    let takes = |path: &&Path| {
        path.actions.len() >= t
            && [path.states[t - 1], path.actions[t - 1], path.states[t]]
                .iter()
                .zip(step)
                .all(|(&one, &other)| one as u64 == other)
    };
    PATHS.iter().filter(|path| counts(path)).filter(takes).map(|path| mass(path) / z).sum()
}

/// The same of paths given their first state, which is drawn from p0 among those that have such paths.
pub fn marginal_given_first(t: usize, counts: impl Fn(&Path) -> bool) -> Vec<f64> {
    let mass = |path: &Path| path.q(true, false) * path.weight(&THETA);
    let of_first = |first: usize| {
        let paths: Vec<&Path> = PATHS.iter().filter(|path| counts(path) && path.states[0] == first).collect();
        (paths.first().map_or(0.0, |path| path.p0), paths)
    };
    let by_first = [of_first(0), of_first(1)];
    let drawn: f64 = by_first.iter().map(|row| row.0).sum();
    let mut p = vec![0.0; 3];
    for (p0, paths) in by_first {
        let z: f64 = paths.iter().map(|path| mass(path)).sum();
        for path in paths.iter().filter(|path| path.states.len() >= t) {
            p[path.states[t - 1]] += p0 / drawn * mass(path) / z;
        }
    }
    p
}
