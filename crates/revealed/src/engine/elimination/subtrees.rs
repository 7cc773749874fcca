//! Which fronts can be worked on at once: branches of the elimination tree.

use std::ops::Range;

use super::fronts::Fronts;

/// Branches are cut until none has more than this share of the work.
const LARGEST: f64 = 1.0 / 12.0;

/// Branches of the elimination tree, ascending, and the fronts above all of them. The division does not depend on the
/// number of threads.
#[derive(Debug)]
pub(super) struct Subtrees {
    /// The fronts of each branch. The last one is its root.
    pub branches: Vec<Range<usize>>,
    /// The fronts that belong to no branch, ascending.
    pub trunk: Vec<usize>,
}

impl Subtrees {
    pub fn new(fronts: &Fronts) -> Subtrees {
        let n = fronts.len();
        let mut work: Vec<f64> = (0..n).map(|front| own_work(fronts, front)).collect();
        for front in 0..n {
            if let Some(above) = work.get(fronts.above[front] as usize).copied() {
                work[fronts.above[front] as usize] = above + work[front];
            }
        }
        let all: f64 = (0..n).filter(|&front| fronts.above[front] == u32::MAX).map(|front| work[front]).sum();
        let (mut branches, mut trunk) = (Vec::new(), Vec::new());
        let mut front = n;
        // From the last front down: a branch that is small enough is taken whole.
        while let Some(next) = front.checked_sub(1) {
            if work[next] <= LARGEST * all {
                front = fronts.lowest[next] as usize;
                branches.push(front..next + 1);
            } else {
                trunk.push(next);
                front = next;
            }
        }
        branches.reverse();
        trunk.reverse();
        Subtrees { branches: joined(branches, &work, LARGEST * all), trunk }
    }
}

fn own_work(fronts: &Fronts, front: usize) -> f64 {
    let shape = fronts.shape(front);
    (shape.pivots * shape.width) as f64 * (shape.width as f64 + 16.0)
}

/// Consecutive branches that are small are worked on together.
fn joined(branches: Vec<Range<usize>>, work: &[f64], most: f64) -> Vec<Range<usize>> {
    let mut joined: Vec<(Range<usize>, f64)> = Vec::new();
    for branch in branches {
        let of_branch = work[branch.end - 1];
        match joined.last_mut() {
            Some((last, sum)) if last.end == branch.start && *sum + of_branch <= most => {
                last.end = branch.end;
                *sum += of_branch;
            }
            _ => joined.push((branch, of_branch)),
        }
    }
    joined.into_iter().map(|(range, _)| range).collect()
}

/// The parts of a slice that belong to each of some ascending, disjoint ranges.
pub(super) fn parts<T>(mut slice: &mut [T], ranges: impl Iterator<Item = Range<usize>>) -> Vec<&mut [T]> {
    let (mut parts, mut at) = (Vec::new(), 0);
    for range in ranges {
        let (_, rest) = std::mem::take(&mut slice).split_at_mut(range.start - at);
        let (part, rest) = rest.split_at_mut(range.len());
        parts.push(part);
        (slice, at) = (rest, range.end);
    }
    parts
}
