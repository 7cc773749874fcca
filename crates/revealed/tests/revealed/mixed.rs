//! The mixed recursive logit: against dense inverses, finite differences and planted distributions.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Cluster, Demonstrations, Distribution, Error, ErrorKind, Features, Mdp, MixedLikelihood, MixedLogit, RandomCoefficient,
    RouteChoice, Sharing, Standing, Trajectory, TripColumns, TripValue, Watch, Work,
};

use crate::helpers::{action_of, close, far_pairs, inverse_of_rest, moved, relatively_close, streets};

/// The recursive logit of one traveller, by a dense inverse.
struct Traveller<'a> {
    mdp: &'a Mdp,
    paid: Vec<f64>,
    /// Sums over all paths between two states; `None` if they are not finite.
    sums: Option<Vec<Vec<f64>>>,
}

impl<'a> Traveller<'a> {
    fn new(mdp: &'a Mdp, features: &Features, theta: &[f64]) -> Self {
        let paid = features.reward(mdp, theta).unwrap().state;
        let mut weights = vec![vec![0.0; paid.len()]; paid.len()];
        for step in 0..mdp.n_transitions() {
            let [from, to] = [mdp.from()[step], mdp.to()[step]].map(|state| state as usize);
            weights[from][to] += paid[to].exp();
        }
        // The inverse is that of the sum over paths only if the spectral radius is below 1: iterate to see.
        let mut row = vec![1.0; paid.len()];
        for _ in 0..500 {
            row = weights.iter().map(|weights| weights.iter().zip(&row).map(|(w, x)| w * x).sum()).collect();
        }
        let sums = row.iter().all(|&value| value < 1e-3).then(|| inverse_of_rest(&weights));
        Traveller { mdp, paid, sums }
    }

    /// log p(τ); -∞ if the sums are not finite.
    fn log_probability(&self, trip: &Trajectory) -> f64 {
        let Some(sums) = &self.sums else { return f64::NEG_INFINITY };
        let (first, last) = (trip.states[0], trip.states[trip.states.len() - 1]);
        trip.states[1..].iter().map(|&state| self.paid[state]).sum::<f64>() - sums[first][last].ln()
    }

    fn drawn(&self, [from, goal]: [usize; 2], rng: &mut Pcg64Mcg) -> Trajectory {
        let sums = self.sums.as_ref().unwrap();
        let (mut states, mut actions) = (vec![from], Vec::new());
        loop {
            let here = states[states.len() - 1];
            let mut left = rng.random_range(0.0..1.0) * sums[here][goal] - f64::from(u8::from(here == goal));
            if left < 0.0 {
                return Trajectory::new(states, actions);
            }
            let steps: Vec<usize> = self.mdp.children(here).collect();
            let to = |step: usize| self.mdp.to()[step] as usize;
            let chosen = steps.iter().copied().find(|&step| {
                left -= self.paid[to(step)].exp() * sums[to(step)][goal];
                left < 0.0
            });
            let step = chosen.unwrap_or(steps[steps.len() - 1]);
            actions.push(action_of(self.mdp, step));
            states.push(to(step));
        }
    }
}

/// A standard normal number, by Box and Muller.
fn normal(rng: &mut Pcg64Mcg) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random_range(f64::EPSILON..1.0), rng.random_range(0.0..std::f64::consts::TAU));
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

fn of_driver(trip: Trajectory, driver: usize) -> Trajectory {
    let columns = TripColumns::from([("driver".to_string(), TripValue::Text(format!("d{driver}")))]);
    Trajectory { trip: columns, ..trip }
}

/// Trips of drivers whose coefficients of the length are drawn by `length`.
fn trips(
    (mdp, features): (&Mdp, &Features),
    [drivers, each]: [usize; 2],
    link: f64,
    mut length: impl FnMut(&mut Pcg64Mcg) -> f64,
    rng: &mut Pcg64Mcg,
) -> Vec<Trajectory> {
    let mut trips = Vec::new();
    for driver in 0..drivers {
        let traveller = loop {
            let traveller = Traveller::new(mdp, features, &[length(rng), link]);
            if traveller.sums.is_some() {
                break traveller;
            }
        };
        for pair in far_pairs(mdp.n_states(), each, rng) {
            trips.push(of_driver(traveller.drawn(pair, rng), driver));
        }
    }
    trips
}

fn by_driver() -> Cluster {
    Cluster::Column("driver".to_string())
}

/// How many such travellers there are, and their trips with how often they made them.
type Trips<'a> = (f64, Vec<(&'a Trajectory, f64)>);

