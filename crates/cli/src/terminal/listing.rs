//! Long lists that are cut for people; `--json` has them whole.

use revealed::Features;

/// How many rows are listed.
pub const LISTED: usize = 20;

/// The entries of largest size, with the names of their features.
pub fn largest(values: &[f64], features: &Features, most: usize) -> Vec<(String, f64)> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
    order.into_iter().take(most).map(|k| (features.name(k), values[k])).collect()
}
