//! The elimination order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::world::Mdp;

/// Minimum degree: eliminates the state with the fewest neighbours, connects these neighbours with each other, and
/// repeats. Ties go to the state with the lowest level in the elimination tree, which keeps the tree shallow and the
/// arcs short. Returns the rank of each state and, by rank, the neighbours of higher rank in ascending order.
pub(super) fn least_degree(mdp: &Mdp) -> (Vec<u32>, Vec<Vec<u32>>) {
    let n = mdp.n_states();
    let mut neighbours = vec![Vec::new(); n];
    for (&from, &to) in mdp.from().iter().zip(mdp.to()).filter(|(from, to)| from != to) {
        neighbours[from as usize].push(to);
        neighbours[to as usize].push(from);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let mut rank_of = vec![u32::MAX; n];
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let mut level = vec![0u32; n];
    let mut waiting: BinaryHeap<Reverse<(usize, u32, u32)>> =
        neighbours.iter().enumerate().map(|(state, list)| Reverse((list.len(), 0, state as u32))).collect();
    let mut joined = Vec::new();
    while let Some(Reverse((degree, when, state))) = waiting.pop() {
        let here = state as usize;
        // Outdated: the neighbours have changed since this entry was pushed, and a newer entry is in the queue.
        if rank_of[here] != u32::MAX || degree != neighbours[here].len() || when != level[here] {
            continue;
        }
        rank_of[here] = order.len() as u32;
        order.push(state);
        let around = std::mem::take(&mut neighbours[here]);
        for &other in &around {
            join(&neighbours[other as usize], &around, [state, other], &mut joined);
            std::mem::swap(&mut neighbours[other as usize], &mut joined);
            level[other as usize] = level[other as usize].max(level[here] + 1);
            waiting.push(Reverse((neighbours[other as usize].len(), level[other as usize], other)));
        }
        neighbours[here] = around;
    }
    let higher = |&state: &u32| {
        let mut ranks: Vec<u32> = neighbours[state as usize].iter().map(|&other| rank_of[other as usize]).collect();
        ranks.sort_unstable();
        ranks
    };
    let higher = order.iter().map(higher).collect();
    (rank_of, higher)
}

/// The union of two sorted lists, without the two states `but`.
fn join(a: &[u32], b: &[u32], but: [u32; 2], joined: &mut Vec<u32>) {
    joined.clear();
    let (mut i, mut j) = (0, 0);
    loop {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => {
                i += usize::from(x <= y);
                j += usize::from(y <= x);
                x.min(y)
            }
            (Some(&x), None) => {
                i += 1;
                x
            }
            (None, Some(&y)) => {
                j += 1;
                y
            }
            (None, None) => return,
        };
        if !but.contains(&next) {
            joined.push(next);
        }
    }
}
