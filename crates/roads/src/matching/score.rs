//! The quality of a match where the truth is known.

use std::collections::HashSet;

/// The share of the length that is right: the length of the segments in both routes, divided by the length of the
/// longer route. So both missing and additional segments lower it.
///
/// ```
/// use revealed_roads::matching::length_right;
///
/// let lengths = [50.0, 30.0, 20.0, 100.0];
/// assert_eq!(length_right(&[0, 1, 2], &[0, 1, 2], &lengths), 1.0);
/// assert_eq!(length_right(&[0, 1, 2], &[0, 1], &lengths), 0.8);
/// assert_eq!(length_right(&[0, 1, 2], &[0, 1, 2, 3], &lengths), 0.5);
/// ```
pub fn length_right(truth: &[u32], found: &[u32], lengths: &[f64]) -> f64 {
    let length = |route: &HashSet<u32>| route.iter().map(|&segment| lengths[segment as usize]).sum::<f64>();
    let [truth, found]: [HashSet<u32>; 2] = [truth, found].map(|route| route.iter().copied().collect());
    let longer = length(&truth).max(length(&found));
    if longer == 0.0 {
        f64::from(u8::from(truth == found))
    } else {
        length(&truth.intersection(&found).copied().collect()) / longer
    }
}
