//! The place with the smallest expected distance.

/// The largest number of steps.
const MOST_STEPS: usize = 200;
/// The search ends when a step is shorter than this, in metres.
const SHORT: f64 = 0.1;
/// Distances below this count as this, in metres, so that a step from a place of the distribution is defined.
const NEAR: f64 = 1.0;

/// The place whose expected distance from a random place is smallest: the geometric median, by Weiszfeld's algorithm
/// from the mean. `None` if all weights are zero. The weights need not sum to 1.
pub(crate) fn middle(places: &[[f64; 2]], weights: &[f64]) -> Option<[f64; 2]> {
    let mean = |weight: &dyn Fn(usize) -> f64| {
        let [mut sum, mut x, mut y] = [0.0; 3];
        for (place, &[east, north]) in places.iter().enumerate().filter(|&(place, _)| weights[place] > 0.0) {
            let weight = weight(place);
            [sum, x, y] = [sum + weight, x + weight * east, y + weight * north];
        }
        (sum > 0.0).then(|| [x / sum, y / sum])
    };
    let mut at = mean(&|place| weights[place])?;
    for _ in 0..MOST_STEPS {
        let [x, y] = at;
        // A difference of coordinates is no larger than the earth, so its square does not overflow.
        let apart = |[east, north]: [f64; 2]| ((east - x).powi(2) + (north - y).powi(2)).sqrt().max(NEAR);
        let next = mean(&|place| weights[place] / apart(places[place]))?;
        let step = (next[0] - x).hypot(next[1] - y);
        at = next;
        if step < SHORT {
            break;
        }
    }
    Some(at)
}
