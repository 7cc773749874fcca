//! One reward from many worlds: what one world with all of them side by side gives, and sums by hand.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Answer, CausalLikelihood, CausalObjective, Cluster, Demonstrations, Ends, Error, Evidence, Features, FeaturesBuilder, Fit,
    Horizon, Likelihood, MaxEnt, Mdp, MdpBuilder, Method, Options, Part, Parts, Question, Stopped, Trajectory, TripValue,
    Uncertainty, Watch, Work,
};

use crate::helpers::close;

/// A small world as columns, so that several can be put side by side.
#[derive(Clone, Default)]
struct Town {
    n: usize,
    rows: Vec<(usize, usize, usize, f64)>,
    values: Vec<[f64; 3]>,
    paths: Vec<Trajectory>,
}

const NAMES: [&str; 3] = ["length", "slope", "shop"];

impl Town {
    /// A ring of n streets whose actions are "on" and "short cut"; the last street is the end. With chance, some steps
    /// go to the next street but one.
    fn new(n: usize, trips: usize, chance: bool, seed: u64) -> Town {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut town = Town { n, ..Town::default() };
        for s in 0..n - 1 {
            let jump = (s + 2 + s % 3).min(n - 1);
            let next = s + 1;
            match chance && jump != next && s % 2 == 0 {
                true => town.rows.extend([(s, 0, next, 0.8), (s, 0, jump, 0.2)]),
                false => town.rows.push((s, 0, next, 1.0)),
            }
            town.rows.push((s, 1, if jump == next { s } else { jump }, 1.0));
        }
        for s in 0..n {
            town.values.push([1.0 + rng.random_range(0.0..1.0), rng.random_range(-1.0..1.0), f64::from(u8::from(s % 4 == 1))]);
        }
        for trip in 0..trips {
            let (mut states, mut actions) = (vec![trip % 3], Vec::new());
            while *states.last().unwrap() != n - 1 {
                let here = *states.last().unwrap();
                let action = usize::from(rng.random_bool(0.4));
                let outcomes: Vec<_> = town.rows.iter().filter(|row| (row.0, row.1) == (here, action)).collect();
                let mut luck = rng.random_range(0.0..1.0);
                let taken = outcomes.iter().find(|row| {
                    luck -= row.3;
                    luck < 0.0
                });
                actions.push(action);
                states.push(taken.unwrap_or(&outcomes[0]).2);
            }
            let mut path = Trajectory { weight: 1.0 + (trip % 3) as f64, ..Trajectory::new(states, actions) };
            path.trip.insert("driver".to_string(), TripValue::Number((trip % 5) as f64));
            town.paths.push(path);
        }
        town
    }

    /// Towns side by side, without any road between them.
    fn union(towns: &[Town]) -> Town {
        let mut all = Town::default();
        for (number, town) in towns.iter().enumerate() {
            let first = all.n;
            all.rows.extend(town.rows.iter().map(|&(s, a, to, p)| (first + s, a, first + to, p)));
            all.values.extend(&town.values);
            all.paths.extend(town.paths.iter().map(|path| {
                let states = path.states.iter().map(|&state| first + state).collect();
                Trajectory { states, id: Some(format!("{number}")), ..path.clone() }
            }));
            all.n += town.n;
        }
        all
    }

    fn built(&self) -> (Mdp, Features, Demonstrations) {
        let mut builder = MdpBuilder::new(self.n, 2);
        (0..self.n).for_each(|state| _ = builder.start(state, 1.0 / self.n as f64));
        for &(s, a, to, p) in &self.rows {
            builder.transition(s, a, to, p);
        }
        let ends = (0..self.n).filter(|&s| self.rows.iter().all(|row| row.0 != s));
        ends.for_each(|state| _ = builder.terminal(state));
        let mdp = builder.build().unwrap();
        let mut features = FeaturesBuilder::new(3);
        features.names(NAMES.map(String::from).to_vec());
        for (state, values) in self.values.iter().enumerate() {
            values.iter().enumerate().for_each(|(k, &value)| _ = features.state(state, k, value));
        }
        let features = features.build(&mdp).unwrap();
        let demos = Demonstrations::new(&mdp, &self.paths).unwrap();
        (mdp, features, demos)
    }
}

fn towns(chance: bool) -> Vec<Town> {
    vec![Town::new(8, 12, chance, 1), Town::new(11, 7, chance, 2), Town::new(6, 9, chance, 3)]
}

fn settings(method: Method, ends: Ends, horizon: Option<Horizon>) -> MaxEnt {
    MaxEnt { method, options: Options { ends, horizon, ..Options::default() }, ..MaxEnt::default() }
}

type Built = Vec<(Mdp, Features, Demonstrations)>;

fn evidence(built: &Built) -> Vec<Evidence<'_>> {
    built.iter().map(|(mdp, features, demos)| Evidence { mdp, features, demos }).collect()
}

