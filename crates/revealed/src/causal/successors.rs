//! The distinct successors of each state, and small dense matrices of their probabilities.
//!
//! The outcomes of a state's actions often overlap: on slippery ice, four actions with three outcomes each lead to four
//! states. Then it is cheaper to read the value of each successor once, and to multiply all of them by the matrix
//! T(s'|s,a) of the state, zeros included. Most states of a regular world have the same matrix, which is stored once
//! and stays in the fastest cache.

use std::collections::HashMap;
use std::ops::Range;

use crate::engine::network::LANES;
use crate::engine::number::Lanes;

/// The largest number of choices of a state. The sums of more do not fit into the registers.
pub(crate) const MOST_CHOICES: usize = 6;
/// The cost of reading eight numbers at arbitrary places, in multiplications of eight numbers.
const GATHER: usize = 4;

/// The distinct successors of the states of each slice.
#[derive(Debug)]
pub(crate) struct Successors {
    /// Slice k has the columns `first[k]..first[k + 1]`. A column has one successor of each of the eight states.
    pub first: Vec<u32>,
    pub place: Vec<[u32; LANES]>,
    /// Where the matrix of each slice begins in `probability`.
    matrix: Vec<u32>,
    /// T(s'|s,a): a row for each column, with an entry for each block of the slice.
    probability: Vec<Lanes>,
    /// The length of a vector over the slots of columns: a power of two, with at least one entry after the last slot.
    pub padded_slots: usize,
}

impl Successors {
    /// The successors of (place, probability) for each slot, if they make a step faster.
    pub fn new(outcomes: &[Vec<(u32, f64)>], first_block: &[u32], nowhere: u32) -> Option<Successors> {
        let mut found =
            Successors { first: vec![0], place: Vec::new(), matrix: Vec::new(), probability: Vec::new(), padded_slots: 0 };
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let (mut dense, mut sparse) = (0, 0);
        for blocks in first_block.windows(2) {
            let blocks = blocks[0] as usize..blocks[1] as usize;
            if blocks.is_empty() || blocks.len() > MOST_CHOICES {
                return None;
            }
            let states: [Vec<Successor>; LANES] = std::array::from_fn(|lane| successors(outcomes, blocks.clone(), lane));
            let width = states.iter().map(Vec::len).max().unwrap_or(0);
            dense += width * (GATHER + blocks.len());
            let columns = |block: usize| outcomes[block * LANES..(block + 1) * LANES].iter().map(Vec::len).max();
            sparse += blocks.clone().filter_map(columns).sum::<usize>() * (GATHER + 1);
            found.add(&states, width, blocks.len(), nowhere, &mut known);
        }
        found.padded_slots = (found.place.len() * LANES + 1).next_power_of_two();
        (dense < sparse).then_some(found)
    }

    fn add(
        &mut self,
        states: &[Vec<Successor>; LANES],
        width: usize,
        n_blocks: usize,
        nowhere: u32,
        known: &mut HashMap<Vec<u64>, u32>,
    ) {
        let mut matrix: Vec<Lanes> = Vec::new();
        for column in 0..width {
            let of = |lane: usize| states[lane].get(column);
            self.place.push(std::array::from_fn(|lane| of(lane).map_or(nowhere, |successor| successor.place)));
            for block in 0..n_blocks {
                matrix.push(std::array::from_fn(|lane| of(lane).map_or(0.0, |successor| successor.probability[block])));
            }
        }
        let bits = matrix.iter().flatten().map(|p| p.to_bits()).collect();
        let begin = *known.entry(bits).or_insert_with(|| {
            self.probability.extend_from_slice(&matrix);
            (self.probability.len() - matrix.len()) as u32
        });
        self.matrix.push(begin);
        self.first.push(self.place.len() as u32);
    }

    /// The slots of columns that lead to each place.
    pub fn parents(&self, n_places: usize) -> Vec<Vec<(u32, f64)>> {
        let mut parents = vec![Vec::new(); n_places];
        for (slot, &place) in self.place.as_flattened().iter().enumerate() {
            if let Some(parents) = parents.get_mut(place as usize) {
                parents.push((slot as u32, 1.0));
            }
        }
        parents
    }

    /// The columns of a slice.
    #[inline(always)]
    pub fn columns(&self, slice: usize) -> Range<usize> {
        self.first[slice] as usize..self.first[slice + 1] as usize
    }

    /// The matrix of a slice with N blocks.
    #[inline(always)]
    pub fn rows<const N: usize>(&self, slice: usize) -> &[[Lanes; N]] {
        self.probability[self.matrix[slice] as usize..].as_chunks().0
    }

    /// Calls `visit` with the slot and the probability of each successor of one choice, in the order of the kernel.
    pub fn of_choice(&self, slice: usize, n_blocks: usize, block: usize, lane: usize, mut visit: impl FnMut(usize, f64)) {
        let rows = self.probability[self.matrix[slice] as usize..].chunks(n_blocks);
        for (column, row) in self.columns(slice).zip(rows) {
            visit(column * LANES + lane, row[block][lane]);
        }
    }
}

