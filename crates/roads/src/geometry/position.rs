//! Places on the earth, their distances and bearings.

/// The mean radius of the earth in metres.
pub(super) const RADIUS: f64 = 6_371_008.8;

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
}
