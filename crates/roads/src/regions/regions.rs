//! Cuts a network into regions, and says what was cut.

use std::fs;
use std::path::{Path, PathBuf};

use revealed::Trajectory;
use revealed::worlds::Layout;
use revealed_formats::{Problem, ProblemColumns, WorldFiles, demonstrations, save_manifest};

use super::halves::{Extent, divide};
use super::part::{Numbers, part_of};
use crate::error::{Error, Fault};

/// How a network is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionOptions {
    /// How many regions there are.
    pub count: usize,
    /// By how much each region extends over its neighbours, in the units of the coordinates; by default the least with
    /// which every trip lies within one.
    pub margin: Option<f64>,
}

/// A region: a world of its own, and the trips in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The world.
    pub problem: ProblemColumns,
    /// The number of each state in the whole network.
    pub states: Vec<usize>,
    /// The trips, with the states of this world.
    pub trips: Vec<Trajectory>,
}

/// The regions, and what was cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Regions {
    /// The regions.
    pub regions: Vec<Region>,
    /// By how much they extend over their neighbours.
    pub margin: f64,
    /// The trips that lie within no region.
    pub without: Vec<usize>,
    /// How many states are in several regions.
    pub shared: usize,
    /// How many transitions are in no region.
    pub cut: usize,
}

impl Regions {
    /// Writes the regions into a folder: `region-000.npz` and `region-000.jsonl` for each, and the list `worlds.jsonl`,
    /// whose path is returned. A region without trips has nothing to say about θ, and is not written.
    ///
    /// # Errors
    /// If the folder cannot be made, or a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<PathBuf, Error> {
        let cannot = |error: std::io::Error| Fault::Content(format!("cannot be made: {error}")).of(folder);
        fs::create_dir_all(folder).map_err(cannot)?;
        let mut worlds = Vec::new();
        for (number, region) in self.regions.iter().enumerate().filter(|(_, region)| !region.trips.is_empty()) {
            let files = Region::files(number);
            region.problem.save(folder.join(&files.problem))?;
            demonstrations::save(&region.trips, folder.join(&files.demos))?;
            worlds.push(files);
        }
        let manifest = folder.join("worlds.jsonl");
        save_manifest(&worlds, &manifest)?;
        Ok(manifest)
    }
}

impl Region {
    /// The names of the files of the region with this number.
    pub fn files(number: usize) -> WorldFiles {
        WorldFiles { problem: format!("region-{number:03}.npz").into(), demos: format!("region-{number:03}.jsonl").into() }
    }
}

/// Cuts a network into regions with about equally many states. Each trip goes to a region that it lies within: of
/// several, to the one with most of its states.
///
/// # Errors
/// If the network has no coordinates, or there are more regions than states.
pub fn regions(problem: &Problem, trips: &[Trajectory], options: &RegionOptions) -> Result<Regions, Error> {
    let RegionOptions { count, margin } = *options;
    let n = problem.mdp.n_states();
    let Some(Layout::Points { x, y }) = &problem.layout else {
        let message = "the network has no coordinates of its states (`layout.x` and `layout.y`): regions are cut by them";
        return Err(Error::Network(message.to_string()));
    };
    if !(1..=n).contains(&count) {
        return Err(Error::Network(format!("{count} regions of {n} states: give a number between 1 and {n}")));
    }
    if let Some(margin) = margin.filter(|margin| !(margin.is_finite() && *margin >= 0.0)) {
        return Err(Error::Network(format!("the margin is {margin}: it must be a finite number, 0 or more")));
    }
    let places: Vec<[f64; 2]> = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
    let cores = divide(&places, count);
    let reach =
        |core: &Extent, trip: &Trajectory| trip.states.iter().map(|&state| core.distance(places[state])).fold(0.0, f64::max);
    let nearest = |trip: &Trajectory| cores.iter().map(|(core, _)| reach(core, trip)).fold(f64::INFINITY, f64::min);
    let margin = margin.unwrap_or_else(|| trips.iter().map(nearest).fold(0.0, f64::max));

    let mut core_of = vec![0; n];
    cores.iter().enumerate().for_each(|(region, (_, members))| members.iter().for_each(|&state| core_of[state] = region));
    let (mut members, mut without) = (vec![Vec::new(); count], Vec::new());
    for (index, trip) in trips.iter().enumerate() {
        let mut own = vec![0usize; count];
        trip.states.iter().for_each(|&state| own[core_of[state]] += 1);
        let within = (0..count).filter(|&region| reach(&cores[region].0, trip) <= margin);
        match within.max_by(|&a, &b| own[a].cmp(&own[b]).then(b.cmp(&a))) {
            Some(region) => members[region].push(index),
            None => without.push(index),
        }
    }

    let whole = problem.columns();
    let mut in_regions = vec![0u32; n];
    let mut found = Vec::with_capacity(count);
    let mut kept = vec![false; whole.transitions.len()];
    for ((core, _), members) in cores.iter().zip(members) {
        let states: Vec<usize> = (0..n).filter(|&state| core.distance(places[state]) <= margin).collect();
        let numbers = Numbers::new(n, &states);
        states.iter().for_each(|&state| in_regions[state] += 1);
        for (row, ([from, _, to], _)) in whole.transitions.rows().enumerate() {
            kept[row] |= numbers.get(from).is_some() && numbers.get(to).is_some();
        }
        let inside = |&index: &usize| {
            let states = trips[index].states.iter().map(|&state| numbers.get(state)).collect::<Option<Vec<usize>>>();
            states.map(|states| Trajectory { states, ..trips[index].clone() })
        };
        let trips = members.iter().filter_map(inside).collect();
        found.push(Region { problem: part_of(&whole, &numbers), states, trips });
    }
    Ok(Regions {
        regions: found,
        margin,
        without,
        shared: in_regions.iter().filter(|&&count| count > 1).count(),
        cut: kept.iter().filter(|&&kept| !kept).count(),
    })
}
