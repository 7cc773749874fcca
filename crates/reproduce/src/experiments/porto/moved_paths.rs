//! Paths on another network of the same map.

use std::collections::HashMap;

use revealed::Trajectory;
use revealed_roads::{Network, Roads};

/// What a segment is on every network of a map: the ids of its ends and of its way.
type Key = [i64; 3];

fn key(network: &Network, segment: usize) -> Key {
    let found = &network.segments[segment];
    let [from, to] = [found.from, found.to].map(|node| network.nodes[node as usize].id);
    [from, to, network.way_of(segment).id]
}

/// The paths along the same segments of another network. Those whose segments or turns it lacks are left out.
pub(super) fn moved(paths: &[Trajectory], from: &Roads, to: &Roads) -> Vec<Trajectory> {
    let there: HashMap<Key, u32> =
        (0..to.network.n_segments()).map(|segment| (key(&to.network, segment), segment as u32)).collect();
    let on_other = |path: &Trajectory| {
        let segments = from.segments_of_path(&path.states);
        let segments: Option<Vec<u32>> =
            segments.iter().map(|&segment| there.get(&key(&from.network, segment as usize)).copied()).collect();
        let moved = to.path(&segments?).ok()?;
        Some(Trajectory { weight: path.weight, id: path.id.clone(), ..moved })
    };
    paths.iter().filter_map(on_other).collect()
}

#[cfg(test)]
mod tests {
    use revealed_roads::{CityOptions, Extract, Group, NetworkOptions, city};

    use super::*;

    #[test]
    fn paths_keep_their_streets_on_a_network_with_more_turns() {
        let city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let map = folder.path().join("city.osm");
        std::fs::write(&map, city.osm_xml()).unwrap();
        let extract = Extract::read(&map, false).unwrap();
        let [plain, with_u_turns] = [false, true].map(|u_turns| {
            let options = NetworkOptions { u_turns, ..NetworkOptions::default() };
            Roads::new(Network::new(&extract, options).unwrap(), &Group::PAPER)
        });
        let trips = city.trips(50, 1).unwrap();
        let there = moved(&trips, &plain, &with_u_turns);
        assert_eq!(there.len(), trips.len());
        for (one, other) in trips.iter().zip(&there) {
            assert_eq!(one.id, other.id);
            let lengths = [(one, &plain), (other, &with_u_turns)]
                .map(|(path, roads)| path.states.iter().map(|&state| roads.length(state)).collect::<Vec<_>>());
            assert_eq!(lengths[0], lengths[1]);
        }
        // The actions are those of the other network, whose states have more turns.
        assert!(trips.iter().zip(&there).any(|(one, other)| one.actions != other.actions));
        assert_eq!(moved(&there, &with_u_turns, &plain), trips);
        // Most U-turns are possible on one of them only.
        let u_turn = |state: usize| {
            let to = *with_u_turns.turns_of(state).iter().find(|&&to| with_u_turns.network.is_u_turn(state, to as usize))?;
            with_u_turns.path(&[state as u32, to]).ok()
        };
        let back: Vec<Trajectory> = (0..with_u_turns.n_states()).filter_map(u_turn).collect();
        assert!(moved(&back, &with_u_turns, &plain).len() < back.len() / 2);
    }
}
