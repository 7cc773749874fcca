//! A plane divided into hexagons, to sum what lies in each.

use std::collections::BTreeMap;

use crate::canvas::Point;

/// √3.
const ROOT: f64 = 1.732_050_807_568_877_2;

/// Hexagons that stand on a corner, `across` from side to side.
#[derive(Debug, Clone)]
pub(crate) struct Hexagons {
    across: f64,
    /// The sum in each hexagon, by row and column.
    pub cells: BTreeMap<(i64, i64), f64>,
}

impl Hexagons {
    pub fn new(across: f64) -> Hexagons {
        Hexagons { across, cells: BTreeMap::new() }
    }

    /// Adds to the hexagon that a point is in.
    pub fn add(&mut self, point: Point, amount: f64) {
        *self.cells.entry(self.cell(point)).or_insert(0.0) += amount;
    }

    /// The hexagon of a point is the one with the nearest centre: it is in the nearest row or in one beside it.
    pub fn cell(&self, (x, y): Point) -> (i64, i64) {
        let near = (y / self.rise()).round() as i64;
        let candidates = (near - 1..=near + 1).map(|row| {
            let column = (x / self.across - shift(row)).round() as i64;
            let (cx, cy) = self.centre((row, column));
            ((x - cx).hypot(y - cy), (row, column))
        });
        candidates.min_by(|a, b| a.0.total_cmp(&b.0)).map_or((near, 0), |nearest| nearest.1)
    }

    pub fn centre(&self, (row, column): (i64, i64)) -> Point {
        ((column as f64 + shift(row)) * self.across, row as f64 * self.rise())
    }

    pub fn corners(&self, cell: (i64, i64)) -> [Point; 6] {
        let (x, y) = self.centre(cell);
        let (half, long) = (self.across / 2.0, self.across / ROOT);
        [(0.0, -1.0), (1.0, -0.5), (1.0, 0.5), (0.0, 1.0), (-1.0, 0.5), (-1.0, -0.5)].map(|(a, b)| (x + a * half, y + b * long))
    }

    /// From one row to the next.
    fn rise(&self) -> f64 {
        self.across * ROOT / 2.0
    }
}

/// Every other row is half a hexagon to the right.
fn shift(row: i64) -> f64 {
    0.5 * row.rem_euclid(2) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_in_the_hexagon_around_them() {
        let mut hexagons = Hexagons::new(2.0);
        for step in 0..4000 {
            let point = (f64::from(step % 63) * 0.31 - 9.0, f64::from(step / 63) * 0.29 - 9.0);
            let (x, y) = hexagons.centre(hexagons.cell(point));
            // No point is further from its centre than a corner is, and the corners are as far as they should be.
            assert!((point.0 - x).hypot(point.1 - y) <= 2.0 / ROOT + 1e-12, "{point:?} is not in the hexagon at {x}, {y}");
            hexagons.add(point, 1.0);
        }
        assert_eq!(hexagons.cells.values().sum::<f64>(), 4000.0);
        for (x, y) in hexagons.corners((0, 0)) {
            assert!((x.hypot(y) - 2.0 / ROOT).abs() < 1e-12);
        }
    }
}
