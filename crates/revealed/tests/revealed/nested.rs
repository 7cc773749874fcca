//! The nested and the discounted recursive logit: against value iteration, finite differences and planted parameters.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Cluster, Demonstrations, Error, ErrorKind, Features, FeaturesBuilder, Mdp, MdpBuilder, NestedLikelihood, NestedLogit,
    RouteChoice, Standing, Trajectory, TripValue, Watch, Work,
};

use crate::helpers::{action_of, close, far_pairs, relatively_close, streets};

/// The parameters of a model: θ, ω of the scales, and γ.
struct Truth<'a> {
    mdp: &'a Mdp,
    paid: Vec<f64>,
    scale: Vec<f64>,
    discount: f64,
}

impl<'a> Truth<'a> {
    /// With θ for length and link, and ω for the length.
    fn new(mdp: &'a Mdp, features: &Features, theta: &[f64], omega: f64, discount: f64) -> Self {
        let paid = features.reward(mdp, theta).unwrap().state;
        let length: Vec<f64> = features.reward(mdp, &[1.0, 0.0]).unwrap().state;
        let scale = length.iter().map(|length| (omega * length).exp()).collect();
        Truth { mdp, paid, scale, discount }
    }

    /// The naive version: value iteration until nothing changes.
    fn values(&self, goal: usize) -> Vec<f64> {
        let mut value = vec![f64::NEG_INFINITY; self.paid.len()];
        for _ in 0..20_000 {
            let next: Vec<f64> = (0..value.len())
                .map(|state| {
                    let stops = if state == goal { 1.0 } else { 0.0 };
                    let sum: f64 = self.mdp.children(state).map(|step| self.weight(step, state, &value)).sum::<f64>() + stops;
                    self.scale[state] * sum.ln()
                })
                .collect();
            let apart = next.iter().zip(&value).map(|(a, b)| if a == b { 0.0 } else { (a - b).abs() }).fold(0.0, f64::max);
            value = next;
            if apart < 1e-14 {
                break;
            }
        }
        value
    }

    fn weight(&self, step: usize, state: usize, value: &[f64]) -> f64 {
        let to = self.mdp.to()[step] as usize;
        ((self.paid[to] + self.discount * value[to]) / self.scale[state]).exp()
    }

    fn log_likelihood(&self, trip: &Trajectory) -> f64 {
        let goal = trip.states[trip.states.len() - 1];
        let value = self.values(goal);
        let step = |pair: &[usize]| {
            let there = self.paid[pair[1]] + self.discount * value[pair[1]];
            (there - value[pair[0]]) / self.scale[pair[0]]
        };
        trip.states.windows(2).map(step).sum::<f64>() - value[goal] / self.scale[goal]
    }

    fn drawn(&self, from: usize, goal: usize, value: &[f64], rng: &mut Pcg64Mcg) -> Trajectory {
        let (mut states, mut actions) = (vec![from], Vec::new());
        loop {
            let here = states[states.len() - 1];
            let mut left = rng.random_range(0.0..1.0) * (value[here] / self.scale[here]).exp();
            left -= f64::from(u8::from(here == goal));
            if left < 0.0 {
                return Trajectory::new(states, actions);
            }
            let steps: Vec<usize> = self.mdp.children(here).filter(|&step| self.weight(step, here, value) > 0.0).collect();
            let chosen = steps.iter().copied().find(|&step| {
                left -= self.weight(step, here, value);
                left < 0.0
            });
            let step = chosen.unwrap_or(steps[steps.len() - 1]);
            actions.push(action_of(self.mdp, step));
            states.push(self.mdp.to()[step] as usize);
        }
    }
}

const BOTH: fn() -> NestedLogit = || NestedLogit { scale: vec![0], discounted: true };

