//! Nested dissection: a separator is eliminated after the two parts that it leaves (George 1973).
//!
//! Nothing of one part fills in with the other. In a network that can be drawn in the plane, n states have a separator of
//! about √n states, so the arcs grow like n log n and the work like n^1.5.

use super::graph::Graph;
use super::separator::{SEPARATOR, separator};
use crate::Error;
use crate::cancel::Cancel;
use crate::numeric::parallel;

/// A part this small is left to the rule of least degree.
pub(super) const LEAF: usize = 100;
/// A separator with more than this share of its graph is of no use: the network has no geography.
const LARGEST_SEPARATOR: f64 = 0.2;

/// The vertices of all separators, those of the parts before those between them. The other vertices form small parts,
/// of which no two are neighbours; or larger ones that have no small separator.
///
/// # Errors
/// [`Error::Stopped`].
pub(super) fn separators(graph: &Graph) -> Result<Vec<u32>, Error> {
    let all: Vec<u32> = (0..graph.n() as u32).collect();
    divide(graph, &all)
}

/// `name` has the vertex of the whole graph for each vertex of this part.
fn divide(graph: &Graph, name: &[u32]) -> Result<Vec<u32>, Error> {
    if graph.n() <= LEAF {
        return Ok(Vec::new());
    }
    Cancel::check()?;
    let part = separator(graph);
    let members = |which: u8| -> Vec<u32> { (0..graph.n() as u32).filter(|&v| part[v as usize] == which).collect() };
    let between = members(SEPARATOR);
    if between.len() as f64 > LARGEST_SEPARATOR * graph.n() as f64 {
        return Ok(Vec::new());
    }
    let side = |which: u8| {
        let inside = members(which);
        let name: Vec<u32> = inside.iter().map(|&v| name[v as usize]).collect();
        divide(&graph.part(&inside, &mut vec![u32::MAX; graph.n()]), &name)
    };
    let (one, other) = parallel::join(|| side(0), || side(1));
    let mut order = one?;
    order.extend(other?);
    order.extend(between.iter().map(|&v| name[v as usize]));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of `side` by `side` vertices.
    fn grid(side: usize) -> Graph {
        let (mut first, mut to) = (vec![0], Vec::new());
        for v in 0..side * side {
            let (x, y) = (v % side, v / side);
            if x > 0 {
                to.push(v as u32 - 1);
            }
            if x + 1 < side {
                to.push(v as u32 + 1);
            }
            if y > 0 {
                to.push((v - side) as u32);
            }
            if y + 1 < side {
                to.push((v + side) as u32);
            }
            first.push(to.len() as u32);
        }
        Graph { first, edge: vec![1; to.len()], weight: vec![1; side * side], to }
    }

    #[test]
    fn a_separator_divides() {
        for side in [15, 40, 100] {
            let graph = grid(side);
            let part = separator(&graph);
            let mut sizes = [0; 3];
            for v in 0..graph.n() {
                sizes[part[v] as usize] += 1;
                for &to in graph.around(v as u32) {
                    let parts = [part[v], part[to as usize]];
                    assert!(parts[0] == parts[1] || parts.contains(&SEPARATOR), "{v} and {to} are in different parts");
                }
            }
            let [one, other, between] = sizes;
            assert!(between <= side + side / 8 + 1, "{between} of a side of {side}");
            assert!(one.max(other) as f64 <= 0.62 * graph.n() as f64, "{sizes:?}");
        }
    }

    #[test]
    fn parts_that_are_left_are_small_and_apart() {
        let graph = grid(60);
        let order = separators(&graph).unwrap();
        let mut part = vec![0u8; graph.n()];
        order.iter().for_each(|&v| part[v as usize] = SEPARATOR);
        let mut seen = vec![false; graph.n()];
        for start in (0..graph.n()).filter(|&v| part[v] == 0) {
            let (mut stack, mut size) = (vec![start as u32], 0);
            while let Some(v) = stack.pop() {
                if std::mem::replace(&mut seen[v as usize], true) {
                    continue;
                }
                size += 1;
                stack.extend(graph.around(v).iter().filter(|&&to| part[to as usize] == 0));
            }
            assert!(size <= LEAF, "{size} vertices are left together");
        }
    }
}
