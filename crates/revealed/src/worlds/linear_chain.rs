//! The paper's linear MDP: one path, one action.

use super::{Layout, World, chain_length};
use crate::Error;
use crate::world::{Features, MdpBuilder};

/// The chain s_1 → s_2 → … → s_n of fig:linear-mdp, where n is 4: a single action leads from each state to the next,
/// paths start in the first, and the last is terminal.
///
/// The paper leaves its rewards as symbols. Here there is one indicator per state, and the true reward is 1 in the last
/// state.
///
/// ```
/// let chain = revealed::worlds::linear_chain(4)?;
/// assert_eq!((chain.mdp.n_states(), chain.mdp.n_transitions()), (4, 3));
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If `n` is less than 2 or above a million.
pub fn linear_chain(n: usize) -> Result<World, Error> {
    chain_length(n, 2)?;
    let mut builder = MdpBuilder::new(n, 1);
    builder.start(0, 1.0).terminal(n - 1);
    for state in 0..n - 1 {
        builder.transition(state, 0, state + 1, 1.0);
    }
    let mdp = builder.build()?;
    let mut theta = vec![0.0; n];
    theta[n - 1] = 1.0;
    Ok(World {
        name: format!("linear-chain-{n}"),
        features: Features::one_hot(&mdp),
        mdp,
        theta,
        layout: Layout::Grid { rows: 1, columns: n },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_states_are_the_papers_figure() {
        let mut builder = MdpBuilder::new(4, 1);
        builder.start(0, 1.0).terminal(3);
        builder.transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(2, 0, 3, 1.0);
        let chain = linear_chain(4).unwrap();
        assert_eq!(chain.mdp, builder.build().unwrap());
        assert_eq!((chain.theta.as_slice(), chain.features.n_features()), (&[0.0, 0.0, 0.0, 1.0][..], 4));
        let reward = chain.features.reward(&chain.mdp, &chain.theta).unwrap();
        assert_eq!(reward.state, chain.theta);
        assert!((0..4).all(|state| chain.mdp.is_terminal(state) == (state == 3)));
    }

    #[test]
    fn lengths_are_checked() {
        assert_eq!(linear_chain(2).unwrap().mdp.n_transitions(), 1);
        for n in [0, 1, usize::MAX] {
            assert!(linear_chain(n).unwrap_err().to_string().contains("between 2 and 1000000"));
        }
    }
}
