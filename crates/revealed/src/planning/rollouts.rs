//! Episodes of a policy.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::random::{check_number, draw};
use crate::planning::Policy;
use crate::world::{Mdp, Trajectory};

/// The maximum number of states of all episodes together. A state takes 16 bytes.
const MOST_STATES: usize = 200_000_000;

/// `n` episodes of a policy. Each runs from p0 to a terminal state, or until it has `longest` states. The same seed
/// gives the same episodes, and asking for fewer gives the first of them.
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
/// If the policy does not fit the MDP, `longest` is 0, or the episodes would have more states than memory holds.
pub fn rollouts(mdp: &Mdp, policy: &Policy, n: usize, longest: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
    policy.check(mdp)?;
    if longest == 0 {
        return Err(Error::Count { what: "the longest episode", value: 0, least: 1, most: usize::MAX });
    }
    check_number(n)?;
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut episodes = Vec::new();
    let mut states = 0;
    for _ in 0..n {
        Cancel::check()?;
        let path = episode(mdp, policy, longest.min(MOST_STATES + 1), &mut rng);
        states += path.states.len();
        if states > MOST_STATES {
            let what = "the number of states of all episodes (ask for fewer or shorter ones)";
            return Err(Error::Count { what, value: states, least: 1, most: MOST_STATES });
        }
        episodes.push(path);
    }
    Ok(episodes)
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

/// A choice with probability 1 draws no random number.
fn choose(mdp: &Mdp, policy: &Policy, state: usize, rng: &mut Pcg64Mcg) -> usize {
    let likely = mdp.choices(state).map(|choice| (choice, policy.probability(choice))).filter(|option| option.1 > 0.0);
    let mut options = likely.clone();
    match (options.next(), options.next()) {
        (Some((choice, _)), None) => choice,
        _ => draw(likely, rng),
    }
}
