//! The part of the earth that a map shows.

use super::position::Position;

/// The smallest range of latitudes and longitudes that holds all places of a map. Longitudes are counted from the first
/// place, so a map may cross the antimeridian.
///
/// ```
/// use revealed_roads::{MapExtent, Position};
///
/// let [suva, taveuni] = [Position { lat: -18.1, lon: 178.4 }, Position { lat: -16.8, lon: -179.9 }];
/// let fiji = MapExtent::of([suva, taveuni]).expect("two places");
/// assert!(fiji.contains(Position { lat: -17.0, lon: 180.0 }) && !fiji.contains(Position { lat: -17.0, lon: 0.0 }));
/// assert!((fiji.middle().lon - 179.25).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapExtent {
    origin: Position,
    /// Degrees to the east of the origin, and to the north of the equator.
    low: [f64; 2],
    high: [f64; 2],
}

impl MapExtent {
    /// The extent of these places. Those that are not [valid](Position::is_valid) are ignored; `None` if no other is there.
    pub fn of(places: impl IntoIterator<Item = Position>) -> Option<MapExtent> {
        let mut places = places.into_iter().filter(|place| place.is_valid());
        let first = places.next()?;
        let start = MapExtent { origin: first, low: [0.0, first.lat], high: [0.0, first.lat] };
        Some(places.fold(start, |extent, place| {
            let at = [first.degrees_east(place), place.lat];
            let low = [0, 1].map(|k| extent.low[k].min(at[k]));
            let high = [0, 1].map(|k| extent.high[k].max(at[k]));
            MapExtent { low, high, ..extent }
        }))
    }

    /// Whether a place is in it.
    pub fn contains(&self, place: Position) -> bool {
        let at = [self.origin.degrees_east(place), place.lat];
        place.is_valid() && (0..2).all(|k| (self.low[k]..=self.high[k]).contains(&at[k]))
    }

    /// The place in its middle.
    pub fn middle(&self) -> Position {
        let [east, lat] = [0, 1].map(|k| (self.low[k] + self.high[k]) / 2.0);
        Position { lat, lon: super::position::in_range(self.origin.lon + east) }
    }
}
