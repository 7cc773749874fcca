//! Gymnasium's FrozenLake-v1: across the ice to the goal, past the holes, slippery or not.

use super::{Layout, World};
use crate::Error;
use crate::world::{Features, FeaturesBuilder, Mdp, MdpBuilder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;

/// Gymnasium's 4x4 map.
pub const FROZEN_LAKE_4X4: [&str; 4] = ["SFFF", "FHFH", "FFFH", "HFFG"];
/// Gymnasium's 8x8 map.
pub const FROZEN_LAKE_8X8: [&str; 8] =
    ["SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"];

/// Row and column steps of the actions, in Gymnasium's order: left, down, right, up.
const STEPS: [(isize, isize); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
const MOST_ROWS: usize = 10_000;
/// The largest size of a random lake: it has a million cells and is drawn up to a thousand times.
const MOST_SIZE: usize = 1000;
/// Below the percolation threshold a large map is practically never solvable.
const MOST_TRIALS: usize = 1000;

/// FrozenLake on a map of `S` (start), `F` (frozen), `H` (hole) and `G` (goal), with Gymnasium's dynamics.
///
/// Actions are 0 left, 1 down, 2 right, 3 up; a step off the map stays. On slippery ice the intended direction and the
/// two perpendicular to it have probability 1/3 each. Holes and goals are terminal. There is one indicator per cell;
/// the true reward is 1 at the goal.
///
/// ```
/// use revealed::worlds::{FROZEN_LAKE_4X4, frozen_lake};
/// let lake = frozen_lake(&FROZEN_LAKE_4X4, true)?;
/// assert_eq!(lake.mdp.probability()[lake.mdp.transition(0, 0, 0).unwrap()], 2.0 / 3.0);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If the map is empty or not a rectangle, has another letter, or has no `S`.
pub fn frozen_lake(map: &[impl AsRef<str>], slippery: bool) -> Result<World, Error> {
    let map = Map::parse(map)?;
    let mdp = assemble(&map, slippery)?;
    let slippery = if slippery { "-slippery" } else { "" };
    Ok(World {
        name: format!("frozen-lake-{}x{}{slippery}", map.rows, map.columns),
        features: describe(&map, &mdp)?,
        theta: map.cells.iter().map(|&cell| if cell == b'G' { 1.0 } else { 0.0 }).collect(),
        layout: Layout::Grid { rows: map.rows, columns: map.columns },
        mdp,
    })
}

/// A random square map: start and goal in opposite corners, other cells frozen with probability `p_frozen`. Maps are
/// drawn until the goal can be reached.
///
/// # Errors
/// If `size` is less than 2 or above 1000, or if no solvable map with this `p_frozen` was found.
pub fn random_lake(size: usize, p_frozen: f64, seed: u64) -> Result<Vec<String>, Error> {
    if !(2..=MOST_SIZE).contains(&size) {
        return Err(Error::Count { what: "the size of the lake", value: size, least: 2, most: MOST_SIZE });
    }
    let refused = Error::Setting {
        what: "p_frozen",
        value: p_frozen,
        expected: "at most 1, and large enough that a path to the goal exists",
    };
    if !(0.0..=1.0).contains(&p_frozen) {
        return Err(refused);
    }
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let solvable = (0..MOST_TRIALS).map(|_| Map::random(size, p_frozen, &mut rng)).find(Map::is_solvable);
    solvable.map(|map| map.lines()).ok_or(refused)
}

struct Map {
    rows: usize,
    columns: usize,
    cells: Vec<u8>,
}

impl Map {
    fn parse(map: &[impl AsRef<str>]) -> Result<Map, Error> {
        let rows: Vec<&[u8]> = map.iter().map(|row| row.as_ref().as_bytes()).collect();
        let columns = rows.first().map_or(0, |row| row.len());
        for (what, value) in [("the number of rows of the map", rows.len()), ("the number of columns of the map", columns)] {
            if !(1..=MOST_ROWS).contains(&value) {
                return Err(Error::Count { what, value, least: 1, most: MOST_ROWS });
            }
        }
        for (row, cells) in rows.iter().enumerate() {
            if cells.len() != columns {
                return Err(Error::Length { what: "a row of the map", found: cells.len(), expected: columns });
            }
            if let Some(column) = cells.iter().position(|cell| !b"SFHG".contains(cell)) {
                return Err(Error::MapLetter { row, column, letter: cells[column].into() });
            }
        }
        let cells = rows.concat();
        let starts = cells.iter().filter(|&&cell| cell == b'S').count();
        if starts == 0 {
            return Err(Error::Count { what: "the number of S on the map", value: starts, least: 1, most: cells.len() });
        }
        Ok(Map { rows: rows.len(), columns, cells })
    }

    fn random(size: usize, p_frozen: f64, rng: &mut Pcg64Mcg) -> Map {
        let mut cells: Vec<u8> = (0..size * size).map(|_| if rng.random_bool(p_frozen) { b'F' } else { b'H' }).collect();
        cells[0] = b'S';
        cells[size * size - 1] = b'G';
        Map { rows: size, columns: size, cells }
    }

    fn lines(&self) -> Vec<String> {
        self.cells.chunks(self.columns).map(|row| row.iter().map(|&cell| char::from(cell)).collect()).collect()
    }

    fn is_terminal(&self, state: usize) -> bool {
        matches!(self.cells[state], b'H' | b'G')
    }

    /// The state one step in the direction of an action; the same state at the edge.
    fn step(&self, state: usize, action: usize) -> usize {
        let (down, right) = STEPS[action];
        let row = (state / self.columns).saturating_add_signed(down).min(self.rows - 1);
        let column = (state % self.columns).saturating_add_signed(right).min(self.columns - 1);
        row * self.columns + column
    }

    /// The outcomes of an action with their probabilities; directions that end in the same cell are merged.
    fn outcomes(&self, state: usize, action: usize, slippery: bool) -> BTreeMap<usize, f64> {
        if !slippery {
            return BTreeMap::from([(self.step(state, action), 1.0)]);
        }
        let mut count = BTreeMap::new();
        for turn in [3, 0, 1] {
            *count.entry(self.step(state, (action + turn) % 4)).or_insert(0) += 1;
        }
        count.into_iter().map(|(to, count)| (to, f64::from(count) / 3.0)).collect()
    }

    fn is_solvable(&self) -> bool {
        let mut seen = vec![false; self.cells.len()];
        let mut open = vec![0];
        while let Some(state) = open.pop() {
            if self.cells[state] == b'G' {
                return true;
            }
            if !self.is_terminal(state) && !std::mem::replace(&mut seen[state], true) {
                open.extend((0..4).map(|action| self.step(state, action)));
            }
        }
        false
    }
}

fn assemble(map: &Map, slippery: bool) -> Result<Mdp, Error> {
    let mut builder = MdpBuilder::new(map.cells.len(), STEPS.len());
    let starts: Vec<usize> = (0..map.cells.len()).filter(|&state| map.cells[state] == b'S').collect();
    for &state in &starts {
        builder.start(state, 1.0 / starts.len() as f64);
    }
    for state in 0..map.cells.len() {
        if map.is_terminal(state) {
            builder.terminal(state);
            continue;
        }
        for action in 0..STEPS.len() {
            for (to, p) in map.outcomes(state, action, slippery) {
                builder.transition(state, action, to, p);
            }
        }
    }
    builder.build()
}

fn describe(map: &Map, mdp: &Mdp) -> Result<Features, Error> {
    let mut builder = FeaturesBuilder::new(map.cells.len());
    let name = |state| format!("row{}_column{}", state / map.columns, state % map.columns);
    builder.names((0..map.cells.len()).map(name).collect());
    for state in 0..map.cells.len() {
        builder.state(state, state, 1.0);
    }
    builder.build(mdp)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T(to | from, action), 0 if there is no such transition.
    fn probability(world: &World, from: usize, action: usize, to: usize) -> f64 {
        world.mdp.transition(from, action, to).map_or(0.0, |transition| world.mdp.probability()[transition])
    }

    #[test]
    fn the_small_lake_is_gymnasiums() {
        let lake = frozen_lake(&FROZEN_LAKE_4X4, true).unwrap();
        assert_eq!((lake.mdp.n_states(), lake.mdp.n_actions(), lake.mdp.n_choices()), (16, 4, 44));
        let terminal: Vec<usize> = (0..16).filter(|&state| lake.mdp.is_terminal(state)).collect();
        assert_eq!(terminal, [5, 7, 11, 12, 15]);
        assert_eq!(lake.mdp.start(), [(0, 1.0)]);
        assert_eq!(lake.theta.iter().position(|&reward| reward == 1.0), Some(15));
        assert_eq!(lake.theta.iter().sum::<f64>(), 1.0);
        assert_eq!(lake.features.names()[11], "row2_column3");
        let third = 1.0 / 3.0;
        // (from, action, to, p) as env.unwrapped.P gives them, with equal outcomes merged.
        let expected = [
            (0, 0, 0, 2.0 * third),
            (0, 0, 4, third),
            (0, 1, 0, third),
            (0, 1, 4, third),
            (0, 1, 1, third),
            (0, 3, 1, third),
            (0, 3, 0, 2.0 * third),
            (3, 2, 7, third),
            (3, 2, 3, 2.0 * third),
            (6, 1, 5, third),
            (6, 1, 10, third),
            (6, 1, 7, third),
            (6, 1, 2, 0.0),
            (14, 2, 14, third),
            (14, 2, 15, third),
            (14, 2, 10, third),
            (13, 0, 9, third),
            (13, 0, 12, third),
            (13, 0, 13, third),
        ];
        for (from, action, to, p) in expected {
            assert_eq!(probability(&lake, from, action, to), p, "from {from} by {action} to {to}");
        }
        assert_eq!(lake.mdp.n_transitions(), 128);
    }

    #[test]
    fn without_slipping_each_action_leads_to_one_cell() {
        let lake = frozen_lake(&FROZEN_LAKE_8X8, false).unwrap();
        assert_eq!((lake.mdp.n_transitions(), lake.mdp.n_choices()), (212, 212));
        let to: Vec<usize> =
            (0..4).map(|action| (0..64).find(|&to| probability(&lake, 9, action, to) == 1.0).unwrap()).collect();
        assert_eq!(to, [8, 17, 10, 1]);
        assert_eq!(probability(&lake, 8, 0, 8), 1.0);
        assert_eq!(lake.with_discount(0.9).unwrap().mdp.discount(), 0.9);
    }

    #[test]
    fn random_lakes_can_be_crossed() {
        for seed in 0..20 {
            let map = random_lake(8, 0.7, seed).unwrap();
            assert!(Map::parse(&map).unwrap().is_solvable());
            assert_eq!(map, random_lake(8, 0.7, seed).unwrap());
            assert!(frozen_lake(&map, true).is_ok());
        }
        assert!(random_lake(1001, 0.8, 0).is_err());
        assert!(random_lake(1, 0.8, 0).is_err() && random_lake(50, 0.1, 0).is_err() && random_lake(8, f64::NAN, 0).is_err());
    }

    #[test]
    fn bad_maps_are_refused() {
        assert_eq!(frozen_lake(&["SF", "FX"], true), Err(Error::MapLetter { row: 1, column: 1, letter: 'X' }));
        assert!(matches!(frozen_lake(&["SF", "F"], true), Err(Error::Length { found: 1, expected: 2, .. })));
        assert!(matches!(frozen_lake(&["FF", "FG"], true), Err(Error::Count { value: 0, .. })));
        assert!(matches!(frozen_lake(&[""; 0], true), Err(Error::Count { value: 0, .. })));
    }
}