/// The fit to these towns, and to all of them in one world, with standard errors of each.
fn both(settings: &MaxEnt, towns: &[Town], cluster: &Cluster) -> [(Fit, Option<Uncertainty>); 2] {
    let many: Built = towns.iter().map(Town::built).collect();
    let one: Built = vec![Town::union(towns).built()];
    [many, one].map(|built| {
        let worlds = evidence(&built);
        let fit = settings.fit_worlds(&worlds, &Watch::none()).unwrap();
        let sure = (settings.method != Method::CausalDual)
            .then(|| settings.uncertainty_worlds(&worlds, &fit.theta, cluster, &Watch::none()).unwrap());
        (fit, sure)
    })
}

/// Where a path is given its ends, and in causal models, worlds side by side are one world.
#[test]
fn many_worlds_are_one_with_all_of_them_side_by_side() {
    let any = Some(Horizon::Any);
    let cases = [
        (settings(Method::Exact, Ends::Goal, None), false),
        (settings(Method::RecursiveLogit, Ends::Goal, None), false),
        (settings(Method::Exact, Ends::Goal, any), false),
        (settings(Method::Causal, Ends::Terminal, None), true),
        (settings(Method::Causal, Ends::Terminal, any), true),
        (settings(Method::Causal, Ends::Goal, Some(40.into())), true),
        (settings(Method::CausalDual, Ends::Goal, Some(40.into())), true),
        (MaxEnt { l2: 0.05, ..settings(Method::Exact, Ends::Goal, None) }, false),
        (MaxEnt { bounds: revealed::Bounds::Same(-0.3, 0.2), ..settings(Method::RecursiveLogit, Ends::Goal, None) }, false),
    ];
    for (settings, chance) in cases {
        for cluster in [Cluster::Each, Cluster::Ends, Cluster::Column("driver".to_string())] {
            let towns = towns(chance);
            let [(fit, sure), (union, union_sure)] = both(&settings, &towns, &cluster);
            let what = format!("{settings:?} {cluster:?}");
            assert!(fit.converged && union.converged, "{what}: {} {}", fit.stopped_because, union.stopped_because);
            fit.theta.iter().zip(&union.theta).for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{what}: {fit:?} {union:?}"));
            assert_eq!((fit.horizon, &fit.at_bounds), (union.horizon, &union.at_bounds), "{what}");
            // p0 is given by the ends; otherwise it is that of each town in its own world.
            if settings.options.ends == Ends::Goal {
                close(fit.log_likelihood, union.log_likelihood, 1e-10, &what);
            }
            let (Some(sure), Some(union)) = (sure, union_sure) else { continue };
            assert_eq!((&sure.standing, sure.n_clusters), (&union.standing, union.n_clusters), "{what}");
            for (a, b) in [
                (&sure.standard_errors, &union.standard_errors),
                (sure.robust_errors.as_ref().unwrap(), union.robust_errors.as_ref().unwrap()),
            ] {
                for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                    assert!((a / b - 1.0).abs() < 1e-5, "{what}: {a} {b}");
                }
            }
            close(sure.statistics.n, union.statistics.n, 1e-12, &what);
        }
    }
}

/// The objective is the weighted mean over all demonstrations, in models with a Z for each world, too.
#[test]
fn the_likelihood_is_the_weighted_mean_by_hand() {
    for (method, ends) in [(Method::Exact, Ends::Anywhere), (Method::Exact, Ends::Terminal), (Method::Causal, Ends::Terminal)] {
        let settings = settings(method, ends, None);
        let built: Built = towns(true).iter().map(Town::built).collect();
        let fit = settings.fit_worlds(&evidence(&built), &Watch::none()).unwrap();
        let longest = built.iter().map(|(_, _, demos)| demos.longest()).max().unwrap();
        let options = Options { ends, horizon: Some(longest.into()), ..Options::default() };
        let total: f64 = built.iter().map(|(_, _, demos)| demos.total_weight()).sum();
        let (mut mean, mut slope) = (0.0, vec![0.0; 3]);
        for (mdp, features, demos) in &built {
            let (value, gradient) = match method {
                Method::Causal => {
                    let objective = CausalObjective::Likelihood;
                    let at = CausalLikelihood::new(mdp, features, demos, &options, objective).unwrap().evaluate(&fit.theta);
                    at.map(|at| (at.log_likelihood, at.gradient)).unwrap()
                }
                _ => {
                    let at = Likelihood::new(mdp, features, demos, &options).unwrap().evaluate(&fit.theta).unwrap();
                    (at.log_likelihood, at.gradient)
                }
            };
            mean += demos.total_weight() / total * value;
            slope.iter_mut().zip(gradient).for_each(|(sum, part)| *sum += demos.total_weight() / total * part);
        }
        assert!(fit.converged, "{}", fit.stopped_because);
        close(fit.log_likelihood, mean, 1e-12, method.name());
        assert_eq!(fit.log_partition, None);
        assert!(slope.iter().all(|slope| slope.abs() < 1e-6), "{slope:?}");
        // Robust errors use the scores around the expectation in each world: their mean is 0 at the optimum.
        let sure = settings.uncertainty_worlds(&evidence(&built), &fit.theta, &Cluster::Each, &Watch::none()).unwrap();
        let robust = sure.robust_errors.unwrap();
        assert!(robust.iter().zip(&sure.standard_errors).all(|(a, b)| a.unwrap() > 0.3 * b.unwrap()), "{robust:?}");
    }
}

