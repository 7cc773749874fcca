//! Tails of the normal and of the chi-squared distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// P(|Z| > |z|) of a standard normal Z.
pub(crate) fn two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() * FRAC_1_SQRT_2)
}

/// The z with P(|Z| ≤ z) = `level`, for a level between 0 and 1; by bisection to the last bit.
pub(crate) fn within(level: f64) -> f64 {
    // erf is accurate near 0, and erfc in the tail.
    let covers = |x: f64| if level < 0.5 { libm::erf(x) >= level } else { libm::erfc(x) <= 1.0 - level };
    let (mut low, mut high) = (0.0, 30.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high * SQRT_2;
        }
        if covers(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

/// P(X > x) of a chi-squared X with an integer number of degrees of freedom: the finite sums of Abramowitz and Stegun
/// 26.4.4 and 26.4.5.
pub fn chi_squared_tail(x: f64, degrees: usize) -> f64 {
    if x <= 0.0 || degrees == 0 {
        return if x <= 0.0 { 1.0 } else { 0.0 };
    }
    // Σ (x/2)^j / Γ(j + 1) e^{-x/2}, with j = 0, 1, … or 1/2, 3/2, …, up to degrees/2 - 1.
    let half = 0.5 * x;
    let (mut sum, mut j, mut log_term) = match degrees % 2 {
        0 => (0.0, 0.0, -half),
        _ => (libm::erfc(half.sqrt()), 0.5, 0.5 * (half.ln() - (PI / 4.0).ln()) - half),
    };
    while j < 0.5 * degrees as f64 - 0.75 {
        sum += log_term.exp();
        j += 1.0;
        log_term += (half / j).ln();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-11 * expected, "{found:e} {expected:e}");
    }

    const SCIPY_CHI_SQUARED: [(f64, usize, f64); 9] = [
        (3.841458820694124, 1, 0.04999999999999989),
        (0.02, 1, 0.887537083981715),
        (5.991464547107979, 2, 0.05000000000000007),
        (7.5, 3, 0.0575584519726364),
        (1.0, 10, 0.9998278843700441),
        (18.5, 11, 0.07068069264971438),
        (700.0, 20, 2.2134053404244967e-135),
        (90.0, 101, 0.7753608400779395),
        (1050.0, 1000, 0.13247405682147703),
    ];

    /// Expected values are SciPy's: `2 * norm.sf(z)`, `norm.ppf((1 + level) / 2)`, `chi2.sf(x, degrees)`.
    #[test]
    fn tails_are_those_of_scipy() {
        close(two_sided(0.0), 1.0);
        close(two_sided(-1.959963984540054), 0.05);
        close(two_sided(8.0), 1.244192114854348e-15);
        close(within(0.95), 1.959963984540054);
        close(within(0.5), 0.6744897501960817);
        close(within(1e-3), 0.0012533144654324165);
        close(within(0.999999), 4.8916384756929325);
        for (x, degrees, expected) in SCIPY_CHI_SQUARED {
            close(chi_squared_tail(x, degrees), expected);
        }
        assert_eq!(chi_squared_tail(0.0, 3), 1.0);
        assert_eq!((chi_squared_tail(1.0, 0), chi_squared_tail(1e9, 7)), (0.0, 0.0));
    }
}
