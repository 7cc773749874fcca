//! Counterfactuals of the causal model: against the enumeration of all episodes, and how often intervals cover.

use revealed::oracle::{CausalEpisode, RandomProblem, causal_episodes, causal_times};
use revealed::{
    Chance, Counterfactual, Demonstrations, Ends, Error, FeaturesBuilder, Given, MaxEnt, Method, Options, Outcome, PathModel,
    ScenarioBuilder, Stop, ThetaCovariance, Watch, Work, sample,
};

use crate::helpers::{close, lake};

/// Random worlds in which an action is forbidden: visits, lengths, ends, expected rewards and E[V_1].
#[test]
fn outcomes_equal_enumeration() {
    let mut asked = 0;
    for seed in (1..800).step_by(4) {
        let problem = RandomProblem::new(seed);
        let (mdp, features, horizon) = (&problem.mdp, &problem.features, problem.horizon);
        let scenario = match ScenarioBuilder::new(mdp, features).forbid_action(0).build() {
            Ok(scenario) => scenario,
            Err(Error::NoTripLeft { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        let question = Counterfactual { chance: Chance::Fixed, ..Counterfactual::new(mdp, features, horizon, Ends::Horizon) };
        let reward = scenario.reward(&problem.theta).unwrap();
        let times = causal_times(scenario.mdp(), &reward, horizon, Stop::Horizon);
        let episodes = causal_episodes(scenario.mdp(), scenario.mdp().start(), &times);
        let wanted = [Outcome::Length, Outcome::LengthVariance, Outcome::Reward, Outcome::Logsum];
        let states = (0..mdp.n_states()).flat_map(|state| [Outcome::Visits(state), Outcome::End(state)]);
        let outcomes: Vec<Outcome> = wanted.into_iter().chain(states).collect();
        let found = question.outcomes(&scenario, &problem.theta, &outcomes);
        if episodes.is_empty() {
            assert!(matches!(found, Err(Error::NoTripLeft { .. })), "seed {seed}: {found:?}");
            continue;
        }
        asked += 1;
        let mean = |of: &dyn Fn(&CausalEpisode) -> f64| -> f64 {
            episodes.iter().map(|episode| episode.probability * of(episode)).sum()
        };
        let power = |step: usize| mdp.discount().powi(step as i32);
        let worth = |episode: &CausalEpisode| -> f64 {
            let of = |(step, &state): (usize, &usize)| {
                let edge = episode.transitions.get(step).map_or(0.0, |&transition| reward.of_transition(transition));
                power(step) * (reward.state[state] + edge)
            };
            episode.states.iter().enumerate().map(of).sum()
        };
        let length = mean(&|episode| episode.states.len() as f64);
        for (outcome, found) in outcomes.iter().zip(found.unwrap()) {
            let expected = match *outcome {
                Outcome::Length => length,
                Outcome::LengthVariance => mean(&|episode| (episode.states.len() as f64 - length).powi(2)),
                Outcome::Reward => mean(&worth),
                Outcome::Logsum => mean(&|episode| times[0].value[episode.states[0]]),
                Outcome::Visits(state) => mean(&|episode| {
                    (episode.states.iter().enumerate()).map(|(step, &s)| if s == state { power(step) } else { 0.0 }).sum()
                }),
                Outcome::End(state) => mean(&|episode| f64::from(u8::from(episode.states.last() == Some(&state)))),
                _ => unreachable!("not asked"),
            };
            close(found, expected, 1e-9 * (1.0 + expected.abs()), format_args!("seed {seed}: {outcome:?}"));
        }
    }
    assert!(asked > 80, "{asked}");
}

/// A cell of the lake is closed: intervals of 200 fits cover what would really change.
#[test]
fn intervals_cover_at_their_nominal_rate() {
    let lake = lake();
    let mut features = FeaturesBuilder::new(2);
    for state in 0..16 {
        features.state(state, 0, -1.0).state(state, 1, if [5, 7, 11, 12].contains(&state) { -3.0 } else { 0.0 });
    }
    let (mdp, features, truth) = (&lake.mdp, features.build(&lake.mdp).unwrap(), [0.4, 1.0]);
    let question = Counterfactual { chance: Chance::Fixed, ..Counterfactual::new(mdp, &features, 20, Ends::Horizon) };
    // Going left is forbidden.
    let scenario = ScenarioBuilder::new(mdp, &features).forbid_action(0).build().unwrap();
    let outcomes = [Outcome::Length, Outcome::Reward, Outcome::Logsum, Outcome::Visits(4), Outcome::End(15)];
    let real = |world| question.outcomes(world, &truth, &outcomes).unwrap();
    let (base, changed) = (real(&question.base().unwrap()), real(&scenario));
    let model = PathModel::causal(mdp, features.reward(mdp, &truth).unwrap(), 20, Ends::Horizon).unwrap();
    let options = Options { ends: Ends::Horizon, horizon: Some(20.into()), ..Options::default() };
    let settings = MaxEnt { method: Method::Causal, options, ..MaxEnt::default() };
    let mut covered = [0; 5];
    for seed in 0..200 {
        let demos = Demonstrations::new(mdp, &sample(&model, &Given::default(), 150, seed, &Work::default()).unwrap()).unwrap();
        let fit = settings.fit(mdp, &features, &demos).unwrap();
        let sure = settings.uncertainty(mdp, &features, &demos, &fit.theta).unwrap();
        let known = ThetaCovariance::of(&sure, false).unwrap();
        for (k, one) in question.compare(&known, &scenario, &outcomes, &Watch::none()).unwrap().iter().enumerate() {
            let (low, high) = one.difference.interval(0.95).unwrap().unwrap();
            covered[k] += u32::from((low..=high).contains(&(changed[k] - base[k])));
        }
    }
    println!("{covered:?} of 200");
    assert!(covered.iter().all(|count| (178..=199).contains(count)), "{covered:?}");
}
