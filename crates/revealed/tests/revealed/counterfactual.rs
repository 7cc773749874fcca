//! Counterfactuals: against enumeration, against closed forms, and by hand.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::{Path, RandomProblem, paths};
use revealed::{
    Counterfactual, Demand, Demonstrations, Ends, Error, Features, FeaturesBuilder, Fieller, Horizon, Mdp, MdpBuilder, Outcome,
    Places, Scenario, ScenarioBuilder, Standing, ThetaCovariance, Trip, Watch, WeightRatio, Work, worlds,
};

use crate::helpers::{close, diamond, finished, last_of, moved, refusal, slippery_features, slope, through};

/// A scenario as a filter on paths and an addition to their rewards, which knows nothing of the library's scenarios.
#[derive(Debug, Clone, Default)]
struct Changes {
    closed: Vec<usize>,
    forbidden: Vec<usize>,
    /// (feature, factor).
    scaled: Option<(usize, f64)>,
    /// (state, reward).
    toll: Option<(usize, f64)>,
    /// (transition, reward).
    fee: Option<(usize, f64)>,
}

impl Changes {
    fn draw(problem: &RandomProblem, rng: &mut Pcg64Mcg) -> Changes {
        let mdp = &problem.mdp;
        let state = |rng: &mut Pcg64Mcg| rng.random_range(0..mdp.n_states());
        Changes {
            closed: if rng.random_bool(0.6) { vec![state(rng)] } else { Vec::new() },
            forbidden: if rng.random_bool(0.3) { vec![rng.random_range(0..mdp.n_actions())] } else { Vec::new() },
            scaled: rng.random_bool(0.5).then(|| (rng.random_range(0..problem.features.n_features()), 1.3)),
            toll: rng.random_bool(0.5).then(|| (state(rng), -0.7)),
            fee: (mdp.n_transitions() > 0 && rng.random_bool(0.5)).then(|| (rng.random_range(0..mdp.n_transitions()), 0.4)),
        }
    }

