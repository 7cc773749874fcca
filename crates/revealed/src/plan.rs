//! Planning on a known reward: optimal policies, and what they do.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{Error, Mdp, Reward, Trajectory};

/// An optimal stationary policy: the choice number to take in each state, `None` in terminal states.
///
/// Value iteration on V(s) = R(s) + max_a Σ_s' T(s'|s,a) (R(s,a,s') + γ V(s')) with γ = `discount`, until no value
/// changes by more than `tolerance`; ties go to the lowest action.
///
/// # Errors
/// If the discount is not in [0, 1) or the tolerance not above 0: the iteration might not end.
pub fn optimal_policy(mdp: &Mdp, reward: &Reward, discount: f64, tolerance: f64) -> Result<Vec<Option<usize>>, Error> {
    reward.check(mdp)?;
    if !(0.0..1.0).contains(&discount) {
        return Err(Error::Setting { what: "the discount of planning", value: discount, expected: "at least 0 and below 1" });
    }
    if tolerance.is_nan() || tolerance <= 0.0 {
        return Err(Error::Setting { what: "the tolerance of planning", value: tolerance, expected: "above 0" });
    }
    let mut value = reward.state.clone();
    loop {
        let mut change: f64 = 0.0;
        for state in 0..mdp.n_states() {
            let best = mdp.choices(state).map(|choice| worth(mdp, reward, &value, discount, choice)).reduce(f64::max);
            let new = reward.state[state] + best.unwrap_or(0.0);
            change = change.max((new - value[state]).abs());
            value[state] = new;
        }
        // Rounding alone moves large values by more than a small tolerance.
        let rounding = 1e-15 * value.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        if change <= tolerance.max(rounding) {
            break;
        }
    }
    let best_choice = |state: usize| {
        let mut best: Option<(f64, usize)> = None;
        for choice in mdp.choices(state) {
            let worth = worth(mdp, reward, &value, discount, choice);
            if best.is_none_or(|(most, _)| worth > most + 1e-9 * most.abs().max(tolerance)) {
                best = Some((worth, choice));
            }
        }
        best.map(|(_, choice)| choice)
    };
    Ok((0..mdp.n_states()).map(best_choice).collect())
}

fn worth(mdp: &Mdp, reward: &Reward, value: &[f64], discount: f64, choice: usize) -> f64 {
    let of = |transition: usize| {
        let next = discount * value[mdp.to()[transition] as usize];
        mdp.probability()[transition] * (reward.of_transition(transition) + next)
    };
    mdp.outcomes(choice).map(of).sum()
}

/// `n` episodes of a policy, from p0 to a terminal state or to `longest` states. The same seed gives the same
/// episodes.
pub fn rollouts(mdp: &Mdp, policy: &[Option<usize>], n: usize, longest: usize, seed: u64) -> Vec<Trajectory> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    (0..n)
        .map(|_| {
            let mut state = draw(mdp.start().iter().copied(), &mut rng);
            let mut path = Trajectory::new(vec![state], Vec::new());
            while path.states.len() < longest
                && let Some(choice) = policy[state]
            {
                state = draw(mdp.outcomes(choice).map(|t| (mdp.to()[t] as usize, mdp.probability()[t])), &mut rng);
                path.actions.push(mdp.action_of(choice));
                path.states.push(state);
            }
            path
        })
        .collect()
}

/// One of the options, in proportion to their probabilities.
pub(crate) fn draw(options: impl Iterator<Item = (usize, f64)>, rng: &mut Pcg64Mcg) -> usize {
    let mut left: f64 = rng.random();
    let mut last = 0;
    // Rounding may leave a little of `left` at the end: never for what cannot be.
    for (option, p) in options.filter(|option| option.1 > 0.0) {
        last = option;
        left -= p;
        if left < 0.0 {
            break;
        }
    }
    last
}
