//! How good a match is where the truth is known.

use std::collections::HashSet;

/// The share of the length that is right: of the segments that are in both ways, by the longer of the two. What is missing counts,
/// and so does what is too much.
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
    let length = |way: &HashSet<u32>| way.iter().map(|&segment| lengths[segment as usize]).sum::<f64>();
    let [truth, found]: [HashSet<u32>; 2] = [truth, found].map(|way| way.iter().copied().collect());
    let longer = length(&truth).max(length(&found));
    if longer == 0.0 {
        f64::from(u8::from(truth == found))
    } else {
        length(&truth.intersection(&found).copied().collect()) / longer
    }
}