    /// `None` if the library refuses it: a feature that is 0 everywhere, or no state left to begin in.
    fn scenario(&self, problem: &RandomProblem) -> Option<Scenario> {
        let mdp = &problem.mdp;
        let mut builder = ScenarioBuilder::new(mdp, &problem.features);
        self.closed.iter().for_each(|&state| _ = builder.close_state(state));
        self.forbidden.iter().for_each(|&action| _ = builder.forbid_action(action));
        if let Some((feature, factor)) = self.scaled {
            builder.scale_feature(feature, factor);
        }
        if let Some((state, reward)) = self.toll {
            builder.add_reward(reward, Places::States(vec![state]));
        }
        if let Some((transition, reward)) = self.fee {
            let choice = mdp.choice_of()[transition] as usize;
            let step = [mdp.state_of(choice), mdp.action_of(choice), mdp.to()[transition] as usize];
            builder.add_reward(reward, Places::Transitions(vec![step]));
        }
        match builder.build() {
            Ok(scenario) => Some(scenario),
            Err(Error::NothingToScale { .. } | Error::NoTripLeft { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }

    fn is_open(&self, mdp: &Mdp, path: &Path) -> bool {
        let may_close = |choice: usize| mdp.outcomes(choice).any(|outcome| self.closed.contains(&(mdp.to()[outcome] as usize)));
        let offered = |&step: &usize| {
            let choice = mdp.choice_of()[step] as usize;
            !may_close(choice) && !self.forbidden.contains(&mdp.action_of(choice))
        };
        !self.closed.contains(&path.states[0]) && path.transitions.iter().all(offered)
    }

    /// What the changes add to the features and to the reward of a path.
    fn of_path(&self, problem: &RandomProblem, path: &Path) -> (Vec<f64>, f64) {
        let (mdp, n) = (&problem.mdp, problem.features.n_features());
        let [of_state, of_choice, of_transition] = problem.features.blocks();
        let (mut phi, mut added) = (vec![0.0; n], 0.0);
        for (step, &state) in path.states.iter().enumerate() {
            let power = mdp.discount().powi(step as i32);
            of_state.row(state).for_each(|(k, value)| phi[k] += power * value);
            added += self.toll.filter(|toll| toll.0 == state).map_or(0.0, |toll| power * toll.1);
            if let Some(&transition) = path.transitions.get(step) {
                let choice = mdp.choice_of()[transition] as usize;
                of_choice.row(choice).chain(of_transition.row(transition)).for_each(|(k, value)| phi[k] += power * value);
                added += self.fee.filter(|fee| fee.0 == transition).map_or(0.0, |fee| power * fee.1);
            }
        }
        if let Some((feature, factor)) = self.scaled {
            phi[feature] *= factor;
        }
        (phi, added)
    }
}

/// All outcomes of a set of paths, one by one: (share of the trips, p(path), path).
struct Enumerated<'a> {
    problem: &'a RandomProblem,
    changes: &'a Changes,
    theta: &'a [f64],
    paths: Vec<(f64, Path)>,
    log_partition: f64,
}

impl<'a> Enumerated<'a> {
    /// `None` if no path is left for some trip.
    fn new(problem: &'a RandomProblem, changes: &'a Changes, theta: &'a [f64]) -> Option<Self> {
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        let nothing = problem.features.reward(mdp, &vec![0.0; theta.len()]).unwrap();
        let sets = problem.path_sets();
        let (mut all, mut log_partition) = (Vec::new(), 0.0);
        for (index, (start, stop)) in sets.iter().enumerate() {
            let share = if problem.ends == Ends::Goal { demos.weight(index) / demos.total_weight() } else { 1.0 };
            if share == 0.0 {
                continue;
            }
            let found = paths(mdp, &nothing, start, problem.horizon, *stop);
            let open: Vec<Path> = found.into_iter().filter(|path| changes.is_open(mdp, path)).collect();
            let log_weight = |path: &Path| {
                let (phi, added) = changes.of_path(problem, path);
                path.log_weight.to_f64() + phi.iter().zip(theta).map(|(phi, theta)| phi * theta).sum::<f64>() + added
            };
            let weights: Vec<f64> = open.iter().map(|path| log_weight(path).exp()).collect();
            let total: f64 = weights.iter().sum();
            if open.is_empty() {
                return None;
            }
            log_partition += share * total.ln();
            all.extend(weights.into_iter().zip(open).map(|(weight, path)| (share * weight / total, path)));
        }
        Some(Enumerated { problem, changes, theta, paths: all, log_partition })
    }

    fn mean(&self, f: impl Fn(&Path) -> f64) -> f64 {
        self.paths.iter().map(|(p, path)| p * f(path)).sum()
    }

    fn value(&self, outcome: Outcome) -> f64 {
        let mdp = &self.problem.mdp;
        let power = |step: usize| mdp.discount().powi(step as i32);
        let count = |things: &[usize], thing: usize| -> f64 {
            things.iter().enumerate().filter(|row| *row.1 == thing).map(|row| power(row.0)).sum()
        };
        let length = |path: &Path| path.states.len() as f64;
        match outcome {
            Outcome::Visits(state) => self.mean(|path| count(&path.states, state)),
            Outcome::Transition([from, action, to]) => {
                let transition = mdp.transition(from, action, to).unwrap();
                self.mean(|path| count(&path.transitions, transition))
            }
            Outcome::Length => self.mean(length),
            Outcome::LengthVariance => self.mean(|path| length(path).powi(2)) - self.mean(length).powi(2),
            Outcome::End(state) => self.mean(|path| f64::from(u8::from(last_of(path) == state))),
            Outcome::Feature(k) => self.mean(|path| self.changes.of_path(self.problem, path).0[k]),
            Outcome::Reward => self.mean(|path| {
                let (phi, added) = self.changes.of_path(self.problem, path);
                phi.iter().zip(self.theta).map(|(phi, theta)| phi * theta).sum::<f64>() + added
            }),
            Outcome::Logsum => self.log_partition,
            Outcome::Surplus(k) => self.log_partition / -self.theta[k],
        }
    }
}

fn every_outcome(problem: &RandomProblem) -> Vec<Outcome> {
    let mdp = &problem.mdp;
    let mut outcomes = vec![Outcome::Length, Outcome::LengthVariance, Outcome::Reward, Outcome::Logsum, Outcome::Surplus(0)];
    outcomes.extend((0..mdp.n_states()).flat_map(|state| [Outcome::Visits(state), Outcome::End(state)]));
    outcomes.extend((0..mdp.n_transitions()).map(|transition| {
        let choice = mdp.choice_of()[transition] as usize;
        Outcome::Transition([mdp.state_of(choice), mdp.action_of(choice), mdp.to()[transition] as usize])
    }));
    outcomes.extend((0..problem.features.n_features()).map(Outcome::Feature));
    outcomes
}

fn question(problem: &RandomProblem) -> Counterfactual<'_> {
    let question = Counterfactual::new(&problem.mdp, &problem.features, problem.horizon, problem.ends);
    match problem.ends {
        Ends::Goal => question.with_demand(Demand::Trips(trips(&problem.demonstrations))),
        _ => question,
    }
}

fn trips(demos: &Demonstrations) -> Vec<Trip> {
    let trip = |index: usize| {
        let states = demos.states(index);
        Trip { from: states[0] as usize, to: Some(states[states.len() - 1] as usize), weight: demos.weight(index) }
    };
    (0..demos.len()).map(trip).collect()
}

/// A random covariance, A Aᵀ.
fn covariance(theta: &[f64], rng: &mut Pcg64Mcg) -> ThetaCovariance {
    let n = theta.len();
    let root: Vec<f64> = (0..n * n).map(|_| rng.random_range(-0.3..0.3)).collect();
    let entry = |i: usize, j: usize| (0..n).map(|l| root[i * n + l] * root[j * n + l]).sum();
    let matrix = (0..n * n).map(|place| entry(place / n, place % n)).collect();
    ThetaCovariance::new(theta.to_vec(), matrix, vec![Standing::Estimated; n], Vec::new()).unwrap()
}

fn variance(known: &ThetaCovariance, gradient: &[f64]) -> f64 {
    let n = gradient.len();
    (0..n * n).map(|place| gradient[place / n] * known.at(place / n, place % n) * gradient[place % n]).sum()
}

/// All four ends, discounts 0, 0.5, 0.9 and 1, and all mixtures of features, two times over.
#[test]
fn outcomes_and_errors_equal_enumeration() {
    let (mut compared, mut refused) = (0, 0);
    for seed in 0..224 {
        let problem = RandomProblem::new(seed);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let changes = Changes::draw(&problem, &mut rng);
        let Some(scenario) = changes.scenario(&problem) else { continue };
        let (question, outcomes) = (question(&problem), every_outcome(&problem));
        let (none, known) = (Changes::default(), covariance(&problem.theta, &mut rng));
        let found = question.compare(&known, &scenario, &outcomes, &Watch::none());
        let Some(after) = Enumerated::new(&problem, &changes, &problem.theta) else {
            assert!(matches!(found, Err(Error::NoTripLeft { .. })), "{seed}: {found:?}");
            refused += 1;
            continue;
        };
        let before = Enumerated::new(&problem, &none, &problem.theta).unwrap();
        let found = found.unwrap_or_else(|error| panic!("{seed}: {error}"));
        let at = |theta: &[f64], changes: &Changes, outcome| Enumerated::new(&problem, changes, theta).unwrap().value(outcome);
        for one in &found {
            let name = format!("{seed}: {:?}", one.outcome);
            close(one.base.value, before.value(one.outcome), 1e-10, &name);
            close(one.scenario.value, after.value(one.outcome), 1e-10, &name);
            close(one.difference.value, after.value(one.outcome) - before.value(one.outcome), 1e-10, &name);
            if seed >= 56 {
                continue;
            }
            let n = problem.theta.len();
            let gradient = |changes: &Changes| -> Vec<f64> {
                (0..n).map(|k| slope(1e-5, |by| at(&moved(&problem.theta, k, by), changes, one.outcome))).collect()
            };
            let (old, new) = (gradient(&none), gradient(&changes));
            let both: Vec<f64> = new.iter().zip(&old).map(|(new, old)| new - old).collect();
            for (measured, gradient) in [(one.base, &old), (one.scenario, &new), (one.difference, &both)] {
                close(measured.standard_error.unwrap(), variance(&known, gradient).max(0.0).sqrt(), 1e-6, &name);
            }
            compared += 1;
        }
    }
    assert!(compared > 500 && refused > 3, "{compared} {refused}");
}

/// In a world without chance, the paths of the scenario are those of the model that avoid what is closed: log Z changes
/// by the logarithm of their probability.
#[test]
fn the_logsum_of_a_closure_is_the_probability_to_avoid_it() {
    let mdp = diamond();
    let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp).unwrap();
    let known = ThetaCovariance::new(vec![0.8], vec![0.01], vec![Standing::Estimated], vec![]).unwrap();
    let closed = ScenarioBuilder::new(&mdp, &features).close_transition(0, 0, 1).build().unwrap();
    let question = Counterfactual::new(&mdp, &features, 3, Ends::Terminal);
    let found = question.compare(&known, &closed, &[Outcome::Logsum, Outcome::Visits(1)], &Watch::none()).unwrap();
    let p = 0.8f64.exp() / (1.0 + 0.8f64.exp());
    close(found[0].difference.value, (1.0 - p).ln(), 1e-12, "");
    close(found[0].difference.standard_error.unwrap(), 0.1 * p, 1e-9, "");
    close(found[1].scenario.value, 0.0, 1e-15, "");
    assert_eq!((found[1].scenario.standard_error, found[1].log_ratio), (Some(0.0), None));
}

