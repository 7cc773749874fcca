//! The states from which the agent can make sure that an episode ends as it should.

use crate::world::Mdp;
use crate::world::parents::Parents;

/// Whether some policy leads from each state to one of `ends` with probability 1.
///
/// A state is dropped if no path leads from it to an end through choices all of whose outcomes are left. Dropping
/// states removes choices, so this is repeated until nothing changes.
pub(super) fn certain_to_end(mdp: &Mdp, ends: impl Fn(usize) -> bool) -> Vec<bool> {
    let parents = Parents::taken(mdp);
    let taken = |choice: usize| mdp.reference().is_none_or(|reference| reference[choice] > 0.0);
    let mut left = vec![true; mdp.n_states()];
    loop {
        let stays = |choice: usize| mdp.outcomes(choice).all(|transition| left[mdp.to()[transition] as usize]);
        let offered: Vec<bool> = (0..mdp.n_choices()).map(|choice| taken(choice) && stays(choice)).collect();
        let mut leads: Vec<bool> = (0..mdp.n_states()).map(|state| left[state] && ends(state)).collect();
        let mut open: Vec<usize> = (0..mdp.n_states()).filter(|&state| leads[state]).collect();
        while let Some(state) = open.pop() {
            for &transition in parents.of(state) {
                let (from, choice) = (mdp.from()[transition as usize] as usize, mdp.choice_of()[transition as usize]);
                if left[from] && offered[choice as usize] && !std::mem::replace(&mut leads[from], true) {
                    open.push(from);
                }
            }
        }
        if leads == left {
            return left;
        }
        left = leads;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MdpBuilder;

    #[test]
    fn a_choice_that_may_lead_into_a_trap_is_not_certain() {
        // 0 -a-> 1 or 3, 0 -b-> 2; 1 ends; 2 -> 1; 3 is a trap that leads only to itself.
        let mut builder = MdpBuilder::new(4, 2);
        builder.start(0, 1.0).terminal(1).transition(0, 0, 1, 0.5).transition(0, 0, 3, 0.5).transition(0, 1, 2, 1.0);
        builder.transition(2, 0, 1, 1.0).transition(3, 0, 3, 1.0);
        let mdp = builder.build().unwrap();
        assert_eq!(certain_to_end(&mdp, |state| state == 1), [true, true, true, false]);
        // Without the way through 2, chance decides.
        let mut builder = MdpBuilder::new(4, 2);
        builder.start(0, 1.0).terminal(1).transition(0, 0, 1, 0.5).transition(0, 0, 3, 0.5).transition(0, 1, 0, 1.0);
        builder.transition(2, 0, 1, 1.0).transition(3, 0, 3, 1.0);
        let mdp = builder.build().unwrap();
        assert_eq!(certain_to_end(&mdp, |state| state == 1), [false, true, true, false]);
    }
}
