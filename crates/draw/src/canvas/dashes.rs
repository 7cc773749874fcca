//! Dashes along a line.

use super::Point;

/// The dashes of a line. A dash follows the bends of the line.
pub(crate) fn dashes(line: &[Point], dash: f64, gap: f64) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    let (mut drawing, mut left) = (true, dash);
    if let Some(&first) = line.first() {
        parts.push(vec![first]);
    }
    for ends in line.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        loop {
            let rest = (to.0 - from.0).hypot(to.1 - from.1);
            // Not so either where an end is NaN.
            let within = rest > left;
            let until =
                if within { (from.0 + (to.0 - from.0) * left / rest, from.1 + (to.1 - from.1) * left / rest) } else { to };
            if let Some(part) = parts.last_mut().filter(|_| drawing) {
                part.push(until);
            }
            if !within {
                left -= rest;
                break;
            }
            drawing = !drawing;
            left = if drawing { dash } else { gap };
            if drawing {
                parts.push(vec![until]);
            }
            from = until;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_bends() {
        let line = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)];
        let parts = dashes(&line, 4.0, 2.0);
        assert_eq!(parts, [vec![(0.0, 0.0), (4.0, 0.0)], vec![(5.0, 1.0), (5.0, 5.0)]]);
        assert_eq!(dashes(&line, 6.0, 2.0), [vec![(0.0, 0.0), (5.0, 0.0), (5.0, 1.0)], vec![(5.0, 3.0), (5.0, 5.0)]]);
        assert!(dashes(&[(0.0, 0.0), (f64::NAN, 1.0)], 4.0, 2.0).len() < 3 && dashes(&[], 4.0, 2.0).is_empty());
    }
}