/// A ring with chance: paths of any length against those of up to 2,000 states.
#[test]
fn any_length_is_a_long_horizon() {
    let (mdp, features, _) = slippery_features(1.0);
    let theta = [-0.5, -1.5, -1.0];
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let known = covariance(&theta, &mut rng);
    let scenarios = [
        ScenarioBuilder::new(&mdp, &features).forbid_choice(2, 1).build().unwrap(),
        ScenarioBuilder::new(&mdp, &features).scale_feature_at(0, 2.0, Places::States(vec![1])).build().unwrap(),
        ScenarioBuilder::new(&mdp, &features).outcomes(1, 0, vec![(2, 0.5), (4, 0.5)]).build().unwrap(),
    ];
    let outcomes = [
        Outcome::Visits(2),
        Outcome::Transition([1, 0, 2]),
        Outcome::Length,
        Outcome::LengthVariance,
        Outcome::End(4),
        Outcome::Feature(2),
        Outcome::Reward,
        Outcome::Logsum,
        Outcome::Surplus(1),
    ];
    let goal = Demand::Trips(vec![
        Trip { from: 0, to: Some(3), weight: 2.0 },
        Trip { from: 1, to: Some(3), weight: 1.0 },
        Trip { from: 1, to: Some(4), weight: 1.5 },
    ]);
    for (ends, demand) in [(Ends::Terminal, Demand::Start), (Ends::Anywhere, Demand::Start), (Ends::Goal, goal)] {
        for scenario in &scenarios {
            let ask = |horizon: Horizon| {
                let question = Counterfactual::new(&mdp, &features, horizon, ends).with_demand(demand.clone());
                question.compare(&known, scenario, &outcomes, &Watch::none()).unwrap()
            };
            for (any, long) in ask(Horizon::Any).into_iter().zip(ask(Horizon::AtMost(2000))) {
                let name = format!("{ends:?} {:?}", any.outcome);
                for (any, long) in [(any.base, long.base), (any.scenario, long.scenario), (any.difference, long.difference)] {
                    close(any.value, long.value, 1e-9, &name);
                    close(any.standard_error.unwrap(), long.standard_error.unwrap(), 1e-7, &name);
                }
            }
        }
    }
}

