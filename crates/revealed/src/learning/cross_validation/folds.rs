//! Demonstrations divided into folds.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use crate::Error;
use crate::world::Demonstrations;

/// The demonstrations of each fold: shuffled, then each assigned to the smallest fold.
pub(crate) fn divide(demos: &Demonstrations, folds: usize, seed: u64, group_identical: bool) -> Result<Vec<Vec<usize>>, Error> {
    let counted = (0..demos.len()).filter(|&index| demos.weight(index) > 0.0);
    let mut units: Vec<Vec<usize>> = if group_identical {
        let mut by_path: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        counted.for_each(|index| by_path.entry((demos.states(index), demos.transitions(index))).or_default().push(index));
        by_path.into_values().collect()
    } else {
        counted.map(|index| vec![index]).collect()
    };
    let of = if group_identical { "distinct demonstrations" } else { "demonstrations of positive weight" };
    if folds < 2 || folds > units.len() {
        return Err(Error::Folds { folds, n: units.len(), of });
    }
    units.sort();
    units.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
    // Largest groups first: a large group at the end would make the folds unequal.
    units.sort_by_key(|unit| std::cmp::Reverse(unit.len()));
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); folds];
    for unit in units {
        let smallest = (0..folds).min_by_key(|&fold| members[fold].len()).expect("there are two or more");
        members[smallest].extend(unit);
    }
    members.iter_mut().for_each(|fold| fold.sort_unstable());
    Ok(members)
}
