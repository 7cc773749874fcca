//! The sliced layout that the kernel runs on.
//!
//! Rows (states) are grouped into slices of eight. A slice is as wide as its longest row, and its neighbours are stored
//! column by column. So one instruction handles eight rows, and no branch depends on the length of a row.
//!
//! There are two such tables: the children of each state, for the backward message, and the parents, for the forward
//! message. Both have the same row order, so that every vector is read and written in sequence. Within a window the
//! states are sorted by the numbers of their children and parents, which keeps the padding small and the neighbours
//! near. A *place* is a row of both tables.

use crate::world::Mdp;

/// The number of rows handled at once: two AVX2 registers, or one of AVX-512.
pub(crate) const LANES: usize = 8;
/// The number of rows that are sorted together. A larger window has less padding, but neighbours are farther apart.
const WINDOW: usize = 2048;
/// Marks a slot that only pads a slice.
pub(crate) const PADDING: u32 = u32::MAX;

/// Neighbours of rows, eight rows to a slice.
#[derive(Debug, Clone)]
pub(crate) struct Slices {
    /// Slice k has the columns `first[k]..first[k + 1]`.
    pub first: Vec<u32>,
    /// `neighbour[column][lane]`: the place to read.
    pub neighbour: Vec<[u32; LANES]>,
    /// The edge of each slot (column by column, lane by lane), or [`PADDING`].
    pub edge: Vec<u32>,
}

impl Slices {
    fn new(rows: &[Vec<(u32, u32)>], nowhere: u32) -> Self {
        let mut slices = Slices { first: vec![0], neighbour: Vec::new(), edge: Vec::new() };
        for slice in rows.chunks(LANES) {
            let width = slice.iter().map(Vec::len).max().unwrap_or(0);
            for column in 0..width {
                let slot = |lane: usize| slice.get(lane).and_then(|row| row.get(column)).copied().unwrap_or((nowhere, PADDING));
                slices.neighbour.push(std::array::from_fn(|lane| slot(lane).0));
                slices.edge.extend((0..LANES).map(|lane| slot(lane).1));
            }
            slices.first.push(slices.neighbour.len() as u32);
        }
        slices
    }

    /// The number of slices.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// The number of slots, padding included.
    pub fn n_slots(&self) -> usize {
        self.edge.len()
    }
}

/// An MDP's edges in both tables. An edge is a transition, or all transitions of one pair (s, s') together.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    /// The children of each place. States with children come first, then terminal states. Each group is padded to whole
    /// slices.
    pub children: Slices,
    /// The parents of each place.
    pub parents: Slices,
    /// How many slices have children; the rest are terminal states.
    pub inner_slices: usize,
    /// The state of each place, or [`PADDING`].
    pub state_of_place: Vec<u32>,
    /// The place of each state.
    pub place_of_state: Vec<u32>,
    /// The edge of each transition.
    pub edge_of: Vec<u32>,
    /// The number of edges.
    pub n_edges: usize,
    /// A power of two above the number of places: the length of a vector that is read by `neighbour`. The entries after
    /// the last place are zero, and padding reads one of them.
    pub padded_len: usize,
}

impl Network {
    /// Lays out an MDP. `merge` combines the transitions of one pair (s, s') into one edge. This is valid if their
    /// weights do not change over time.
    pub fn new(mdp: &Mdp, merge: bool) -> Self {
        let edge_of = number_edges(mdp, merge);
        let n_edges = edge_of.iter().max().map_or(0, |&last| last as usize + 1);
        let children = degrees(mdp.n_states(), mdp.from(), &edge_of);
        let parents = degrees(mdp.n_states(), mdp.to(), &edge_of);
        let (state_of_place, inner_slices) = order_states(mdp, |state| (children[state], parents[state]));
        let place_of_state = inverse(&state_of_place, mdp.n_states());
        let nowhere = state_of_place.len() as u32;

        let mut children = vec![Vec::new(); state_of_place.len()];
        let mut parents = vec![Vec::new(); state_of_place.len()];
        for (edge, (from, to)) in edge_ends(mdp, &edge_of, n_edges).into_iter().enumerate() {
            let (from, to) = (place_of_state[from as usize], place_of_state[to as usize]);
            children[from as usize].push((to, edge as u32));
            parents[to as usize].push((from, edge as u32));
        }
        Network {
            children: Slices::new(&children, nowhere),
            parents: Slices::new(&parents, nowhere),
            inner_slices,
            padded_len: (state_of_place.len() + 1).next_power_of_two(),
            state_of_place,
            place_of_state,
            edge_of,
            n_edges,
        }
    }

    /// The number of places, padding included.
    pub fn n_places(&self) -> usize {
        self.state_of_place.len()
    }
}

/// Numbers the edges in the order of (s, s') or of the transitions.
fn number_edges(mdp: &Mdp, merge: bool) -> Vec<u32> {
    if !merge {
        return (0..mdp.n_transitions() as u32).collect();
    }
    let mut edge_of = vec![0; mdp.n_transitions()];
    let mut next = 0;
    let mut targets: Vec<(u32, usize)> = Vec::new();
    for state in 0..mdp.n_states() {
        targets.clear();
        targets.extend(mdp.children(state).map(|transition| (mdp.to()[transition], transition)));
        targets.sort_unstable();
        for (place, &(to, transition)) in targets.iter().enumerate() {
            if place > 0 && targets[place - 1].0 != to {
                next += 1;
            }
            edge_of[transition] = next;
        }
        next += u32::from(!targets.is_empty());
    }
    edge_of
}

fn edge_ends(mdp: &Mdp, edge_of: &[u32], n_edges: usize) -> Vec<(u32, u32)> {
    let mut ends = vec![(0, 0); n_edges];
    for (transition, &edge) in edge_of.iter().enumerate() {
        ends[edge as usize] = (mdp.from()[transition], mdp.to()[transition]);
    }
    ends
}

/// States with children, then terminal states, and how many slices have children. Within a window the rows are sorted by
/// their sizes, which keeps the padding small, and each group is padded to whole slices.
pub(crate) fn order_states<K: Ord>(mdp: &Mdp, size: impl Fn(usize) -> K) -> (Vec<u32>, usize) {
    let sort_and_fill = |states: &mut Vec<u32>| {
        for window in states.chunks_mut(WINDOW) {
            window.sort_by_key(|&state| size(state as usize));
        }
        states.resize(states.len().next_multiple_of(LANES), PADDING);
    };
    let (mut inner, mut leaves): (Vec<u32>, Vec<u32>) =
        (0..mdp.n_states() as u32).partition(|&state| !mdp.is_terminal(state as usize));
    sort_and_fill(&mut inner);
    sort_and_fill(&mut leaves);
    let inner_slices = inner.len() / LANES;
    inner.extend(leaves);
    (inner, inner_slices)
}

/// How many distinct edges each state has at this end.
fn degrees(n_states: usize, end: &[u32], edge_of: &[u32]) -> Vec<u32> {
    let mut seen = vec![false; edge_of.len()];
    let mut degree = vec![0; n_states];
    for (&state, &edge) in end.iter().zip(edge_of) {
        if !std::mem::replace(&mut seen[edge as usize], true) {
            degree[state as usize] += 1;
        }
    }
    degree
}

/// The place of each state.
pub(crate) fn inverse(order: &[u32], n_states: usize) -> Vec<u32> {
    let mut place = vec![0; n_states];
    for (at, &state) in order.iter().enumerate().filter(|&(_, &state)| state != PADDING) {
        place[state as usize] = at as u32;
    }
    place
}