/// Trips of the recursive logit by one elimination, and by a distribution for each last state, which the variance needs.
#[test]
fn trips_by_one_elimination_are_those_of_each_last_state() {
    let roads = worlds::road_like(60, 120, 2).unwrap();
    let known = covariance(&roads.theta, &mut Pcg64Mcg::seed_from_u64(3));
    let trips = (0..12).map(|k| Trip { from: 5 * k % 60, to: Some((17 * k + 9) % 60), weight: 1.0 + k as f64 }).collect();
    let toll = ScenarioBuilder::new(&roads.mdp, &roads.features).add_reward(-0.2, Places::States(vec![7, 30])).build().unwrap();
    let question = Counterfactual::new(&roads.mdp, &roads.features, Horizon::Any, Ends::Goal);
    let question = question.with_demand(Demand::Trips(trips));
    let together = [Outcome::Length, Outcome::Logsum, Outcome::Visits(7), Outcome::End(9), Outcome::Reward];
    let ask = |theta: &[f64], outcomes: &[Outcome]| question.outcomes(&toll, theta, outcomes).unwrap();
    let each: Vec<Outcome> = together.into_iter().chain([Outcome::LengthVariance]).collect();
    for (k, (one, other)) in ask(known.theta(), &together).into_iter().zip(ask(known.theta(), &each)).enumerate() {
        close(one, other, 1e-9, format!("{:?}", together[k]));
    }
}

