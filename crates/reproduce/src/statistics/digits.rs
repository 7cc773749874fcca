//! Numbers with few significant digits.

/// A number with four significant digits.
///
/// ```
/// assert_eq!(revealed_reproduce::statistics::shown(0.0123456), "0.01235");
/// assert_eq!(revealed_reproduce::statistics::shown(634.0), "634.0");
/// assert_eq!(revealed_reproduce::statistics::shown(1.5e-9), "1.500e-9");
/// ```
pub fn shown(value: f64) -> String {
    significant(value, 4)
}

/// A value and the half width of its interval, rounded to two significant digits of the half width.
///
/// Digits that are smaller than the uncertainty say nothing, so they are left out. Without an interval the value has
/// four significant digits.
///
/// ```
/// use revealed_reproduce::statistics::with_uncertainty;
/// assert_eq!(with_uncertainty(52.6512, 19.93), "53 ± 20");
/// assert_eq!(with_uncertainty(-133.27, 3.891), "-133.3 ± 3.9");
/// assert_eq!(with_uncertainty(1.2341e-7, 2.1e-9), "(1.234 ± 0.021) × 10⁻⁷");
/// assert_eq!(with_uncertainty(634.0, 0.0), "634.0 ± 0.0");
/// assert_eq!(with_uncertainty(2.5, f64::NAN), "2.500");
/// ```
pub fn with_uncertainty(value: f64, half_width: f64) -> String {
    if !value.is_finite() || !half_width.is_finite() {
        return shown(value);
    }
    // An interval that is only rounding counts as no interval.
    if half_width < 1e-9 * value.abs().max(1.0) {
        // So does a value.
        return if value.abs() < 1e-9 { "0.0 ± 0.0".to_string() } else { format!("{} ± 0.0", shown(value)) };
    }
    let last = last_place(half_width);
    let first = magnitude(value.abs().max(half_width));
    if last < -6 || first > 6 {
        let unit = 10f64.powi(first);
        let (value, half_width) = (at_place(value / unit, last - first), at_place(half_width / unit, last - first));
        return format!("({value} ± {half_width}) × 10{}", raised(first));
    }
    format!("{} ± {}", at_place(value, last), at_place(half_width, last))
}

/// A value and its interval, with the decimals that show two significant digits of half the interval's width.
///
/// ```
/// use revealed_reproduce::statistics::with_range;
/// assert_eq!(with_range(72.5183, (70.82, 74.8)), "72.5 (70.8 – 74.8)");
/// assert_eq!(with_range(3270.4, (2999.0, 3476.0)), "3270 (2999 – 3476)");
/// assert_eq!(with_range(5.0, (5.0, 5.0)), "5.0 (5.0 – 5.0)");
/// ```
pub fn with_range(value: f64, (low, high): (f64, f64)) -> String {
    let half_width = (high - low) / 2.0;
    let last = if half_width > 0.0 { last_place(half_width).min(0) } else { -1 };
    format!("{} ({} – {})", at_place(value, last), at_place(low, last), at_place(high, last))
}

/// The power of ten of the first digit.
fn magnitude(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

/// The power of ten of the second digit, after rounding to two digits.
fn last_place(half_width: f64) -> i32 {
    let last = magnitude(half_width) - 1;
    let rounded = (half_width / 10f64.powi(last)).round();
    // 9.96 has become 10.
    if rounded >= 100.0 { last + 1 } else { last }
}

/// A number, rounded to a power of ten.
fn at_place(value: f64, place: i32) -> String {
    let unit = 10f64.powi(place.max(0));
    // Adding zero makes -0 a plain 0.
    let rounded = (value / unit).round() * unit + 0.0;
    if place >= 0 {
        return format!("{rounded:.0}");
    }
    let digits = place.unsigned_abs() as usize;
    let text = format!("{value:.digits$}");
    let is_zero = text.chars().all(|letter| "-0.".contains(letter));
    if is_zero { text.trim_start_matches('-').to_string() } else { text }
}

/// An exponent in raised digits.
fn raised(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.unsigned_abs().to_string();
    let raised: String = digits.bytes().map(|digit| RAISED[usize::from(digit - b'0')]).collect();
    if exponent < 0 { format!("⁻{raised}") } else { raised }
}

/// A number with this many significant digits; digits before the point are all shown.
///
/// ```
/// use revealed_reproduce::statistics::significant;
/// assert_eq!([64.3, 0.84, 292_604.0].map(|value| significant(value, 3)), ["64.3", "0.840", "292604"]);
/// ```
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..=5).contains(&magnitude) {
        return format!("{value:.*e}", (digits - 1) as usize);
    }
    format!("{value:.*}", (digits - 1 - magnitude).max(0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_digits_of_their_uncertainty() {
        for (value, half_width, expected) in [
            (28.512, 8.97, "28.5 ± 9.0"),
            (3.0, 9.96, "3 ± 10"),
            (1453.0, 121.0, "1450 ± 120"),
            (-0.004, 12.0, "0 ± 12"),
            (-0.0004, 0.12, "0.00 ± 0.12"),
            (0.9, 0.0123, "0.900 ± 0.012"),
            (0.0, 0.5, "0.00 ± 0.50"),
            (1.5e9, 2.5e7, "(1.500 ± 0.025) × 10⁹"),
            (0.0, 0.0, "0.0 ± 0.0"),
            (-5e-11, 1e-26, "0.0 ± 0.0"),
        ] {
            assert_eq!(with_uncertainty(value, half_width), expected, "{value} {half_width}");
        }
    }
}