/// The simulated log-likelihood by dense inverses.
fn dense(
    (mdp, features): (&Mdp, &Features),
    travellers: &[Trips<'_>],
    likelihood: &MixedLikelihood<'_>,
    coefficients: impl Fn(&[f64]) -> Vec<f64>,
) -> f64 {
    let of = |(number, (weight, trips)): (usize, &Trips<'_>)| {
        let draws = likelihood.draws_of(number);
        let of_draw = |z: &Vec<f64>| {
            let traveller = Traveller::new(mdp, features, &coefficients(z));
            trips.iter().map(|(trip, count)| count * traveller.log_probability(trip)).sum::<f64>().exp()
        };
        weight * (draws.iter().map(of_draw).sum::<f64>() / draws.len() as f64).ln()
    };
    travellers.iter().enumerate().map(of).sum()
}

#[test]
fn the_likelihood_is_that_of_dense_inverses() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let (mdp, features) = streets(&mut rng, 3);
    let world = (&mdp, &features);
    let mut paths = trips(world, [4, 3], -1.0, |rng| -1.5 + 0.4 * normal(rng), &mut rng);
    paths.iter_mut().enumerate().for_each(|(index, trip)| trip.weight = [1.0, 2.0, 0.5][index % 3]);
    let total: f64 = paths.iter().map(|trip| trip.weight).sum();
    let demos = Demonstrations::new(&mdp, &paths).unwrap();
    for (panel, sharing) in [
        (Cluster::Each, Sharing::Own),
        (by_driver(), Sharing::Own),
        (Cluster::Each, Sharing::Common),
        (by_driver(), Sharing::Common),
    ] {
        let random = vec![RandomCoefficient::normal(0), RandomCoefficient { feature: 1, distribution: Distribution::Negative }];
        let model = MixedLogit { random, draws: 7, sharing, seed: 3, panel: panel.clone(), ..MixedLogit::default() };
        let likelihood = MixedLikelihood::new(&mdp, &features, &demos, &model, &Work::default()).unwrap();
        // Each trip of weight w stands for w travellers; in a panel, for w trips of one traveller.
        let travellers: Vec<Trips<'_>> = match panel {
            Cluster::Each => paths.iter().map(|trip| (trip.weight, vec![(trip, 1.0)])).collect(),
            _ => paths.chunks(3).map(|trips| (1.0, trips.iter().map(|trip| (trip, trip.weight)).collect())).collect(),
        };
        assert_eq!(likelihood.n_travellers(), travellers.len());
        // At the last, loops are free for some draws.
        for at in [[-1.4, -0.1, 0.3, 0.2], [-1.2, 0.2, 0.0, 0.0], [-0.9, -1.5, 1.1, 0.7]] {
            let coefficients = |z: &[f64]| vec![at[0] + at[2] * z[0], -(at[1] + at[3] * z[1]).exp()];
            let expected = dense(world, &travellers, &likelihood, coefficients) / total;
            let found = likelihood.evaluate(&at).unwrap();
            close(found.log_likelihood, expected, 1e-8, format_args!("{sharing:?} {at:?}"));
            let (value, diverged) = likelihood.value(&at).unwrap();
            assert_eq!((value, diverged > 0.0), (found.log_likelihood, at[2] > 1.0));
            for k in 0..4 {
                let value = |by: f64| likelihood.value(&moved(&at, k, by)).unwrap().0;
                let slope = (8.0 * (value(1e-4) - value(-1e-4)) - (value(2e-4) - value(-2e-4))) / 12e-4;
                close(found.gradient[k], slope, 1e-7, format_args!("{sharing:?} {at:?}: parameter {k}"));
            }
        }
    }
}

#[test]
fn without_spread_it_is_the_recursive_logit() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    let (mdp, features) = streets(&mut rng, 4);
    let demos = Demonstrations::new(&mdp, &trips((&mdp, &features), [5, 3], -0.8, |_| -1.0, &mut rng)).unwrap();
    let model = MixedLogit { random: vec![RandomCoefficient::normal(1)], draws: 3, ..MixedLogit::default() };
    let mixed = MixedLikelihood::new(&mdp, &features, &demos, &model, &Work::default()).unwrap();
    let mut plain = RouteChoice::new(&mdp, &features, &demos, &Work::default()).unwrap();
    let [one, other] = [mixed.evaluate(&[-1.1, -0.7, 0.0]).unwrap(), plain.evaluate(&[-1.1, -0.7]).unwrap()];
    relatively_close(one.log_likelihood, other.log_likelihood, 1e-12);
    (0..2).for_each(|k| close(one.gradient[k], other.gradient[k], 1e-11, k));
}

#[test]
fn threads_and_memory_do_not_change_a_bit() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let (mdp, features) = streets(&mut rng, 4);
    let paths = trips((&mdp, &features), [8, 6], -0.8, |rng| -1.5 + 0.4 * normal(rng), &mut rng);
    let demos = Demonstrations::new(&mdp, &paths).unwrap();
    for sharing in [Sharing::Own, Sharing::Common] {
        let random = vec![RandomCoefficient::normal(0)];
        let model = MixedLogit { random, draws: 20, sharing, panel: by_driver(), ..MixedLogit::default() };
        let fit = |work: Work| model.fit(&mdp, &features, &demos, &work, &Watch::none()).unwrap();
        let one = fit(Work::on(1));
        assert!(one.converged, "{one:?}");
        assert_eq!(fit(Work::on(3)), one);
        assert_eq!(fit(Work { threads: Some(2), memory: 100_000 }), one);
    }
}

