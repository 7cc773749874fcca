//! A road of the made-up city is closed: how often the intervals of 200 fits cover what then happens.

use revealed::{
    Counterfactual, Demonstrations, Ends, Features, MaxEnt, Mdp, Options, Outcome, Scenario, ScenarioBuilder, ThetaCovariance,
    Watch,
};
use revealed_roads::{CityOptions, Group, city};

const FITS: u64 = 200;
const TRIPS: usize = 500;
const LEVEL: f64 = 0.95;

/// The most visited road.
fn busiest(question: &Counterfactual<'_>, theta: &[f64]) -> usize {
    let visits = question.visits(&question.base().unwrap(), theta).unwrap();
    (0..visits.len()).max_by(|&a, &b| visits[a].total_cmp(&visits[b])).unwrap()
}

/// What is measured: lengths, metres or seconds, the logsum, and the roads whose flows change most.
fn measured(question: &Counterfactual<'_>, closed: &Scenario, theta: &[f64]) -> Vec<Outcome> {
    let [before, after] = [&question.base().unwrap(), closed].map(|world| question.visits(world, theta).unwrap());
    let change = |state: &usize| (after[*state] - before[*state]).abs();
    let mut order: Vec<usize> = (0..before.len()).collect();
    order.sort_by(|a, b| change(b).total_cmp(&change(a)));
    let flows = order.iter().take(3).map(|&state| Outcome::Visits(state));
    [Outcome::Length, Outcome::Feature(0), Outcome::Logsum, Outcome::Reward].into_iter().chain(flows).collect()
}

fn known(mdp: &Mdp, features: &Features, demos: &Demonstrations, settings: &MaxEnt, seed: u64) -> ThetaCovariance {
    let fit = settings.fit(mdp, features, demos).unwrap();
    assert!(fit.converged, "{seed}: {}", fit.stopped_because);
    ThetaCovariance::of(&settings.uncertainty(mdp, features, demos, &fit.theta).unwrap(), false).unwrap()
}

/// Seeds are fixed, so this passes always or never. Of 200 intervals that cover with probability 0.95, fewer than 178 or
/// more than 199 cover in about one of a thousand cases.
#[test]
fn intervals_cover_what_happens_if_a_road_is_closed() {
    let groups = Group::parse("length,signals,angle").unwrap();
    let city = city(&CityOptions { groups, blocks: 12, horizon: 60, mean_states: 10.0, ..CityOptions::default() }).unwrap();
    let problem = city.roads.problem().unwrap();
    let (mdp, features, theta) = (&problem.mdp, &problem.features, &city.theta);
    let question = Counterfactual::new(mdp, features, city.horizon, Ends::Anywhere);
    let closed = ScenarioBuilder::new(mdp, features).close_state(busiest(&question, theta)).build().unwrap();
    let outcomes = measured(&question, &closed, theta);
    let truth = [&question.base().unwrap(), &closed].map(|world| question.outcomes(world, theta, &outcomes).unwrap());
    let options = Options { horizon: Some(city.horizon.into()), ..Options::default() };
    let settings = MaxEnt { options, ..MaxEnt::default() };
    let mut covered = vec![[0; 3]; outcomes.len()];
    for seed in 0..FITS {
        let demos = Demonstrations::new(mdp, &city.trips(TRIPS, seed).unwrap()).unwrap();
        let known = known(mdp, features, &demos, &settings, seed);
        let found = question.compare(&known, &closed, &outcomes, &Watch::none()).unwrap();
        for (k, one) in found.iter().enumerate() {
            let (base, other) = (truth[0][k], truth[1][k]);
            let pairs = [(one.base, base), (one.scenario, other), (one.difference, other - base)];
            for (count, (measured, truth)) in covered[k].iter_mut().zip(pairs) {
                let (low, high) = measured.interval(LEVEL).unwrap().unwrap();
                *count += u64::from((low - 1e-12..=high + 1e-12).contains(&truth));
            }
        }
    }
    for (outcome, counts) in outcomes.iter().zip(&covered) {
        println!("{outcome:?}: {:?}", counts.map(|count| count as f64 / FITS as f64));
    }
    // The visits to the closed road are 0 in the scenario, without any uncertainty.
    let certain = |place: usize, which: usize| truth[1][place] == 0.0 && which == 1;
    for (place, counts) in covered.iter().enumerate() {
        for (which, count) in counts.iter().enumerate().filter(|(which, _)| !certain(place, *which)) {
            assert!((178..=199).contains(count), "{:?} ({which}): {count} of {FITS}", outcomes[place]);
        }
    }
}
