//! The sliced layout of choices, for the kernel of the causal model.
//!
//! As in `engine/network.rs`, states are grouped into slices of eight. The k-th choices of the eight states of a slice
//! form a *block*: a slot of a block belongs to the lane of its state. The outcomes of the eight choices of a block are
//! stored column by column. So the sum over outcomes, the exponentials and the sum over choices all run on eight lanes,
//! and a step reads and writes every array in sequence.

use super::successors::Successors;
use crate::engine::network::{LANES, PADDING, inverse, order_states};
use crate::world::Mdp;

/// Eight rows at a time, and for each of them a list of (where to read, factor).
#[derive(Debug)]
pub(crate) struct Columns {
    /// Row group k has the columns `first[k]..first[k + 1]`.
    pub first: Vec<u32>,
    pub source: Vec<[u32; LANES]>,
    /// The probabilities; empty if all of them are 1.
    pub probability: Vec<[f64; LANES]>,
}

/// Where the choices and outcomes of an MDP are stored.
#[derive(Debug)]
pub(crate) struct ChoiceLayout {
    /// The state of each place, or [`PADDING`]. States with choices come first.
    pub state_of_place: Vec<u32>,
    pub place_of_state: Vec<u32>,
    /// How many slices have choices; the rest are terminal states.
    pub inner_slices: usize,
    /// Slice k has the blocks `first_block[k]..first_block[k + 1]`.
    pub first_block: Vec<u32>,
    /// The choice of each slot, or [`PADDING`].
    pub choice_of_slot: Vec<u32>,
    pub slot_of_choice: Vec<u32>,
    /// For each block, the places of the outcomes.
    pub outcomes: Columns,
    /// The distinct successors of each slice, if the outcomes of actions overlap.
    pub successors: Option<Successors>,
    /// For each slice, the slots that lead to its places; with `successors`, the slots of its columns.
    pub parents: Columns,
    /// The length of a vector over places: a power of two, with at least one entry after the last place.
    pub padded_places: usize,
    /// The same for a vector over slots.
    pub padded_slots: usize,
}

impl Columns {
    fn new(rows: &[Vec<(u32, f64)>], nowhere: u32) -> Columns {
        let mut columns = Columns { first: vec![0], source: Vec::new(), probability: Vec::new() };
        for group in rows.chunks(LANES) {
            let width = group.iter().map(Vec::len).max().unwrap_or(0);
            for column in 0..width {
                let slot = |lane: usize| group.get(lane).and_then(|row| row.get(column)).copied().unwrap_or((nowhere, 0.0));
                columns.source.push(std::array::from_fn(|lane| slot(lane).0));
                columns.probability.push(std::array::from_fn(|lane| slot(lane).1));
            }
            columns.first.push(columns.source.len() as u32);
        }
        // Padding reads an entry that is zero, so its factor does not matter.
        if rows.iter().flatten().all(|slot| slot.1 == 1.0) {
            columns.probability = Vec::new();
        }
        columns
    }
}

impl ChoiceLayout {
    pub fn new(mdp: &Mdp) -> ChoiceLayout {
        let mut n_parents = vec![0u32; mdp.n_states()];
        mdp.to().iter().for_each(|&to| n_parents[to as usize] += 1);
        let size = |state: usize| (mdp.choices(state).len(), mdp.children(state).len(), n_parents[state]);
        let (state_of_place, inner_slices) = order_states(mdp, size);
        let place_of_state = inverse(&state_of_place, mdp.n_states());
        let (mut first_block, mut choice_of_slot) = (vec![0], Vec::new());
        for slice in state_of_place[..inner_slices * LANES].chunks(LANES) {
            let choices = |lane: usize| match slice[lane] {
                PADDING => 0..0,
                state => mdp.choices(state as usize),
            };
            let blocks = (0..LANES).map(|lane| choices(lane).len()).max().unwrap_or(0);
            for block in 0..blocks {
                choice_of_slot.extend((0..LANES).map(|lane| choices(lane).nth(block).map_or(PADDING, |choice| choice as u32)));
            }
            first_block.push((choice_of_slot.len() / LANES) as u32);
        }
        let mut slot_of_choice = vec![0; mdp.n_choices()];
        let mut outcomes = vec![Vec::new(); choice_of_slot.len()];
        for (slot, &choice) in choice_of_slot.iter().enumerate().filter(|row| *row.1 != PADDING) {
            slot_of_choice[choice as usize] = slot as u32;
            for transition in mdp.outcomes(choice as usize) {
                let (to, p) = (place_of_state[mdp.to()[transition] as usize], mdp.probability()[transition]);
                outcomes[slot].push((to, p));
            }
        }
        let (n_places, n_slots) = (state_of_place.len(), choice_of_slot.len());
        let successors = Successors::new(&outcomes, &first_block, n_places as u32);
        let parents = match &successors {
            Some(successors) => Columns::new(&successors.parents(n_places), (successors.padded_slots - 1) as u32),
            None => Columns::new(&parents(&outcomes, n_places), n_slots as u32),
        };
        let [padded_places, padded_slots] = [n_places, n_slots].map(|length| (length + 1).next_power_of_two());
        ChoiceLayout {
            outcomes: Columns::new(&outcomes, n_places as u32),
            successors,
            parents,
            state_of_place,
            place_of_state,
            inner_slices,
            first_block,
            choice_of_slot,
            slot_of_choice,
            padded_places,
            padded_slots,
        }
    }

