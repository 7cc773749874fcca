//! The noise of a track, from its own fixes.

use crate::matching::matcher::Matcher;
use crate::trips::Fix;

/// The usual standard deviation counts as much as this number of fixes.
const PRIOR_FIXES: f64 = 30.0;
/// No receiver and no map are better than this, in metres.
const LEAST: f64 = 3.0;
/// The number of fixes that are looked at, spread evenly: the median of more is hardly better.
const ENOUGH: usize = 400;

impl Matcher<'_> {
    /// The standard deviation of a track from the roads in metres: the median distance from the nearest road, as
    /// Newson and Krumm (2009) do, and the usual value for tracks of few fixes. The median of the absolute value of a
    /// normal variable is 1/1.4826 of its standard deviation, and outliers do not change a median much.
    pub(in crate::matching) fn noise(&self, fixes: &[(usize, Fix)]) -> f64 {
        let usual = self.options.sigma;
        let step = fixes.len().div_ceil(ENOUGH).max(1);
        let nearest = |&(_, fix): &(usize, Fix)| self.nearest_road(fix.position);
        let mut away: Vec<f64> = fixes.iter().step_by(step).filter_map(nearest).collect();
        if away.is_empty() {
            return usual;
        }
        away.sort_unstable_by(f64::total_cmp);
        let own = 1.4826 * away[away.len() / 2];
        let n = away.len() as f64;
        ((n * own * own + PRIOR_FIXES * usual * usual) / (n + PRIOR_FIXES)).sqrt().clamp(LEAST, self.options.radius)
    }
}
