//! Work that is cancelled in the middle of a step ends soon, and says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use revealed::{
    Cancel, CausalLikelihood, CausalObjective, Demonstrations, Destinations, Ends, Error, Given, Horizon, Likelihood, MaxEnt,
    Method, Options, PathModel, PathQuery, Planning, Prior, Reward, RouteChoice, RouteSums, Routes, Search, Spread, Stopped,
    Terminals, Trajectory, Watch, Work, Ziebart, ZiebartVersion, best_paths, lengths, sample, scores, soft_values, worlds,
};

const HORIZON: usize = 3_000;

/// A network with a demonstration of many states, so that a pass takes much longer than the time between two questions.
struct Long {
    world: worlds::World,
    demos: Demonstrations,
}

impl Long {
    fn new() -> Long {
        let world = worlds::road_like(200, 400, 1).unwrap();
        let mdp = &world.mdp;
        let mut path = Trajectory::new(vec![3], Vec::new());
        while path.states.len() < HORIZON {
            let here = path.states[path.states.len() - 1];
            let step = mdp.children(here).nth(path.states.len() % mdp.children(here).len()).unwrap();
            path.actions.push(mdp.action_of(mdp.choice_of()[step] as usize));
            path.states.push(mdp.to()[step] as usize);
        }
        let demos = Demonstrations::new(mdp, &[path]).unwrap();
        Long { world, demos }
    }

    /// Paths become as long as the horizon allows.
    fn reward(&self) -> Reward {
        Reward::of_states(vec![0.0; self.world.mdp.n_states()])
    }

    fn model(&self, ends: Ends) -> PathModel<'_> {
        PathModel::new(&self.world.mdp, self.reward(), HORIZON, ends).unwrap()
    }

    fn causal(&self) -> PathModel<'_> {
        PathModel::causal(&self.world.mdp, self.reward(), HORIZON, Ends::Horizon).unwrap()
    }
}

/// The work is done if nobody asks to stop, and ends with the right error if somebody does.
#[track_caller]
fn stops<T>(what: &str, work: impl Fn() -> Result<T, Error>) {
    let asked = Cancel::when(|| true).during(&work);
    assert_eq!(asked.err(), Some(Error::Stopped), "{what}");
    let free = Cancel::when(|| false).during(&work);
    assert!(free.is_ok(), "{what}: {:?}", free.err());
}

#[test]
fn every_pass_asks() {
    let long = Long::new();
    let (mdp, features, work) = (&long.world.mdp, &long.world.features, Work::default());
    let options = Options::default();
    let theta = vec![0.0; features.n_features()];
    stops("likelihood", || Likelihood::new(mdp, features, &long.demos, &options)?.evaluate(&theta));
    let little = Options { work: Work { memory: 2_000_000, ..work }, ..options.clone() };
    stops("with little memory", || Likelihood::new(mdp, features, &long.demos, &little)?.evaluate(&theta));
    let causal = Options { ends: Ends::Horizon, ..options };
    let likely = CausalObjective::Likelihood;
    stops("causal", || CausalLikelihood::new(mdp, features, &long.demos, &causal, likely)?.evaluate(&theta));
    let ziebart = Ziebart { version: ZiebartVersion::Y2010, terminals: Terminals::End };
    stops("ziebart", || ziebart.visits(mdp, &long.reward(), HORIZON));
    let (town, reward) = town();
    stops("planning", || Planning::default().solve(&town, &reward));
}

#[test]
fn every_question_asks() {
    let long = Long::new();
    let work = &Work::default();
    let (anywhere, goal, causal) = (long.model(Ends::Anywhere), long.model(Ends::Goal), long.causal());
    let from = Given::from_state(3);
    for (name, model) in [("tilted", &anywhere), ("causal", &causal)] {
        stops(&format!("{name}: distribution"), || model.distribution(&from, work));
        stops(&format!("{name}: lengths"), || lengths(model, &from, work));
        stops(&format!("{name}: samples"), || sample(model, &from, 3, 1, work));
        stops(&format!("{name}: scores"), || scores(model, &long.demos, work));
        stops(&format!("{name}: values"), || soft_values(model, None, work));
    }
    stops("spread", || Spread::new(&anywhere, work)?.endings(&[(3, 1.0)], 1));
    let begun = Trajectory::new(vec![3], Vec::new());
    stops("destinations", || Destinations::new(&goal, Prior::Uniform, work)?.posterior(&begun));
    let viterbi = PathQuery { search: Search::Viterbi, ..PathQuery::between(3, 50) };
    stops("viterbi", || best_paths(&goal, &viterbi));
}

