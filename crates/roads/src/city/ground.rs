//! The ground of the city: its outline, its river and its parks.

use std::f64::consts::TAU;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// The width of a block in metres.
pub(super) const BLOCK: f64 = 110.0;
/// The width of the river with its banks in metres.
const RIVER: f64 = 130.0;

/// A point in metres, or a direction.
pub(super) type Point = [f64; 2];

pub(super) fn along(a: Point, b: Point, share: f64) -> Point {
    [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
}

pub(super) fn apart(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The point at a distance and an angle from the centre, in radians from the east to the north.
pub(super) fn polar(radius: f64, angle: f64) -> Point {
    [radius * angle.cos(), radius * angle.sin()]
}

/// The ground of the city.
pub(super) struct Ground {
    /// The mean radius of the city.
    pub radius: f64,
    lobes: [f64; 2],
    /// The river's height, swing and phase.
    river: [f64; 3],
    /// The centres and radii of the parks.
    pub parks: Vec<(Point, f64)>,
}

impl Ground {
    pub fn new(blocks: usize, rng: &mut Pcg64Mcg) -> Ground {
        let radius = BLOCK * blocks as f64 / 2.0;
        let mut between = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
        let lobes = [between(0.0, TAU), between(0.0, TAU)];
        let river = [between(-0.3, -0.15) * radius, between(0.08, 0.14) * radius, between(0.0, TAU)];
        let first = between(0.3, 1.2);
        let park = |angle: f64, share: f64| (polar(0.5 * radius, angle), share * radius);
        let parks = vec![park(first, between(0.12, 0.18)), park(first + between(1.0, 1.6), between(0.07, 0.11))];
        Ground { radius, lobes, river, parks }
    }

    /// The radius of the city in a direction.
    pub fn reach(&self, angle: f64) -> f64 {
        self.radius * (1.0 + 0.07 * (2.0 * angle + self.lobes[0]).sin() + 0.05 * (3.0 * angle + self.lobes[1]).sin())
    }

    /// The y coordinate of the river.
    pub fn river(&self, x: f64) -> f64 {
        let [height, swing, phase] = self.river;
        height + swing * (TAU * x / (2.2 * self.radius) + phase).sin()
    }

    /// North (1) or south (-1) of the river, or neither (0) on it and its banks.
    pub fn side(&self, [x, y]: Point) -> i32 {
        match y - self.river(x) {
            above if above > RIVER / 2.0 => 1,
            above if above < -RIVER / 2.0 => -1,
            _ => 0,
        }
    }

    /// Whether streets may be built here.
    pub fn is_free(&self, at: Point) -> bool {
        at[0].hypot(at[1]) < self.reach(at[1].atan2(at[0])) && self.parks.iter().all(|park| apart(at, park.0) > park.1)
    }

    /// Moves a point of the plan, so that streets are not straight.
    pub fn warp(&self, [x, y]: Point) -> Point {
        let (u, v) = (x / self.radius, y / self.radius);
        let size = 0.035 * self.radius;
        [
            x + size * (2.3 * v + self.lobes[0]).sin() + 0.5 * size * (4.1 * u + self.lobes[1]).cos(),
            y + size * (2.7 * u + self.lobes[1]).cos() + 0.5 * size * (3.7 * v + self.lobes[0]).sin(),
        ]
    }
}
