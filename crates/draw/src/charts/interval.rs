//! A value with its interval.

/// A value and half the width of the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The value.
    pub middle: f64,
    /// Half the width of the interval; NaN where there is no interval.
    pub half_width: f64,
}

impl Interval {
    /// A value without an interval.
    ///
    /// ```
    /// let exact = revealed_draw::Interval::exactly(3.0);
    /// assert_eq!((exact.low(), exact.high()), (3.0, 3.0));
    /// ```
    pub fn exactly(middle: f64) -> Interval {
        Interval { middle, half_width: f64::NAN }
    }

    /// The lower end of the interval; the value itself where there is no interval.
    pub fn low(self) -> f64 {
        if self.half_width.is_nan() { self.middle } else { self.middle - self.half_width }
    }

    /// The upper end of the interval; the value itself where there is no interval.
    pub fn high(self) -> f64 {
        if self.half_width.is_nan() { self.middle } else { self.middle + self.half_width }
    }
}