/// The same bits, however the work is shared.
#[test]
fn threads_change_nothing() {
    let towns: Vec<Town> = (0..9).map(|seed| Town::new(6 + seed as usize, 8, true, seed)).collect();
    let built: Built = towns.iter().map(Town::built).collect();
    let with = |threads: usize| {
        let mut settings = settings(Method::Exact, Ends::Terminal, None);
        settings.options.work = Work::on(threads);
        let fit = settings.fit_worlds(&evidence(&built), &Watch::none()).unwrap();
        let sure = settings.uncertainty_worlds(&evidence(&built), &fit.theta, &Cluster::Each, &Watch::none()).unwrap();
        (fit, sure)
    };
    let alone = with(1);
    assert_eq!(alone, with(2));
    assert_eq!(alone, with(4));
}

/// Parts somewhere else: each is made again for every question, as if the one before had been lost.
struct Forgetful<'a>(MaxEnt, Vec<Evidence<'a>>);

impl Parts for Forgetful<'_> {
    fn ask(&mut self, question: &Question) -> Result<Vec<Answer>, Error> {
        let of = |(world, evidence): (usize, &Evidence<'_>)| Part::new(&self.0, world, *evidence).answer(question);
        let answer = |(world, evidence)| of((world, evidence)).map_err(|error| error.in_part(world));
        self.1.iter().enumerate().map(answer).collect()
    }
}

#[test]
fn a_part_that_is_placed_again_gives_the_same_bits() {
    for (method, ends) in [(Method::Exact, Ends::Anywhere), (Method::RecursiveLogit, Ends::Goal), (Method::Causal, Ends::Goal)]
    {
        let settings = settings(method, ends, None);
        let built: Built = towns(false).iter().map(Town::built).collect();
        let fit = settings.fit_worlds(&evidence(&built), &Watch::none()).unwrap();
        let sure = settings.uncertainty_worlds(&evidence(&built), &fit.theta, &Cluster::Each, &Watch::none()).unwrap();
        let mut parts = Forgetful(settings.clone(), evidence(&built));
        assert_eq!(settings.fit_parts(&mut parts, &Watch::none()).unwrap(), fit);
        assert_eq!(settings.uncertainty_parts(&mut parts, &fit.theta, &Cluster::Each, &Watch::none()).unwrap(), sure);
    }
}

#[test]
fn an_error_names_the_world() {
    let mut built: Built = towns(false).iter().map(Town::built).collect();
    let exact = settings(Method::Exact, Ends::Terminal, Some(3.into()));
    let error = exact.fit_worlds(&evidence(&built), &Watch::none()).unwrap_err().to_string();
    assert!(error.starts_with("world 0: demonstration 0"), "{error}");
    let learn = |built: &Built| settings(Method::Exact, Ends::Terminal, None).fit_worlds(&evidence(built), &Watch::none());

    let mut renamed = FeaturesBuilder::new(3);
    renamed.names(["length", "hill", "shop"].map(String::from).to_vec());
    built[1].1 = renamed.state(0, 0, 1.0).build(&built[1].0).unwrap();
    let error = learn(&built).unwrap_err().to_string();
    assert!(error.starts_with("world 1: feature 1 is hill, but in world 0 it is slope"), "{error}");

    let mut fewer = FeaturesBuilder::new(2);
    fewer.names(["length", "slope"].map(String::from).to_vec());
    built[1].1 = fewer.state(0, 0, 1.0).build(&built[1].0).unwrap();
    let error = learn(&built).unwrap_err().to_string();
    assert!(error.starts_with("world 1: the feature shop of world 0 is missing"), "{error}");

    built[0].1 = FeaturesBuilder::new(2).state(0, 0, 1.0).build(&built[0].0).unwrap();
    built[1].1 = FeaturesBuilder::new(3).state(0, 0, 1.0).build(&built[1].0).unwrap();
    let error = learn(&built).unwrap_err().to_string();
    assert!(error.starts_with("world 1: the number of features is 3"), "{error}");
    assert_eq!(learn(&Vec::new()), Err(Error::NoDemonstrations));
}

#[test]
fn a_search_over_many_worlds_can_be_stopped() {
    let built: Built = towns(false).iter().map(Town::built).collect();
    let mut steps = 0;
    let mut hear = |_: &revealed::Step<'_>| {
        steps += 1;
        if steps == 2 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    };
    let settings = settings(Method::Exact, Ends::Terminal, None);
    let fit = settings.fit_worlds(&evidence(&built), &Watch::new(&mut hear)).unwrap();
    assert_eq!((fit.stop, fit.iterations), (Stopped::Interrupted, 2));
}
