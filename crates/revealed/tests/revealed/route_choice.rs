//! The recursive logit: against the model with a horizon, against dense inverses, and against finite differences.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Demonstrations, Ends, Error, Evaluation, Features, FeaturesBuilder, Likelihood, MaxEnt, Mdp, MdpBuilder, Method, Options,
    PathModel, RouteChoice, Trajectory, Work, route_scores, scores,
};

use crate::helpers::{all_close, close, moved, slope, walks};

/// A random world: stochastic where asked, with loops, dead ends and several actions to the same state; features of all
/// kinds, of which the first costs something everywhere.
fn world(rng: &mut Pcg64Mcg, n: usize, stochastic: bool) -> (Mdp, Features, Demonstrations) {
    let mut builder = MdpBuilder::new(n, 3);
    let mut rows = 0;
    for state in 0..n {
        builder.start(state, 1.0 / n as f64);
        // One step along the ring, so that everything is connected.
        builder.transition(state, 0, (state + 1) % n, 1.0);
        rows += 1;
        for action in 1..3 {
            if rng.random_range(0..3) == 0 {
                continue;
            }
            let (one, two) = (rng.random_range(0..n), rng.random_range(0..n));
            if stochastic && one != two {
                let p = rng.random_range(0.1..0.9);
                builder.transition(state, action, one, p);
                builder.transition(state, action, two, 1.0 - p);
                rows += 2;
            } else {
                builder.transition(state, action, one, 1.0);
                rows += 1;
            }
        }
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(4);
    for state in 0..n {
        features.state(state, 0, 1.0 + rng.random_range(0.0..1.0));
        features.state(state, 1, rng.random_range(0.0..1.0));
        features.state_action(state, 1, 2, rng.random_range(0.0..1.0));
    }
    for row in 0..rows {
        features.transition(row, 3, rng.random_range(-1.0..1.0));
    }
    let features = features.build(&mdp).unwrap();
    let demos = walks(&mdp, 12, rng);
    (mdp, features, demos)
}

fn at(mdp: &Mdp, features: &Features, demos: &Demonstrations, theta: &[f64]) -> Evaluation {
    RouteChoice::new(mdp, features, demos, &Work::on(2)).unwrap().evaluate(theta).unwrap()
}

#[test]
fn it_is_the_model_of_goals_with_a_horizon_that_does_not_matter() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for round in 0..60 {
        let n = rng.random_range(2..14);
        let (mdp, features, demos) = world(&mut rng, n, round % 2 == 0);
        let theta = [-2.0, 0.3, -0.4, 0.2];
        let options = Options { ends: Ends::Goal, horizon: Some(400.into()), ..Options::default() };
        let exact = Likelihood::new(&mdp, &features, &demos, &options).unwrap().evaluate(&theta).unwrap();
        let ours = at(&mdp, &features, &demos, &theta);
        close(ours.log_likelihood, exact.log_likelihood, 1e-12, format_args!("round {round}"));
        all_close(&ours.gradient, &exact.gradient, 1e-10, format_args!("round {round}"));
    }
}

/// The sum of a demonstration's factors is its log-likelihood, and each factor is that of a horizon that does not
/// matter.
#[test]
fn scores_are_those_of_a_horizon_that_does_not_matter() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    for round in 0..20 {
        let (mdp, features, demos) = world(&mut rng, 10, round % 2 == 0);
        let theta = [-1.2; 4];
        let reward = features.reward(&mdp, &theta).unwrap();
        let found = route_scores(&mdp, &reward, &demos, &Work::on(2)).unwrap();
        let weigh = |index: usize| demos.weight(index) / demos.total_weight() * found[index].log_likelihood;
        let mean: f64 = (0..demos.len()).map(weigh).sum();
        close(mean, at(&mdp, &features, &demos, &theta).log_likelihood, 1e-11, round);
        let model = PathModel::new(&mdp, reward, 500, Ends::Goal).unwrap();
        for (one, other) in found.iter().zip(scores(&model, &demos, &Work::default()).unwrap()) {
            for (one, other) in one.factors().zip(other.unwrap().factors()) {
                assert_eq!(
                    (one.t, one.aspect, one.factor.likeliest),
                    (other.t, other.aspect, other.factor.likeliest),
                    "{round}"
                );
                close(one.factor.log_probability, other.factor.log_probability, 1e-9, round);
            }
        }
    }
}

#[test]
fn the_gradient_is_that_of_central_differences() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..20 {
        let (mdp, features, demos) = world(&mut rng, 30, true);
        let theta = [-1.9, -0.2, 0.3, -0.1];
        let here = at(&mdp, &features, &demos, &theta);
        for k in 0..4 {
            let slope = slope(1e-5, |step| at(&mdp, &features, &demos, &moved(&theta, k, step)).log_likelihood);
            close(slope, here.gradient[k], 1e-7, k);
        }
    }
}