/// Elasticities against differences of enumerated outcomes.
#[test]
fn elasticities_equal_enumeration() {
    let mut compared = 0;
    for seed in 0..56 {
        let problem = RandomProblem::new(seed);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let known = covariance(&problem.theta, &mut rng);
        let outcomes = [Outcome::Visits(0), Outcome::Length];
        let Ok(found) = question(&problem).elasticities(&known, 0, None, &outcomes, &Watch::none()) else { continue };
        for one in found {
            let Some(elasticity) = one.elasticity else { continue };
            let log = |theta: &[f64], by: f64| {
                let changes = Changes { scaled: Some((0, by.exp())), ..Changes::default() };
                Enumerated::new(&problem, &changes, theta).unwrap().value(one.outcome).ln()
            };
            let at = |theta: &[f64]| slope(1e-4, |by| log(theta, by));
            close(elasticity.value, at(&problem.theta), 1e-6, format!("{seed}"));
            let gradient: Vec<f64> =
                (0..problem.theta.len()).map(|k| slope(1e-3, |by| at(&moved(&problem.theta, k, by)))).collect();
            close(elasticity.standard_error.unwrap(), variance(&known, &gradient).sqrt(), 1e-4, format!("{seed}"));
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn an_arc_elasticity_tends_to_the_elasticity() {
    let (mdp, features, theta) = slippery_features(1.0);
    let known = covariance(&theta, &mut Pcg64Mcg::seed_from_u64(5));
    let question = Counterfactual::new(&mdp, &features, 12, Ends::Terminal);
    let point = question.elasticities(&known, 1, None, &[Outcome::Visits(2)], &Watch::none()).unwrap()[0].elasticity.unwrap();
    let more = ScenarioBuilder::new(&mdp, &features).scale_feature(1, 1.0001).build().unwrap();
    let arc =
        question.compare(&known, &more, &[Outcome::Visits(2)], &Watch::none()).unwrap()[0].arc_elasticity(1.0001).unwrap();
    close(arc.value, point.value, 1e-4, "");
    close(arc.standard_error.unwrap(), point.standard_error.unwrap(), 1e-4, "");
}

/// Every path ends in state 3: the reward there moves the logsum of both worlds by the same number.
#[test]
fn an_unidentified_direction_has_no_interval_unless_it_cancels() {
    let mdp = diamond();
    let features = FeaturesBuilder::new(2).state(1, 0, 1.0).state(3, 1, 1.0).build(&mdp).unwrap();
    let demos = Demonstrations::new(&mdp, &[through(1, 30.0), through(2, 10.0)]).unwrap();
    let fit = finished().fit(&mdp, &features, &demos).unwrap();
    let sure = finished().uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    assert_eq!(sure.standing[1], Standing::Unidentified);
    let toll = ScenarioBuilder::new(&mdp, &features).add_reward(-1.0, Places::States(vec![1])).build().unwrap();
    let question = Counterfactual::new(&mdp, &features, 3, Ends::Terminal);
    let outcomes = [Outcome::Logsum, Outcome::Visits(1), Outcome::Feature(1)];
    for robust in [false, true] {
        let known = ThetaCovariance::of(&sure, robust).unwrap();
        let found = question.compare(&known, &toll, &outcomes, &Watch::none()).unwrap();
        let has = |k: usize| [found[k].base, found[k].scenario, found[k].difference].map(|one| one.standard_error.is_some());
        assert_eq!([has(0), has(1), has(2)], [[false, false, true], [true; 3], [true; 3]]);
        assert!(found[0].base.interval(0.95).unwrap().is_none());
        let p = fit.theta[0].exp() / (1.0 + fit.theta[0].exp());
        let error = (1.0f64 / 30.0 + 0.1).sqrt();
        close(found[1].base.standard_error.unwrap(), p * (1.0 - p) * error, 1e-6, "");
        let after = 1.0 / (1.0 + (1.0 - fit.theta[0]).exp());
        close(found[0].difference.standard_error.unwrap(), (after - p).abs() * error, 1e-6, "");
        let surplus = question.compare(&known, &toll, &[Outcome::Surplus(1)], &Watch::none());
        assert_eq!(refusal(surplus), "the weight of feature 1 is 0: the logsum cannot be divided by it; name another cost");
        // Nobody knows what a unit of that reward is worth.
        assert!(WeightRatio::new(&known, 1, 0).unwrap().ratio.standard_error.is_none());
        assert_eq!(WeightRatio::new(&known, 1, 0).unwrap().fieller(0.95).unwrap(), None);
    }
}

/// A parameter at a bound adds no variance.
#[test]
fn fixed_parameters_add_no_variance() {
    let standing = vec![Standing::Estimated, Standing::AtBound, Standing::NoOptimum];
    let mut matrix = vec![0.0; 9];
    matrix[0] = 0.04;
    let known = ThetaCovariance::new(vec![1.0, 2.0, 3.0], matrix, standing, vec![]).unwrap();
    assert_eq!(known.fixed(), [1, 2]);
    let ratio = WeightRatio::new(&known, 0, 1).unwrap();
    close(ratio.ratio.standard_error.unwrap(), 0.1, 1e-15, "");
    let Some(Fieller::Between(low, high)) = ratio.fieller(0.95).unwrap() else { panic!() };
    let (delta_low, delta_high) = ratio.ratio.interval(0.95).unwrap().unwrap();
    close(low, delta_low, 1e-12, "");
    close(high, delta_high, 1e-12, "");
}

/// Fieller's set is where the test of θ_i - ρ θ_j = 0 does not reject.
#[test]
fn fieller_sets_are_where_the_test_does_not_reject() {
    let mut rng = Pcg64Mcg::seed_from_u64(9);
    let mut kinds = [0; 3];
    for _ in 0..300 {
        let theta: Vec<f64> = (0..2).map(|_| rng.random_range(-1.0..1.0)).collect();
        let known = covariance(&theta, &mut rng);
        let ratio = WeightRatio::new(&known, 0, 1).unwrap();
        let set = ratio.fieller(0.9).unwrap().unwrap();
        kinds[match set {
            Fieller::Between(..) => 0,
            Fieller::Outside(..) => 1,
            Fieller::Everything => 2,
        }] += 1;
        for _ in 0..50 {
            let rho = rng.random_range(-10.0..10.0);
            let z = (theta[0] - rho * theta[1]).abs() / variance(&known, &[1.0, -rho]).sqrt();
            assert_eq!(set.contains(rho), z <= 1.6448536269514722, "{theta:?} {rho} {set:?}");
        }
        let value = theta[0] / theta[1];
        let expected = variance(&known, &[1.0 / theta[1], -value / theta[1]]).sqrt();
        close(ratio.ratio.standard_error.unwrap() / expected, 1.0, 1e-10, "");
    }
    assert!(kinds.iter().all(|&count| count > 10), "{kinds:?}");
}

#[test]
fn refusals_name_the_place_and_the_remedy() {
    let (mdp, features, theta) = slippery_features(1.0);
    let build = |change: &dyn Fn(&mut ScenarioBuilder<'_>)| {
        let mut builder = ScenarioBuilder::new(&mdp, &features);
        change(&mut builder);
        builder.build()
    };
    let says = [
        (refusal(build(&|b| _ = b.close_state(9))), "closed states row 0: state 9 is out of range, there are 5 (0 to 4)"),
        (
            refusal(build(&|b| _ = b.close_transition(0, 0, 3))),
            "closed transitions row 0: the world has no transition from state 0 by action 0 to state 3; give one that it has",
        ),
        (
            refusal(build(&|b| _ = b.scale_feature_at(0, 2.0, Places::States(vec![2])))),
            "feature 0 is 0 at these places: scaling it changes nothing; name another feature, or other places",
        ),
        (
            refusal(build(&|b| _ = b.add_reward(f64::NAN, Places::States(vec![2])))),
            "added rewards row 0: the reward is NaN: it must be a finite number",
        ),
        (
            refusal(build(&|b| _ = b.close_state(0).close_state(1))),
            "no path is left from where paths begin to where they may end: keep one open, or leave this trip out of the demand",
        ),
        (
            refusal(build(&|b| _ = b.outcomes(1, 0, vec![(2, 0.5)]))),
            "state 1, action 0: the transition probabilities sum to 0.5, expected 1",
        ),
    ];
    for (found, expected) in says {
        assert_eq!(found, expected);
    }
    let known = covariance(&theta, &mut Pcg64Mcg::seed_from_u64(1));
    let trip = Demand::Trips(vec![Trip { from: 0, to: Some(4), weight: 1.0 }]);
    let question = Counterfactual::new(&mdp, &features, 12, Ends::Goal).with_demand(trip);
    let ask = |scenario: &Scenario| question.compare(&known, scenario, &[Outcome::Length], &Watch::none());
    // Every choice may slip back, so closing one state cuts the way through.
    let expected = "no path is left from state 0 to state 4: keep one open, learn with a horizon above 12 if the way round \
                    is longer, or leave this trip out of the demand";
    assert_eq!(refusal(ask(&build(&|b| _ = b.close_state(0)).unwrap())), expected);
    assert_eq!(refusal(ask(&build(&|b| _ = b.forbid_action(0).forbid_action(1)).unwrap())), expected);
    let other = Scenario::new(diamond(), Features::one_hot(&diamond()), None).unwrap();
    let expected = "the scenario has 4 states, and the world of the model has 5: give worlds with the same numbers";
    assert_eq!(refusal(ask(&other)), expected);
}

#[test]
fn other_outcomes_are_another_world() {
    let (mdp, features, theta) = slippery_features(0.9);
    let known = covariance(&theta, &mut Pcg64Mcg::seed_from_u64(2));
    let mut builder = MdpBuilder::new(5, 2);
    builder.discount(0.9).start(0, 0.7).start(1, 0.3).terminal(4);
    let mut built = FeaturesBuilder::new(3);
    built.state(1, 0, 1.0).state(3, 0, -0.5);
    let mut row = 0;
    for (state, action) in (0..4usize).flat_map(|state| [(state, 0), (state, 1)]) {
        let slips = if (state, action) == (2, 1) { 0.6 } else { 0.2 };
        builder.transition(state, action, (state + 1 + action).min(4), 1.0 - slips);
        builder.transition(state, action, state.saturating_sub(1), slips);
        if action == 1 {
            built.state_action(state, 1, 1, 1.0);
        }
        built.transition(row + 1, 2, 1.0);
        row += 2;
    }
    let other = builder.build().unwrap();
    let built = built.build(&other).unwrap();
    let by_hand = Scenario::new(other, built, None).unwrap();
    let changed = ScenarioBuilder::new(&mdp, &features).outcomes(2, 1, vec![(4, 0.4), (1, 0.6)]).build().unwrap();
    let question = Counterfactual::new(&mdp, &features, 9, Ends::Anywhere);
    let outcomes = [Outcome::Length, Outcome::End(4), Outcome::Feature(2), Outcome::Logsum];
    let ask = |scenario: &Scenario| question.compare(&known, scenario, &outcomes, &Watch::none()).unwrap();
    for (changed, by_hand) in ask(&changed).into_iter().zip(ask(&by_hand)) {
        close(changed.difference.value, by_hand.difference.value, 1e-12, "");
        assert!(changed.difference.value.abs() > 1e-3);
    }
}

/// The answer does not depend on the number of threads.
#[test]
fn threads_change_no_bit() {
    let (mdp, features, theta) = slippery_features(0.9);
    let known = covariance(&theta, &mut Pcg64Mcg::seed_from_u64(2));
    let closed = ScenarioBuilder::new(&mdp, &features).forbid_choice(1, 1).build().unwrap();
    let ask = |threads: usize| {
        let question = Counterfactual { work: Work::on(threads), ..Counterfactual::new(&mdp, &features, 9, Ends::Anywhere) };
        question.compare(&known, &closed, &[Outcome::Length, Outcome::Logsum], &Watch::none()).unwrap()
    };
    assert_eq!(ask(1), ask(3));
}