/// What is prepared for many pairs of states.
#[test]
fn every_preparation_asks() {
    let world = worlds::road_like(20_000, 40_000, 1).unwrap();
    let (mdp, work) = (&world.mdp, &Work::default());
    let reward = world.features.reward(mdp, &world.theta).unwrap();
    let any = PathModel::new(mdp, reward.clone(), Horizon::Any, Ends::Goal).unwrap();
    stops("contraction", || Routes::new(&any));
    stops("sums", || RouteSums::new(mdp, &reward, work));
    let first = mdp.start()[0].0;
    let step = mdp.children(first).start;
    let action = mdp.action_of(mdp.choice_of()[step] as usize);
    let path = Trajectory::new(vec![first, mdp.to()[step] as usize], vec![action]);
    let demos = Demonstrations::new(mdp, &[path]).unwrap();
    stops("route choice", || RouteChoice::new(mdp, &world.features, &demos, work)?.evaluate(&world.theta));
}

/// A search that is cancelled in the middle of an evaluation has the best point so far.
#[test]
fn a_fit_keeps_the_best_theta() {
    let long = Long::new();
    let (mdp, features) = (&long.world.mdp, &long.world.features);
    let settings = |method| MaxEnt { method, l2: 0.1, max_iterations: 4, ..MaxEnt::default() };
    for method in [Method::Exact, Method::Causal] {
        let whole = settings(method).fit(mdp, features, &long.demos).unwrap();
        let asks = Arc::new(AtomicUsize::new(0));
        let (counted, counts) = (Arc::clone(&asks), Arc::clone(&asks));
        let count = Cancel::when(move || counted.fetch_add(1, Ordering::Relaxed) == usize::MAX);
        count.during(|| settings(method).fit(mdp, features, &long.demos)).unwrap();
        let all = counts.swap(0, Ordering::Relaxed);
        // Once at the very beginning, and then at several places in the middle of evaluations.
        for part in [0, all / 3, all / 2, all - 2] {
            let asks = AtomicUsize::new(0);
            let cancel = Cancel::when(move || asks.fetch_add(1, Ordering::Relaxed) >= part);
            let found = cancel.during(|| settings(method).fit_watched(mdp, features, &long.demos, &Watch::none()));
            let Ok(fit) = found else {
                assert!(part == 0 && found.err() == Some(Error::Stopped), "{part} of {all}");
                continue;
            };
            assert_eq!((fit.stop, fit.converged), (Stopped::Interrupted, false), "{part} of {all}");
            assert!(fit.evaluations < whole.evaluations + 1 && fit.evaluations > 0);
            let options = Options { ends: fit.ends, horizon: Some(fit.horizon), ..Options::default() };
            let again = match method {
                Method::Exact => {
                    let at = Likelihood::new(mdp, features, &long.demos, &options).unwrap().evaluate(&fit.theta).unwrap();
                    assert_eq!(at.log_partition, fit.log_partition);
                    at.log_likelihood
                }
                _ => {
                    let likely = CausalObjective::Likelihood;
                    let mut causal = CausalLikelihood::new(mdp, features, &long.demos, &options, likely).unwrap();
                    causal.evaluate(&fit.theta).unwrap().log_likelihood
                }
            };
            assert_eq!(again, fit.log_likelihood, "{method:?}, {part} of {all}");
            let unwatched = Cancel::when(|| true).during(|| settings(method).fit(mdp, features, &long.demos));
            assert_eq!(unwatched.err(), Some(Error::Stopped));
        }
    }
}

/// A discount so near to 1 that a plan takes many sweeps.
fn town() -> (revealed::Mdp, Reward) {
    let world = worlds::road_like(20_000, 40_000, 1).unwrap();
    let reward = world.features.reward(&world.mdp, &world.theta).unwrap();
    (world.mdp.with_discount(0.999).unwrap(), reward)
}
