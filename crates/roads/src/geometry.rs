//! Places on the earth: distances, bearings, and a plane to work in.

/// The mean radius of the earth in metres.
const RADIUS: f64 = 6_371_008.8;

/// A place by its coordinates in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Position {
    /// Latitude, north is positive.
    pub lat: f64,
    /// Longitude, east is positive.
    pub lon: f64,
}

impl Position {
    /// Whether it is a place at all.
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

    /// The direction in which another place lies: degrees clockwise from north, in [0, 360).
    pub fn bearing(self, other: Position) -> f64 {
        let [from, to] = [self, other].map(|place| place.lat.to_radians());
        let east = (other.lon - self.lon).to_radians();
        let (y, x) = (east.sin() * to.cos(), from.cos() * to.sin() - from.sin() * to.cos() * east.cos());
        y.atan2(x).to_degrees().rem_euclid(360.0)
    }
}

/// A plane that touches the earth at one place: metres to the east and north. Good to one in a thousand within a hundred
/// kilometres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    origin: Position,
    east: f64,
    north: f64,
}

impl Plane {
    /// The plane that touches here.
    pub fn at(origin: Position) -> Plane {
        let north = RADIUS.to_radians();
        Plane { origin, east: north * origin.lat.to_radians().cos(), north }
    }

    /// Metres to the east and north.
    pub fn project(&self, place: Position) -> [f64; 2] {
        [(place.lon - self.origin.lon) * self.east, (place.lat - self.origin.lat) * self.north]
    }

    /// The place at so many metres to the east and north.
    pub fn lift(&self, [x, y]: [f64; 2]) -> Position {
        Position { lat: self.origin.lat + y / self.north, lon: self.origin.lon + x / self.east }
    }
}

/// The point of a straight line between two points that is nearest to a third: its share of the way, and its distance.
pub fn nearest([ax, ay]: [f64; 2], [bx, by]: [f64; 2], [px, py]: [f64; 2]) -> (f64, f64) {
    let (dx, dy) = (bx - ax, by - ay);
    let squared = dx * dx + dy * dy;
    let share = if squared > 0.0 { (((px - ax) * dx + (py - ay) * dy) / squared).clamp(0.0, 1.0) } else { 0.0 };
    let (x, y) = (ax + share * dx - px, ay + share * dy - py);
    (share, x.hypot(y))
}
