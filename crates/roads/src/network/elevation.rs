//! Elevations of nodes, from a table.

use std::collections::HashMap;
use std::path::Path;

use rstar::RTree;
use rstar::primitives::GeomWithData;

use super::graph::Network;
use crate::error::Error;
use crate::files::Table;
use crate::geometry::{Plane, Position};

/// A node takes the elevations of the nearest places, of this number at most,
const NEAREST: usize = 4;
/// and within this distance in metres.
const FARTHEST: f64 = 100.0;
/// A place nearer than this is at the node, in metres.
const SAME: f64 = 1.0;

impl Network {
    /// How many metres a segment rises; below 0 if it falls, `None` if an elevation is not known.
    pub fn climb(&self, segment: usize) -> Option<f64> {
        let one = &self.segments[segment];
        let [from, to] = [one.from, one.to].map(|node| self.nodes[node as usize].elevation);
        Some(to? - from?)
    }

    /// The number of nodes whose elevation is not known.
    pub fn without_elevation(&self) -> usize {
        self.nodes.iter().filter(|node| node.elevation.is_none()).count()
    }

    /// Sets elevations from a table (`.csv` or `.csv.gz`) with a column `elevation` in metres, and a column `node` (its id)
    /// or the columns `lat` and `lon`. A node takes the mean of the four nearest places within 100 m, weighed by the
    /// inverse of their distances. Nodes that are not in the table keep what they have. Returns the number of nodes that
    /// were set.
    ///
    /// # Errors
    /// If the table cannot be read, or a value is not a number. The message names the line, and nothing is set.
    pub fn read_elevations(&mut self, path: impl AsRef<Path>) -> Result<usize, Error> {
        let mut table = Table::open(path.as_ref())?;
        let missing = |table: &Table| {
            let names = table.names.join(", ");
            table.of_all(format!("its columns are {names}: give elevation, and node or lat and lon"))
        };
        let Some(elevation) = table.column(&["elevation", "ele"]) else { return Err(missing(&table)) };
        let found = match (table.column(&["node", "id"]), table.column(&["lat"]), table.column(&["lon"])) {
            (Some(node), _, _) => {
                let mut of: HashMap<i64, f64> = HashMap::new();
                while table.next()? {
                    of.insert(table.number(node, "whole number")?, table.finite(elevation)?);
                }
                self.nodes.iter().map(|node| of.get(&node.id).copied()).collect::<Vec<_>>()
            }
            (None, Some(lat), Some(lon)) => {
                let mut places = Vec::new();
                while table.next()? {
                    let place = Position { lat: table.finite(lat)?, lon: table.finite(lon)? };
                    if !place.is_valid() {
                        return Err(table.wrong(format!("{}, {} is no place: are they swapped?", place.lat, place.lon)));
                    }
                    places.push((place, table.finite(elevation)?));
                }
                self.elevations_at(&places)
            }
            _ => return Err(missing(&table)),
        };
        let mut set = 0;
        for (node, elevation) in self.nodes.iter_mut().zip(found) {
            if elevation.is_some() {
                node.elevation = elevation;
                set += 1;
            }
        }
        Ok(set)
    }

    /// The elevation of each node, from those of places.
    fn elevations_at(&self, places: &[(Position, f64)]) -> Vec<Option<f64>> {
        let Some(first) = self.nodes.first() else { return Vec::new() };
        let plane = Plane::at(first.position);
        let points = places.iter().map(|&(place, elevation)| GeomWithData::new(plane.project(place), elevation));
        let tree = RTree::bulk_load(points.collect());
        let of = |position: Position| {
            let here = plane.project(position);
            let (mut sum, mut weights) = (0.0, 0.0);
            for place in tree.nearest_neighbor_iter(here).take(NEAREST) {
                let [x, y] = *place.geom();
                let away = (x - here[0]).hypot(y - here[1]);
                if away <= SAME {
                    return Some(place.data);
                }
                if away <= FARTHEST {
                    (sum, weights) = (sum + place.data / away, weights + 1.0 / away);
                }
            }
            (weights > 0.0).then(|| sum / weights)
        };
        self.nodes.iter().map(|node| of(node.position)).collect()
    }
}
