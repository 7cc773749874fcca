//! Episodes of a policy.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{Error, Mdp, Policy, Trajectory};

/// `n` episodes of a policy, from p0 to a terminal state or to `longest` states. The same seed gives the same
/// episodes, and fewer of them are the first of more.
///
/// ```
/// use revealed::worlds::{FROZEN_LAKE_4X4, frozen_lake};
/// use revealed::{Policy, rollouts};
/// let lake = frozen_lake(&FROZEN_LAKE_4X4, true)?;
/// let episodes = rollouts(&lake.mdp, &Policy::uniform(&lake.mdp), 10, 100, 1)?;
/// assert_eq!(rollouts(&lake.mdp, &Policy::uniform(&lake.mdp), 3, 100, 1)?, episodes[..3]);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If the policy is one of another MDP, or `longest` is 0.
pub fn rollouts(mdp: &Mdp, policy: &Policy, n: usize, longest: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
    policy.check(mdp)?;
    if longest == 0 {
        return Err(Error::Count { what: "the longest episode", value: 0, least: 1, most: usize::MAX });
    }
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    Ok((0..n).map(|_| episode(mdp, policy, longest, &mut rng)).collect())
}

fn episode(mdp: &Mdp, policy: &Policy, longest: usize, rng: &mut Pcg64Mcg) -> Trajectory {
    let mut state = draw(mdp.start().iter().copied(), rng);
    let mut path = Trajectory::new(vec![state], Vec::new());
    while path.states.len() < longest && !mdp.is_terminal(state) {
        let choice = choose(mdp, policy, state, rng);
        state = draw(mdp.outcomes(choice).map(|t| (mdp.to()[t] as usize, mdp.probability()[t])), rng);
        path.actions.push(mdp.action_of(choice));
        path.states.push(state);
    }
    path
}

/// A certain choice draws no random number.
fn choose(mdp: &Mdp, policy: &Policy, state: usize, rng: &mut Pcg64Mcg) -> usize {
    let likely = mdp.choices(state).map(|choice| (choice, policy.probability(choice))).filter(|option| option.1 > 0.0);
    let mut options = likely.clone();
    match (options.next(), options.next()) {
        (Some((choice, _)), None) => choice,
        _ => draw(likely, rng),
    }
}

/// One of the options, in proportion to their probabilities; never one of probability 0.
pub(crate) fn draw(options: impl Iterator<Item = (usize, f64)>, rng: &mut Pcg64Mcg) -> usize {
    let mut left: f64 = rng.random();
    let mut last = 0;
    for (option, p) in options.filter(|option| option.1 > 0.0) {
        last = option;
        left -= p;
        if left < 0.0 {
            break;
        }
    }
    last
}
