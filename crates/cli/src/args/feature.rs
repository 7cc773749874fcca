//! A feature by its name or number.

use revealed::{Features, shown};

use crate::terminal::Failure;

/// The features that a message names.
const NAMED: usize = 20;

/// The number of a feature that `option` names.
pub fn feature_named(text: &str, features: &Features, option: &str) -> Result<usize, Failure> {
    let named = features.names().iter().position(|name| name == text);
    let number = || text.parse().ok().filter(|&number: &usize| number < features.n_features());
    named.or_else(number).ok_or_else(|| {
        let names = features.names().iter().take(NAMED).map(|name| shown(name)).collect::<Vec<_>>().join(", ");
        let known = if names.is_empty() { format!("numbers below {}", features.n_features()) } else { names };
        Failure::new(format!("{option}: there is no feature {}; there are {known}", shown(text)))
    })
}
