//! The division of trips into a training and a test set.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::Trajectory;

use crate::error::Error;

/// The indices of the trips of each set, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The training set.
    pub train: Vec<usize>,
    /// The test set.
    pub test: Vec<usize>,
}

impl Split {
    /// The training trips and the test trips.
    pub fn of(&self, trips: &[Trajectory]) -> (Vec<Trajectory>, Vec<Trajectory>) {
        let these = |places: &[usize]| places.iter().map(|&place| trips[place].clone()).collect();
        (these(&self.train), these(&self.test))
    }
}

/// Divides trips at random, about `share` of them into the training set. Trips with the same id, and trips along the
/// same states, are in the same set, so that no test trip was seen in training.
///
/// The result depends only on the seed and the order of the trips. If connected groups of trips are large, the share is
/// met as closely as whole groups allow.
///
/// ```
/// use revealed::Trajectory;
/// use revealed_roads::split;
///
/// let trips: Vec<Trajectory> = (0..10).map(|state| Trajectory::new(vec![state], vec![])).collect();
/// let halves = split(&trips, 0.7, 1)?;
/// assert_eq!((halves.train.len(), halves.test.len()), (7, 3));
/// # Ok::<(), revealed_roads::Error>(())
/// ```
///
/// # Errors
/// If the share is not between 0 and 1, or there are fewer than two groups of trips.
pub fn split(trips: &[Trajectory], share: f64, seed: u64) -> Result<Split, Error> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::Trips(format!("the share of training trips is {share}: give one between 0 and 1, such as 0.7")));
    }
    let mut groups = groups(trips);
    if groups.len() < 2 {
        let what = if trips.is_empty() { "there are none" } else { "all of them have the same route or the same id" };
        return Err(Error::Trips(format!("the trips cannot be divided into a training and a test set: {what}")));
    }
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    for place in (1..groups.len()).rev() {
        groups.swap(place, rng.random_range(0..=place));
    }
    // Neither set is empty.
    let wanted = ((share * trips.len() as f64).round() as usize).clamp(1, trips.len() - 1);
    let mut found = Split { train: Vec::new(), test: Vec::new() };
    let last = groups.len() - 1;
    for (place, group) in groups.into_iter().enumerate() {
        let must = place == last && found.train.is_empty();
        let may = found.train.len() + group.len() <= wanted && !(place == last && found.test.is_empty());
        if must || may { &mut found.train } else { &mut found.test }.extend(group);
    }
    found.train.sort_unstable();
    found.test.sort_unstable();
    Ok(found)
}

/// Groups of trips that are connected by equal ids or routes, in the order of their first trips.
fn groups(trips: &[Trajectory]) -> Vec<Vec<usize>> {
    let mut above: Vec<usize> = (0..trips.len()).collect();
    let mut by_route: HashMap<&[usize], usize> = HashMap::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (place, trip) in trips.iter().enumerate() {
        let same_route = *by_route.entry(&trip.states).or_insert(place);
        let same_id = trip.id.as_deref().map_or(place, |id| *by_id.entry(id).or_insert(place));
        for other in [same_route, same_id] {
            let (one, other) = (top(&mut above, place), top(&mut above, other));
            above[one.max(other)] = one.min(other);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); trips.len()];
    for place in 0..trips.len() {
        groups[top(&mut above, place)].push(place);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The first trip of the group of a trip (union-find).
fn top(above: &mut [usize], mut place: usize) -> usize {
    while above[place] != place {
        above[place] = above[above[place]];
        place = above[place];
    }
    place
}