/// Trips are drawn with known distributions and learned from, again and again.
fn recovered(model: &MixedLogit, planted: [f64; 3], simulations: usize, [drivers, each]: [usize; 2], seed: u64) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let (mdp, features) = streets(&mut rng, 4);
    let length = |rng: &mut Pcg64Mcg| planted[0] + planted[2] * normal(rng);
    let (mut covered, mut covered_by_robust, mut off) = ([0; 3], [0; 3], [0.0; 3]);
    let mut mean = [0.0; 3];
    for _ in 0..simulations {
        let paths = trips((&mdp, &features), [drivers, each], planted[1], length, &mut rng);
        let demos = Demonstrations::new(&mdp, &paths).unwrap();
        let fit = model.fit(&mdp, &features, &demos, &Work::default(), &Watch::none()).unwrap();
        assert!(fit.gradient_norm < 1e-4, "{} {}", fit.gradient_norm, fit.stopped_because);
        assert!(fit.likelihood_ratio > -1e-6, "{}", fit.likelihood_ratio);
        let robust = fit.robust_errors.as_ref().unwrap();
        for k in 0..3 {
            assert_eq!(fit.standing[k], Standing::Estimated, "{fit:?}");
            let (error, robust) = (fit.standard_errors[k].unwrap(), robust[k].unwrap());
            let distance = fit.parameters[k] - planted[k];
            covered[k] += usize::from(distance.abs() <= 1.959963984540054 * error);
            covered_by_robust[k] += usize::from(distance.abs() <= 1.959963984540054 * robust);
            off[k] += distance / error / simulations as f64;
            mean[k] += fit.parameters[k] / simulations as f64;
        }
    }
    println!("{drivers} drivers, {each} trips, {} draws: planted {planted:?}, mean {mean:?}", model.draws);
    println!("covered {covered:?} of {simulations}, robust {covered_by_robust:?}, mean error in standard errors {off:?}");
    // Of 8 intervals of 95 %, fewer than 6 cover with a probability of 0.006.
    let least = simulations - 2;
    for k in 0..3 {
        assert!(covered[k] >= least && covered_by_robust[k] >= least, "parameter {k}: {covered:?} {covered_by_robust:?}");
        assert!(off[k].abs() < 0.6, "parameter {k}: {off:?}");
    }
}

#[test]
fn planted_spreads_are_found_again() {
    let random = vec![RandomCoefficient::normal(0)];
    let model = MixedLogit { random, draws: 50, panel: by_driver(), ..MixedLogit::default() };
    recovered(&model, [-2.0, -1.0, 0.8], 8, [40, 6], 4);
}

#[test]
fn what_is_not_defined_is_refused() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let (mdp, features) = streets(&mut rng, 3);
    let one = Traveller::new(&mdp, &features, &[-1.5, -1.0]).drawn([0, 9], &mut rng);
    let demos = Demonstrations::new(&mdp, std::slice::from_ref(&one)).unwrap();
    let fit = |model: MixedLogit| model.fit(&mdp, &features, &demos, &Work::default(), &Watch::none()).map(|_| ());
    let random = |numbers: &[usize]| numbers.iter().map(|&feature| RandomCoefficient::normal(feature)).collect();
    assert_eq!(fit(MixedLogit::default()), Err(Error::NothingRandom));
    let twice = MixedLogit { random: random(&[1, 1]), ..MixedLogit::default() };
    assert_eq!(fit(twice), Err(Error::RandomTwice { feature: 1 }));
    assert!(matches!(fit(MixedLogit { random: random(&[2]), ..MixedLogit::default() }), Err(Error::OutOfRange { .. })));
    let none = MixedLogit { random: random(&[0]), draws: 0, ..MixedLogit::default() };
    assert!(matches!(fit(none), Err(Error::Count { .. })));
    let robust = MixedLogit { random: random(&[0]), errors: ErrorKind::Robust, ..MixedLogit::default() };
    assert_eq!(fit(robust), Err(Error::NoRobustCovariance));
    // Loops that pay at every draw.
    let model = MixedLogit { random: random(&[0]), ..MixedLogit::default() };
    let likelihood = MixedLikelihood::new(&mdp, &features, &demos, &model, &Work::default()).unwrap();
    assert_eq!(likelihood.value(&[0.5, 0.5, 0.0]), Err(Error::NoDraw { demonstration: 0 }));
    assert!(matches!(likelihood.evaluate(&[-0.5, -0.5]), Err(Error::Length { .. })));
    let discounted = mdp.clone().with_discount(0.9).unwrap();
    let refused = MixedLikelihood::new(&discounted, &features, &demos, &model, &Work::default()).map(|_| ());
    assert!(matches!(refused, Err(Error::DiscountedSum { .. })));
}
