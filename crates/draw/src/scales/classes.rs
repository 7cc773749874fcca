//! Values in classes with round edges: a colour for each.

use super::axis::round_step;

/// Classes from edge to edge. A value beyond the ends belongs to the first or the last class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Classes {
    pub edges: Vec<f64>,
    /// Whether values lie below the first edge.
    pub below: bool,
    /// Whether values lie above the last edge.
    pub above: bool,
    log: bool,
}

impl Classes {
    /// Up to 16 classes for values with these weights, from one percentile to another. On a logarithmic scale only
    /// values above 0 count. `None` if no value counts.
    pub fn new(values: impl Iterator<Item = (f64, f64)>, clip: [f64; 2], log: bool) -> Option<Classes> {
        let shown = |value: f64| value.is_finite() && (!log || value > 0.0);
        let mut known: Vec<(f64, f64)> = values.filter(|&(value, weight)| shown(value) && weight > 0.0).collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (least, most) = (known.first()?.0, known.last()?.0);
        // Beyond that, differences overflow.
        let [low, high] = clip.map(|percent| percentile(&known, percent).clamp(-1e300, 1e300));
        let edges = if log { log_edges(low, high) } else { linear_edges(low, high) };
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        Some(Classes { below: least < first, above: most > last, edges, log })
    }

    /// Classes with these edges, on a logarithmic scale.
    pub fn fixed(edges: &[f64], below: bool, above: bool) -> Classes {
        Classes { edges: edges.to_vec(), below, above, log: true }
    }

    pub fn len(&self) -> usize {
        self.edges.len() - 1
    }

    /// The class of a value; `None` for NaN, and on a logarithmic scale for values that are not above 0.
    pub fn of(&self, value: f64) -> Option<usize> {
        let shown = value.is_finite() && (!self.log || value > 0.0);
        shown.then(|| self.edges.partition_point(|&edge| edge <= value).saturating_sub(1).min(self.len() - 1))
    }

    /// Where a class is on the scale from 0 to 1.
    pub fn part(&self, class: usize) -> f64 {
        if self.len() == 1 { 0.5 } else { class as f64 / (self.len() - 1) as f64 }
    }

    /// The labels of the edges, with as many digits as it takes to distinguish them.
    pub fn labels(&self) -> Vec<String> {
        let step = self.step();
        let most = self.edges.iter().fold(0.0, |most: f64, edge| most.max(edge.abs()));
        let digits = (-(step * 1.000_001).log10().floor()).max(0.0) as usize;
        let words = |edge: f64| match self.log {
            true => short(edge),
            false if most >= 1e7 || digits > 6 => format!("{edge:.1e}"),
            false => format!("{edge:.digits$}"),
        };
        self.edges.iter().map(|&edge| words(edge)).collect()
    }

    /// The edges to label if every `stride`-th is: those that are round.
    pub fn labelled(&self, stride: usize) -> impl Iterator<Item = usize> {
        let first = match self.log {
            true => self.edges.iter().position(|edge| (edge.log10() - edge.log10().round()).abs() < 1e-9).unwrap_or(0) % stride,
            false => (-(self.edges[0] / self.step()).round()).rem_euclid(stride as f64) as usize,
        };
        (first..self.edges.len()).step_by(stride)
    }

    /// The width of the narrowest class.
    fn step(&self) -> f64 {
        self.edges.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
    }
}

/// A number with up to three significant digits, without zeros at its end.
pub(crate) fn short(value: f64) -> String {
    if value != 0.0 && (value.abs() < 1e-4 || value.abs() >= 1e7) {
        return format!("{value:.0e}");
    }
    // 0.30000000000000004 stands for 0.3.
    let digits = (2.0 - value.abs().max(1e-9).log10().floor()).clamp(0.0, 8.0) as usize;
    let long = format!("{value:.digits$}");
    if long.contains('.') { long.trim_end_matches('0').trim_end_matches('.').to_string() } else { long }
}

/// The value below which this percentage of the weight lies.
fn percentile(sorted: &[(f64, f64)], percent: f64) -> f64 {
    let total: f64 = sorted.iter().map(|entry| entry.1).sum();
    let mut below = 0.0;
    let reached = sorted.iter().find(|entry| {
        below += entry.1;
        below >= percent / 100.0 * total
    });
    reached.or(sorted.last()).map_or(0.0, |entry| entry.0)
}

