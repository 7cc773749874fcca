//! A road network as a file: a problem, and the network in additional arrays.

use std::path::Path;

use revealed_formats::{Addition, ProblemColumns, load_additions};

use super::arrays::{Arrays, PREFIX, arrays_of};
use super::chains::Chains;
use super::roads::Roads;
use crate::error::{Error, Fault};
use crate::features::RoadFeatures;
use crate::network::{Network, Segment};
use crate::osm::{Profile, Source};

/// Where the segments of each chain begin, and the segments: only in a compressed network.
const OFFSETS: &str = "chain.offsets";
const SEGMENTS: &str = "chain.segments";
/// The origin of the data. Old files do not have it.
const SOURCE: &str = "source";
/// Who travels. Files of networks for cars do not have it.
const PROFILE: &str = "profile";

impl Roads {
    /// Writes an `.npz` file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if path.extension().is_none_or(|extension| extension != "npz") {
            return Err(Fault::Content("a road network is an .npz file: give it this extension".to_string()).of(path));
        }
        let mut columns = self.columns();
        columns.additions = arrays_of(&self.network);
        let source = self.network.source.name().to_string();
        columns.additions.push((format!("{PREFIX}{SOURCE}"), Addition::Texts(vec![source])));
        if self.network.profile != Profile::default() {
            let profile = self.network.profile.name().to_string();
            columns.additions.push((format!("{PREFIX}{PROFILE}"), Addition::Texts(vec![profile])));
        }
        if let Some(chains) = &self.chains {
            let integers = |list: &[u32]| Addition::Integers(list.iter().map(|&entry| i64::from(entry)).collect());
            columns.additions.push((format!("{PREFIX}{OFFSETS}"), integers(chains.offsets())));
            columns.additions.push((format!("{PREFIX}{SEGMENTS}"), integers(chains.segments())));
        }
        Ok(columns.save(path)?)
    }

    /// Reads a file that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// If the file is not valid.
    pub fn load(path: impl AsRef<Path>) -> Result<Roads, Error> {
        let path = path.as_ref();
        let columns = ProblemColumns::load(path).map_err(|error| no_network(path, error))?;
        let wrong = |what: String| Fault::Content(what).of(path);
        if let Err(fault) = columns.build() {
            return Err(wrong(fault.to_string()));
        }
        let found = load_additions(path, PREFIX)?;
        if found.is_empty() {
            return Err(wrong("it is a problem without a road network: make one with `revealed roads import`".to_string()));
        }
        let arrays = Arrays::new(found);
        let (mut network, chains) = network(&arrays, &columns).map_err(wrong)?;
        network.source = named(&arrays, SOURCE, Source::ALL, Source::name, Source::OpenStreetMap).map_err(wrong)?;
        network.profile = named(&arrays, PROFILE, Profile::ALL, Profile::name, Profile::Car).map_err(wrong)?;
        let features = RoadFeatures {
            names: columns.names.clone(),
            of_segments: columns.state_features.rows().map(|([state, feature], value)| (state, feature, value)).collect(),
            of_turns: columns.transition_features.rows().map(|([turn, feature], value)| (turn, feature, value)).collect(),
        };
        Ok(Roads { network, features, chains })
    }
}

/// The error of a file that is no problem: perhaps it is what a network is made of.
fn no_network(path: &Path, error: revealed_formats::Error) -> Error {
    use revealed_formats::Fault as Found;
    match error.fault() {
        Found::Extension { .. } | Found::Format { .. } | Found::Json { .. } | Found::Archive(_) => {
            let what = format!("it is not a road network ({}): make one with `revealed roads import`", error.fault());
            Fault::Content(what).of(path)
        }
        _ => error.into(),
    }
}