/// One successor of a state.
struct Successor {
    place: u32,
    /// T(s'|s,a) for each block.
    probability: [f64; MOST_CHOICES],
}

/// The distinct successors of a state, in the order in which its actions name them: so that states of the same kind have
/// the same matrix.
fn successors(outcomes: &[Vec<(u32, f64)>], blocks: Range<usize>, lane: usize) -> Vec<Successor> {
    let mut found: Vec<Successor> = Vec::new();
    for (number, block) in blocks.enumerate() {
        for &(place, p) in &outcomes[block * LANES + lane] {
            let known = found.iter().position(|successor| successor.place == place).unwrap_or_else(|| {
                found.push(Successor { place, probability: [0.0; MOST_CHOICES] });
                found.len() - 1
            });
            found[known].probability[number] += p;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::kernel::{Flows, arrivals, flows};
    use super::super::layout::ChoiceLayout;
    use crate::world::{Mdp, MdpBuilder};

    /// A grid on which three directions are possible for each action, and the last column is terminal.
    fn slippery() -> Mdp {
        let (wide, high) = (12usize, 9usize);
        let mut builder = MdpBuilder::new(wide * high, 4);
        builder.start(0, 1.0);
        let step = |state: usize, direction: usize| {
            let (x, y) = (state % wide, state / wide);
            match direction % 4 {
                0 => y * wide + (x + 1).min(wide - 1),
                1 => (y + 1).min(high - 1) * wide + x,
                2 => y * wide + x.saturating_sub(1),
                _ => y.saturating_sub(1) * wide + x,
            }
        };
        (0..high).for_each(|y| _ = builder.terminal(y * wide + wide - 1));
        for state in (0..wide * high).filter(|state| state % wide != wide - 1) {
            for action in 0..4 {
                let mut outcomes = BTreeMap::new();
                for (turn, p) in [(3, 0.25), (0, 0.625), (1, 0.125)] {
                    *outcomes.entry(step(state, action + turn)).or_insert(0.0) += p;
                }
                outcomes.into_iter().for_each(|(to, p)| _ = builder.transition(state, action, to, p));
            }
        }
        builder.build().unwrap()
    }

    #[test]
    fn matrices_are_shared_and_give_the_sums_over_outcomes() {
        let mdp = slippery();
        let layout = ChoiceLayout::new(&mdp);
        let successors = layout.successors.as_ref().expect("outcomes overlap");
        assert!(successors.probability.len() < successors.place.len() * 4, "states away from walls have one matrix");
        let x = layout.by_place(|state| (state as f64 * 0.7).sin());
        for choice in 0..mdp.n_choices() {
            let slot = layout.slot_of_choice[choice] as usize;
            let (by_matrix, by_outcomes) = (layout.expected_finite(slot, &x), layout.expected(slot, &x));
            assert!((by_matrix - by_outcomes).abs() < 1e-15, "choice {choice}: {by_matrix}, expected {by_outcomes}");
        }
    }

    #[test]
    fn arrivals_are_sums_over_transitions() {
        let mdp = slippery();
        let layout = ChoiceLayout::new(&mdp);
        let x = layout.by_place(|state| 1.0 + (state as f64).cos());
        let mut policy = vec![0.0; layout.padded_slots];
        for choice in 0..mdp.n_choices() {
            policy[layout.slot_of_choice[choice] as usize] = 0.1 + 0.05 * (choice % 4) as f64;
        }
        for by_slot in [false, true] {
            let (mut flow, mut next) = (Flows::new(&layout, by_slot), vec![0.0; layout.padded_places]);
            flows(&layout, false, &policy, &x, &mut flow);
            flow.add(&layout, 5, 2.0);
            arrivals(&layout, false, 0.9, &flow, &mut next);
            let mut expected = vec![0.0; mdp.n_states()];
            for (transition, &to) in mdp.to().iter().enumerate() {
                let choice = mdp.choice_of()[transition] as usize;
                let slot = layout.slot_of_choice[choice] as usize;
                let through = policy[slot] * x[layout.place_of_state[mdp.state_of(choice)] as usize];
                let through = through + if choice == 5 { 2.0 } else { 0.0 };
                expected[to as usize] += 0.9 * through * mdp.probability()[transition];
            }
            for (state, (next, expected)) in layout.by_state(&next).into_iter().zip(expected).enumerate() {
                assert!((next - expected).abs() < 1e-14, "state {state}: {next}, expected {expected}");
            }
        }
    }

    #[test]
    fn certain_outcomes_have_no_matrices() {
        let mut builder = MdpBuilder::new(3, 2);
        builder.start(0, 1.0).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0).transition(1, 0, 2, 1.0);
        assert!(ChoiceLayout::new(&builder.build().unwrap()).successors.is_none());
    }
}
