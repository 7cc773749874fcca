//! A plane to work in, in metres.

use super::position::{Position, RADIUS};

/// A plane that touches the earth at one place, in metres to the east and north. Its error is below one in a thousand
/// within a hundred kilometres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    origin: Position,
    east: f64,
    north: f64,
}

impl Plane {
    /// The plane that touches the earth at `origin`.
    pub fn at(origin: Position) -> Plane {
        let north = RADIUS.to_radians();
        Plane { origin, east: north * origin.lat.to_radians().cos(), north }
    }

    /// A place as metres to the east and north.
    pub fn project(&self, place: Position) -> [f64; 2] {
        [(place.lon - self.origin.lon) * self.east, (place.lat - self.origin.lat) * self.north]
    }

    /// The place at these metres to the east and north.
    pub fn lift(&self, [x, y]: [f64; 2]) -> Position {
        Position { lat: self.origin.lat + y / self.north, lon: self.origin.lon + x / self.east }
    }
}

/// The point of the line segment from `a` to `b` that is nearest to `p`: its share of the way from `a` to `b`, and its
/// distance from `p`.
pub fn nearest([ax, ay]: [f64; 2], [bx, by]: [f64; 2], [px, py]: [f64; 2]) -> (f64, f64) {
    let (dx, dy) = (bx - ax, by - ay);
    let squared = dx * dx + dy * dy;
    let share = if squared > 0.0 { (((px - ax) * dx + (py - ay) * dy) / squared).clamp(0.0, 1.0) } else { 0.0 };
    let (x, y) = (ax + share * dx - px, ay + share * dy - py);
    (share, x.hypot(y))
}