#[test]
fn the_likelihood_is_that_of_value_iteration() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for side in [3, 4] {
        let (mdp, features) = streets(&mut rng, side);
        let truth = Truth::new(&mdp, &features, &[-1.1, -0.9], -0.4, 0.93);
        let ends = far_pairs(mdp.n_states(), 8, &mut rng);
        let trips: Vec<Trajectory> =
            ends.iter().map(|&[from, goal]| truth.drawn(from, goal, &truth.values(goal), &mut rng)).collect();
        let demos = Demonstrations::new(&mdp, &trips).unwrap();
        for (omega, discount) in [(-0.4, 0.93), (0.3, 1.0), (0.0, 0.7), (-1.0, 1.0)] {
            let other = Truth::new(&mdp, &features, &[-1.1, -0.9], omega, discount);
            let expected = trips.iter().map(|trip| other.log_likelihood(trip)).sum::<f64>() / trips.len() as f64;
            let model = BOTH();
            let found = NestedLikelihood::new(&mdp, &features, &demos, &model, &Work::default()).unwrap();
            let at = [-1.1, -0.9, omega, discount];
            close(found.evaluate(&at).unwrap().log_likelihood, expected, 1e-8, format_args!("{side} {omega} {discount}"));
            // The gradient is that of finite differences.
            let gradient = found.evaluate(&at).unwrap().gradient;
            for k in 0..4 {
                let moved = |by: f64| {
                    let mut there = at;
                    there[k] += by;
                    found.evaluate(&there).unwrap().log_likelihood
                };
                let slope = (8.0 * (moved(1e-4) - moved(-1e-4)) - (moved(2e-4) - moved(-2e-4))) / 12e-4;
                close(gradient[k], slope, 1e-7, format_args!("{side} {omega} {discount}: parameter {k}"));
            }
        }
        // Without scales and discount it is the recursive logit.
        let model = BOTH();
        let nested = NestedLikelihood::new(&mdp, &features, &demos, &model, &Work::default()).unwrap();
        let mut plain = RouteChoice::new(&mdp, &features, &demos, &Work::default()).unwrap();
        let [one, other] = [nested.evaluate(&[-1.1, -0.9, 0.0, 1.0]).unwrap(), plain.evaluate(&[-1.1, -0.9]).unwrap()];
        relatively_close(one.log_likelihood, other.log_likelihood, 1e-11);
        (0..2).for_each(|k| close(one.gradient[k], other.gradient[k], 1e-10, k));
    }
}

/// 200 times each, trips are drawn with known parameters and learned from.
fn recovered(model: NestedLogit, omega: f64, discount: f64, seed: u64) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let (mdp, features) = streets(&mut rng, 4);
    let truth = Truth::new(&mdp, &features, &[-1.0, -0.2], omega, discount);
    let planted: Vec<f64> =
        [-1.0, -0.2].into_iter().chain(model.scale.iter().map(|_| omega)).chain(model.discounted.then_some(discount)).collect();
    let some = far_pairs(mdp.n_states(), 5, &mut rng);
    let values: Vec<Vec<f64>> = some.iter().map(|pair| truth.values(pair[1])).collect();
    let (simulations, mut covered, mut off) = (200, vec![0; planted.len()], vec![0.0; planted.len()]);
    for _ in 0..simulations {
        let trip = |at: usize| truth.drawn(some[at % 5][0], some[at % 5][1], &values[at % 5], &mut rng);
        let trips: Vec<Trajectory> = (0..400).map(trip).collect();
        let demos = Demonstrations::new(&mdp, &trips).unwrap();
        let fit = model.fit(&mdp, &features, &demos, &Work::default(), &Watch::none()).unwrap();
        assert!(fit.gradient_norm < 1e-4, "{} {}", fit.gradient_norm, fit.stopped_because);
        assert!(fit.likelihood_ratio > -1e-6, "{}", fit.likelihood_ratio);
        for k in 0..planted.len() {
            let Some(error) = fit.standard_errors[k] else {
                // At the bound, the truth is beyond all intervals.
                assert_eq!(fit.standing[k], Standing::AtBound, "{fit:?}");
                continue;
            };
            covered[k] += u32::from((fit.parameters[k] - planted[k]).abs() <= 1.959963984540054 * error);
            off[k] += (fit.parameters[k] - planted[k]) / error / f64::from(simulations);
        }
    }
    println!("{model:?}: covered {covered:?} of {simulations}, mean error in standard errors {off:?}");
    for k in 0..planted.len() {
        assert!((178..=199).contains(&covered[k]), "parameter {k}: {covered:?}");
        assert!(off[k].abs() < 0.35, "parameter {k}: {off:?}");
    }
}

#[test]
fn planted_scales_are_found_again() {
    recovered(NestedLogit { scale: vec![0], discounted: false }, 0.3, 1.0, 2);
}

#[test]
fn planted_discounts_are_found_again() {
    recovered(NestedLogit { scale: Vec::new(), discounted: true }, 0.0, 0.8, 3);
}

