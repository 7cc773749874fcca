//! Division of the plane into rectangles with about equally many states.

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    pub low: [f64; 2],
    pub high: [f64; 2],
}

impl Extent {
    /// The smallest rectangle around these places.
    fn around(places: &[[f64; 2]], members: &[usize]) -> Extent {
        let mut extent = Extent { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };
        for &state in members {
            let place = places[state];
            extent.low = [0, 1].map(|axis| extent.low[axis].min(place[axis]));
            extent.high = [0, 1].map(|axis| extent.high[axis].max(place[axis]));
        }
        extent
    }

    /// By how much a place is outside, in the direction in which it is further.
    pub fn distance(&self, place: [f64; 2]) -> f64 {
        let outside = |axis: usize| f64::max(self.low[axis] - place[axis], place[axis] - self.high[axis]);
        outside(0).max(outside(1)).max(0.0)
    }
}

/// Divides the states into `count` parts, each time across the longer side and in proportion to the parts of each side.
pub(super) fn divide(places: &[[f64; 2]], count: usize) -> Vec<(Extent, Vec<usize>)> {
    let mut found = Vec::with_capacity(count);
    halve(places, (0..places.len()).collect(), count, &mut found);
    found
}

fn halve(places: &[[f64; 2]], mut members: Vec<usize>, count: usize, found: &mut Vec<(Extent, Vec<usize>)>) {
    let extent = Extent::around(places, &members);
    if count <= 1 {
        members.sort_unstable();
        found.push((extent, members));
        return;
    }
    let axis = usize::from(extent.high[1] - extent.low[1] > extent.high[0] - extent.low[0]);
    // Ties are broken by the number, so that the division does not depend on the order.
    members.sort_unstable_by(|&a, &b| places[a][axis].total_cmp(&places[b][axis]).then(a.cmp(&b)));
    let left = count / 2;
    let second = members.split_off(members.len() * left / count);
    halve(places, members, left, found);
    halve(places, second, count - left, found);
}
