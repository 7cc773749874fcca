//! Bounds on θ.

use crate::Error;

/// Bounds on θ.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Bounds {
    /// No bounds.
    #[default]
    None,
    /// The same lower and upper bound for every parameter; infinities are allowed.
    Same(f64, f64),
    /// One lower and upper bound per parameter; infinities are allowed.
    Each(Vec<(f64, f64)>),
}

impl Bounds {
    /// The lower and the upper bound of each of `n` parameters.
    ///
    /// # Errors
    /// If there are too many or too few, or a lower bound exceeds its upper bound.
    pub fn each(&self, n: usize) -> Result<Vec<(f64, f64)>, Error> {
        let each = match self {
            Bounds::None => vec![(f64::NEG_INFINITY, f64::INFINITY); n],
            Bounds::Same(lo, hi) => vec![(*lo, *hi); n],
            Bounds::Each(each) => each.clone(),
        };
        if each.len() != n {
            return Err(Error::Length { what: "bounds", found: each.len(), expected: n });
        }
        let sound = |&(lo, hi): &(f64, f64)| lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY;
        match each.iter().position(|pair| !sound(pair)) {
            Some(feature) => Err(Error::Bounds { feature, lo: each[feature].0, hi: each[feature].1 }),
            None => Ok(each),
        }
    }
}