/// Each score is the gradient of a likelihood of one demonstration, and C the covariance of the model: N C J C.
#[test]
fn robust_errors_are_the_sandwich_of_single_gradients() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let (mdp, features) = streets(&mut rng, 4);
    let truth = Truth::new(&mdp, &features, &[-1.0, -0.2], 0.0, 0.8);
    let trip = |driver: usize, [from, goal]: [usize; 2], rng: &mut Pcg64Mcg| Trajectory {
        trip: [("driver".to_string(), TripValue::Number(driver as f64))].into(),
        ..truth.drawn(from, goal, &truth.values(goal), rng)
    };
    let ends = far_pairs(mdp.n_states(), 60, &mut rng);
    let trips: Vec<Trajectory> = ends.iter().enumerate().map(|(at, &pair)| trip(at / 3, pair, &mut rng)).collect();
    let demos = Demonstrations::new(&mdp, &trips).unwrap();
    let model = NestedLogit { scale: Vec::new(), discounted: true };
    let (n, watch, work) = (trips.len() as f64, Watch::none(), Work::default());
    for (cluster, each) in [(Cluster::Each, 1), (Cluster::Column("driver".to_string()), 3)] {
        let fit = model.fit_clustered(&mdp, &features, &demos, &cluster, &work, &watch).unwrap();
        assert!(fit.standing.iter().all(|&standing| standing == Standing::Estimated), "{fit:?}");
        let score = |trip: &Trajectory| {
            let alone = Demonstrations::new(&mdp, std::slice::from_ref(trip)).unwrap();
            let likelihood = NestedLikelihood::new(&mdp, &features, &alone, &model, &work).unwrap();
            likelihood.evaluate(&fit.parameters).unwrap().gradient
        };
        let scores: Vec<Vec<f64>> = trips.iter().map(score).collect();
        let groups: Vec<[f64; 3]> =
            scores.chunks(each).map(|group| [0, 1, 2].map(|k| group.iter().map(|score| score[k]).sum())).collect();
        let count = groups.len() as f64;
        let correction = if each == 1 { 1.0 } else { count / (count - 1.0) };
        let middle = |i: usize, j: usize| correction * groups.iter().map(|group| group[i] * group[j]).sum::<f64>() / n;
        for k in 0..3 {
            let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
            let variance: f64 = pairs.map(|(i, j)| fit.covariance[k * 3 + i] * middle(i, j) * fit.covariance[j * 3 + k]).sum();
            relatively_close(fit.robust_errors.as_ref().unwrap()[k].unwrap(), (n * variance).sqrt(), 1e-5);
        }
        assert_eq!(fit.n_clusters, (each == 3).then_some(20));
        let robust = fit.clone().with_errors(ErrorKind::Robust).unwrap();
        relatively_close(robust.z_value(0).unwrap(), fit.parameters[0] / fit.robust_errors.unwrap()[0].unwrap(), 1e-12);
    }
}

#[test]
fn what_is_not_defined_is_refused() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let (mdp, features) = streets(&mut rng, 3);
    let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0], vec![])]).unwrap();
    let fit = |model: NestedLogit| model.fit(&mdp, &features, &demos, &Work::default(), &Watch::none()).map(|_| ());
    assert_eq!(fit(NestedLogit::default()), Err(Error::NothingNested));
    assert!(matches!(fit(NestedLogit { scale: vec![2], discounted: false }), Err(Error::OutOfRange { .. })));
    // Loops that pay have no values.
    let model = BOTH();
    let nested = NestedLikelihood::new(&mdp, &features, &demos, &model, &Work::default()).unwrap();
    assert!(matches!(nested.evaluate(&[0.5, 0.5, 0.0, 1.0]), Err(Error::NoSum { .. })));
    assert!(matches!(nested.evaluate(&[-0.5, -0.5, 0.0]), Err(Error::Length { .. })));
    // Scales of actions, and chance.
    let turns = FeaturesBuilder::new(1).state_action(0, 0, 0, 1.0).build(&mdp).unwrap();
    let model = NestedLogit { scale: vec![0], discounted: false };
    let refused = NestedLikelihood::new(&mdp, &turns, &demos, &model, &Work::default()).map(|_| ());
    assert_eq!(refused, Err(Error::ScaleOfSteps { feature: 0 }));
    let mut builder = MdpBuilder::new(3, 1);
    builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 0.5).transition(0, 0, 2, 0.5);
    let lottery = builder.build().unwrap();
    let one_hot = Features::one_hot(&lottery);
    let demos = Demonstrations::new(&lottery, &[Trajectory::new(vec![0, 1], vec![0])]).unwrap();
    let refused = NestedLikelihood::new(&lottery, &one_hot, &demos, &model, &Work::default()).map(|_| ());
    assert_eq!(refused, Err(Error::Chance));
}
