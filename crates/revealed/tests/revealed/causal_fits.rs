//! Learning in the causal model: scores, intervals that cover, and fits that have no optimum.

use revealed::oracle::RandomProblem;
use revealed::worlds::{self, World};
use revealed::{
    CausalLikelihood, CausalObjective, Demonstrations, Ends, Features, FeaturesBuilder, Given, Horizon, MaxEnt, Mdp,
    MdpBuilder, Method, Options, PathModel, Planning, Standing, Work, rollouts, sample, sample_first,
};

use crate::helpers::{all_close, lake, machine, slippery};

const FITS: u64 = 200;

/// The weighted mean of the scores is the gradient, for all ends, with and without a horizon.
#[test]
fn the_mean_of_the_scores_is_the_gradient() {
    let mut checked = 0;
    for seed in 0..600 {
        let problem = RandomProblem::new(seed);
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        for horizon in [Horizon::AtMost(problem.horizon), Horizon::Any] {
            let options = Options { ends: problem.ends, horizon: Some(horizon), ..Options::default() };
            let made = CausalLikelihood::new(mdp, &problem.features, demos, &options, CausalObjective::Likelihood);
            let mut causal = made.unwrap();
            let Ok(here) = causal.evaluate(&problem.theta) else { continue };
            let scores = causal.scores(&problem.theta).unwrap();
            let mut mean = vec![0.0; problem.theta.len()];
            for (index, score) in scores.iter().enumerate() {
                let share = demos.weight(index) / demos.total_weight();
                mean.iter_mut().zip(score).for_each(|(mean, score)| *mean += share * score);
            }
            let size = here.gradient.iter().fold(1.0, |most: f64, part| most.max(part.abs()));
            all_close(&mean, &here.gradient, 1e-8 * size, format_args!("seed {seed}, horizon {horizon}"));
            checked += 1;
        }
    }
    assert!(checked > 600, "{checked}");
}

/// A world with its features, a true θ, and how episodes are observed.
struct Simulated {
    name: &'static str,
    mdp: Mdp,
    features: Features,
    truth: Vec<f64>,
    horizon: Horizon,
    /// States of an observed part, for episodes without an end.
    observed: Option<usize>,
    n: usize,
}

fn simulated() -> Vec<Simulated> {
    let mdp = slippery(1.0);
    let mut features = FeaturesBuilder::new(2);
    (0..4).for_each(|state| {
        features.state_action(state, 1, 1, 1.0);
    });
    let features = features.state(1, 0, 1.0).state(3, 0, -0.5).build(&mdp).unwrap();
    let row =
        Simulated { name: "a slippery row", mdp, features, truth: vec![0.5, -0.7], horizon: 12.into(), observed: None, n: 200 };
    let discounted =
        Simulated { name: "the same with a discount", mdp: slippery(0.9), features: row.features.clone(), ..copy(&row) };
    let (mdp, features) = machine();
    let machine = Simulated {
        name: "a machine without an end",
        mdp,
        features,
        truth: vec![0.3, 3.0],
        horizon: Horizon::Any,
        observed: Some(40),
        n: 100,
    };
    let lake = lake();
    let mut features = FeaturesBuilder::new(2);
    for state in 0..16 {
        features.state(state, 0, -1.0).state(state, 1, if [5, 7, 11, 12].contains(&state) { -3.0 } else { 0.0 });
    }
    let features = features.build(&lake.mdp).unwrap();
    let mdp = lake.mdp.clone();
    let truth = vec![0.4, 1.0];
    let lake = Simulated { name: "FrozenLake", mdp, features, truth, horizon: 20.into(), observed: None, n: 150 };
    vec![row, discounted, machine, lake]
}

fn copy(of: &Simulated) -> Simulated {
    Simulated { mdp: of.mdp.clone(), features: of.features.clone(), truth: of.truth.clone(), ..*of }
}

/// 95 % intervals of 200 fits in four worlds cover the truth 92 to 98 times in a hundred, also the robust ones.
#[test]
fn intervals_cover_at_their_nominal_rate() {
    for world in simulated() {
        let Simulated { name, mdp, features, truth, horizon, observed, n } = &world;
        let options = Options { ends: Ends::Horizon, horizon: Some(*horizon), ..Options::default() };
        let settings = MaxEnt { method: Method::Causal, options, ..MaxEnt::default() };
        let model = PathModel::causal(mdp, features.reward(mdp, truth).unwrap(), *horizon, Ends::Horizon).unwrap();
        let (mut covered, mut robust) = (vec![0; truth.len()], vec![0; truth.len()]);
        for seed in 0..FITS {
            let drawn = match observed {
                Some(states) => sample_first(&model, &Given::default(), *states, *n, seed, &Work::default()).unwrap(),
                None => sample(&model, &Given::default(), *n, seed, &Work::default()).unwrap(),
            };
            let demos = Demonstrations::new(mdp, &drawn).unwrap();
            let fit = settings.fit(mdp, features, &demos).unwrap();
            assert!(fit.converged, "{name}, {seed}: {}", fit.stopped_because);
            let sure = settings.uncertainty(mdp, features, &demos, &fit.theta).unwrap();
            assert_eq!(sure.standing, vec![Standing::Estimated; truth.len()], "{name}");
            for (k, interval) in sure.intervals(0.95).unwrap().into_iter().enumerate() {
                let (low, high) = interval.unwrap();
                covered[k] += u64::from((low..=high).contains(&truth[k]));
                let error = sure.robust_errors.as_ref().unwrap()[k].unwrap();
                robust[k] += u64::from((fit.theta[k] - truth[k]).abs() <= 1.959963984540054 * error);
            }
        }
        for (kind, counts) in [("model", covered), ("robust", robust)] {
            let rates: Vec<f64> = counts.iter().map(|&count| count as f64 / FITS as f64).collect();
            println!("{name}: {kind} {rates:?}");
            assert!(rates.iter().all(|rate| (0.92..=0.98).contains(rate)), "{name}, {kind}: {rates:?}");
        }
    }
}