/// The network and its chains. Turns are not in the arrays: they are the transitions of the problem.
fn network(arrays: &Arrays, columns: &ProblemColumns) -> Result<(Network, Option<Chains>), String> {
    let (nodes, ways) = (arrays.nodes()?, arrays.ways()?);
    let segments = arrays.segments(nodes.len(), ways.len())?;
    let written = written_chains(arrays, &segments)?;
    let n_states = written.as_ref().map_or(segments.len(), Vec::len);
    if n_states as i64 != columns.n_states {
        return Err(format!("it has {n_states} segments or chains, and the problem has {} states", columns.n_states));
    }
    let [first, last] = [|chain: &Vec<u32>| chain[0], |chain: &Vec<u32>| chain[chain.len() - 1]].map(|end| {
        let written = &written;
        move |state: usize| written.as_ref().map_or(state as u32, |chains| end(&chains[state]))
    });
    let mut turns: Vec<(u32, u32)> = columns.transitions.rows().map(|([from, _, to], _)| (last(from), first(to))).collect();
    turns.extend(written.iter().flatten().flat_map(|chain| chain.windows(2)).map(|pair| (pair[0], pair[1])));
    let copies = arrays.copies(segments.len())?;
    let network = Network::from_parts(nodes, ways, segments, turns).with_copies(copies)?;
    let chains = written.as_ref().map(|_| Chains::new(&network));
    let as_made = |chains: &Chains| (0..chains.len()).map(|chain| chains.segments_of(chain)).eq(written.iter().flatten());
    if chains.as_ref().is_some_and(|chains| !as_made(chains)) {
        return Err("its chains are not those of its network: import the network again".to_string());
    }
    check_order(&network, chains.as_ref(), columns, n_states)?;
    Ok((network, chains))
}

/// The features of turns are stored by row, and actions by order: another order would be another world.
fn check_order(network: &Network, chains: Option<&Chains>, columns: &ProblemColumns, n_states: usize) -> Result<(), String> {
    let turns_of = |state: usize| match chains {
        Some(chains) => chains.turns_of(state),
        None => network.turns_of(state),
    };
    let expected =
        (0..n_states).flat_map(|from| turns_of(from).iter().enumerate().map(move |(action, &to)| [from, action, to as usize]));
    match columns.transitions.rows().map(|row| row.0).eq(expected) {
        true => Ok(()),
        false => Err("its transitions are not in the order of segments and turns: import the network again".to_string()),
    }
}

/// The one of some values that an array names; `usual` if the file does not have it.
fn named<T: Copy, const N: usize>(
    arrays: &Arrays,
    array: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
    usual: T,
) -> Result<T, String> {
    let Some(found) = arrays.maybe(array) else { return Ok(usual) };
    let known = |text: &String| all.into_iter().find(|&one| name(one) == text);
    let found = found.texts().and_then(|texts| texts.first()).and_then(known);
    found.ok_or_else(|| format!("the array \"{PREFIX}{array}\" does not name a known {array}: import the network again"))
}

/// The segments of each chain, each segment once; `None` if the network is not compressed.
fn written_chains(arrays: &Arrays, of: &[Segment]) -> Result<Option<Vec<Vec<u32>>>, String> {
    if arrays.maybe(OFFSETS).is_none() {
        return Ok(None);
    }
    let (offsets, segments) = (arrays.integers(OFFSETS)?, arrays.integers(SEGMENTS)?);
    let fits = offsets.first() == Some(&0)
        && offsets.last() == Some(&(segments.len() as i64))
        && offsets.windows(2).all(|pair| pair[0] < pair[1]);
    let mut sorted = segments.to_vec();
    sorted.sort_unstable();
    if !fits || !sorted.into_iter().eq(0..of.len() as i64) {
        return Err(format!("\"{PREFIX}{OFFSETS}\" and \"{PREFIX}{SEGMENTS}\" do not have every segment once"));
    }
    let chain = |pair: &[i64]| segments[pair[0] as usize..pair[1] as usize].iter().map(|&segment| segment as u32).collect();
    Ok(Some(offsets.windows(2).map(chain).collect()))
}
