//! Numbers with few significant digits.

/// A number with four significant digits.
///
/// ```
/// assert_eq!(revealed_reproduce::statistics::shown(0.0123456), "0.01235");
/// assert_eq!(revealed_reproduce::statistics::shown(634.0), "634.0");
/// assert_eq!(revealed_reproduce::statistics::shown(1.5e-9), "1.500e-9");
/// ```
pub fn shown(value: f64) -> String {
    rounded(value, 4)
}

/// A number with this many significant digits.
pub(super) fn rounded(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..=5).contains(&magnitude) {
        return format!("{value:.*e}", (digits - 1) as usize);
    }
    format!("{value:.*}", (digits - 1 - magnitude).max(0) as usize)
}
