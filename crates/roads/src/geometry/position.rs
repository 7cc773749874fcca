//! Places on the earth, their distances and bearings.

use super::plane::Plane;

/// The mean radius of the earth in metres.
pub(super) const RADIUS: f64 = 6_371_008.8;
/// Beyond this latitude a plane of degrees is not used.
const POLAR: f64 = 80.0;

/// A place on the earth, in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Position {
    /// Latitude, north is positive.
    pub lat: f64,
    /// Longitude, east is positive.
    pub lon: f64,
}

impl Position {
    /// Whether both coordinates are in their ranges.
    pub fn is_valid(self) -> bool {
        self.lat.abs() <= 90.0 && self.lon.abs() <= 180.0
    }

    /// The great-circle distance in metres.
    ///
    /// ```
    /// use revealed_roads::Position;
    ///
    /// let (porto, lisbon) = (Position { lat: 41.15, lon: -8.61 }, Position { lat: 38.72, lon: -9.14 });
    /// assert!((porto.distance(lisbon) - 274e3).abs() < 1e3);
    /// ```
    pub fn distance(self, other: Position) -> f64 {
        let half = |a: f64, b: f64| ((b - a).to_radians() / 2.0).sin().powi(2);
        let across = self.lat.to_radians().cos() * other.lat.to_radians().cos();
        let h = half(self.lat, other.lat) + across * half(self.lon, other.lon);
        2.0 * RADIUS * h.clamp(0.0, 1.0).sqrt().asin()
    }

    /// The bearing of another place: degrees clockwise from north, in [0, 360).
    pub fn bearing(self, other: Position) -> f64 {
        let [from, to] = [self, other].map(|place| place.lat.to_radians());
        let east = (other.lon - self.lon).to_radians();
        let (y, x) = (east.sin() * to.cos(), from.cos() * to.sin() - from.sin() * to.cos() * east.cos());
        y.atan2(x).to_degrees().rem_euclid(360.0)
    }

    /// The degrees of longitude to another place, the short way: in [-180, 180). Negative to the west.
    pub fn degrees_east(self, other: Position) -> f64 {
        wrapped(other.lon - self.lon)
    }

    /// The place at a share of the way to another, over less than a hundred kilometres.
    pub fn toward(self, other: Position, share: f64) -> Position {
        if self.is_polar() {
            let plane = Plane::at(self);
            return plane.lift(plane.project(other).map(|metres| share * metres));
        }
        let lon = self.lon + share * self.degrees_east(other);
        Position { lat: self.lat + share * (other.lat - self.lat), lon: in_range(lon) }
    }

    /// Whether it is so near to a pole that degrees of longitude are no measure of distance.
    pub(crate) fn is_polar(self) -> bool {
        self.lat.abs() > POLAR
    }
}

/// An angle in [-180, 180). One that is in it already keeps its bits.
pub(super) fn wrapped(degrees: f64) -> f64 {
    if (-180.0..180.0).contains(&degrees) { degrees } else { (degrees + 180.0).rem_euclid(360.0) - 180.0 }
}

/// A longitude in [-180, 180]; one that is in it already keeps its bits.
pub(super) fn in_range(lon: f64) -> f64 {
    if lon.abs() <= 180.0 { lon } else { wrapped(lon) }
}