#[test]
fn trips_that_weigh_less_than_the_smallest_number_are_summed_all_the_same() {
    // A ring of 400 states, each step costing 2.5: a trip round it weighs e^-997.5.
    let n = 400;
    let mut builder = MdpBuilder::new(n, 1);
    for state in 0..n {
        builder.start(state, 1.0 / n as f64).transition(state, 0, (state + 1) % n, 1.0);
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(1);
    (0..n).for_each(|state| {
        features.state(state, 0, 1.0);
    });
    let features = features.build(&mdp).unwrap();
    let demos = Demonstrations::new(&mdp, &[Trajectory::new((0..n).collect(), vec![0; n - 1])]).unwrap();
    let found = at(&mdp, &features, &demos, &[-2.5]);
    // Nothing else leads there but going round again.
    assert!(found.log_likelihood.abs() < 1e-9 && found.gradient[0].abs() < 1e-9, "{found:?}");
    let found = RouteChoice::new(&mdp, &features, &demos, &Work::default()).unwrap().evaluate(&[-30.0]);
    assert!(matches!(found, Err(Error::NoSum { pair: Some([0, 399]) })), "{found:?}");
}

#[test]
fn loops_that_cost_nothing_are_refused() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let (mdp, features, demos) = world(&mut rng, 10, false);
    let found = RouteChoice::new(&mdp, &features, &demos, &Work::default()).unwrap().evaluate(&[0.0; 4]);
    assert!(matches!(found, Err(Error::Diverges { .. })), "{found:?}");
    assert!(found.unwrap_err().to_string().contains("such as a length"));
    let mdp = mdp.with_discount(0.9).unwrap();
    assert!(matches!(RouteChoice::new(&mdp, &features, &demos, &Work::default()), Err(Error::DiscountedSum { .. })));
}

#[test]
fn learning_finds_the_optimum_of_the_model_with_a_long_horizon() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let (mdp, features, demos) = world(&mut rng, 12, true);
    let of = |method, horizon| MaxEnt {
        method,
        options: Options { ends: Ends::Goal, horizon, ..Options::default() },
        bounds: revealed::Bounds::Same(-8.0, 1.0),
        l2: 1e-3,
        start: Some(vec![-3.0, 0.0, 0.0, 0.0]),
        ..MaxEnt::default()
    };
    let ours = of(Method::RecursiveLogit, None).fit(&mdp, &features, &demos).unwrap();
    let exact = of(Method::Exact, Some(300.into())).fit(&mdp, &features, &demos).unwrap();
    assert!(ours.converged && exact.converged, "{} {}", ours.stopped_because, exact.stopped_because);
    all_close(&ours.theta, &exact.theta, 1e-5, "theta");
    // It finds a starting point by itself, too.
    let alone = MaxEnt { start: None, ..of(Method::RecursiveLogit, None) }.fit(&mdp, &features, &demos).unwrap();
    all_close(&alone.theta, &ours.theta, 1e-5, "theta without a start");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let (mdp, features, demos) = world(&mut rng, 200, true);
    let of = |threads| {
        RouteChoice::new(&mdp, &features, &demos, &Work::on(threads)).unwrap().evaluate(&[-2.0, 0.1, 0.2, 0.3]).unwrap()
    };
    assert_eq!(of(1), of(5));
}

/// With many demonstrations, a fit begins with Newton's method on a sample. It ends at the optimum that the usual
/// search finds, after fewer evaluations, and with the same bits on any number of threads.
#[test]
fn newtons_method_leads_to_the_same_optimum() {
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    let n = 120;
    let (mdp, _, _) = world(&mut rng, n, false);
    let mut features = FeaturesBuilder::new(7);
    for state in 0..n {
        features.state(state, 0, 1.0 + rng.random_range(0.0..1.0));
        (1..7).for_each(|k| _ = features.state(state, k, rng.random_range(0.0..1.0)));
    }
    let features = features.build(&mdp).unwrap();
    let demos = walks(&mdp, 2_400, &mut rng);
    let fit = |start: Option<Vec<f64>>, threads: usize| {
        let options = Options { work: Work::on(threads), ends: Ends::Goal, ..Options::default() };
        let settings = MaxEnt { method: Method::RecursiveLogit, options, start, l2: 1e-3, ..MaxEnt::default() };
        settings.fit(&mdp, &features, &demos).unwrap()
    };
    let mut start = vec![0.0; 7];
    start[0] = -3.0;
    let (newton, usual) = (fit(None, 1), fit(Some(start), 1));
    assert!(newton.converged && usual.converged, "{} {}", newton.stopped_because, usual.stopped_because);
    all_close(&newton.theta, &usual.theta, 1e-5, "theta");
    assert!(newton.evaluations < usual.evaluations, "{} {}", newton.evaluations, usual.evaluations);
    assert!(newton.iterations > 0);
    assert_eq!(fit(None, 3), newton);
}
