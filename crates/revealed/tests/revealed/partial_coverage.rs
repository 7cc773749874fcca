//! Half of the states and actions hidden at random: what is learned, and how often its intervals cover the truth.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Cluster, Demonstrations, Ends, Features, FeaturesBuilder, MaxEnt, Mdp, Options, PartialDemonstrations, PartialTrajectory,
    PathDistribution, Sight, Sighting, Standing, Starts, Trajectory, Watch,
};

use crate::helpers::{lake, open_stop, slippery_features};

const FITS: usize = 200;

/// Each state and each action is seen with probability 1/2.
fn half_hidden(path: &Trajectory, rng: &mut Pcg64Mcg) -> PartialTrajectory {
    let mut seen = PartialTrajectory::from(path);
    for sighting in &mut seen.sightings {
        if let Sighting::Step { state, action } = sighting {
            for sight in [state, action] {
                if rng.random_bool(0.5) {
                    *sight = Sight::Unseen;
                }
            }
        }
    }
    seen
}

/// The rates at which intervals at 95 % cover each parameter, by the errors of the model and by robust ones.
fn rates(mdp: &Mdp, features: &Features, truth: &[f64], horizon: usize, ends: Ends, n: usize) -> [Vec<f64>; 2] {
    let options = Options { ends, horizon: Some(horizon.into()), ..Options::default() };
    let settings = MaxEnt { options, ..MaxEnt::default() };
    let mut paths = PathDistribution::new(mdp, features.reward(mdp, truth).unwrap(), horizon, open_stop(ends)).unwrap();
    let mut covered = [vec![0; truth.len()], vec![0; truth.len()]];
    for seed in 0..FITS as u64 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let seen: Vec<PartialTrajectory> =
            paths.sample(n, seed).unwrap().iter().map(|path| half_hidden(path, &mut rng)).collect();
        let demos = PartialDemonstrations::new(mdp, &seen).unwrap();
        let found = settings.fit_partial(mdp, features, &demos, &Starts::default(), &Watch::none()).unwrap();
        assert!(found.fit.converged, "{seed}: {}", found.fit.stopped_because);
        let theta = &found.fit.theta;
        let sure = settings.uncertainty_partial(mdp, features, &demos, theta, &Cluster::Each, &Watch::none()).unwrap();
        assert_eq!(sure.standing, vec![Standing::Estimated; truth.len()]);
        let errors = [&sure.standard_errors, sure.robust_errors.as_ref().unwrap()];
        for (covered, errors) in covered.iter_mut().zip(errors) {
            for (k, covered) in covered.iter_mut().enumerate() {
                *covered += usize::from((theta[k] - truth[k]).abs() <= 1.959_963_984_540_054 * errors[k].unwrap());
            }
        }
    }
    covered.map(|covered| covered.into_iter().map(|covered| covered as f64 / FITS as f64).collect())
}

/// Seeds are fixed, so this passes always or never. A single rate of 200 lies within 4 standard deviations, 6 %; the
/// mean rate of all is between 92 and 98 %.
#[test]
fn intervals_cover_at_their_nominal_rate() {
    let mut all = Vec::new();
    for (discount, ends, n) in [(1.0, Ends::Terminal, 200), (0.9, Ends::Anywhere, 300), (0.9, Ends::Horizon, 200)] {
        let (mdp, features, truth) = slippery_features(discount);
        let found = rates(&mdp, &features, &truth, 12, ends, n);
        println!("slippery, discount {discount}, ends {}: {found:?}", ends.name());
        all.extend(found.into_iter().flatten());
    }
    let lake = lake();
    let mut features = FeaturesBuilder::new(2);
    for state in 0..16 {
        let hole = [5, 7, 11, 12].contains(&state);
        features.state(state, 0, 1.0).state(state, 1, if hole { -1.0 } else { f64::from(u8::from(state == 15)) });
    }
    let found = rates(&lake.mdp, &features.build(&lake.mdp).unwrap(), &[-0.3, 1.0], 20, Ends::Anywhere, 200);
    println!("FrozenLake: {found:?}");
    all.extend(found.into_iter().flatten());
    assert!(all.iter().all(|rate| (rate - 0.95).abs() <= 0.062), "{all:?}");
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((0.92..=0.98).contains(&mean), "{mean}");
}

/// With everything seen, learning takes the usual way, bit by bit.
#[test]
fn whole_demonstrations_give_the_usual_fit() {
    let (mdp, features, truth) = slippery_features(0.9);
    let mut paths = PathDistribution::new(&mdp, features.reward(&mdp, &truth).unwrap(), 12, open_stop(Ends::Anywhere)).unwrap();
    let drawn = paths.sample(100, 3).unwrap();
    let whole = Demonstrations::new(&mdp, &drawn).unwrap();
    let seen: Vec<PartialTrajectory> = drawn.iter().map(PartialTrajectory::from).collect();
    let seen = PartialDemonstrations::new(&mdp, &seen).unwrap();
    let settings = MaxEnt::default();
    let found = settings.fit_partial(&mdp, &features, &seen, &Starts { number: 3, seed: 1 }, &Watch::none()).unwrap();
    assert_eq!(found.fit, settings.fit(&mdp, &features, &whole).unwrap());
    let sure = settings.uncertainty_partial(&mdp, &features, &seen, &found.fit.theta, &Cluster::Each, &Watch::none());
    assert_eq!(sure.unwrap(), settings.uncertainty(&mdp, &features, &whole, &found.fit.theta).unwrap());
}

#[test]
fn several_starts_say_how_many_agree() {
    let (mdp, features, truth) = slippery_features(1.0);
    let mut paths = PathDistribution::new(&mdp, features.reward(&mdp, &truth).unwrap(), 12, open_stop(Ends::Terminal)).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let seen: Vec<PartialTrajectory> = paths.sample(200, 5).unwrap().iter().map(|path| half_hidden(path, &mut rng)).collect();
    let demos = PartialDemonstrations::new(&mdp, &seen).unwrap();
    let options = Options { ends: Ends::Terminal, horizon: Some(12.into()), ..Options::default() };
    let settings = MaxEnt { options, ..MaxEnt::default() };
    let found = settings.fit_partial(&mdp, &features, &demos, &Starts { number: 4, seed: 9 }, &Watch::none()).unwrap();
    assert_eq!(found.log_likelihoods.len(), 4);
    assert!(found.agree >= 1 && found.log_likelihoods.iter().all(|value| *value <= found.fit.log_likelihood + 1e-9));
    let one = settings.fit_partial(&mdp, &features, &demos, &Starts::default(), &Watch::none()).unwrap();
    assert!(one.fit.log_likelihood <= found.fit.log_likelihood + 1e-9);
}
