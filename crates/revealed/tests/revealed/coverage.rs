//! Confidence intervals: how often those of 200 fits cover the truth.

use revealed::{Demonstrations, Ends, Features, FeaturesBuilder, MaxEnt, Mdp, Options, PathDistribution, Standing};

use crate::helpers::{lake, open_stop, slippery_features};

struct Rates {
    /// For each level and parameter, how often the interval covers the truth.
    covered: Vec<(f64, Vec<usize>)>,
    robust: Vec<usize>,
    /// (θ̂ - θ) / standard error.
    z: Vec<Vec<f64>>,
}

const FITS: usize = 200;

fn repeat(mdp: &Mdp, features: &Features, truth: &[f64], horizon: usize, ends: Ends, n: usize) -> Rates {
    let options = Options { ends, horizon: Some(horizon.into()), ..Options::default() };
    let settings = MaxEnt { options, ..MaxEnt::default() };
    let reward = features.reward(mdp, truth).unwrap();
    let mut paths = PathDistribution::new(mdp, reward, horizon, open_stop(ends)).unwrap();
    let parameters = truth.len();
    let levels = [0.5, 0.8, 0.95];
    let mut rates = Rates {
        covered: levels.map(|level| (level, vec![0; parameters])).to_vec(),
        robust: vec![0; parameters],
        z: vec![Vec::new(); parameters],
    };
    for seed in 0..FITS as u64 {
        let demos = Demonstrations::new(mdp, &paths.sample(n, seed).unwrap()).unwrap();
        let fit = settings.fit(mdp, features, &demos).unwrap();
        assert!(fit.converged, "{seed}: {}", fit.stopped_because);
        let sure = settings.uncertainty(mdp, features, &demos, &fit.theta).unwrap();
        assert_eq!(sure.standing, vec![Standing::Estimated; parameters]);
        for (level, covered) in &mut rates.covered {
            for (k, interval) in sure.intervals(*level).unwrap().into_iter().enumerate() {
                let (low, high) = interval.unwrap();
                covered[k] += usize::from((low..=high).contains(&truth[k]));
            }
        }
        for (k, truth) in truth.iter().enumerate() {
            let off = fit.theta[k] - truth;
            rates.z[k].push(off / sure.standard_errors[k].unwrap());
            let robust = sure.robust_errors.as_ref().unwrap()[k].unwrap();
            rates.robust[k] += usize::from(off.abs() <= 1.959963984540054 * robust);
        }
    }
    rates
}

/// Seeds are fixed, so this passes always or never. The limits are four standard deviations of a binomial (or of a
/// mean, or of a variance) of 200, wider than chance makes in one of ten thousand cases: a standard error wrong by a
/// third fails.
fn covers_at_the_nominal_rate(name: &str, rates: &Rates) {
    let fits = FITS as f64;
    let check = |what: &str, level: f64, covered: usize| {
        let limit = 4.0 * (level * (1.0 - level) / fits).sqrt();
        let rate = covered as f64 / fits;
        assert!((rate - level).abs() <= limit, "{name}, {what}: {rate} of intervals at {level}");
    };
    for (level, covered) in &rates.covered {
        let shares: Vec<f64> = covered.iter().map(|&covered| covered as f64 / fits).collect();
        println!("{name}: at {level} {shares:?}");
        covered.iter().enumerate().for_each(|(k, &covered)| check(&format!("parameter {k}"), *level, covered));
    }
    let shares: Vec<f64> = rates.robust.iter().map(|&covered| covered as f64 / fits).collect();
    println!("{name}: robust at 0.95 {shares:?}");
    rates.robust.iter().enumerate().for_each(|(k, &covered)| check(&format!("robust, parameter {k}"), 0.95, covered));
    for (k, z) in rates.z.iter().enumerate() {
        let mean = z.iter().sum::<f64>() / fits;
        let variance = z.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / (fits - 1.0);
        println!("{name}: z of parameter {k} has mean {mean:.3} and variance {variance:.3}");
        assert!(mean.abs() <= 4.0 / fits.sqrt(), "{name}, parameter {k}: mean {mean}");
        assert!((variance - 1.0).abs() <= 4.0 * (2.0 / fits).sqrt(), "{name}, parameter {k}: variance {variance}");
    }
}

#[test]
fn intervals_cover_at_their_nominal_rate() {
    for (discount, ends, n) in
        [(1.0, Ends::Terminal, 200), (0.9, Ends::Anywhere, 300), (0.9, Ends::Horizon, 200), (0.8, Ends::Terminal, 400)]
    {
        let (mdp, features, truth) = slippery_features(discount);
        let rates = repeat(&mdp, &features, &truth, 12, ends, n);
        covers_at_the_nominal_rate(&format!("slippery, discount {discount}, ends {}, N {n}", ends.name()), &rates);
    }
}

#[test]
fn intervals_cover_on_frozen_lake() {
    let lake = lake();
    let hole = |state: usize| [5, 7, 11, 12].contains(&state);
    let mut features = FeaturesBuilder::new(3);
    for state in 0..16 {
        // A place, its row, and whether it is a hole or the goal.
        features.state(state, 0, 1.0).state(state, 1, (state / 4) as f64);
        features.state(state, 2, if hole(state) { -1.0 } else { f64::from(u8::from(state == 15)) });
    }
    let features = features.build(&lake.mdp).unwrap();
    let rates = repeat(&lake.mdp, &features, &[-0.3, 0.1, 1.0], 20, Ends::Anywhere, 200);
    covers_at_the_nominal_rate("FrozenLake", &rates);
}