    /// The number of places, padding included.
    pub fn n_places(&self) -> usize {
        self.state_of_place.len()
    }

    /// The number of slots, padding included.
    pub fn n_slots(&self) -> usize {
        self.choice_of_slot.len()
    }

    /// The numbers of the states, from a vector over places.
    pub fn by_state(&self, of_place: &[f64]) -> Vec<f64> {
        self.place_of_state.iter().map(|&place| of_place[place as usize]).collect()
    }

    /// A vector over places from the numbers of the states; zero in all padding.
    pub fn by_place(&self, of_state: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut of_place = vec![0.0; self.padded_places];
        for (state, &place) in self.place_of_state.iter().enumerate() {
            of_place[place as usize] = of_state(state);
        }
        of_place
    }

    /// Σ_s' T(s'|s,a) x(s') of the choice in one slot, in the order of the kernel for numbers that may be infinite.
    pub fn expected(&self, slot: usize, x: &[f64]) -> f64 {
        let (block, lane) = (slot / LANES, slot % LANES);
        let add = |sum: f64, column: usize| {
            let value = x[self.outcomes.source[column][lane] as usize];
            self.outcomes.probability.get(column).map_or(sum + value, |p| p[lane].mul_add(value, sum))
        };
        (self.outcomes.first[block] as usize..self.outcomes.first[block + 1] as usize).fold(0.0, add)
    }

    /// The same in the order of the kernel for finite numbers.
    pub fn expected_finite(&self, slot: usize, x: &[f64]) -> f64 {
        let Some(successors) = &self.successors else { return self.expected(slot, x) };
        let (slice, block) = self.block(slot);
        let mut sum = 0.0;
        let add = |at: usize, p: f64| sum = p.mul_add(x[successors.place.as_flattened()[at] as usize], sum);
        successors.of_choice(slice, self.n_blocks(slice), block, slot % LANES, add);
        sum
    }

    /// The slice of a slot, and the number of its block within the slice.
    pub fn block(&self, slot: usize) -> (usize, usize) {
        let block = slot / LANES;
        let slice = self.first_block.partition_point(|&first| first as usize <= block) - 1;
        (slice, block - self.first_block[slice] as usize)
    }

    /// The number of blocks of a slice.
    pub fn n_blocks(&self, slice: usize) -> usize {
        (self.first_block[slice + 1] - self.first_block[slice]) as usize
    }

    /// The numbers of the choices, from a vector over slots.
    pub fn by_choice(&self, of_slot: &[f64]) -> Vec<f64> {
        self.slot_of_choice.iter().map(|&slot| of_slot[slot as usize]).collect()
    }
}

/// The slots that lead to each place, with their probabilities.
fn parents(outcomes: &[Vec<(u32, f64)>], n_places: usize) -> Vec<Vec<(u32, f64)>> {
    let mut parents = vec![Vec::new(); n_places];
    for (slot, outcomes) in outcomes.iter().enumerate() {
        outcomes.iter().for_each(|&(to, p)| parents[to as usize].push((slot as u32, p)));
    }
    parents
}
