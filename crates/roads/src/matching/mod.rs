//! Map matching: the segments that a car drove along, from the fixes of its trip.
//!
//! This module matches trips by a hidden Markov model (`hidden_markov`) or a particle filter (`particle_filter`), and
//! counts the reasons why the other trips are dropped. It uses `network` and `trips`, and `world` to write paths. Begin
//! with [`Matcher`].
//!
//! A fix nearer than [`MatchOptions::spacing`] to the one before is skipped, so that a car that stands still, at the
//! start, at the end or in between, is one fix. Nothing else is removed at the ends, except up to [`MatchOptions::gap`]
//! fixes that are off the network or that no route connects with the rest.

mod candidates;
mod files;
mod hidden_markov;
mod match_all;
mod matcher;
mod options;
mod particle_filter;
mod passage;
mod refine;
mod routes;
mod score;
mod tally;
mod timed;
mod tolerant;

pub use self::candidates::Candidate;
pub use self::files::{MatchOutputs, match_files};
pub use self::hidden_markov::Trellis;
pub use self::match_all::{Visit, match_all};
pub use self::matcher::{Dropped, Matched, Matcher, Outliers, Seen};
pub use self::options::{Area, MatchOptions, Method};
pub use self::passage::Passage;
pub use self::refine::{Refined, Refinement, Round, preferring};
pub use self::score::length_right;
pub use self::tally::{Reason, Tally};
pub use self::tolerant::{Lattice, LatticeStep, SkipCost, Taken};
