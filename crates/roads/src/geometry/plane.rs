//! A plane to work in, in metres.

use super::position::{Position, RADIUS, in_range};

/// A plane that touches the earth at one place, in metres to the east and north. Its error is below one in a thousand
/// within a hundred kilometres, also across the antimeridian and at the poles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    origin: Position,
    projection: Projection,
}

/// How places are projected.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Projection {
    /// Degrees times these metres to the east and north.
    Degrees { east: f64, north: f64 },
    /// Onto the plane that touches the sphere, along its normal, given the directions east, north and up: for the
    /// neighbourhood of the poles.
    Orthographic([[f64; 3]; 3]),
}

impl Plane {
    /// The plane that touches the earth at `origin`.
    pub fn at(origin: Position) -> Plane {
        let north = RADIUS.to_radians();
        let (lat_sin, lat_cos) = origin.lat.to_radians().sin_cos();
        let projection = if origin.is_polar() {
            let (lon_sin, lon_cos) = origin.lon.to_radians().sin_cos();
            let to_north = [-lat_sin * lon_cos, -lat_sin * lon_sin, lat_cos];
            Projection::Orthographic([[-lon_sin, lon_cos, 0.0], to_north, direction(origin)])
        } else {
            Projection::Degrees { east: north * origin.lat.to_radians().cos(), north }
        };
        Plane { origin, projection }
    }

    /// A place as metres to the east and north.
    pub fn project(&self, place: Position) -> [f64; 2] {
        match self.projection {
            Projection::Degrees { east, north } => {
                [self.origin.degrees_east(place) * east, (place.lat - self.origin.lat) * north]
            }
            Projection::Orthographic([east, north, _]) => {
                let to = direction(place);
                [RADIUS * dot(to, east), RADIUS * dot(to, north)]
            }
        }
    }

    /// The place at these metres to the east and north.
    pub fn lift(&self, [x, y]: [f64; 2]) -> Position {
        match self.projection {
            Projection::Degrees { east, north } => {
                Position { lat: self.origin.lat + y / north, lon: in_range(self.origin.lon + x / east) }
            }
            Projection::Orthographic([east, north, up]) => {
                let (x, y) = (x / RADIUS, y / RADIUS);
                let z = (1.0 - x * x - y * y).max(0.0).sqrt();
                let [a, b, c] = [0, 1, 2].map(|k| x * east[k] + y * north[k] + z * up[k]);
                Position { lat: c.atan2(a.hypot(b)).to_degrees(), lon: b.atan2(a).to_degrees() }
            }
        }
    }
}

/// The direction of a place from the centre of the earth.
fn direction(place: Position) -> [f64; 3] {
    let ((lat_sin, lat_cos), (lon_sin, lon_cos)) = (place.lat.to_radians().sin_cos(), place.lon.to_radians().sin_cos());
    [lat_cos * lon_cos, lat_cos * lon_sin, lat_sin]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Planes at ordinary places, at the antimeridian and at the poles agree with the great circle, and lifting undoes
    /// projecting.
    #[test]
    fn a_plane_measures_as_the_great_circle_does_everywhere() {
        for lat in [-90.0, -89.999, -81.0, -45.0, 0.0, 41.15, 79.9, 85.0, 89.9999, 90.0] {
            for lon in [-180.0, -179.999, -8.6, 0.0, 100.0, 179.9995, 180.0] {
                let plane = Plane::at(Position { lat, lon });
                for metres in [[300.0, 0.0], [-300.0, 400.0], [10.0, -2000.0], [0.0, 0.0]] {
                    let place = plane.lift(metres);
                    let back = plane.project(place);
                    assert!(place.is_valid(), "{lat} {lon} {metres:?}: {place:?}");
                    assert!((0..2).all(|k| (back[k] - metres[k]).abs() < 1e-5), "{lat} {lon}: {metres:?} {back:?}");
                    let (flat, round) = (metres[0].hypot(metres[1]), Position { lat, lon }.distance(place));
                    assert!((flat - round).abs() <= 1e-3 * flat + 1e-6, "{lat} {lon}: {flat} {round}");
                }
            }
        }
    }

    #[test]
    fn the_way_between_two_places_is_the_short_one() {
        let (west, east) = (Position { lat: 10.0, lon: 179.999 }, Position { lat: 10.0, lon: -179.999 });
        assert!((west.degrees_east(east) - 0.002).abs() < 1e-9 && (east.degrees_east(west) + 0.002).abs() < 1e-9);
        let middle = west.toward(east, 0.75);
        assert!((middle.lon + 179.9995).abs() < 1e-9, "{middle:?}");
        let (a, b) = (Position { lat: 89.999, lon: 0.0 }, Position { lat: 89.999, lon: 180.0 });
        assert!(a.toward(b, 0.5).distance(Position { lat: 90.0, lon: 0.0 }) < 0.01);
    }
}
