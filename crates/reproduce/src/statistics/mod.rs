//! Means with their 90 % confidence intervals, quantiles, slopes, and how numbers are shown.
//!
//! It touches no other room; of `revealed-draw` it uses the interval that charts show. Begin with `mean.rs`.

mod digits;
mod mean;
mod slope;

pub use digits::{shown, significant, with_range, with_uncertainty};
pub(crate) use mean::intervals;
pub use mean::{Mean, mean, quantile};
pub use slope::log_slope;