/// Ten by ten cells with wind that blows to the east, and the goal in a corner.
fn windy() -> (Mdp, Features, Vec<f64>) {
    let mut builder = MdpBuilder::new(100, 4);
    builder.discount(0.95).start(0, 1.0).terminal(99);
    let step = |state: usize, action: usize| {
        let (x, y) = (state % 10, state / 10);
        match action {
            0 => y * 10 + (x + 1).min(9),
            1 => y * 10 + x.saturating_sub(1),
            2 => (y + 1).min(9) * 10 + x,
            _ => y.saturating_sub(1) * 10 + x,
        }
    };
    for state in 0..99 {
        for action in 0..4 {
            let (to, blown) = (step(state, action), step(step(state, action), 0));
            match to == blown {
                true => builder.transition(state, action, to, 1.0),
                false => builder.transition(state, action, to, 0.7).transition(state, action, blown, 0.3),
            };
        }
    }
    let mdp = builder.build().unwrap();
    let features = Features::one_hot(&mdp);
    let theta = (0..100).map(|state| if state == 99 { 1.0 } else { -0.05 }).collect();
    (mdp, features, theta)
}

/// Optimal episodes, without bounds: however the search ends, the likelihood is not below that of θ = 0, nothing runs
/// off to numbers that mean nothing, and no convergence is reported that is none.
#[test]
fn fits_to_optimal_episodes_end_well() {
    let cliff = worlds::cliff_walking(true, worlds::StepFeatures::Kinds).unwrap();
    let taxi = worlds::taxi(worlds::StepFeatures::Kinds).unwrap();
    let lakes = [worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true), worlds::frozen_lake(&worlds::FROZEN_LAKE_8X8, true)];
    let [small, large] = lakes.map(Result::unwrap);
    let parts = |world: World| (world.mdp, world.features, world.theta);
    let worlds = [
        ("FrozenLake 4x4", parts(small)),
        ("FrozenLake 8x8", parts(large)),
        ("CliffWalking", parts(cliff)),
        ("Taxi", parts(taxi)),
        ("a windy grid", windy()),
    ];
    for (name, (mdp, features, theta)) in &worlds {
        let reward = features.reward(mdp, theta).unwrap();
        let planning = Planning { discount: Some(0.99), ..Planning::default() };
        let optimal = planning.solve(mdp, &reward).unwrap().policy;
        let episodes = rollouts(mdp, &optimal, 50, 100, 1).unwrap();
        // Only episodes that end: the others were cut off.
        let whole: Vec<_> = episodes.into_iter().filter(|path| mdp.is_terminal(*path.states.last().unwrap())).collect();
        assert!(whole.len() > 10, "{name}: {}", whole.len());
        let demos = Demonstrations::new(mdp, &whole).unwrap();
        let options = Options { ends: Ends::Horizon, horizon: Some(100.into()), ..Options::default() };
        let settings = MaxEnt { method: Method::Causal, options: options.clone(), max_iterations: 300, ..MaxEnt::default() };
        let fit = settings.fit(mdp, features, &demos).unwrap();
        let made = CausalLikelihood::new(mdp, features, &demos, &options, CausalObjective::Likelihood);
        let mut causal = made.unwrap();
        let nothing = causal.evaluate(&vec![0.0; fit.theta.len()]).unwrap().log_likelihood;
        assert!(fit.log_likelihood >= nothing, "{name}: {} is below {nothing}", fit.log_likelihood);
        let largest = fit.theta.iter().fold(0.0, |most: f64, theta| most.max(theta.abs()));
        println!("{name}: {} -> {}, |theta| {largest:.1}, {}", nothing, fit.log_likelihood, fit.stopped_because);
        assert!(largest < 1e5, "{name}: {largest}");
        if fit.converged {
            // An optimum: to go on makes it worse, in every direction.
            for k in 0..fit.theta.len() {
                for factor in [0.5, 2.0] {
                    let mut further = fit.theta.clone();
                    further[k] *= factor;
                    let there = causal.evaluate(&further).unwrap().log_likelihood;
                    assert!(there < fit.log_likelihood || fit.theta[k] == 0.0, "{name}: {there} at {factor} times {k}");
                }
            }
        }
        // With a penalty there is an optimum, and it is found.
        let fit = MaxEnt { l2: 1e-2, max_iterations: 10_000, ..settings }.fit(mdp, features, &demos).unwrap();
        assert!(fit.converged, "{name}: {}", fit.stopped_because);
    }
}
