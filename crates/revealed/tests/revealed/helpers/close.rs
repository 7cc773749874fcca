//! Numbers that agree up to rounding.

use std::fmt::Display;

/// Asserts that two numbers differ by at most `tolerance`: relative to the expected one where that exceeds 1,
/// absolutely elsewhere.
#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64, what: impl Display) {
    let apart = (found - expected).abs();
    assert!(apart <= tolerance * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
}

/// The same for two lists, place by place.
#[track_caller]
pub fn all_close(found: &[f64], expected: &[f64], tolerance: f64, what: impl Display) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (place, (&one, &other)) in found.iter().zip(expected).enumerate() {
        close(one, other, tolerance, format_args!("{what}, [{place}]"));
    }
}

/// Asserts that two numbers differ by at most `tolerance`, relative to the expected one however small it is.
#[track_caller]
pub fn relatively_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found}, expected {expected}");
}

/// The largest difference between two lists of the same length; NaN where one of them is.
#[track_caller]
pub fn furthest(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    let apart = left.iter().zip(right).map(|(left, right)| (left - right).abs());
    apart.fold(0.0, |most, apart| if apart > most || apart.is_nan() { apart } else { most })
}

#[test]
fn differences_are_seen() {
    use std::panic::catch_unwind;

    close(1.0 + 1e-13, 1.0, 1e-12, "");
    close(1e6 + 1e-7, 1e6, 1e-12, "");
    relatively_close(1e-9, 1e-9 + 1e-22, 1e-12);
    assert_eq!(furthest(&[1.0, 2.0], &[1.5, 4.0]), 2.0);
    assert!(furthest(&[1.0, f64::NAN, 2.0], &[1.5, 0.0, 4.0]).is_nan());
    let wrong: [fn(); 6] = [
        || close(1e-11, 0.0, 1e-12, ""),
        || close(f64::NAN, 0.0, 1e-12, ""),
        || close(f64::INFINITY, f64::INFINITY, 1e-12, ""),
        || all_close(&[0.0, 1.0], &[0.0, 1.1], 1e-12, ""),
        || all_close(&[0.0], &[0.0, 1.0], 1e-12, ""),
        || relatively_close(1e-9, 2e-9, 1e-12),
    ];
    for (place, wrong) in wrong.into_iter().enumerate() {
        assert!(catch_unwind(wrong).is_err(), "{place}");
    }
}
