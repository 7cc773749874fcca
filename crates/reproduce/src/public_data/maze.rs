//! The binary maze of Rosenberg et al. (2021) on its 15 × 15 grid.

use revealed_draw::{Canvas, GridMap, grid_maps};

/// Cells in a row.
const SIDE: usize = 15;
/// The levels of the tree of corridors; level d has 2^d corridors.
const LEVELS: usize = 7;
/// The cells of a corridor of each level.
const LENGTHS: [usize; LEVELS] = [8, 4, 4, 2, 2, 1, 1];

/// A value of each node: the end of a corridor.
pub struct Draw<'a> {
    /// What is shown.
    pub title: &'a str,
    /// One for each node.
    pub values: &'a [f64],
}

/// The corridors, coloured by the values of their ends, side by side; `None` for another maze.
pub fn maze(draws: &[Draw<'_>]) -> Option<Canvas> {
    let n_nodes = (1 << LEVELS) - 1;
    if draws.iter().any(|draw| draw.values.len() != n_nodes) {
        return None;
    }
    let cells = cells();
    let of = |draw: &Draw<'_>| {
        let mut values = vec![0.0; SIDE * SIDE];
        for (node, corridor) in cells.iter().enumerate() {
            corridor.iter().for_each(|&(x, y)| values[y * SIDE + x] = draw.values[node]);
        }
        values
    };
    let values: Vec<Vec<f64>> = draws.iter().map(of).collect();
    let map = |(draw, values): (&Draw<'_>, &Vec<f64>)| (draw.title.to_string(), values.clone());
    let named: Vec<(String, Vec<f64>)> = draws.iter().zip(&values).map(map).collect();
    let maps: Vec<GridMap<'_>> =
        (named.iter()).map(|(title, values)| GridMap { title, columns: SIDE, values, letters: &[], arrows: &[] }).collect();
    Some(grid_maps(&maps, false))
}

/// The cells (x, y) of each corridor. From the end of a corridor, the next level goes off to both sides.
fn cells() -> Vec<Vec<(usize, usize)>> {
    let mut corridors: Vec<Vec<(usize, usize)>> = vec![(0..LENGTHS[0]).map(|x| (x, SIDE / 2)).collect()];
    for (level, &length) in LENGTHS.iter().enumerate().skip(1) {
        let (before, first) = ((1 << (level - 1)) - 1, (1 << level) - 1);
        for number in 0..1usize << level {
            let end = corridors[before + number / 2].last().copied().unwrap_or_default();
            // Odd levels are vertical. The first child is above, or on the left.
            let ahead = number % 2 == 1;
            let step = |by: usize| {
                let shifted = |at: usize| if ahead { at + by } else { at.saturating_sub(by) };
                if level % 2 == 1 { (end.0, shifted(end.1)) } else { (shifted(end.0), end.1) }
            };
            debug_assert_eq!(corridors.len(), first + number);
            corridors.push((1..=length).map(step).collect());
        }
    }
    corridors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corridors_share_no_cell() {
        let mut all: Vec<(usize, usize)> = cells().into_iter().flatten().collect();
        assert_eq!(all.len(), 176);
        assert!(all.iter().all(|&(x, y)| x < SIDE && y < SIDE));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 176);
        assert!(maze(&[Draw { title: "a", values: &[1.0; 127] }]).is_some());
        assert!(maze(&[Draw { title: "a", values: &[1.0; 5] }]).is_none());
    }
}