/// Multiples of a round step.
fn linear_edges(low: f64, high: f64) -> Vec<f64> {
    let least = (high - low) / 14.0;
    // Values that differ only by rounding are one class.
    let same = least <= 1e-9 * low.abs().max(high.abs()) || least <= 0.0;
    let step = match same {
        true if low == 0.0 => 1.0,
        true => round_step(low.abs()),
        false => round_step(least),
    };
    let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    let many = ((last - first) as i64).clamp(1, 16);
    (0..=many).map(|k| (first + k as f64) * step).collect()
}

/// 1, 2, 5, 10 and so on; where there are too many, powers of ten or of a hundred.
fn log_edges(low: f64, high: f64) -> Vec<f64> {
    let (low, high) = (low.max(1e-300), high.max(low).min(1e300));
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let decades = (first..=last + 1).map(|power| 10f64.powi(power));
    let mut edges: Vec<f64> = match last - first {
        ..=5 => decades.flat_map(|ten| [ten, 2.0 * ten, 5.0 * ten]).collect(),
        many => decades.step_by((many as usize).div_ceil(15)).collect(),
    };
    let start = edges.partition_point(|&edge| edge <= low * 1.000_000_1).saturating_sub(1);
    let end = edges.partition_point(|&edge| edge < high * 0.999_999_9).max(start + 1);
    edges.truncate(end + 1);
    edges.split_off(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(values: &[f64], log: bool) -> Option<Classes> {
        Classes::new(values.iter().map(|&value| (value, 1.0)), [0.0, 100.0], log)
    }

    #[test]
    fn edges_are_round_and_have_every_value() {
        let some = classes(&[0.13, 0.71, f64::NAN, 0.4], false).unwrap();
        assert_eq!(some.labels().first().map(String::as_str), Some("0.10"));
        assert_eq!(
            (some.of(0.13), some.of(0.16), some.of(9.0), some.of(f64::NAN)),
            (Some(0), Some(1), Some(some.len() - 1), None)
        );
        assert!(some.len() <= 16 && !some.below && !some.above);
        assert_eq!(some.labelled(2).map(|edge| some.labels()[edge].clone()).next().as_deref(), Some("0.10"));
        let flows = classes(&[0.0, 1.0, 3.0, 400.0], true).unwrap();
        assert_eq!(flows.labels(), ["1", "2", "5", "10", "20", "50", "100", "200", "500"]);
        assert_eq!(flows.labelled(3).collect::<Vec<_>>(), [0, 3, 6]);
        assert_eq!((flows.of(0.0), flows.of(1.0), flows.of(400.0)), (None, Some(0), Some(7)));
        assert_eq!(classes(&[1e-12, 1e-3], true).unwrap().labels()[0], "1e-12");
    }

    #[test]
    fn percentiles_cut_the_ends() {
        let values = (0..1000).map(|k| (if k == 999 { 1e6 } else { f64::from(k) / 100.0 }, 1.0));
        let some = Classes::new(values, [2.0, 98.0], false).unwrap();
        assert!(some.above && !some.below && some.edges[some.len()] <= 10.0, "{some:?}");
        // A value without weight does not count.
        assert_eq!(Classes::new([(1.0, 0.0)].into_iter(), [0.0, 100.0], false), None);
    }

    #[test]
    fn strange_values_make_classes_too() {
        for values in [
            &[5.0, 5.0][..],
            &[0.0],
            &[-3.0],
            &[1e300, -1e300],
            &[f64::MAX, f64::MIN],
            &[1e-300],
            &[1e-300, 1e300],
            &[7.0, 7.0 + 1e-15],
        ] {
            for log in [false, true] {
                let Some(some) = classes(values, log) else { continue };
                assert!((1..=16).contains(&some.len()), "{values:?} {log}: {some:?}");
                assert!(some.edges.windows(2).all(|pair| pair[0] < pair[1]), "{values:?} {log}: {some:?}");
                assert!(some.of(values[0]).is_some() || log);
                assert!(some.labels().iter().all(|label| label.len() < 12), "{:?}", some.labels());
            }
        }
        assert_eq!((classes(&[], false), classes(&[f64::NAN], false), classes(&[0.0, -1.0], true)), (None, None, None));
        assert_eq!(
            (short(0.3), short(250.0), short(0.125), short(1.0)),
            ("0.3".into(), "250".into(), "0.125".into(), "1".into())
        );
    }
}
