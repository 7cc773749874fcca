//! An axis: from values to places on the sheet, and where its ticks are.

/// What an axis measures.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The label, with the unit.
    pub label: String,
    /// Whether equal steps are equal factors.
    pub log: bool,
}

/// An axis with a range: from values to places on the sheet.
#[derive(Debug)]
pub(crate) struct Scale {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis on which equal steps are equal differences.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: false }
    }

    /// An axis on which equal steps are equal factors.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: true }
    }

    /// A scale from place `from` to place `to` that covers all these values. Values that cannot be shown (NaN, and on a
    /// logarithmic axis those that are not above 0) do not count.
    pub(crate) fn scale(&self, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let shown = values.filter(|value| value.is_finite() && (!self.log || *value > 0.0));
        let (low, high) =
            shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        let (low, high) = if self.log {
            // Half a step of room, then to whole powers of ten where that is near.
            let (low, high) = (low.log10() - 0.1, high.log10() + 0.1);
            if high - low < 1.2 { (low - 0.5, high + 0.5) } else { (low, high) }
        } else {
            let room = if high > low { 0.05 * (high - low) } else { 0.5 * high.abs().max(1.0) };
            let low = if low >= 0.0 && low < 0.5 * high { 0.0 } else { low - room };
            (low, high + room)
        };
        Scale { log: self.log, low, high, from, to }
    }
}

impl Scale {
    /// The place of a value; a value beyond the scale lies at its end.
    pub fn place(&self, value: f64) -> f64 {
        let value = if !self.log {
            value
        } else if value > 0.0 {
            value.log10()
        } else {
            self.low
        };
        let part = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        self.from + part * (self.to - self.from)
    }

    /// Values to mark, with their labels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let step = if self.log { ((self.high - self.low) / 6.0).ceil() } else { round_step((self.high - self.low) / 6.0) };
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        let at = |k: i64| k as f64 * step;
        match self.log {
            true => (first..=last).map(|k| (10f64.powf(at(k)), power_of_ten(at(k) as i64))).collect(),
            false => {
                let digits = (-step.log10().floor()).max(0.0) as usize;
                // Counting steps, not adding them, keeps 0 a plain 0.
                (first..=last).map(|k| (at(k), format!("{:.digits$}", at(k)))).collect()
            }
        }
    }
}

/// The smallest number of the form 1, 2 or 5 times a power of ten that is not below `least`.
pub(crate) fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|&step| step >= least * (1.0 - 1e-9)).unwrap_or(least)
}

fn power_of_ten(exponent: i64) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.unsigned_abs().to_string();
    let raised: String = digits.bytes().map(|digit| RAISED[usize::from(digit - b'0')]).collect();
    format!("10{}{raised}", if exponent < 0 { "⁻" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, values: &[f64]) -> Vec<String> {
        axis.scale(values.iter().copied(), 0.0, 100.0).ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(&Axis::linear(""), &[0.0, 9.7]), ["0", "2", "4", "6", "8", "10"][..].to_vec());
        assert_eq!(labels(&Axis::linear(""), &[0.0, 0.31]), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(&Axis::linear(""), &[-3.0, 3.0]), ["-2", "0", "2"]);
        assert_eq!(labels(&Axis::log(""), &[0.002, 20.0]), ["10⁻²", "10⁻¹", "10⁰", "10¹"]);
    }

    #[test]
    fn no_values_or_equal_ones_make_a_scale_too() {
        for axis in [Axis::linear(""), Axis::log("")] {
            for values in [&[][..], &[5.0, 5.0], &[0.0], &[f64::NAN, -1.0]] {
                let scale = axis.scale(values.iter().copied(), 0.0, 100.0);
                assert!(!scale.ticks().is_empty() && (0.0..=100.0).contains(&scale.place(5.0)), "{axis:?} {values:?}");
            }
        }
    }

    #[test]
    fn larger_values_are_further() {
        let scale = Axis::log("").scale([1.0, 1000.0].into_iter(), 0.0, 100.0);
        assert!(scale.place(1.0) > 0.0 && scale.place(10.0) > scale.place(1.0) && scale.place(1000.0) < 100.0);
        assert_eq!((scale.place(0.0), scale.place(1e9)), (0.0, 100.0));
    }
}
